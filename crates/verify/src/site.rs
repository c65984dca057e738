//! The nodes of a plan: existing ones, then opened ones, with what each may
//! carry. Never panics on ids the problem does not have.

use std::collections::BTreeMap;

use bayplan_model::{Cluster, NodeId, PoolId};

use crate::findings::{Findings, Numbers};
use crate::{Rule, Rules};

pub(crate) struct Site<'a> {
    pub cluster: &'a Cluster,
    pub opened: &'a [PoolId],
    /// Per pool and resource: capacity less headroom, rounded down.
    allowed: Vec<Vec<u64>>,
}

impl<'a> Site<'a> {
    pub fn new(cluster: &'a Cluster, opened: &'a [PoolId], rules: &Rules) -> Self {
        let less_headroom = |resource: usize, capacity: u64| {
            let kept_free = rules.headroom.get(resource).copied().unwrap_or(0);
            let usable = 1_000_000u128.saturating_sub(u128::from(kept_free));
            (u128::from(capacity) * usable / 1_000_000) as u64
        };
        let allowed = cluster.pools.iter().map(|pool| {
            let capacities = pool.capacity.iter().enumerate();
            capacities.map(|(r, c)| less_headroom(r, *c)).collect()
        });
        Self {
            cluster,
            opened,
            allowed: allowed.collect(),
        }
    }

    /// How many node ids there are.
    pub fn len(&self) -> usize {
        self.cluster.nodes.len() + self.opened.len()
    }

    /// All node ids.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<'a> {
        (0..self.len()).map(NodeId::from)
    }

    /// The pool of a node; `None` when the node or its pool is unknown.
    pub fn pool(&self, node: NodeId) -> Option<PoolId> {
        let pool = self.cluster.pool_of(node, self.opened)?;
        (pool.index() < self.cluster.pools.len()).then_some(pool)
    }

    /// What a known node may carry, per resource.
    pub fn allowed(&self, node: NodeId) -> &[u64] {
        let pool = self.pool(node).expect("only known nodes carry anything");
        &self.allowed[pool.index()]
    }

    /// The price of a known node, in millionths.
    pub fn price(&self, node: NodeId) -> u64 {
        let pool = self.pool(node).expect("only known nodes are used");
        self.cluster.pools[pool.index()].price
    }

    pub fn name(&self, node: NodeId) -> String {
        match self.pool(node) {
            Some(_) => self.cluster.node_name(node, self.opened),
            None => format!("number {}", node.0),
        }
    }

    /// For each node its group: nodes that share the label's value, or the
    /// node alone; and for each group its name.
    pub fn groups(&self, level: Option<&str>) -> Groups {
        let mut groups = Groups::default();
        let mut by_value: BTreeMap<&str, u32> = BTreeMap::new();
        for node in self.ids() {
            let known = self.pool(node).is_some();
            let value = level
                .filter(|_| known)
                .and_then(|key| self.cluster.label(node, self.opened, key));
            let fresh = groups.first.len() as u32;
            let group = match value {
                Some(value) => *by_value.entry(value).or_insert(fresh),
                None => fresh,
            };
            if group == fresh {
                groups.first.push(node);
            }
            groups.of.push(group);
        }
        groups
    }

    /// The name of a group, with its kind.
    pub fn group_name(
        &self,
        groups: &Groups,
        group: u32,
        level: Option<&str>,
    ) -> (&'static str, String) {
        let first = groups.first[group as usize];
        let label = level.and_then(|key| {
            let value = self.cluster.label(first, self.opened, key)?;
            Some(format!("{key}={value}"))
        });
        match label {
            Some(label) => ("label", label),
            None => ("node", self.name(first)),
        }
    }

    /// Pools asked for beyond their size, existing nodes included.
    pub fn pool_sizes(&self, findings: &mut Findings) {
        let mut counts = vec![0u128; self.cluster.pools.len()];
        for pool in self.ids().filter_map(|node| self.pool(node)) {
            counts[pool.index()] += 1;
        }
        for (p, (pool, count)) in self.cluster.pools.iter().zip(counts).enumerate() {
            let most = pool.max_count.map_or(u128::MAX, u128::from);
            if count > most {
                let numbers = Numbers::counted(count, most, "nodes");
                findings.add((Rule::PoolSize, [p as u32, 0, 0]), numbers, || {
                    vec![("pool", pool.name.clone())]
                });
            }
        }
    }

    /// Opened nodes of pools that are not there.
    pub fn unknown_pools(&self, findings: &mut Findings) {
        for pool in self.opened {
            if pool.index() >= self.cluster.pools.len() {
                unknown(findings, "pool", pool.0);
            }
        }
    }
}

/// Groups of nodes.
#[derive(Default)]
pub(crate) struct Groups {
    /// Per node.
    pub of: Vec<u32>,
    /// Per group its first node.
    pub first: Vec<NodeId>,
}

/// Notes an id the problem does not have, once.
pub(crate) fn unknown(findings: &mut Findings, kind: &'static str, id: u32) {
    let numbers = Numbers::counted(1, 0, "unknown objects");
    let kind_number = kind.bytes().fold(0u32, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u32::from(byte))
    });
    findings.add((Rule::UnknownObject, [kind_number, id, 0]), numbers, || {
        vec![(kind, format!("number {id}"))]
    });
}
