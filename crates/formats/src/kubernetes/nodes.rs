//! Nodes, with what daemon sets use taken off, in pools of equal ones.

use std::collections::BTreeMap;

use bayplan_model::{Cluster, Labels, Names, Node, Pool, PoolId, Resource};
use rustc_hash::FxHashMap;

use super::Listing;
use super::notes::Notes;
use super::objects::{Map, Taint};
use crate::pools::PRICE_SCALE;

/// The label whose value differs from node to node.
pub(crate) const HOSTNAME: &str = "kubernetes.io/hostname";

/// A cluster, and what selectors look at.
pub(crate) struct Nodes {
    pub cluster: Cluster,
    pub names: Names,
    /// What is left on each node, by resource.
    left: Vec<Vec<u64>>,
    pub labels: Vec<Map>,
    pub taints: Vec<Vec<Taint>>,
    /// Labels and taints that the nodes of a pool share.
    pub pool_labels: Vec<Map>,
    pub pool_taints: Vec<Vec<Taint>>,
}

pub(crate) fn read(listing: &Listing, resources: Vec<Resource>, notes: &mut Notes) -> Nodes {
    let mut left: Vec<Vec<u64>> = listing
        .nodes
        .iter()
        .map(|node| {
            let amount = |resource: &Resource| {
                let found = node.allocatable.iter().find(|(name, _)| *name == resource.name);
                found.map_or(0, |(_, units)| *units)
            };
            resources.iter().map(amount).collect()
        })
        .collect();
    let mut daemons = std::collections::BTreeSet::new();
    let mut full = std::collections::BTreeSet::new();
    for pod in listing.pods.iter().filter(|pod| !pod.finished) {
        let Some(("DaemonSet", name)) = pod.owner.as_ref().map(|(k, n)| (k.as_str(), n)) else {
            continue;
        };
        daemons.insert(format!("{}/{name}", pod.namespace));
        let Some(at) = pod.node.as_ref().and_then(|node| listing.node_names.find(node)) else {
            continue;
        };
        for (resource, left) in resources.iter().zip(&mut left[at as usize]) {
            let asked = pod.template.demand.get(&resource.name).copied().unwrap_or(0);
            if asked > *left {
                full.insert(at);
            }
            *left = left.saturating_sub(asked);
        }
    }
    for daemon in &daemons {
        notes.add("N024", daemon);
    }
    for node in full {
        notes.add("N026", listing.node_names.get(node as usize));
    }
    Nodes {
        cluster: Cluster { resources, ..Cluster::default() },
        names: listing.node_names.clone(),
        left,
        labels: listing.nodes.iter().map(|node| node.labels.clone()).collect(),
        taints: listing.nodes.iter().map(|node| node.taints.clone()).collect(),
        pool_labels: Vec::new(),
        pool_taints: Vec::new(),
    }
}

/// Nodes with equal room, labels (but for the host name) and taints are a pool.
pub(crate) fn into_pools(nodes: &mut Nodes) {
    let mut pools: BTreeMap<(&Vec<u64>, Map, Vec<Taint>), PoolId> = BTreeMap::new();
    let mut used = Unique::default();
    for (at, left) in nodes.left.iter().enumerate() {
        let mut labels = nodes.labels[at].clone();
        let host = labels.remove(HOSTNAME);
        let mut taints = nodes.taints[at].clone();
        taints.sort();
        let id = *pools.entry((left, labels, taints)).or_insert_with_key(|(left, labels, taints)| {
            let kind = labels.get("node.kubernetes.io/instance-type");
            let kind = kind.filter(|kind| !kind.is_empty()).map_or("pool", |kind| kind);
            nodes.cluster.pools.push(Pool {
                name: used.name(kind),
                capacity: (*left).clone(),
                price: PRICE_SCALE,
                max_count: None,
                labels: labels.clone(),
            });
            nodes.pool_labels.push(labels.clone());
            nodes.pool_taints.push(taints.clone());
            PoolId::from(nodes.cluster.pools.len() - 1)
        });
        let labels: Labels = host.map(|host| (HOSTNAME.to_string(), host)).into_iter().collect();
        let name = nodes.names.get(at).to_string();
        nodes.cluster.nodes.push(Node { name, pool: id, labels });
    }
}

/// Names not used before: the wish itself, or with a number.
#[derive(Default)]
pub(crate) struct Unique {
    pub names: Names,
    /// The next number to try for a name that was wished for before.
    next: FxHashMap<String, u32>,
}

impl Unique {
    pub fn name(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_string();
        while self.names.add(&name).is_err() {
            let number = self.next.entry(wanted.into()).or_insert(1);
            *number += 1;
            name = format!("{wanted}#{number}");
        }
        name
    }
}
