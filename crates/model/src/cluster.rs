//! Where things can run: resources, pools of nodes, nodes that exist.

use std::collections::BTreeMap;

use crate::{ModelError, NodeId, PoolId};

/// Labels of a pool or node, such as `zone: a`.
pub type Labels = BTreeMap<String, String>;

/// A resource counted in integer units.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resource {
    /// Its name, such as `cpu`.
    pub name: String,
    /// What one is called when written, such as `core` or `GB`.
    pub unit: String,
    /// How many integer units make one of `unit`.
    pub scale: u64,
}

/// Nodes of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pool {
    /// Its name.
    pub name: String,
    /// Capacity of a node, per resource, in units.
    pub capacity: Vec<u64>,
    /// Price of a node, in millionths.
    pub price: u64,
    /// The most nodes there may be, existing ones included; `None`: any number.
    pub max_count: Option<u32>,
    /// Labels every node of the pool carries.
    pub labels: Labels,
}

/// A node that exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub pool: PoolId,
    /// Labels beyond those of the pool; they win over the pool's.
    pub labels: Labels,
}

/// Resources, pools and existing nodes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cluster {
    /// The resources, in id order.
    pub resources: Vec<Resource>,
    /// The pools, in id order.
    pub pools: Vec<Pool>,
    /// The nodes that exist, in id order.
    pub nodes: Vec<Node>,
}

impl Cluster {
    /// The pool of a plan's node: an existing one, or one of `opened`.
    ///
    /// `None` when the id is beyond both.
    pub fn pool_of(&self, node: NodeId, opened: &[PoolId]) -> Option<PoolId> {
        match self.nodes.get(node.index()) {
            Some(node) => Some(node.pool),
            None => opened.get(node.index() - self.nodes.len()).copied(),
        }
    }

    /// The capacity of a node of a pool.
    pub fn capacity(&self, pool: PoolId) -> &[u64] {
        &self.pools[pool.index()].capacity
    }

    /// The name of a plan's node. The n-th new node of a pool is `pool/n`.
    pub fn node_name(&self, node: NodeId, opened: &[PoolId]) -> String {
        if let Some(node) = self.nodes.get(node.index()) {
            return node.name.clone();
        }
        let position = node.index() - self.nodes.len();
        let Some(pool) = opened.get(position) else {
            return format!("unknown node {}", node.0);
        };
        let nth = opened[..=position].iter().filter(|p| *p == pool).count();
        format!("{}/{nth}", self.pools[pool.index()].name)
    }

    /// The names of all nodes of a plan, in node order.
    pub fn node_names(&self, opened: &[PoolId]) -> Vec<String> {
        let mut counts = vec![0u32; self.pools.len()];
        let existing = self.nodes.iter().map(|node| node.name.clone());
        let new = opened
            .iter()
            .map(|pool| match self.pools.get(pool.index()) {
                Some(known) => {
                    counts[pool.index()] += 1;
                    format!("{}/{}", known.name, counts[pool.index()])
                }
                None => format!("unknown pool {}", pool.0),
            });
        existing.chain(new).collect()
    }

    /// The value of a label on a plan's node.
    pub fn label(&self, node: NodeId, opened: &[PoolId], key: &str) -> Option<&str> {
        let own = self.nodes.get(node.index()).and_then(|n| n.labels.get(key));
        let pool = self.pool_of(node, opened)?;
        own.or_else(|| self.pools[pool.index()].labels.get(key))
            .map(String::as_str)
    }

    /// For each node of a plan the number of its group: nodes with the same
    /// value of the label `key` share one, a node without it is one of its own.
    pub fn groups(&self, opened: &[PoolId], key: &str) -> Vec<u32> {
        let mut by_value: BTreeMap<&str, u32> = BTreeMap::new();
        let mut next = 0;
        let mut fresh = || {
            next += 1;
            next - 1
        };
        (0..self.nodes.len() + opened.len())
            .map(|n| match self.label(NodeId::from(n), opened, key) {
                Some(value) => *by_value.entry(value).or_insert_with(&mut fresh),
                None => fresh(),
            })
            .collect()
    }

    pub(crate) fn check(&self) -> Result<(), ModelError> {
        for pool in &self.pools {
            if pool.capacity.len() != self.resources.len() {
                return Err(ModelError::Length {
                    what: "capacity of a pool",
                    expected: self.resources.len(),
                    found: pool.capacity.len(),
                });
            }
        }
        for node in &self.nodes {
            if node.pool.index() >= self.pools.len() {
                return Err(ModelError::UnknownId {
                    what: "a node",
                    kind: "pool",
                    id: node.pool.0,
                    count: self.pools.len(),
                });
            }
        }
        Ok(())
    }
}
