//! Recomputes every rule and every figure of a plan from scratch.
//!
//! This crate knows the model only, never a solver: a mistake in a solver
//! cannot hide in its own check. Every broken rule is a typed, coded
//! [`Violation`] that names the objects and the numbers.

mod figures;
mod report;
mod rules;
mod violation;

pub use figures::Figures;
pub use report::{Report, check, check_current};
pub use rules::{Objective, Rules};
pub use violation::{Rule, Violation};
