//! A cluster worth planning: Deployments with traffic, disruption budgets, taints,
//! spread constraints and two DaemonSets, all from one seed.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

/// How large.
#[derive(Clone, Copy)]
pub struct Size {
    pub nodes: u32,
    pub deployments: u32,
    pub pods: u32,
}

impl Size {
    /// The size of the tests: small in CI, `BAYPLAN_E2E=full` for the one we promise.
    pub fn chosen() -> Self {
        match std::env::var("BAYPLAN_E2E").as_deref() {
            Ok("full") => Self {
                nodes: 100,
                deployments: 40,
                pods: 1500,
            },
            _ => Self {
                nodes: 30,
                deployments: 12,
                pods: 400,
            },
        }
    }

    /// About a third of it, for tests that need no crowd.
    pub fn small() -> Self {
        Self {
            nodes: 10,
            deployments: 6,
            pods: 60,
        }
    }
}

/// A Deployment and what must hold for it.
#[derive(Clone, Debug)]
pub struct App {
    pub namespace: String,
    pub name: String,
    pub replicas: u32,
    pub cpu_milli: u32,
    pub memory_mib: u32,
    /// Of a disruption budget: this many stay.
    pub min_available: Option<u32>,
    /// Runs on the tainted nodes only.
    pub batch: bool,
    /// Spread evenly over the zones.
    pub spread: bool,
}

/// Everything that is put into the cluster.
#[derive(Clone)]
pub struct Workload {
    pub nodes: u32,
    pub apps: Vec<App>,
    /// Pairs of apps with the traffic between them.
    pub traffic: Vec<(usize, usize, u32)>,
}

const NODE_CPU_MILLI: u32 = 16_000;
const NODE_MEMORY_MIB: u32 = 64 * 1024;
const NODE_PODS: u32 = 60;
/// One node in this many is tainted for batch work.
const BATCH_EVERY: u32 = 10;

impl Workload {
    /// The same for the same seed.
    pub fn generate(size: Size, seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let weights: Vec<u32> = (0..size.deployments)
            .map(|_| random.random_range(4..20))
            .collect();
        let total: u32 = weights.iter().sum();
        let mut left = size.pods;
        let apps = weights.iter().enumerate().map(|(at, weight)| {
            let last = at + 1 == weights.len();
            let share = if last {
                left
            } else {
                size.pods * weight / total
            };
            left -= share;
            let batch = at % 10 == 9;
            // The tainted nodes are few: what runs there only must fit.
            let most = if batch {
                size.nodes / BATCH_EVERY * 8
            } else {
                share
            };
            let replicas = share.min(most);
            App {
                namespace: if at % 3 == 0 { "shop" } else { "core" }.into(),
                name: format!("app-{at:02}"),
                replicas,
                cpu_milli: random.random_range(2..9) * 100,
                memory_mib: random.random_range(2..12) * 128,
                min_available: (at % 2 == 0).then(|| (replicas * 4).div_ceil(5).min(replicas - 1)),
                batch,
                spread: at % 6 == 5,
            }
        });
        let apps: Vec<App> = apps.collect();
        let mut traffic = Vec::new();
        for at in 1..apps.len() {
            for _ in 0..2 {
                let other = random.random_range(0..at);
                if !traffic.iter().any(|(a, b, _)| (*a, *b) == (other, at)) {
                    traffic.push((other, at, random.random_range(1..1000)));
                }
            }
        }
        Self {
            nodes: size.nodes,
            apps,
            traffic,
        }
    }

    /// The table that `--traffic` reads.
    pub fn traffic_csv(&self) -> String {
        let id = |at: usize| format!("{}/{}", self.apps[at].namespace, self.apps[at].name);
        let rows = self
            .traffic
            .iter()
            .map(|(a, b, w)| format!("{},{},{w}\n", id(*a), id(*b)));
        std::iter::once("service,service,weight\n".to_string())
            .chain(rows)
            .collect()
    }

    /// Nodes first, then what runs on them; each with the path of its collection.
    pub fn objects(&self) -> Vec<(String, Value)> {
        let mut all = vec![
            (
                "/api/v1/namespaces".to_string(),
                json!({"metadata": {"name": "shop"}}),
            ),
            (
                "/api/v1/namespaces".to_string(),
                json!({"metadata": {"name": "core"}}),
            ),
        ];
        all.extend((0..self.nodes).map(|at| ("/api/v1/nodes".to_string(), node(at))));
        for (name, everywhere) in [("logs", true), ("metrics", false)] {
            let path = "/apis/apps/v1/namespaces/kube-system/daemonsets".to_string();
            all.push((path, daemon_set(name, everywhere)));
        }
        for app in &self.apps {
            let budget = app.min_available.map(|min| {
                json!({"metadata": {"name": app.name},
                    "spec": {"minAvailable": min, "selector": {"matchLabels": {"app": app.name}}}})
            });
            let path = |group: &str, kind: &str| {
                format!("/apis/{group}/v1/namespaces/{}/{kind}", app.namespace)
            };
            all.extend(budget.map(|budget| (path("policy", "poddisruptionbudgets"), budget)));
            all.push((path("apps", "deployments"), app.deployment()));
        }
        all
    }
}

impl App {
    /// The alive share: three quarters, rounded up.
    pub fn floor(&self) -> u32 {
        (self.replicas * 3)
            .div_ceil(4)
            .max(self.min_available.unwrap_or(0))
    }

    /// The name that bayplan knows it by.
    pub fn id(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    fn deployment(&self) -> Value {
        let labels = json!({"app": self.name});
        let mut pod = pod_spec(self.cpu_milli, self.memory_mib);
        if self.batch {
            pod["nodeSelector"] = json!({"pool": "batch"});
            pod["tolerations"] = json!([{"key": "dedicated", "value": "batch"}]);
        }
        if self.spread {
            pod["topologySpreadConstraints"] = json!([{"maxSkew": 1,
                "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": labels}}]);
        }
        json!({"metadata": {"name": self.name, "labels": labels},
            "spec": {"replicas": self.replicas, "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": pod}}})
    }
}

/// The name of the node at `at`.
fn node_name(at: u32) -> String {
    format!("node-{at:03}")
}

fn node(at: u32) -> Value {
    let batch = at % BATCH_EVERY == BATCH_EVERY - 1;
    let taints = json!([{"key": "dedicated", "value": "batch", "effect": "NoSchedule"}]);
    let room = json!({"cpu": format!("{NODE_CPU_MILLI}m"),
        "memory": format!("{NODE_MEMORY_MIB}Mi"), "pods": NODE_PODS});
    json!({"metadata": {"name": node_name(at), "labels": {
            "kubernetes.io/hostname": node_name(at), "kubernetes.io/os": "linux",
            "topology.kubernetes.io/zone": format!("zone-{}", at % 3),
            "pool": if batch { "batch" } else { "general" }}},
        "spec": {"taints": if batch { taints } else { json!([]) }},
        "status": {"allocatable": room, "capacity": room}})
}

fn daemon_set(name: &str, everywhere: bool) -> Value {
    let labels = json!({"daemon": name});
    let mut pod = pod_spec(100, 64);
    if everywhere {
        pod["tolerations"] = json!([{"operator": "Exists"}]);
    }
    json!({"metadata": {"name": name}, "spec": {"selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod}}})
}

fn pod_spec(cpu_milli: u32, memory_mib: u32) -> Value {
    let requests = json!({"cpu": format!("{cpu_milli}m"), "memory": format!("{memory_mib}Mi")});
    json!({"terminationGracePeriodSeconds": 1, "containers":
        [{"name": "main", "image": "example.org/none", "resources": {"requests": requests}}]})
}
