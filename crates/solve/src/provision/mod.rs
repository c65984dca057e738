//! How many nodes, of which kind? Fewest nodes, or least cost, under limits
//! between services and demand that may vary over the day.
//!
//! Paper: "Affinity-Aware Resource Provisioning for Long-Running Applications
//! in Shared Clusters" (JPDC 2023), whose suite is here by name, and a default
//! solver that goes beyond it.

mod allowance;
mod application_centric;
mod auto;
mod bounds;
mod candidates;
mod classes;
mod finish;
mod goal;
mod grid;
mod ilp;
mod lrasched;
mod matching;
mod measure;
mod node_centric;
mod node_rules;
mod open;
mod order;
mod plain;
mod pools;
mod published;
mod registry;
mod score;
mod search;
mod spread;
mod state;
mod suite;
mod survive;
#[cfg(test)]
mod tests;
mod view;

use bayplan_model::Problem;

use crate::{Context, Solution, SolveError};

pub use goal::Goal;
pub use registry::algorithms;

/// What the user may choose.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// An algorithm by name; `auto` unless given.
    pub algorithm: String,
    /// At most this many new nodes; what does not fit is left out.
    pub nodes: Option<u32>,
    /// Reproduce the authors' program where it differs from their text.
    pub as_published: bool,
    /// Whether what runs now may move.
    pub repack: bool,
    /// Share of each resource kept free on every node, in millionths.
    pub headroom: Vec<u32>,
    /// Survive the loss of any one node, or of all nodes sharing this label.
    pub survive: Option<Option<String>>,
    /// Weight of the demand in the hybrid measure (Eq. 3); 1: demand alone.
    pub alpha: f64,
    /// The exponent's scale in the AvgExp measure.
    pub epsilon: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            algorithm: "auto".into(),
            nodes: None,
            as_published: false,
            repack: false,
            headroom: Vec::new(),
            survive: None,
            alpha: 1.0,
            epsilon: 0.01,
        }
    }
}

/// Plans where every replica goes.
pub fn solve(problem: &Problem, params: &Params, ctx: &Context) -> Result<Solution, SolveError> {
    let algorithm = registry::find(&params.algorithm)?;
    if !(0.0..=1.0).contains(&params.alpha) {
        return Err(SolveError::Parameter {
            name: "--alpha",
            problem: format!("from 0 to 1, not {}", params.alpha),
        });
    }
    let view = view::View::new(problem, params)?;
    suite::solve(&view, algorithm, params, ctx)
}
