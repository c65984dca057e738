//! Nodes of a plan by name: existing ones, and new ones called `pool/n`.

use bayplan_model::{Cluster, Names, NodeId, PoolId};
use rustc_hash::FxHashMap;

use crate::error::{Place, Sink};

/// The most new nodes of a plan.
const MAX_OPENED: usize = 10_000_000;

/// Names of nodes while a plan is read.
pub(crate) struct NodeNames<'a> {
    cluster: &'a Cluster,
    existing: Names,
    pools: FxHashMap<&'a str, PoolId>,
    opened: Vec<PoolId>,
    /// Ids of the new nodes of each pool, by number.
    numbered: Vec<Vec<NodeId>>,
    /// Names that are neither, where a single pool makes them new nodes.
    free: Names,
    free_ids: Vec<NodeId>,
}

impl<'a> NodeNames<'a> {
    pub fn new(cluster: &'a Cluster) -> Self {
        let mut existing = Names::default();
        for node in &cluster.nodes {
            let _ = existing.add(&node.name);
        }
        let pools = cluster.pools.iter().enumerate();
        Self {
            cluster,
            existing,
            pools: pools
                .map(|(id, pool)| (pool.name.as_str(), PoolId::from(id)))
                .collect(),
            opened: Vec::new(),
            numbered: vec![Vec::new(); cluster.pools.len()],
            free: Names::default(),
            free_ids: Vec::new(),
        }
    }

    /// A pool by name.
    pub fn pool(&self, name: &str) -> Option<PoolId> {
        self.pools.get(name).copied()
    }

    /// Opens one more node of a pool.
    pub fn open(&mut self, pool: PoolId) -> NodeId {
        let id = NodeId::from(self.cluster.nodes.len() + self.opened.len());
        self.opened.push(pool);
        self.numbered[pool.index()].push(id);
        id
    }

    /// The node of a name; a new one is opened when the name asks for it.
    pub fn find(
        &mut self,
        name: &str,
        place: impl Fn() -> Place,
        sink: &mut Sink,
    ) -> Option<NodeId> {
        if let Some(id) = self.existing.find(name) {
            return Some(NodeId(id));
        }
        if let Some(id) = self.free.find(name) {
            return Some(self.free_ids[id as usize]);
        }
        if let Some((pool, number)) = self.numbered_name(name) {
            let have = self.numbered[pool.index()].len();
            if number.saturating_sub(have) + self.opened.len() > MAX_OPENED {
                sink.push("F016", place(), || {
                    let found = format!("new node number {number}");
                    (found, "new nodes are numbered from 1 without gaps")
                });
                return None;
            }
            while self.numbered[pool.index()].len() < number {
                self.open(pool);
            }
            return Some(self.numbered[pool.index()][number - 1]);
        }
        if self.cluster.nodes.is_empty() && self.cluster.pools.len() == 1 && !name.is_empty() {
            let id = self.open(PoolId(0));
            let _ = self.free.add(name);
            self.free_ids.push(id);
            return Some(id);
        }
        sink.unknown(place(), "node", name, &self.existing);
        None
    }

    /// Pools of the new nodes.
    pub fn opened(self) -> Vec<PoolId> {
        self.opened
    }

    /// `pool/n` with a pool that exists.
    fn numbered_name(&self, name: &str) -> Option<(PoolId, usize)> {
        let (pool, number) = name.rsplit_once('/')?;
        let number = number.parse().ok().filter(|number| *number > 0)?;
        Some((self.pool(pool)?, number))
    }
}
