//! How much of an experiment is run, on what data, with how many threads.

use std::path::{Path, PathBuf};

use bayplan_model::Problem;
use bayplan_solve::{Budget, Context, StopFlag};

use super::ExperimentError;

/// How much is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// The few small cells that the tests compare with the committed baseline.
    Check,
    /// All figures on small instances, in a minute each; budgets count steps,
    /// so the quality figures are the same on every machine.
    Quick,
    /// Every size, density, graph and seed of the paper; budgets are seconds.
    Full,
}

/// How an experiment is run.
#[derive(Clone)]
pub struct Setting {
    /// How much.
    pub extent: Extent,
    /// The folder of public data sets, if there is one.
    pub data: Option<PathBuf>,
    /// Threads of each run; 0: all cores.
    pub threads: usize,
    /// Cells that run at the same time, at least one. CPU seconds are a cell's
    /// own only when it is alone or each has one thread.
    pub side_by_side: usize,
    /// Only cells whose study, x and series, so written, contain this.
    pub only: Option<String>,
    /// Set to true to end after the cell that runs.
    pub stop: StopFlag,
}

impl Setting {
    /// One of two values: the first for a full run.
    pub(super) fn pick<T>(&self, full: T, quick: T, check: T) -> T {
        match self.extent {
            Extent::Full => full,
            Extent::Quick => quick,
            Extent::Check => check,
        }
    }

    /// Seconds in a full run, steps else.
    pub(super) fn budget(&self, seconds: f64, steps: u64) -> Budget {
        match self.extent {
            Extent::Full => Budget::Seconds(seconds),
            _ => Budget::Steps(steps),
        }
    }

    /// The context of one run; its clock starts now.
    pub(super) fn context(&self, seed: u64, budget: Budget) -> Context {
        Context::new(seed, budget, self.threads).with_stop(self.stop.clone())
    }

    /// A file of the public data, when the folder is given and has it. The
    /// check never looks: it is the same everywhere.
    pub(super) fn data_file(&self, path: &str) -> Option<PathBuf> {
        let file = self.data.as_ref()?.join(path);
        (self.extent != Extent::Check && file.exists()).then_some(file)
    }
}

/// Reads a problem of the public data.
pub(super) fn read_problem(
    path: &Path,
    options: &bayplan_formats::ReadOptions,
) -> Result<Problem, ExperimentError> {
    let name = path.display().to_string();
    let input = bayplan_formats::read_file(&name, options);
    Ok(input
        .map_err(|errors| ExperimentError::data(path, errors))?
        .problem)
}
