//! What has been measured, and averages over seeds.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cell, Measured};

/// The measured cells of an experiment.
#[derive(Clone, PartialEq, Debug)]
pub struct Results {
    measured: Vec<Measured>,
    wanted: usize,
    stale: usize,
    seeds: BTreeMap<String, usize>,
}

/// Several values of one figure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stat {
    /// How many.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation (n - 1 below the line); 0 for one value.
    pub deviation: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub most: f64,
}

impl Stat {
    /// Of a list; `None` when it is empty.
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        (count > 0).then(|| Self {
            count,
            mean,
            deviation: (squares / (count - 1).max(1) as f64).sqrt(),
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            most: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        })
    }
}

impl Results {
    /// Of the cells measured, those that are wanted, in their order; those of
    /// another solver than this are counted.
    pub fn new(measured: &[Measured], wanted: &[Cell], solver: &str) -> Self {
        let place: BTreeMap<&Cell, usize> = wanted.iter().zip(0..).collect();
        let mut kept: Vec<(usize, &Measured)> = (measured.iter())
            .filter_map(|m| Some((*place.get(&m.cell)?, m)))
            .collect();
        kept.sort_by_key(|(place, _)| *place);
        let mut seeds: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
        for cell in wanted {
            seeds
                .entry(cell.study.clone())
                .or_default()
                .insert(cell.seed);
        }
        Self {
            stale: kept.iter().filter(|(_, m)| m.solver != solver).count(),
            measured: kept.into_iter().map(|(_, m)| m.clone()).collect(),
            wanted: wanted.len(),
            seeds: seeds.into_iter().map(|(s, set)| (s, set.len())).collect(),
        }
    }

    /// Measured cells that another solver than this build's made.
    pub fn stale(&self) -> usize {
        self.stale
    }

    /// All measured cells, in the order of the experiment.
    pub fn measured(&self) -> &[Measured] {
        &self.measured
    }

    /// How many cells the experiment has.
    pub fn wanted(&self) -> usize {
        self.wanted
    }

    /// Seeds wanted for a study.
    pub fn seeds_wanted(&self, study: &str) -> usize {
        self.seeds.get(study).copied().unwrap_or(0)
    }

    /// The measured cells of one place of a figure, one per seed.
    pub fn at<'a>(
        &'a self,
        study: &'a str,
        x: &'a str,
        series: &'a str,
    ) -> impl Iterator<Item = &'a Measured> {
        self.measured
            .iter()
            .filter(move |m| m.cell.study == study && m.cell.x == x && m.cell.series == series)
    }

    /// The values of a figure; `cpu_seconds` is the solver's time.
    pub fn values(&self, study: &str, x: &str, series: &str, metric: &str) -> Vec<f64> {
        self.at(study, x, series)
            .filter_map(|measured| number(measured, metric))
            .collect()
    }

    /// Their statistics.
    pub fn stat(&self, study: &str, x: &str, series: &str, metric: &str) -> Option<Stat> {
        Stat::of(&self.values(study, x, series, metric))
    }

    /// Their mean.
    pub fn mean(&self, study: &str, x: &str, series: &str, metric: &str) -> Option<f64> {
        Some(self.stat(study, x, series, metric)?.mean)
    }

    /// The values of x of a study, in the order of the experiment.
    pub fn xs(&self, study: &str) -> Vec<String> {
        self.distinct(study, |cell| cell.x.clone())
    }

    /// The series of a study, in the order of the experiment.
    pub fn series(&self, study: &str) -> Vec<String> {
        self.distinct(study, |cell| cell.series.clone())
    }

    /// The studies, in the order of the experiment.
    pub fn studies(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for measured in &self.measured {
            if !found.contains(&measured.cell.study) {
                found.push(measured.cell.study.clone());
            }
        }
        found
    }

    fn distinct(&self, study: &str, of: impl Fn(&Cell) -> String) -> Vec<String> {
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        for measured in self.measured.iter().filter(|m| m.cell.study == study) {
            let value = of(&measured.cell);
            if seen.insert(value.clone()) {
                found.push(value);
            }
        }
        found
    }
}

/// A figure of a cell; `cpu_seconds` is the solver's time.
pub fn number(measured: &Measured, metric: &str) -> Option<f64> {
    if metric == "cpu_seconds" {
        return Some(measured.cpu_seconds);
    }
    measured.values.numbers.get(metric).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_a_list() {
        assert_eq!(Stat::of(&[]), None);
        let stat = Stat::of(&[1.0, 2.0, 6.0]).unwrap();
        assert_eq!(
            (stat.count, stat.mean, stat.least, stat.most),
            (3, 3.0, 1.0, 6.0)
        );
        assert!((stat.deviation - 7f64.sqrt()).abs() < 1e-12);
        assert_eq!(Stat::of(&[4.0]).unwrap().deviation, 0.0);
    }
}
