//! Pods of one owner with equal templates: the services.

use std::collections::BTreeMap;

use bayplan_model::NodeId;
use rustc_hash::FxHashSet;

use super::Listing;
use super::index::{ContainerRef, PodRef};
use super::nodes::Nodes;
use super::notes::Notes;
use super::objects::NodeSelector;
use super::parse::key;
use super::pod::{Pod, Template};
use super::scope::Scope;
use crate::MAX_REPLICAS;
use crate::error::{Place, Sink};

/// A service in the making.
pub(crate) struct Group {
    pub namespace: String,
    /// Name of the owner, or of the pod that has none.
    pub base: String,
    /// Kind of the owner.
    pub kind: String,
    /// Its kind and full name.
    pub owner: String,
    pub template: Template,
    pub pinned: bool,
    pub replicas: u32,
    /// Pods on each node.
    pub places: BTreeMap<u32, u32>,
    pub pods: Vec<PodRef>,
    /// Those of the first pod.
    pub containers: Vec<ContainerRef>,
}

/// Groups in the order of their names.
pub(crate) fn gather(
    listing: &Listing,
    nodes: &Nodes,
    scope: &Scope,
    notes: &mut Notes,
    sink: &mut Sink,
) -> Vec<Group> {
    let mut users: BTreeMap<String, u32> = BTreeMap::new();
    for claim in live(listing).flat_map(|pod| pod.claims.iter().map(|c| key(&pod.namespace, c))) {
        *users.entry(claim).or_insert(0) += 1;
    }
    let mut groups: BTreeMap<(String, String, Template, bool), Group> = BTreeMap::new();
    let mut owners: BTreeMap<String, u32> = BTreeMap::new();
    let mut priorities = std::collections::BTreeSet::new();
    for pod in &listing.pods {
        if pod.finished {
            notes.add("N011", &key(&pod.namespace, &pod.name));
            continue;
        }
        let (kind, base) = owner(listing, pod);
        if kind == "DaemonSet" {
            continue;
        }
        priorities.insert(pod.priority);
        let node = pod.node.as_ref().map(|name| nodes.names.find(name));
        if node == Some(None) {
            notes.add("N019", &key(&pod.namespace, &pod.name));
        }
        let node = node.flatten();
        let mut template = pod.template.clone();
        match volumes(listing, pod, &users) {
            Some(affinities) => template.wish.affinities.extend(affinities),
            None => template.stays.push("N016"),
        }
        if scope.moves_stateful {
            template.stays.retain(|code| *code != "N032");
        }
        if !scope.holds(&pod.namespace, &template.labels) {
            template.stays.push("N027");
        }
        template.stays.sort_unstable();
        template.stays.dedup();
        let full_name = key(&pod.namespace, &base);
        for code in &template.stays {
            notes.add(code, &key(&pod.namespace, &pod.name));
        }
        if template.preferences {
            notes.add("N017", &full_name);
        }
        // A pod that is nowhere yet has no place to keep.
        let pinned = !template.stays.is_empty() && node.is_some();
        let owner = format!("{kind} {full_name}");
        *owners.entry(owner.clone()).or_insert(0) += 1;
        let group = groups
            .entry((full_name, owner, template, pinned))
            .or_insert_with_key(|(_, owner, template, _)| Group {
                namespace: pod.namespace.clone(),
                base,
                kind: kind.into(),
                owner: owner.clone(),
                template: template.clone(),
                pinned,
                replicas: 0,
                places: BTreeMap::new(),
                pods: Vec::new(),
                containers: pod.containers.clone(),
            });
        group.replicas += 1;
        let made_by = pod.owner.as_ref().filter(|(kind, _)| kind == "ReplicaSet");
        group.pods.push(PodRef {
            namespace: pod.namespace.clone(),
            name: pod.name.clone(),
            uid: pod.uid.clone(),
            node: node.map(NodeId),
            replica_set: made_by.map(|(_, name)| name.clone()),
        });
        if let Some(node) = node {
            *group.places.entry(node).or_insert(0) += 1;
        }
    }
    if priorities.len() > 1 {
        notes.general("N023");
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    more_wanted(listing, &owners, &mut groups, notes);
    let total: u64 = groups.iter().map(|group| u64::from(group.replicas)).sum();
    if total > MAX_REPLICAS {
        sink.push("F014", Place::File, || {
            (
                format!("{total} replicas"),
                format!("at most {MAX_REPLICAS} are planned at once"),
            )
        });
    }
    groups
}

fn live(listing: &Listing) -> impl Iterator<Item = &Pod> {
    listing.pods.iter().filter(|pod| !pod.finished)
}

/// The kind and name of what replaces a pod; a pod by itself is its own owner.
fn owner<'a>(listing: &Listing, pod: &'a Pod) -> (&'a str, String) {
    match &pod.owner {
        None => ("Pod", pod.name.clone()),
        Some((kind, name)) if kind == "ReplicaSet" => {
            match listing.replica_sets.get(&key(&pod.namespace, name)) {
                Some(Some(deployment)) => ("Deployment", deployment.clone()),
                Some(None) => (kind, name.clone()),
                // Not listed: a deployment names its sets `name-hash`.
                None => match name.rsplit_once('-') {
                    Some((deployment, _)) => ("Deployment", deployment.into()),
                    None => (kind, name.clone()),
                },
            }
        }
        Some((kind, _)) if kind == "Node" => ("Pod", pod.name.clone()),
        Some((kind, name)) => (kind, name.clone()),
    }
}

/// Where a pod's volumes can be reached; `None` when that is not known.
fn volumes(
    listing: &Listing,
    pod: &Pod,
    users: &BTreeMap<String, u32>,
) -> Option<Vec<NodeSelector>> {
    let mut affinities = Vec::new();
    for claim in &pod.claims {
        let claim = key(&pod.namespace, claim);
        let (volume, shared) = listing.claims.get(&claim)?;
        if !shared && users.get(&claim).is_some_and(|users| *users > 1) {
            return None;
        }
        let volume = listing.volumes.get(volume.as_ref()?)?;
        let affinity = volume.node_affinity.as_ref();
        affinities.extend(affinity.and_then(|affinity| affinity.required.clone()));
    }
    Some(affinities)
}

/// A workload may want more pods than there are yet.
fn more_wanted(
    listing: &Listing,
    pods: &BTreeMap<String, u32>,
    groups: &mut [Group],
    notes: &mut Notes,
) {
    let mut seen = FxHashSet::default();
    for group in groups {
        if !seen.insert(group.owner.clone()) {
            continue;
        }
        let wanted = listing
            .wanted
            .get(&group.owner)
            .copied()
            .flatten()
            .unwrap_or(0);
        let missing = wanted.saturating_sub(pods.get(&group.owner).copied().unwrap_or(0));
        if missing > 0 {
            group.replicas = group.replicas.saturating_add(missing);
            notes.add("N025", &group.owner);
        }
    }
}
