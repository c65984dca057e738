//! The controller on a real cluster: it does nothing when it should not, a second one takes
//! over when the first dies, and what went wrong is rolled back and left alone.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use kube::ResourceExt;
use serde_json::{Value, json};

use crate::command::{Running, User};
use crate::faults::{FaultProxy, Held};
use crate::lab::{Lab, app_of, with_lab};
use crate::watch::Watch;
use crate::workload::{Size, Workload};

const PLANS: &str = "/apis/bayplan.dev/v1alpha1/placementplans";
const LEASE: &str = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/bayplan-controller";

/// A populated cluster whose applier may also hold the Lease, as the chart's controller may.
async fn populated(lab: &Lab, size: Size, seed: u64) -> (Workload, User) {
    let workload = Workload::generate(size, seed);
    lab.install_chart().await;
    lab.let_lead("applier", "kube-system").await;
    lab.populate(&workload).await;
    let user = lab.user("applier");
    std::fs::write(user.path("traffic.csv"), workload.traffic_csv()).unwrap();
    (workload, user)
}

fn start(user: &User, more: &[&str]) -> Running {
    let always = [
        "controller",
        "--traffic=traffic.csv",
        "--time=3",
        "--every=60",
        "--lease-namespace=kube-system",
    ];
    user.start(&[&always[..], more].concat())
}

/// `HH:MM-HH:MM`, beginning so many hours from now and lasting two.
fn window(hours_from_now: u64) -> String {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() / 60;
    let at = |hours: u64| {
        let minute = (since + hours * 60) % 1440;
        format!("{:02}:{:02}", minute / 60, minute % 60)
    };
    format!("--window={}-{}", at(hours_from_now), at(hours_from_now + 2))
}

/// Where metrics will be served.
fn free_address() -> String {
    let socket = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    socket.local_addr().unwrap().to_string()
}

/// A figure of the metrics; `None` while nobody serves it.
fn figure(address: &str, name: &str) -> Option<f64> {
    let mut stream = TcpStream::connect(address).ok()?;
    let ask = format!("GET /metrics HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(ask.as_bytes()).ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    let found = text
        .lines()
        .find_map(|line| line.strip_prefix(&format!("bayplan_{name} ")))?;
    found.parse().ok()
}

impl Lab {
    async fn until_figure(&self, address: &str, name: &str, fits: impl Fn(f64) -> bool) -> f64 {
        let what = format!("bayplan_{name} of {address}");
        self.until(&what, async || match figure(address, name) {
            Some(value) if fits(value) => Ok(value),
            other => Err(format!("{other:?}")),
        })
        .await
    }

    /// The controller's plans: name and phase.
    async fn plans(&self) -> Vec<(String, String)> {
        let list = self.get(PLANS).await;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        let plans = list["items"].as_array().unwrap().iter();
        plans
            .map(|plan| {
                (
                    text(&plan["metadata"]["name"]),
                    text(&plan["status"]["phase"]),
                )
            })
            .filter(|(name, _)| name.starts_with("controller-"))
            .collect()
    }

    /// How often another one has taken the lead.
    async fn transitions(&self) -> u64 {
        let lease = self.get(LEASE).await;
        lease["spec"]["leaseTransitions"].as_u64().unwrap()
    }

    /// All nodes at once.
    async fn cordon(&self, cordoned: bool) {
        let change = json!({"spec": {"unschedulable": cordoned}});
        let nodes = self.nodes().await;
        let patches = nodes.iter().map(async |node| {
            let path = format!("/api/v1/nodes/{}", node.name_any());
            self.patch(&path, &change).await;
        });
        futures::future::join_all(patches).await;
    }
}

#[test]
fn a_second_controller_takes_over_when_the_first_dies() {
    with_lab("controller", async |lab| {
        let (workload, user) = populated(&lab, Size::small(), 41).await;
        let before = lab.gained(&workload).await;
        let watch = Watch::begin(&lab.admin, &workload, &lab.nodes().await).await;
        // Too little to gain, the wrong time, or told not to: it only says what it would do.
        for (reason, says) in [
            ("--min-gain=0.99", "would gain"),
            (window(3).as_str(), "not carried out"),
            ("--dry-run", "not carried out"),
        ] {
            let said = start(&user, &["--once", reason]).end().exits(0);
            assert!(said.err.contains(says), "{reason}: {}", said.err);
        }
        assert_eq!(watch.stopped(), 0);
        assert!(lab.plans().await.is_empty());

        let at = [free_address(), free_address()];
        let open = window(23);
        let both = at.clone().map(|at| format!("--metrics={at}"));
        let proxy = FaultProxy::start(lab.plane.forwarder().await, 0, 41).await;
        let mortal = lab.user_at("applier", proxy.address());
        let mut first = start(&mortal, &["--hard", &open, &both[0]]);
        lab.until_figure(&at[0], "leader", |leads| leads == 1.0)
            .await;
        let transitions = lab.transitions().await;
        let second = start(&user, &["--hard", &open, &both[1]]);
        while watch.stopped() == 0 {
            assert!(first.runs(), "{}", first.end().err);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        proxy.hold_after(0, Held::Undone);
        proxy.holding(&mut first).await;
        assert_eq!(figure(&at[1], "leader"), Some(0.0));
        first.kill();
        let plan = lab.plans().await;
        assert_eq!(plan.len(), 1, "{plan:?}");
        assert_eq!(plan[0].1, "Applying", "it was done before it was killed");

        lab.until_figure(&at[1], "leader", |leads| leads == 1.0)
            .await;
        // It has a figure when the round is over.
        lab.until_figure(&at[1], "duration_seconds", |seconds| seconds > 0.0)
            .await;
        let went_on = format!("going on with {}", plan[0].0);
        assert!(second.err().contains(&went_on), "{}", second.err());
        for (_, phase) in lab.plans().await {
            assert_eq!(phase, "Completed");
        }
        lab.assert_tidy(&workload).await;
        let after = lab.gained(&workload).await;
        let says = figure(&at[1], "gained_affinity_ratio").unwrap();
        eprintln!("local traffic {before:.4} -> {after:.4} by two controllers");
        assert!(
            after > before + 0.05 && (after - says).abs() < 1e-6,
            "{after}, {says} said"
        );
        for counted in [
            "plans_total{phase=\"Completed\"}",
            "moves_total",
            "pods_evicted_total",
            "nodes_required",
        ] {
            assert!(figure(&at[1], counted).unwrap() > 0.0, "{counted}");
        }
        assert_eq!(lab.transitions().await, transitions + 1);
        // Told to stop, it lets others lead at once.
        second.signal("TERM");
        second.end().exits(0);
        assert_eq!(lab.get(LEASE).await["spec"]["holderIdentity"], "");
        let findings = watch.end();
        assert!(findings.broken.is_empty(), "{:#?}", findings.broken);
    });
}

#[test]
fn what_got_skewed_is_rolled_back_and_left_alone() {
    with_lab("skewed", async |lab| {
        let (workload, user) = populated(&lab, Size::chosen(), 42).await;
        let before = lab.gained(&workload).await;
        let watch = Watch::begin(&lab.admin, &workload, &lab.nodes().await).await;
        // Its changes are held when a few pods have been let go to their nodes.
        let proxy = FaultProxy::start(lab.plane.forwarder().await, 0, 42).await;
        let slow = lab.user_at("applier", proxy.address());
        proxy.hold_at("/pods/", 10);
        let mut round = start(&slow, &["--once", "--hard", "--wave-timeout=20"]);
        proxy.holding(&mut round).await;
        // Nothing can arrive any more, until it notes what went wrong, before it goes back.
        lab.cordon(true).await;
        proxy.let_go();
        proxy.hold_at("/placementplans/bayplan-controller", 0);
        proxy.holding(&mut round).await;
        lab.cordon(false).await;
        proxy.let_go();
        let said = round.end().exits(0);
        assert!(said.err.contains("going back"), "{}", said.err);
        lab.assert_tidy(&workload).await;
        let plans = lab.plans().await;
        assert_eq!(plans.len(), 1);
        assert_eq!(plans[0].1, "RolledBack");
        let back = lab.gained(&workload).await;
        assert!(
            (back - before).abs() < 1e-9,
            "{before} at first, {back} now"
        );

        let memory = lab.get(&format!("{PLANS}/bayplan-controller")).await;
        let alone = memory["status"]["leftAlone"].as_object().unwrap().clone();
        assert!(!alone.is_empty(), "{memory}");
        eprintln!("left alone: {:?}", alone.keys());
        // The next round moves others at most.
        let places = async || {
            let mut places: Vec<_> = lab.pods().await;
            places.retain(|pod| app_of(pod).is_some_and(|app| alone.contains_key(&app)));
            let mut ids: Vec<_> = places.iter().map(|pod| pod.uid().unwrap()).collect();
            ids.sort_unstable();
            ids
        };
        let ids = places().await;
        assert!(!ids.is_empty());
        start(&user, &["--once", "--hard"]).end().exits(0);
        assert_eq!(places().await, ids);
        lab.assert_tidy(&workload).await;
        let findings = watch.end();
        assert!(findings.broken.is_empty(), "{:#?}", findings.broken);
    });
}
