//! Solvers for the five questions.
//!
//! A solver is a function from an immutable problem, its parameters and a
//! [`Context`] to a [`Solution`]. The five folders have the same files, so who
//! knows one knows all: `view` (the problem as the solver's flat arrays),
//! `bounds`, one file per algorithm, `registry` (names and one line each) and
//! `mod` (parameters and `solve`). What two questions need lives in `shared`.

pub mod admit;
pub mod colocate;
pub mod divide;
pub mod overcommit;
pub mod provision;
pub mod shared;

pub use shared::context::{Budget, Context, Progress, Random, StopFlag};
pub use shared::error::SolveError;
pub use shared::registry::AlgorithmInfo;
pub use shared::solution::{Figure, Solution, StoppedBy};
