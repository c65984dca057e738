//! Why an experiment stopped.

use thiserror::Error;

use crate::generate::GenerateError;

/// What went wrong in an experiment.
#[derive(Debug, Error)]
pub enum ExperimentError {
    /// An instance could not be generated.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// A solver refused, or the verifier did.
    #[error("{cell}: {error}")]
    Run {
        /// Study, x, series and seed.
        cell: String,
        /// What it said.
        error: bayplan::Error,
    },
    /// A file could not be read or written.
    #[error("{path}: {error}")]
    File {
        /// Which.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// A file of public data is not what it should be.
    #[error("{path}: {problem}")]
    Data {
        /// Which.
        path: String,
        /// What is wrong.
        problem: String,
    },
}

impl ExperimentError {
    pub(super) fn file(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.display().to_string();
        move |error| Self::File { path, error }
    }

    pub(super) fn data(path: &std::path::Path, problem: impl ToString) -> Self {
        Self::Data {
            path: path.display().to_string(),
            problem: problem.to_string(),
        }
    }
}
