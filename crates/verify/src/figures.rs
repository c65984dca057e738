//! Every figure of a plan, recounted.

use crate::Objective;

/// What can be counted of a plan. A figure that makes no sense for a kind of
/// plan is `None`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Figures {
    /// Nodes with at least one replica, instance or request.
    pub nodes: u64,
    /// Price of those nodes, in millionths.
    pub cost: u128,
    /// Replicas placed.
    pub placed: Option<u64>,
    /// Replicas missing.
    pub unplaced: Option<u64>,
    /// Share of traffic that stays local; `None` without traffic.
    pub gained_affinity: Option<f64>,
    /// Replicas that stand where none of their service stood.
    pub moves: Option<u64>,
    /// Used capacity at confidence of resource 0 over all nodes, in units.
    pub ucac: Option<f64>,
    /// Load of the busiest node, in units.
    pub max_load: Option<u64>,
    /// Instances of applications.
    pub instances: Option<u64>,
    /// Requests admitted.
    pub admitted: Option<u64>,
    /// Weight of the admitted requests, in millionths.
    pub weight: Option<u128>,
}

impl Figures {
    /// The figure an objective means, in the units shown to people for money
    /// and weights (1 = one), in resource units otherwise; `None` when the
    /// plan has no such figure.
    pub fn value(&self, objective: Objective) -> Option<f64> {
        match objective {
            Objective::Nodes => Some(self.nodes as f64),
            Objective::Cost => Some(self.cost as f64 / 1e6),
            Objective::GainedAffinity => self.gained_affinity,
            Objective::Ucac => self.ucac,
            Objective::MaxLoad => self.max_load.map(|units| units as f64),
            Objective::Weight => self.weight.map(|weight| weight as f64 / 1e6),
        }
    }
}
