//! Which nodes a service may use.

use fixedbitset::FixedBitSet;

use crate::{NodeId, PoolId, ServiceId};

/// A set of places: existing nodes, and pools in which new nodes may be opened.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reach {
    /// Existing nodes, by id.
    pub nodes: FixedBitSet,
    /// Pools whose new nodes may be used, by id.
    pub pools: FixedBitSet,
}

/// For each service the places it may use. Services with the same places
/// share a class, so that the memory follows the number of different sets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compatibility {
    /// The class of each service; empty when every service may go anywhere.
    class_of: Vec<u32>,
    classes: Vec<Reach>,
}

impl Compatibility {
    /// Every service may use every node.
    pub fn everywhere() -> Self {
        Self::default()
    }

    /// One entry per service: `None` means anywhere.
    pub fn new(reach: Vec<Option<Reach>>, nodes: usize, pools: usize) -> Self {
        if reach.iter().all(Option::is_none) {
            return Self::default();
        }
        let mut everywhere = Reach {
            nodes: FixedBitSet::with_capacity(nodes),
            pools: FixedBitSet::with_capacity(pools),
        };
        everywhere.nodes.insert_range(..);
        everywhere.pools.insert_range(..);
        let mut known = rustc_hash::FxHashMap::default();
        let mut classes: Vec<Reach> = Vec::new();
        let class_of = reach
            .into_iter()
            .map(|reach| {
                let reach = reach.unwrap_or_else(|| everywhere.clone());
                *known.entry(reach).or_insert_with_key(|reach| {
                    classes.push(reach.clone());
                    classes.len() as u32 - 1
                })
            })
            .collect();
        Self { class_of, classes }
    }

    /// Whether no service is restricted.
    pub fn is_everywhere(&self) -> bool {
        self.class_of.is_empty()
    }

    /// Whether the service may use an existing node.
    pub fn allows_node(&self, service: ServiceId, node: NodeId) -> bool {
        self.reach(service)
            .is_none_or(|reach| reach.nodes.contains(node.index()))
    }

    /// Whether the service may use a new node of a pool.
    pub fn allows_pool(&self, service: ServiceId, pool: PoolId) -> bool {
        self.reach(service)
            .is_none_or(|reach| reach.pools.contains(pool.index()))
    }

    /// Whether the service may use a plan's node, existing or of `opened`.
    pub fn allows(
        &self,
        service: ServiceId,
        node: NodeId,
        existing: usize,
        opened: &[PoolId],
    ) -> bool {
        if node.index() < existing {
            self.allows_node(service, node)
        } else {
            opened
                .get(node.index() - existing)
                .is_some_and(|pool| self.allows_pool(service, *pool))
        }
    }

    /// The places of a service; `None` means everywhere.
    pub fn reach(&self, service: ServiceId) -> Option<&Reach> {
        self.class_of
            .get(service.index())
            .map(|class| &self.classes[*class as usize])
    }

    /// The class of a service: services of one class have the same places.
    pub fn class(&self, service: ServiceId) -> u32 {
        self.class_of.get(service.index()).copied().unwrap_or(0)
    }

    /// How many different sets of places there are; 1 when unrestricted.
    pub fn class_count(&self) -> usize {
        self.classes.len().max(1)
    }

    pub(crate) fn service_count(&self) -> usize {
        self.class_of.len()
    }
}
