//! Nodes, with what daemon sets use taken off, in pools of equal ones.

use std::collections::BTreeMap;

use bayplan_model::{Cluster, Labels, Names, Node, Pool, PoolId, Resource};
use rustc_hash::FxHashMap;

use super::Listing;
use super::node_types::NodeType;
use super::notes::Notes;
use super::objects::{Map, Taint};
use super::pod::{Demand, raise};
use super::selector::{Target, Wish};
use crate::pools::PRICE_SCALE;

/// The label whose value differs from node to node.
pub(crate) const HOSTNAME: &str = "kubernetes.io/hostname";

/// The label that names a node's kind.
pub(crate) const INSTANCE_TYPE: &str = "node.kubernetes.io/instance-type";

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
    /// What each daemon set asks of a node, and of which nodes.
    daemons: BTreeMap<String, (Wish, Demand)>,
}

pub(crate) fn read(listing: &Listing, resources: Vec<Resource>, notes: &mut Notes) -> Nodes {
    let mut left: Vec<Vec<u64>> = listing
        .nodes
        .iter()
        .map(|node| {
            let amount = |resource: &Resource| {
                let found = node
                    .allocatable
                    .iter()
                    .find(|(name, _)| *name == resource.name);
                found.map_or(0, |(_, units)| *units)
            };
            resources.iter().map(amount).collect()
        })
        .collect();
    let mut daemons: BTreeMap<String, (Wish, Demand)> = BTreeMap::new();
    let mut full = std::collections::BTreeSet::new();
    for pod in listing.pods.iter().filter(|pod| !pod.finished) {
        let Some(("DaemonSet", name)) = pod.owner.as_ref().map(|(k, n)| (k.as_str(), n)) else {
            continue;
        };
        let (_, most) = daemons
            .entry(format!("{}/{name}", pod.namespace))
            .or_insert_with(|| (pod.template.wish.on_any_node(), Demand::new()));
        raise(most, &pod.template.demand);
        let Some(at) = pod
            .node
            .as_ref()
            .and_then(|node| listing.node_names.find(node))
        else {
            continue;
        };
        for (resource, left) in resources.iter().zip(&mut left[at as usize]) {
            let asked = pod
                .template
                .demand
                .get(&resource.name)
                .copied()
                .unwrap_or(0);
            if asked > *left {
                full.insert(at);
            }
            *left = left.saturating_sub(asked);
        }
    }
    for daemon in daemons.keys() {
        notes.add("N024", daemon);
    }
    for node in full {
        notes.add("N026", listing.node_names.get(node as usize));
    }
    Nodes {
        cluster: Cluster {
            resources,
            ..Cluster::default()
        },
        names: listing.node_names.clone(),
        left,
        labels: listing
            .nodes
            .iter()
            .map(|node| node.labels.clone())
            .collect(),
        taints: listing
            .nodes
            .iter()
            .map(|node| node.taints.clone())
            .collect(),
        pool_labels: Vec::new(),
        pool_taints: Vec::new(),
        daemons,
    }
}

/// Nodes with equal room, labels (but for the host name) and taints are a pool.
pub(crate) fn into_pools(nodes: &mut Nodes, types: Option<&[NodeType]>, notes: &mut Notes) {
    let mut pools: BTreeMap<(&Vec<u64>, Map, Vec<Taint>), PoolId> = BTreeMap::new();
    let mut used = Unique::default();
    for (at, left) in nodes.left.iter().enumerate() {
        let mut labels = nodes.labels[at].clone();
        let host = labels.remove(HOSTNAME);
        let mut taints = nodes.taints[at].clone();
        taints.sort();
        let id =
            *pools
                .entry((left, labels, taints))
                .or_insert_with_key(|(left, labels, taints)| {
                    let kind = labels.get(INSTANCE_TYPE);
                    let kind = kind
                        .filter(|kind| !kind.is_empty())
                        .map_or("pool", |kind| kind);
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
        let labels: Labels = host
            .map(|host| (HOSTNAME.to_string(), host))
            .into_iter()
            .collect();
        let name = nodes.names.get(at).to_string();
        nodes.cluster.nodes.push(Node {
            name,
            pool: id,
            labels,
        });
    }
    match types {
        Some(types) => to_buy(nodes, types, &mut used, notes),
        None => notes.general("N010"),
    }
}

/// Only the kinds listed can be bought; existing nodes of a kind cost the same.
fn to_buy(nodes: &mut Nodes, types: &[NodeType], used: &mut Unique, notes: &mut Notes) {
    let mut counts = vec![0u32; nodes.cluster.pools.len()];
    for node in &nodes.cluster.nodes {
        counts[node.pool.index()] += 1;
    }
    let dearest = types.iter().map(|kind| kind.price).max().unwrap_or(0);
    for (pool, count) in nodes.cluster.pools.iter_mut().zip(counts) {
        let kind = pool.labels.get(INSTANCE_TYPE);
        let known = types.iter().find(|known| Some(&known.name) == kind);
        if known.is_none() {
            notes.add("N028", &pool.name);
        }
        pool.price = known.map_or(dearest, |known| known.price);
        pool.max_count = Some(count);
    }
    let common = common_labels(&nodes.labels);
    for kind in types {
        let mut labels = common.clone();
        labels.extend(kind.labels.clone());
        let target = Target {
            name: None,
            labels: &labels,
            taints: &kind.taints,
        };
        let mut capacity: Vec<u64> = Vec::new();
        for resource in &nodes.cluster.resources {
            let found = kind
                .capacity
                .iter()
                .find(|(name, _)| *name == resource.name);
            let daemons = nodes.daemons.values();
            let asked = daemons
                .filter(|(wish, _)| wish.allows(&target))
                .filter_map(|(_, demand)| demand.get(&resource.name))
                .fold(0u64, |sum, units| sum.saturating_add(*units));
            capacity.push(found.map_or(0, |(_, units)| units.saturating_sub(asked)));
        }
        nodes.cluster.pools.push(Pool {
            name: used.name(&kind.name),
            capacity,
            price: kind.price,
            max_count: kind.max_count,
            labels: labels.clone(),
        });
        nodes.pool_labels.push(labels);
        nodes.pool_taints.push(kind.taints.clone());
    }
}

/// Labels that all nodes of the cluster share, such as their operating
/// system: a new node has them too.
fn common_labels(nodes: &[Map]) -> Map {
    let Some((first, rest)) = nodes.split_first() else {
        return Map::new();
    };
    let mut common = first.clone();
    for labels in rest {
        common.retain(|key, value| labels.get(key) == Some(value));
    }
    common.remove(HOSTNAME);
    common.remove(INSTANCE_TYPE);
    common
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
