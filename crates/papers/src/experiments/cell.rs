//! A cell: one instance and who solves it, and what came out.

use std::collections::BTreeMap;

/// One point of an experiment before averages are taken.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cell {
    /// Which series of experiments, such as `density`; several figures may
    /// read the same study.
    pub study: String,
    /// What is varied, such as `arbitrary 1 %`.
    pub x: String,
    /// Who solves: an algorithm, by the paper's name, or `auto` for ours.
    pub series: String,
    /// The seed of the instance and of the run.
    pub seed: u64,
}

impl Cell {
    /// A cell by its four coordinates.
    pub fn new(study: &str, x: impl Into<String>, series: &str, seed: u64) -> Self {
        Self {
            study: study.into(),
            x: x.into(),
            series: series.into(),
            seed,
        }
    }

    /// What cells on the same instance share.
    pub fn instance(&self) -> (String, String, u64) {
        (self.study.clone(), self.x.clone(), self.seed)
    }
}

/// Figures by name, and a curve where the paper draws one per cell.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Values {
    /// Figures, all finite.
    pub numbers: BTreeMap<String, f64>,
    /// Points of a curve.
    pub curve: Vec<(f64, f64)>,
}

impl Values {
    /// With one more figure; what is not finite has no place in a table and is
    /// left out.
    pub fn with(mut self, name: &str, value: f64) -> Self {
        if value.is_finite() {
            self.numbers.insert(name.into(), value);
        }
        self
    }

    /// With one more figure where it is known.
    pub fn with_known(self, name: &str, value: Option<f64>) -> Self {
        self.with(name, value.unwrap_or(f64::NAN))
    }
}

/// A cell that has been run.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// Which.
    pub cell: Cell,
    /// What came out.
    pub values: Values,
    /// CPU seconds of the solver, all threads together.
    pub cpu_seconds: f64,
    /// The fingerprint of the solver that made it.
    pub solver: String,
}
