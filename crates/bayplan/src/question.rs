//! What the five questions have in common.

use bayplan_model::Problem;
use bayplan_solve::{AlgorithmInfo, Context, Solution, SolveError};
use bayplan_verify::{Objective, Rules};

/// A question with its parameters, ready to be asked about a problem.
pub trait Question {
    /// The verb, such as `provision`.
    fn verb(&self) -> &'static str;

    /// The figure to be made best.
    fn objective(&self, problem: &Problem) -> Objective;

    /// What the plan is held against, beside the problem.
    fn rules(&self, problem: &Problem) -> Rules;

    /// All algorithms that answer it.
    fn algorithms(&self) -> Vec<AlgorithmInfo>;

    /// Asks.
    fn solve(&self, problem: &Problem, context: &Context) -> Result<Solution, SolveError>;

    /// Adds figures that take work of their own and are no part of the answer's
    /// time, such as a sampled risk.
    fn assess(&self, _problem: &Problem, _solution: &mut Solution, _context: &Context) {}
}
