//! Between the watches and the core: numbers for names, and back.

use std::collections::BTreeMap;

use bayplan_formats::WorkloadRef;
use bayplan_model::Resource;
use kube::ResourceExt;

use super::core::{self, View};
use super::error::ApplyError;
use super::job::Job;
use super::live::{Live, is_finished, is_usable, seen};
use super::requests;

/// The revision a Deployment rolls out.
const REVISION: &str = "deployment.kubernetes.io/revision";

/// The names of a job, and what was seen last.
pub(crate) struct Board {
    pub refs: Vec<WorkloadRef>,
    pub node_names: Vec<String>,
    nodes: BTreeMap<String, u32>,
    resources: Vec<Resource>,
    /// The workload of each owner of pods, by unique id.
    owners: BTreeMap<String, usize>,
    /// What tells that a template was changed.
    revisions: Vec<Option<String>>,
    /// Requests of pods, by unique id.
    requests: BTreeMap<String, Vec<i64>>,
    /// Namespace, name and previous deletion cost of each pod, by unique id.
    pub pods: BTreeMap<String, (String, String, Option<String>)>,
}

impl Board {
    pub fn new(job: &Job, resources: Vec<Resource>, live: &Live) -> Result<Self, ApplyError> {
        let mut owners = BTreeMap::new();
        let mut missing = Vec::new();
        for (at, known) in job.refs.iter().enumerate() {
            let ids = owner_ids(live, known, &job.replica_sets[at]);
            if ids.is_empty() {
                missing.push(format!(
                    "{}: gone since the snapshot",
                    job.workloads[at].name
                ));
            }
            owners.extend(ids.into_iter().map(|id| (id, at)));
        }
        if !missing.is_empty() {
            return Err(ApplyError::Stale(missing));
        }
        let numbered = job.nodes.iter().enumerate();
        Ok(Self {
            refs: job.refs.clone(),
            nodes: numbered
                .map(|(at, name)| (name.clone(), at as u32))
                .collect(),
            node_names: job.nodes.clone(),
            resources,
            owners,
            revisions: job.refs.iter().map(|known| revision(live, known)).collect(),
            requests: BTreeMap::new(),
            pods: BTreeMap::new(),
        })
    }

    /// The unique ids of all owners of pods, sorted.
    pub fn owner_ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.owners.keys().cloned().collect();
        ids.sort_unstable();
        ids
    }

    /// What the watches show now.
    pub fn view(&mut self, live: &Live) -> View {
        let width = self.resources.len();
        let mut view = View {
            workloads: vec![core::Live::default(); self.refs.len()],
            nodes: vec![
                core::Node {
                    usable: false,
                    free: vec![0; width]
                };
                self.node_names.len()
            ],
            mark_wait: live.mark_wait(),
        };
        for node in live.nodes.state() {
            if let Some(at) = self.nodes.get(&node.name_any()) {
                view.nodes[*at as usize] = core::Node {
                    usable: is_usable(&node),
                    free: requests::of_node(&node, &self.resources),
                };
            }
        }
        let mut asked = BTreeMap::new();
        self.pods.clear();
        for pod in live.pods.state() {
            if is_finished(&pod) {
                continue;
            }
            let id = pod.uid().unwrap_or_default();
            let shown = seen(&pod, &self.nodes);
            if let Some(node) = shown.node.and_then(|at| view.nodes.get_mut(at as usize)) {
                let row = match self.requests.remove(&id) {
                    Some(row) => row,
                    None => requests::of_pod(&pod, &self.resources),
                };
                for (free, units) in node.free.iter_mut().zip(&row) {
                    *free = free.saturating_sub(*units);
                }
                asked.insert(id.clone(), row);
            }
            let owner = pod
                .owner_references()
                .iter()
                .find(|o| o.controller == Some(true));
            if let Some(at) = owner.and_then(|owner| self.owners.get(&owner.uid)) {
                let cost = pod.annotations().get(super::names::COST_BEFORE).cloned();
                let name = (pod.namespace().unwrap_or_default(), pod.name_any(), cost);
                self.pods.insert(id, name);
                view.workloads[*at].pods.push(shown);
            }
        }
        self.requests = asked;
        for (at, known) in self.refs.iter().enumerate() {
            let live_one = &mut view.workloads[at];
            live_one.pods.sort_by(|a, b| a.id.cmp(&b.id));
            live_one.spec = replicas(live, known);
            live_one.changed = revision(live, known) != self.revisions[at];
        }
        view
    }

    /// The labels of a node.
    pub fn host(&self, live: &Live, node: u32) -> Option<String> {
        let name = self.node_names.get(node as usize)?;
        let found = live.nodes.find(|known| known.name_any() == *name)?;
        found.labels().get(super::names::HOSTNAME).cloned()
    }

    /// The namespaces of the workloads.
    pub fn namespaces(&self) -> Vec<String> {
        let all: BTreeMap<&str, ()> = self
            .refs
            .iter()
            .map(|r| (r.namespace.as_str(), ()))
            .collect();
        all.into_keys().map(String::from).collect()
    }
}

fn owner_ids(
    live: &Live,
    known: &WorkloadRef,
    sets: &std::collections::BTreeSet<String>,
) -> Vec<String> {
    let same = |namespace: Option<String>| namespace.as_deref() == Some(known.namespace.as_str());
    if known.kind == "StatefulSet" {
        let found = live
            .stateful_sets
            .find(|s| same(s.namespace()) && s.name_any() == known.name);
        return found.and_then(|s| s.uid()).into_iter().collect();
    }
    let found = live.replica_sets.state_filter(|set| {
        same(set.namespace()) && (sets.contains(&set.name_any()) || set.name_any() == known.name)
    });
    found.iter().filter_map(|set| set.uid()).collect()
}

/// Replicas that a workload asks for; `None` when it is gone.
fn replicas(live: &Live, known: &WorkloadRef) -> Option<u32> {
    let same = |namespace: Option<String>, name: String| {
        namespace.as_deref() == Some(known.namespace.as_str()) && name == known.name
    };
    let spec = match known.kind.as_str() {
        "StatefulSet" => {
            let found = live
                .stateful_sets
                .find(|s| same(s.namespace(), s.name_any()))?;
            found.spec.as_ref().map(|spec| spec.replicas)
        }
        "ReplicaSet" => {
            let found = live
                .replica_sets
                .find(|s| same(s.namespace(), s.name_any()))?;
            found.spec.as_ref().map(|spec| spec.replicas)
        }
        _ => {
            let found = live
                .deployments
                .find(|s| same(s.namespace(), s.name_any()))?;
            found.spec.as_ref().map(|spec| spec.replicas)
        }
    };
    // Without a number one replica is asked for.
    Some(u32::try_from(spec.flatten().unwrap_or(1)).unwrap_or(0))
}

/// What changes when the template does.
fn revision(live: &Live, known: &WorkloadRef) -> Option<String> {
    let same = |namespace: Option<String>, name: String| {
        namespace.as_deref() == Some(known.namespace.as_str()) && name == known.name
    };
    match known.kind.as_str() {
        "Deployment" => {
            let found = live
                .deployments
                .find(|s| same(s.namespace(), s.name_any()))?;
            found.annotations().get(REVISION).cloned()
        }
        "StatefulSet" => {
            let found = live
                .stateful_sets
                .find(|s| same(s.namespace(), s.name_any()))?;
            found
                .status
                .as_ref()
                .and_then(|status| status.update_revision.clone())
        }
        _ => None,
    }
}
