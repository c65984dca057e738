//! What a plan is held against beside the problem itself: parameters of a run.

/// The rules of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Rules {
    /// Standard deviations kept free: capacity at confidence is mean + D * deviation.
    pub d_alpha: f64,
    /// Share of each resource kept free on every node, in millionths.
    /// Empty: none.
    pub headroom: Vec<u32>,
    /// Share of each service that must be alive in every prefix of the waves,
    /// in millionths; the count is rounded up.
    pub alive: u32,
    /// Whether one replica of a service may be missing beyond that.
    pub outage: bool,
    /// Whether every replica, application and load must be placed. Without it
    /// what is missing is counted, not a violation.
    pub complete: bool,
    /// Nodes counted together for the gained affinity: a label, or none for
    /// each node by itself.
    pub gain_level: Option<String>,
    /// Survive the loss of any one node, or of all nodes sharing this label.
    pub survive: Option<Option<String>>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            d_alpha: 0.0,
            headroom: Vec::new(),
            alive: 750_000,
            outage: false,
            complete: true,
            gain_level: None,
            survive: None,
        }
    }
}

/// Which figure is the objective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Objective {
    /// Nodes in use; least.
    Nodes,
    /// Price of the nodes in use; least.
    Cost,
    /// Share of traffic that stays local; most.
    GainedAffinity,
    /// Used capacity at confidence of resource 0, summed over nodes; least.
    Ucac,
    /// Load of the busiest node; least.
    MaxLoad,
    /// Weight of the admitted requests; most.
    Weight,
}

impl Objective {
    /// Whether larger is better.
    pub fn maximises(self) -> bool {
        matches!(self, Self::GainedAffinity | Self::Weight)
    }
}
