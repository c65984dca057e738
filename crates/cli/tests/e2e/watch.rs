//! Sees every event of every pod and holds it against what must never break: each app
//! keeps its alive share and its budget, and no node holds more than it has.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use k8s_openapi::api::core::v1::{Node, Pod};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, ResourceExt};
use tokio::task::JoinHandle;

use crate::lab::{app_of, is_ready};
use crate::workload::Workload;

/// Watches until it is asked for its findings.
pub struct Watch {
    state: Arc<Mutex<State>>,
    task: JoinHandle<()>,
}

/// What was seen.
#[derive(Default, Debug, Clone)]
pub struct Findings {
    /// What broke, in words.
    pub broken: Vec<String>,
    /// How many events were looked at.
    pub events: usize,
    /// How many pods of apps stopped being alive.
    pub stopped: usize,
}

#[derive(Default)]
struct State {
    floors: BTreeMap<String, u32>,
    room: BTreeMap<String, Amounts>,
    /// Nodes that the test took away: what was there is no fault of bayplan's.
    excused: BTreeSet<String>,
    pods: BTreeMap<String, Seen>,
    listed: BTreeSet<String>,
    findings: Findings,
}

#[derive(Clone)]
struct Seen {
    app: Option<String>,
    node: Option<String>,
    alive: bool,
    amounts: Amounts,
}

#[derive(Clone, Copy, Default, Debug)]
struct Amounts {
    cpu_milli: u64,
    memory_kib: u64,
    pods: u64,
}

impl Watch {
    /// Begins; the workload must have settled.
    pub async fn begin(client: &Client, workload: &Workload, nodes: &[Node]) -> Self {
        let floors = workload.apps.iter().map(|app| (app.id(), app.floor()));
        let room = nodes.iter().map(|node| {
            let status = node.status.as_ref();
            let map = status.and_then(|status| status.allocatable.as_ref());
            (node.name_any(), Amounts::of(map.unwrap()))
        });
        let state = State {
            floors: floors.collect(),
            room: room.collect(),
            ..State::default()
        };
        let state = Arc::new(Mutex::new(state));
        let task = tokio::spawn(follow(Api::all(client.clone()), state.clone()));
        let watch = Self { state, task };
        while watch.state.lock().unwrap().pods.is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        watch
    }

    /// The node is about to be taken away.
    pub fn excuse(&self, node: &str) {
        self.state.lock().unwrap().excused.insert(node.into());
    }

    /// How many pods of apps have stopped so far.
    pub fn stopped(&self) -> usize {
        self.state.lock().unwrap().findings.stopped
    }

    /// Ends the watch.
    pub fn end(self) -> Findings {
        self.task.abort();
        self.state.lock().unwrap().findings.clone()
    }
}

async fn follow(pods: Api<Pod>, state: Arc<Mutex<State>>) {
    // After a break it goes on from the last version seen, so that nothing is missed.
    let mut events = pin!(watcher(pods, watcher::Config::default()).default_backoff());
    while let Some(event) = events.next().await {
        let mut state = state.lock().unwrap();
        match event {
            Ok(watcher::Event::Apply(pod)) => state.changed(&pod),
            Ok(watcher::Event::Delete(pod)) => state.gone(&pod.uid().unwrap()),
            Ok(watcher::Event::Init) => state.listed.clear(),
            Ok(watcher::Event::InitApply(pod)) => {
                state.listed.insert(pod.uid().unwrap());
                state.changed(&pod);
            }
            Ok(watcher::Event::InitDone) => {
                let known = state.pods.keys().filter(|uid| !state.listed.contains(*uid));
                for uid in known.cloned().collect::<Vec<_>>() {
                    state.gone(&uid);
                }
            }
            Err(_) => {} // the server is away; the stream comes back by itself
        }
    }
}

impl State {
    fn changed(&mut self, pod: &Pod) {
        self.findings.events += 1;
        let spec = pod.spec.as_ref().unwrap();
        let phase = pod
            .status
            .as_ref()
            .and_then(|status| status.phase.as_deref());
        let over = matches!(phase, Some("Succeeded" | "Failed"));
        let mut amounts = Amounts {
            pods: 1,
            ..Amounts::default()
        };
        for container in &spec.containers {
            let requests = container
                .resources
                .as_ref()
                .and_then(|r| r.requests.as_ref());
            amounts.add(requests.map(Amounts::of).unwrap_or_default());
        }
        let seen = Seen {
            app: app_of(pod),
            node: spec.node_name.clone().filter(|_| !over),
            alive: is_ready(pod) && !over,
            amounts,
        };
        let before = self.pods.insert(pod.uid().unwrap(), seen.clone());
        if before.as_ref().is_some_and(|before| before.alive) && !seen.alive {
            self.stopped(&seen, &pod.name_any());
        }
        if before.is_none_or(|before| before.node.is_none()) {
            self.check_node(&seen);
        }
    }

    fn gone(&mut self, uid: &str) {
        self.findings.events += 1;
        if let Some(seen) = self.pods.remove(uid)
            && seen.alive
        {
            self.stopped(&seen, uid);
        }
    }

    fn stopped(&mut self, seen: &Seen, name: &str) {
        let Some(app) = &seen.app else { return };
        self.findings.stopped += 1;
        if seen
            .node
            .as_ref()
            .is_some_and(|node| self.excused.contains(node))
        {
            return;
        }
        let alive = self
            .pods
            .values()
            .filter(|pod| pod.alive && pod.app.as_ref() == Some(app));
        let (alive, floor) = (alive.count(), self.floors.get(app).copied().unwrap_or(0));
        if alive < floor as usize {
            let text = format!("{app}: {alive} alive after {name} stopped, {floor} must be");
            self.findings.broken.push(text);
        }
    }

    fn check_node(&mut self, seen: &Seen) {
        let Some(node) = &seen.node else { return };
        let Some(room) = self.room.get(node) else {
            return;
        };
        let mut used = Amounts::default();
        for pod in self
            .pods
            .values()
            .filter(|pod| pod.node.as_ref() == Some(node))
        {
            used.add(pod.amounts);
        }
        if used.cpu_milli > room.cpu_milli
            || used.memory_kib > room.memory_kib
            || used.pods > room.pods
        {
            self.findings
                .broken
                .push(format!("{node}: {used:?} on {room:?}"));
        }
    }
}

impl Amounts {
    fn of(map: &BTreeMap<String, Quantity>) -> Self {
        let at = |name: &str| map.get(name).map(|quantity| quantity.0.as_str());
        Self {
            cpu_milli: at("cpu").map_or(0, cpu_milli),
            memory_kib: at("memory").map_or(0, memory_kib),
            pods: at("pods").map_or(0, |count| count.parse().unwrap()),
        }
    }

    fn add(&mut self, other: Self) {
        self.cpu_milli += other.cpu_milli;
        self.memory_kib += other.memory_kib;
        self.pods += other.pods;
    }
}

// The few forms of quantities that our workload has.
fn cpu_milli(text: &str) -> u64 {
    match text.strip_suffix('m') {
        Some(milli) => milli.parse().unwrap(),
        None => text.parse::<u64>().unwrap() * 1000,
    }
}

fn memory_kib(text: &str) -> u64 {
    let (digits, unit) = text.split_at(text.len() - 2);
    let scale = match unit {
        "Ki" => 1,
        "Mi" => 1 << 10,
        "Gi" => 1 << 20,
        _ => panic!("no memory: {text}"),
    };
    digits.parse::<u64>().unwrap() * scale
}
