//! The cluster as watches show it.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::StreamExt;
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::runtime::reflector::{self, Lookup, Store};
use kube::runtime::utils::Backoff;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::names::{COST_BEFORE, GATE, PINNED};

/// How long marks must have been seen before a workload is lowered.
const MARK_WAIT: Duration = Duration::from_millis(1200);

/// The same after a watch broke: the controllers' watches broke too, and catch
/// up at their own pace.
const MARK_WAIT_BROKEN: Duration = Duration::from_secs(20);

/// How long a break of the watches counts.
const BREAK_COUNTS: Duration = Duration::from_secs(60);

/// Everything that is watched.
pub(crate) struct Live {
    pub pods: Store<Pod>,
    pub nodes: Store<Node>,
    pub deployments: Store<Deployment>,
    pub replica_sets: Store<ReplicaSet>,
    pub stateful_sets: Store<StatefulSet>,
    shared: Arc<Shared>,
    /// Dropping it ends the watches.
    _tasks: JoinSet<()>,
}

#[derive(Default)]
struct Shared {
    changed: Notify,
    broken: Mutex<Option<Instant>>,
}

impl Live {
    /// Starts all watches and waits until each has listed once.
    pub async fn start(client: &Client) -> Result<Self, crate::Error> {
        let shared = Arc::new(Shared::default());
        let mut tasks = JoinSet::new();
        let live = Self {
            pods: follow(client, strip_pod, &shared, &mut tasks),
            nodes: follow(client, strip, &shared, &mut tasks),
            deployments: follow(client, strip, &shared, &mut tasks),
            replica_sets: follow(client, strip, &shared, &mut tasks),
            stateful_sets: follow(client, strip, &shared, &mut tasks),
            shared,
            _tasks: tasks,
        };
        let ready = async {
            let _ = live.pods.wait_until_ready().await;
            let _ = live.nodes.wait_until_ready().await;
            let _ = live.deployments.wait_until_ready().await;
            let _ = live.replica_sets.wait_until_ready().await;
            let _ = live.stateful_sets.wait_until_ready().await;
        };
        match tokio::time::timeout(Duration::from_secs(180), ready).await {
            Ok(()) => Ok(live),
            Err(_) => Err(crate::Error::Unreachable("the watches list nothing".into())),
        }
    }

    /// Waits for a change, or a moment: time itself is a reason to look again.
    pub async fn changed(&self) {
        let _ =
            tokio::time::timeout(Duration::from_millis(300), self.shared.changed.notified()).await;
        // Changes come in bursts.
        tokio::time::sleep(Duration::from_millis(30)).await;
    }

    /// How long marks must have been visible.
    pub fn mark_wait(&self) -> Duration {
        let broken = *self
            .shared
            .broken
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        match broken {
            Some(at) if at.elapsed() < BREAK_COUNTS => MARK_WAIT_BROKEN,
            _ => MARK_WAIT,
        }
    }

    /// Pods that our gate holds, whoever they belong to.
    pub fn held(&self) -> Vec<Arc<Pod>> {
        self.pods.state_filter(is_held)
    }
}

/// A short, steady pause between tries: a restarting server is back soon.
struct Steady;

impl Iterator for Steady {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        Some(Duration::from_millis(500))
    }
}

impl Backoff for Steady {
    fn reset(&mut self) {}
}

fn follow<K>(
    client: &Client,
    strip: fn(&mut K),
    shared: &Arc<Shared>,
    tasks: &mut JoinSet<()>,
) -> Store<K>
where
    K: Resource<DynamicType = ()> + Lookup<DynamicType = ()>,
    K: Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let (reader, writer) = reflector::store();
    let api: Api<K> = Api::all(client.clone());
    let shared = shared.clone();
    tasks.spawn(async move {
        let events = watcher(api, watcher::Config::default()).backoff(Steady);
        let mut events = pin!(events.modify(strip).reflect(writer));
        while let Some(event) = events.next().await {
            if event.is_err() {
                let mut broken = shared.broken.lock().unwrap_or_else(|p| p.into_inner());
                *broken = Some(Instant::now());
            }
            shared.changed.notify_one();
        }
    });
    reader
}

fn strip<K: Resource>(object: &mut K) {
    object.managed_fields_mut().clear();
}

/// A store of every pod is as small as it can be.
fn strip_pod(pod: &mut Pod) {
    pod.managed_fields_mut().clear();
    let Some(spec) = &mut pod.spec else { return };
    spec.volumes = None;
    let inits = spec.init_containers.iter_mut().flatten();
    for container in spec.containers.iter_mut().chain(inits) {
        container.env = None;
        container.env_from = None;
        container.command = None;
        container.args = None;
        container.volume_mounts = None;
        container.liveness_probe = None;
        container.readiness_probe = None;
        container.startup_probe = None;
    }
    if let Some(status) = &mut pod.status {
        status.container_statuses = None;
        status.init_container_statuses = None;
    }
}

/// Whether our gate holds a pod.
pub(crate) fn is_held(pod: &Pod) -> bool {
    let gates = pod
        .spec
        .as_ref()
        .and_then(|spec| spec.scheduling_gates.as_ref());
    gates.into_iter().flatten().any(|gate| gate.name == GATE)
}

/// Whether a pod has ended by itself.
pub(crate) fn is_finished(pod: &Pod) -> bool {
    let phase = pod
        .status
        .as_ref()
        .and_then(|status| status.phase.as_deref());
    matches!(phase, Some("Succeeded" | "Failed"))
}

/// The pod as the core sees it.
pub(crate) fn seen(pod: &Pod, nodes: &BTreeMap<String, u32>) -> super::core::Pod {
    let node = |name: Option<&str>| name.and_then(|name| nodes.get(name).copied());
    let bound = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
    let status = pod.status.as_ref();
    let conditions = status.and_then(|status| status.conditions.as_ref());
    let ready = conditions
        .into_iter()
        .flatten()
        .any(|c| c.type_ == "Ready" && c.status == "True");
    let annotations: &BTreeMap<String, String> = pod.annotations();
    let pinned = annotations.get(PINNED).map(String::as_str);
    let nominated = status.and_then(|status| status.nominated_node_name.as_deref());
    super::core::Pod {
        id: pod.metadata.uid.clone().unwrap_or_default(),
        // A node that came later has a number beyond all nodes of the plan.
        node: bound
            .filter(|name| !name.is_empty())
            .map(|name| node(Some(name)).unwrap_or(u32::MAX)),
        held: is_held(pod),
        steered: node(pinned.or(nominated)),
        ready,
        terminating: pod.metadata.deletion_timestamp.is_some(),
        marked: annotations.contains_key(COST_BEFORE),
    }
}

/// Whether a node takes pods.
pub(crate) fn is_usable(node: &Node) -> bool {
    let spec = node.spec.as_ref();
    let cordoned = spec.and_then(|spec| spec.unschedulable).unwrap_or(false);
    let taints = spec.and_then(|spec| spec.taints.as_ref());
    let ill = taints.into_iter().flatten().any(|taint| {
        taint.key.starts_with("node.kubernetes.io/") && taint.effect != "PreferNoSchedule"
    });
    !cordoned && !ill && node.metadata.deletion_timestamp.is_none()
}
