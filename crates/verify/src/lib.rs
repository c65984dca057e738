//! Recomputes every rule and every figure of a plan from scratch.
//!
//! This crate knows the model only, never a solver: a mistake in a solver
//! cannot hide in its own check. Every broken rule is a typed, coded
//! [`Violation`] that names the objects and the numbers.

mod admission;
mod checks;
mod codes;
mod division;
mod figures;
mod findings;
mod ground;
mod placement;
mod recount;
mod report;
mod rules;
mod site;
mod state_checks;
mod survive;
mod violation;
mod waves;

pub use codes::codes;
pub use figures::Figures;
pub use report::{Report, check, check_current, check_without};
pub use rules::{Objective, Rules};
pub use violation::{Rule, Violation};
