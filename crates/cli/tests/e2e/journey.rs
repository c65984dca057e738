//! Snapshot, colocate, apply: what the plan promised is what the cluster then has.

use std::time::Duration;

use serde_json::Value;

use crate::command::{Running, User};
use crate::faults::FaultProxy;
use crate::lab::{Lab, with_lab};
use crate::measure::gained_affinity;
use crate::watch::{Findings, Watch};
use crate::workload::{Size, Workload};

/// A populated cluster with a plan for it.
pub struct Planned {
    pub lab: Lab,
    pub workload: Workload,
    /// What `colocate -o json` said.
    pub said: Value,
    /// The local traffic before anything moved.
    pub before: f64,
    pub applier: User,
    pub watch: Watch,
}

/// Populates the cluster and plans as a user who may read only.
pub async fn planned(lab: Lab, size: Size, seed: u64) -> Planned {
    let workload = Workload::generate(size, seed);
    lab.install_chart().await;
    lab.populate(&workload).await;
    let planner = lab.user("planner");
    std::fs::write(planner.path("traffic.csv"), workload.traffic_csv()).unwrap();
    planner
        .run(&["snapshot", "--out", "snapshot.json"])
        .exits(0);
    let said = plan_from(&planner, "snapshot.json", "plan.json");
    let before = lab.gained(&workload).await;
    let gained = said["gained_affinity"].as_f64().unwrap();
    assert!(
        gained > before + 0.05,
        "nothing to gain: {before} before, {gained} planned"
    );
    let watch = Watch::begin(&lab.admin, &workload, &lab.nodes().await).await;
    let applier = lab.user("applier");
    Planned {
        lab,
        workload,
        said,
        before,
        applier,
        watch,
    }
}

/// A plan for the snapshot, by a fixed amount of work.
pub fn plan_from(planner: &User, input: &str, plan: &str) -> Value {
    let said = planner.run(&[
        "colocate",
        input,
        "--traffic",
        "traffic.csv",
        "--time",
        "5",
        "-o",
        "json",
        "--plan",
        plan,
    ]);
    said.exits(0).json()
}

impl Planned {
    /// What the plan says the cluster will be worth.
    pub fn promised(&self) -> f64 {
        self.said["gained_affinity"].as_f64().unwrap()
    }

    /// Starts to carry the plan out.
    pub fn start(&self, more: &[&str]) -> Running {
        let plan = [
            "apply",
            "plan.json",
            "--name",
            "test",
            "--traffic",
            "traffic.csv",
        ];
        self.applier
            .start(&[&plan[..], &["--yes", "-o", "json"], more].concat())
    }

    /// Goes on with what was begun, or begins when it was not begun yet.
    pub async fn go_on(&self, more: &[&str]) -> Running {
        let path = "/apis/bayplan.dev/v1alpha1/placementplans/test";
        if self.lab.try_get(path).await.is_none() {
            return self.start(more);
        }
        let resume = [
            "apply",
            "--resume",
            "--traffic",
            "traffic.csv",
            "--yes",
            "-o",
            "json",
        ];
        self.applier.start(&[&resume[..], more].concat())
    }

    /// From now on plans are carried out through a proxy.
    pub async fn behind_proxy(&mut self, per_mille: u32, seed: u64) -> FaultProxy {
        let forwarder = self.lab.plane.forwarder().await;
        let proxy = FaultProxy::start(forwarder, per_mille, seed).await;
        self.applier = self.lab.user_at("applier", proxy.address());
        proxy
    }

    /// Waits until so many pods have stopped since the beginning, or the apply ended.
    pub async fn until_stopped(&self, count: usize, apply: &mut Running) -> bool {
        while self.watch.stopped() < count {
            if !apply.runs() {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        true
    }

    /// The cluster is tidy, nothing ever broke, and the traffic is what was promised, within a
    /// share of it.
    pub async fn assert_reached(self, within: f64) -> Findings {
        self.lab.assert_tidy(&self.workload).await;
        let reached = self.lab.gained(&self.workload).await;
        let promised = self.promised();
        let findings = self.watch.end();
        eprintln!(
            "local traffic {:.4} -> {reached:.4}, promised {promised:.4}; {} pods stopped, {} events",
            self.before, findings.stopped, findings.events
        );
        assert!(findings.broken.is_empty(), "{:#?}", findings.broken);
        assert!(findings.stopped > 0, "nothing moved");
        assert!(
            reached >= promised * (1.0 - within),
            "{reached} reached, {promised} promised"
        );
        findings
    }
}

#[test]
fn a_hard_apply_reaches_what_was_promised() {
    with_lab("hard", async |lab| {
        let planned = planned(lab, Size::chosen(), 11).await;
        // A dry run comes first and changes nothing.
        planned.applier.run(&["apply", "plan.json"]).exits(0);
        planned
            .applier
            .run(&["apply", "plan.json", "--dry-run=server"])
            .exits(0);
        assert_eq!(planned.watch.stopped(), 0);
        planned.lab.assert_tidy(&planned.workload).await;
        planned.start(&["--hard"]).end().exits(0);
        planned.assert_reached(0.01).await;
    });
}

#[test]
fn a_soft_apply_comes_within_five_percent() {
    with_lab("soft", async |lab| {
        let planned = planned(lab, Size::chosen(), 12).await;
        // The scheduler has the last word: a pod may end elsewhere, and then it says so.
        let said = planned.start(&[]).end();
        assert!(matches!(said.code, Some(0 | 1)), "{}{}", said.out, said.err);
        let (report, pods) = (said.json(), planned.lab.pods().await);
        let measured = gained_affinity(&planned.workload, &pods);
        let reported = report["gained_affinity_reached"].as_f64().unwrap();
        assert!(
            (measured - reported).abs() < 1e-6,
            "{measured} measured, {reported} reported"
        );
        planned.assert_reached(0.05).await;
    });
}

#[test]
fn gates_by_webhook_do_the_same() {
    with_lab("webhook", async |lab| {
        let planned = planned(lab, Size::small(), 13).await;
        planned
            .start(&["--hard", "--gates", "webhook"])
            .end()
            .exits(0);
        planned.assert_reached(0.01).await;
    });
}
