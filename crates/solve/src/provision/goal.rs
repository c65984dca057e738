//! What is made least: nodes in use, or their price when pools differ in price.

use bayplan_model::{Cluster, Problem};

use super::finish;
use super::state::State;

/// The figure that is made least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Nodes in use.
    Nodes,
    /// Price of the nodes in use, then their number.
    Cost,
}

impl Goal {
    /// The price where there is more than one pool and a price; nodes otherwise.
    pub fn of(problem: &Problem) -> Self {
        let cluster: &Cluster = problem.cluster();
        let priced = cluster.pools.iter().any(|pool| pool.price > 0);
        if cluster.pools.len() > 1 && priced {
            Self::Cost
        } else {
            Self::Nodes
        }
    }

    /// Value of a state, then the tie-breaker: less is better. Prices in millionths.
    pub(super) fn rank(self, state: &State) -> (u128, u64) {
        let (nodes, cost) = finish::used(state);
        match self {
            Self::Nodes => (u128::from(nodes), nodes),
            Self::Cost => (cost, nodes),
        }
    }

    /// As `rank`, with every node that is not shut in use.
    pub(super) fn rank_when_full(self, state: &State) -> (u128, u64) {
        self.rank_with_empty(state, 0)
    }

    /// As `rank`, with the new nodes that stand empty as spares.
    pub(super) fn rank_with_spares(self, state: &State) -> (u128, u64) {
        self.rank_with_empty(state, state.view.existing.len())
    }

    /// As `rank`, with the empty nodes from one on that are not shut.
    fn rank_with_empty(self, state: &State, from: usize) -> (u128, u64) {
        let (mut nodes, mut cost) = finish::used(state);
        let waiting = |node: &usize| state.contents(*node).is_empty() && !state.is_shut(*node);
        for node in (from..state.nodes()).filter(waiting) {
            nodes += 1;
            cost += u128::from(state.view.kinds[state.pool(node)].price);
        }
        match self {
            Self::Nodes => (u128::from(nodes), nodes),
            Self::Cost => (cost, nodes),
        }
    }

    /// The value as reported: nodes, or price with 1 for one.
    pub(super) fn shown(self, value: u128) -> f64 {
        match self {
            Self::Nodes => value as f64,
            Self::Cost => value as f64 / 1e6,
        }
    }
}
