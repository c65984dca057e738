//! Exact pricing: the best pattern of every kind of machine at given duals.
//!
//! A pattern x of a kind with mean C and variance B costs
//! `mu.x + D (sqrt(B + b.x) - sqrt(B))` (or a constant, for fewest machines),
//! earns `pi.x` and must satisfy `C + mu.x + D sqrt(B + b.x) <= V`. The root is
//! the only thing that is not linear. The range of s = sqrt(B + b.x) is cut
//! into intervals; on [t1, t2] the chord gives
//! `sqrt(v) >= (v + t1 t2) / (t1 + t2)`, so that gain and weight of a replica
//! become constants which do not depend on the kind: one knapsack table per
//! interval bounds every kind of machine, and only where it promises something
//! a depth-first search looks for the pattern, with true gain and true
//! capacity. Replicas with a linearised gain of zero or less stay in the search
//! as long as their true gain can be positive within the interval.

mod search;
mod table;
#[cfg(test)]
mod tests;

use super::Objective;
use super::kinds::{Kind, Kinds};
use super::view::View;
pub(crate) use search::NODES;
use search::Search;
use table::{Items, Table};

/// How many intervals the range of the deviation is cut into.
const INTERVALS: usize = 24;

/// Kinds of machines priced between two looks at the clock.
const KINDS_BETWEEN_STOPS: usize = 32;

/// A chord over an interval of the deviation.
#[derive(Clone, Copy, Debug)]
struct Interval {
    low: f64,
    high: f64,
    /// 1 / (low + high); 0 where nothing is random.
    slope: f64,
}

/// A kind in shares of the largest capacity.
struct Scaled {
    /// Free capacity V - C per resource, with room for the tolerance.
    room: Vec<f64>,
    /// Variance per resource.
    variance: Vec<f64>,
    /// Cost of using such a machine at all.
    opening: f64,
}

/// A pattern with its cost and gain at the duals it was priced with.
#[derive(Clone, Debug)]
pub(crate) struct Priced {
    pub kind: usize,
    /// (service, count), by service.
    pub pattern: Vec<(u32, u32)>,
    /// Gain minus cost: positive when it improves.
    pub gain: f64,
}

/// What one round of pricing found.
pub(crate) struct Round {
    /// Improving patterns.
    pub patterns: Vec<Priced>,
    /// Per row: no pattern of it gains more than this.
    pub most_gain: Vec<f64>,
}

/// Prices patterns; built once per problem.
pub(crate) struct Pricer<'a> {
    view: &'a View<'a>,
    pub kinds: &'a Kinds,
    objective: Objective,
    /// Units of resource 0 per 1.0 of cost.
    pub unit: f64,
    /// Mean and variance per service and resource, scaled like capacities.
    mean: Vec<f64>,
    variance: Vec<f64>,
    scaled: Vec<Scaled>,
    intervals: Vec<Interval>,
    /// Cells of the knapsack tables.
    cells: usize,
}

/// Cells of a table: the finer, the fewer patterns the search looks at in vain.
const CELLS: usize = 8192;

/// Gains below this are zero: far below any gap of interest, far above rounding.
pub(crate) const GAIN_TOLERANCE: f64 = 1e-9;

impl<'a> Pricer<'a> {
    pub fn new(view: &'a View<'a>, kinds: &'a Kinds, objective: Objective) -> Self {
        let largest = |r: usize| {
            kinds
                .kinds
                .iter()
                .map(|kind| kind.capacity[r])
                .max()
                .unwrap_or(1)
                .max(1) as f64
        };
        let units: Vec<f64> = (0..view.resources).map(largest).collect();
        let scale =
            |amount: f64, at: usize, power: i32| amount / units[at % view.resources].powi(power);
        let mean = view
            .mean
            .iter()
            .enumerate()
            .map(|(at, m)| scale(*m as f64, at, 1))
            .collect();
        let variance = view
            .variance
            .iter()
            .enumerate()
            .map(|(at, v)| scale(*v as f64, at, 2))
            .collect();
        let scaled = kinds.kinds.iter().map(|kind| Scaled {
            // Twice the tolerance: what the verifier accepts is never priced out.
            room: (0..view.resources)
                .map(|r| {
                    (kind.capacity[r] as f64 * (1.0 + 2.0 * bayplan_model::CHANCE_TOLERANCE)
                        - kind.mean[r] as f64)
                        / units[r]
                })
                .collect(),
            variance: (0..view.resources)
                .map(|r| scale(kind.variance[r] as f64, r, 2))
                .collect(),
            opening: f64::from(u8::from(
                objective == Objective::Machines && kind.is_empty(),
            )),
        });
        let scaled = scaled.collect();
        let mut pricer = Self {
            view,
            kinds,
            objective,
            unit: units[0],
            mean,
            variance,
            scaled,
            intervals: Vec::new(),
            cells: CELLS,
        };
        pricer.intervals = pricer.cut_range();
        pricer
    }

    /// With tables of other fineness; bounds hold with any.
    pub fn with_cells(self, cells: usize) -> Self {
        Self { cells, ..self }
    }

    fn service_mean(&self, service: usize) -> f64 {
        self.mean[service * self.view.resources]
    }

    fn service_variance(&self, service: usize) -> f64 {
        self.variance[service * self.view.resources]
    }

    /// The cost of adding a pattern to a machine of a kind.
    pub fn cost(&self, kind: usize, pattern: &[(u32, u32)]) -> f64 {
        let held = self.scaled[kind].variance[0];
        let (mut mean, mut variance) = (0.0, held);
        for &(service, count) in pattern {
            mean += self.service_mean(service as usize) * f64::from(count);
            variance += self.service_variance(service as usize) * f64::from(count);
        }
        match self.objective {
            Objective::Ucac => mean + self.view.d * (variance.sqrt() - held.sqrt()),
            Objective::Machines if pattern.is_empty() => 0.0,
            Objective::Machines => self.scaled[kind].opening,
        }
    }

    /// Taking a replica off any pattern saves at least this.
    pub fn least_saving(&self, service: usize) -> f64 {
        let last = self.intervals.last().expect("there is an interval");
        match self.objective {
            Objective::Machines => 0.0,
            Objective::Ucac if last.slope == 0.0 => self.service_mean(service),
            Objective::Ucac => {
                let root = self.view.d * self.service_variance(service) / (2.0 * last.high);
                self.service_mean(service) + root
            }
        }
    }

    /// The deviation of a machine of a kind with a pattern on it.
    pub fn deviation(&self, kind: usize, pattern: &[(u32, u32)]) -> f64 {
        let added = pattern
            .iter()
            .map(|(s, count)| self.service_variance(*s as usize) * f64::from(*count));
        (self.scaled[kind].variance[0] + added.sum::<f64>()).sqrt()
    }

    /// The cheapest pattern of a kind that is not empty costs at least this.
    pub fn least_cost(&self, kind: usize) -> f64 {
        let alone = |s: usize| self.cost(kind, &[(s as u32, 1)]);
        (0..self.view.count())
            .filter(|s| self.kinds.kinds[kind].most[*s] > 0)
            .map(alone)
            .fold(f64::INFINITY, f64::min)
    }

    /// Whether a machine of a kind can really take a pattern.
    pub fn holds(&self, kind: &Kind, pattern: &[(u32, u32)]) -> bool {
        let (mut mean, mut variance) = (kind.mean.clone(), kind.variance.clone());
        for &(service, count) in pattern {
            for r in 0..self.view.resources {
                mean[r] += self.view.mean_of(service as usize)[r] * u64::from(count);
                variance[r] += self.view.variance_of(service as usize)[r] * u128::from(count);
            }
        }
        (0..self.view.resources).all(|r| {
            bayplan_model::fits_at_confidence(mean[r], variance[r], self.view.d, kind.capacity[r])
        })
    }

    /// The largest deviation a pattern of a kind can reach.
    fn largest_deviation(&self, kind: usize) -> f64 {
        let (scaled, most) = (&self.scaled[kind], &self.kinds.kinds[kind].most);
        let possible: f64 = (0..self.view.count())
            .map(|s| f64::from(most[s]) * self.service_variance(s))
            .sum();
        let all = (scaled.variance[0] + possible).sqrt();
        if self.view.d > 0.0 {
            all.min(scaled.room[0].max(0.0) / self.view.d)
        } else {
            all
        }
    }

    fn cut_range(&self) -> Vec<Interval> {
        let kinds = 0..self.scaled.len();
        let high = kinds
            .map(|kind| self.largest_deviation(kind))
            .fold(0.0, f64::max);
        if self.view.d == 0.0 || high == 0.0 {
            return vec![Interval {
                low: 0.0,
                high: f64::MAX,
                slope: 0.0,
            }];
        }
        let low = self
            .scaled
            .iter()
            .map(|kind| kind.variance[0].sqrt())
            .fold(high, f64::min);
        // Rounding must not let a deviation fall outside the last interval.
        let (low, width) = (
            low,
            (high * (1.0 + 1e-9) - low).max(high * 1e-9) / INTERVALS as f64,
        );
        let interval = |i: usize| {
            let (low, high) = (low + width * i as f64, low + width * (i + 1) as f64);
            Interval {
                low,
                high,
                slope: 1.0 / (low + high),
            }
        };
        (0..INTERVALS).map(interval).collect()
    }

    /// The patterns that gain most at the duals `pi`, per service; a pattern
    /// holds at most `left[service]` replicas. `open[row]` says which rows have
    /// machines left. With `many`, one pattern per kind and interval, otherwise
    /// one per kind; with [`NODES`] the best of each. `None` when it was stopped halfway: nothing is proven then.
    pub fn round(
        &self,
        pi: &[f64],
        left: &[u32],
        open: &[bool],
        (many, nodes): (bool, u64),
        stop: &dyn Fn() -> bool,
    ) -> Option<Round> {
        // Gains up to the tolerance are not looked for, so they may be there.
        let mut most_gain = vec![GAIN_TOLERANCE; self.kinds.rows.len()];
        let mut patterns: Vec<Priced> = Vec::new();
        let mut best_at: Vec<Option<usize>> = vec![None; self.kinds.kinds.len()];
        for interval in &self.intervals {
            if stop() {
                return None;
            }
            let items = Items::new(self, *interval, pi, left);
            if !self.is_promising(&items, open, GAIN_TOLERANCE) {
                continue;
            }
            let table = Table::new(self, items, left);
            let mut search = Search::new(self, &table, pi, left).at_most(nodes);
            for (kind, best) in best_at.iter_mut().enumerate() {
                if kind % KINDS_BETWEEN_STOPS == KINDS_BETWEEN_STOPS - 1 && stop() {
                    return None;
                }
                let row = self.kinds.kinds[kind].row;
                if !open[row] || self.scaled[kind].variance[0].sqrt() > interval.high {
                    continue;
                }
                let floor = match *best {
                    Some(at) if !many => patterns[at].gain,
                    _ => GAIN_TOLERANCE,
                };
                let found = search.run(kind, floor);
                most_gain[row] = most_gain[row].max(found.bound);
                let Some(priced) = found.best else { continue };
                if !self.holds(&self.kinds.kinds[kind], &priced.pattern) {
                    continue;
                }
                match *best {
                    Some(at) if !many => patterns[at] = priced,
                    _ => {
                        *best = Some(patterns.len());
                        patterns.push(priced);
                    }
                }
            }
        }
        Some(Round {
            patterns,
            most_gain,
        })
    }

    /// Whether some kind of machine could gain more than `floor` with these
    /// items: Dantzig's bound, far cheaper than a table. Most intervals lie
    /// where no good pattern does.
    fn is_promising(&self, items: &Items, open: &[bool], floor: f64) -> bool {
        (0..self.scaled.len())
            .filter(|kind| open[self.kinds.kinds[*kind].row])
            .any(|kind| items.dantzig(self, kind) > floor)
    }

    /// Patterns whose gain at the duals `pi` is at least `-slack`: up to `most`
    /// in all, so many per kind and interval that each has its share.
    pub fn near(
        &self,
        pi: &[f64],
        left: &[u32],
        open: &[bool],
        slack: f64,
        most: usize,
        stop: &dyn Fn() -> bool,
    ) -> Vec<Priced> {
        let kinds: Vec<usize> = (0..self.kinds.kinds.len())
            .filter(|kind| open[self.kinds.kinds[*kind].row])
            .collect();
        let share = (most / (kinds.len() * self.intervals.len()).max(1)).max(4);
        let mut patterns = Vec::new();
        for interval in &self.intervals {
            let items = Items::new(self, *interval, pi, left);
            if !self.is_promising(&items, open, -slack) {
                continue;
            }
            let table = Table::new(self, items, left);
            let mut search = Search::new(self, &table, pi, left);
            for &kind in &kinds {
                if stop() {
                    return patterns;
                }
                let found = search.collect(kind, -slack, share);
                let holds = |priced: &Priced| self.holds(&self.kinds.kinds[kind], &priced.pattern);
                patterns.extend(found.into_iter().filter(holds));
            }
        }
        patterns
    }
}
