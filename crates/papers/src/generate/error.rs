//! Why a problem could not be generated.

use bayplan_model::ModelError;
use bayplan_solve::SolveError;
use thiserror::Error;

/// Options that contradict each other or ask for the impossible.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum GenerateError {
    /// An option outside its range.
    #[error("{option}: {problem}")]
    Option {
        /// Which option.
        option: &'static str,
        /// What is wrong with its value.
        problem: String,
    },
    /// The containers do not fit the machines, whatever the order tried.
    #[error("{unplaced} containers found no place in the current placement; ask for less use")]
    NoRoom {
        /// How many, at the best try.
        unplaced: usize,
    },
    /// The problem itself is impossible.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The solver that packs an initial layout refused.
    #[error("the initial layout could not be packed: {0}")]
    Layout(#[from] SolveError),
}

impl GenerateError {
    pub(crate) fn option(option: &'static str, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self::Option { option, problem }
    }
}

/// An error unless a condition holds.
pub(crate) fn require(
    holds: bool,
    option: &'static str,
    problem: &str,
) -> Result<(), GenerateError> {
    if holds {
        Ok(())
    } else {
        Err(GenerateError::option(option, problem))
    }
}
