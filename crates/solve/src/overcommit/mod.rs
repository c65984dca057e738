//! `overcommit`: placement feasible at a stated confidence, with least used
//! capacity at confidence (UCaC) or fewest machines.
//!
//! After "Solving the Batch Stochastic Bin Packing Problem in Cloud: A
//! Chance-constrained Optimization Approach" (KDD 2022). A machine with total
//! mean m and total variance v is feasible when U = m + D sqrt(v) fits its
//! capacity; D follows from the confidence. Replicas that run stay where they
//! are: wanted totals are reached by starting or stopping the difference.

mod best_fit;
mod biheu;
mod bounds;
mod confidence;
mod csp;
pub mod curve;
mod deletion;
pub mod estimate;
mod fleet;
mod kinds;
mod patterns;
mod pricing;
mod registry;
pub mod replay;
pub mod risk;
mod run;
#[cfg(test)]
mod testing;
mod view;

pub use confidence::Tail;
pub use patterns::Patterns;
pub use registry::algorithms;
pub use run::{solve, solve_with_patterns};

use crate::SolveError;

/// What is to be least.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Objective {
    /// The sum over machines of used capacity at confidence.
    #[default]
    Ucac,
    /// Machines in use; among equals the lower UCaC.
    Machines,
}

/// Parameters of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// The algorithm, by name; `auto` by default.
    pub algorithm: String,
    /// What is to be least; `None`: machines for CSP-Mac, UCaC for all others.
    pub objective: Option<Objective>,
    /// Probability with which each machine holds its load.
    pub confidence: f64,
    /// What is assumed of the tails of the usage.
    pub tail: Tail,
    /// D itself, in place of a confidence.
    pub d_alpha: Option<f64>,
    /// For BF-n-sigma: deviations added to each mean; `None`: D.
    pub n_sigma: Option<f64>,
    /// For BF-n-sigma: search the best n that still holds at the confidence.
    pub tune: bool,
    /// Rounds of Monte-Carlo sampling of the plan's risk; 0: none.
    pub samples: u64,
    /// What happens to sampled usage beyond a limit.
    pub truncate: risk::Truncate,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            algorithm: "auto".into(),
            objective: None,
            confidence: 0.999,
            tail: Tail::Gaussian,
            d_alpha: None,
            n_sigma: None,
            tune: false,
            samples: 0,
            truncate: risk::Truncate::None,
        }
    }
}

impl Params {
    /// D, the standard deviations kept free.
    ///
    /// # Errors
    /// When the confidence is outside its range.
    pub fn d(&self) -> Result<f64, SolveError> {
        match self.d_alpha {
            Some(d) => Ok(d),
            None => self.tail.d_alpha(self.confidence),
        }
    }

    /// The objective in force.
    pub fn goal(&self) -> Objective {
        let by_algorithm = if self.algorithm.eq_ignore_ascii_case("CSP-Mac") {
            Objective::Machines
        } else {
            Objective::Ucac
        };
        self.objective.unwrap_or(by_algorithm)
    }
}
