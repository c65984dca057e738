//! Why there is no outcome.

use std::fmt;

use bayplan_solve::SolveError;
use bayplan_verify::Violation;

/// A refusal of the solver, or an answer that did not pass its check.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// The solver refused.
    Solve(SolveError),
    /// The verifier counts another objective than the solver claims.
    Mismatch {
        /// The algorithm.
        algorithm: String,
        /// What the solver claims.
        claimed: f64,
        /// What the verifier counts.
        counted: Option<f64>,
    },
    /// The plan breaks rules it did not find broken.
    Broken {
        /// The algorithm.
        algorithm: String,
        /// The rules broken.
        violations: Vec<Violation>,
    },
    /// The claimed bound is on the wrong side of the answer.
    Bound {
        /// The algorithm.
        algorithm: String,
        /// The answer.
        objective: f64,
        /// The impossible bound.
        bound: f64,
    },
}

impl Error {
    /// The code that `bayplan explain` knows.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Solve(error) => error.code(),
            Self::Mismatch { .. } => "B001",
            Self::Broken { .. } => "B002",
            Self::Bound { .. } => "B003",
        }
    }

    /// Whether the fault is bayplan's own, not the input's.
    pub fn is_internal(&self) -> bool {
        !matches!(self, Self::Solve(_))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Solve(error) => error.fmt(f),
            Self::Mismatch {
                algorithm,
                claimed,
                counted,
            } => {
                write!(
                    f,
                    "{algorithm} claims an objective of {claimed}, the verifier counts "
                )?;
                match counted {
                    Some(counted) => write!(f, "{counted}"),
                    None => f.write_str("none"),
                }
            }
            Self::Broken {
                algorithm,
                violations,
            } => {
                write!(
                    f,
                    "the plan of {algorithm} breaks {} rules; first: ",
                    violations.len()
                )?;
                match violations.first() {
                    Some(first) => first.fmt(f),
                    None => f.write_str("none"),
                }
            }
            Self::Bound {
                algorithm,
                objective,
                bound,
            } => {
                write!(
                    f,
                    "{algorithm} claims the bound {bound}, but its answer is {objective}"
                )
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<SolveError> for Error {
    fn from(error: SolveError) -> Self {
        Self::Solve(error)
    }
}
