//! One knapsack table per interval, for all kinds of machines at once.

use super::super::Objective;
use super::{Interval, Pricer};

/// A service in the linearised knapsack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub service: usize,
    /// Linearised gain of one replica.
    pub gain: f64,
    /// Linearised weight of one replica.
    pub weight: f64,
}

/// The items of one interval, those with the most gain per weight first.
pub(super) struct Items {
    interval: Interval,
    list: Vec<Item>,
    /// How much each resource counts in weights and capacities.
    blend: Vec<f64>,
    /// Gain of the items without weight.
    free: f64,
    /// The most gain per weight.
    densest: f64,
}

/// Upper bounds on the linearised gain by capacity left, from each item on.
pub(super) struct Table {
    pub interval: Interval,
    pub items: Vec<Item>,
    /// `best[from * (cells + 1) + cell]`.
    best: Vec<f64>,
    /// Gain of the items too light for the cells, from each item on.
    light: Vec<f64>,
    cell: f64,
    cells: usize,
    /// How much each resource counts in weights and capacities.
    blend: Vec<f64>,
}

impl Items {
    pub fn new(pricer: &Pricer, interval: Interval, pi: &[f64], left: &[u32]) -> Self {
        let d = pricer.view.d;
        let mut items: Vec<Item> = Vec::new();
        for service in (0..pi.len()).filter(|s| left[*s] > 0) {
            let (mean, variance) = (
                pricer.service_mean(service),
                pricer.service_variance(service),
            );
            let size = mean + d * variance * interval.slope;
            let (gain, largest) = match pricer.objective {
                Objective::Machines => (pi[service], pi[service]),
                // The true cost of one more replica is least at the upper end:
                // a replica that gains nothing there is better left out.
                Objective::Ucac => {
                    let least = if interval.slope == 0.0 {
                        0.0
                    } else {
                        d * variance / (2.0 * interval.high)
                    };
                    (pi[service] - size, pi[service] - mean - least)
                }
            };
            if largest > 0.0 {
                items.push(Item {
                    service,
                    gain,
                    weight: size,
                });
            }
        }
        let blend = blend(pricer, interval, &items);
        for item in &mut items {
            item.weight = weight(pricer, &blend, item.service, item.weight);
        }
        items.sort_by(|a, b| {
            let (left, right) = (a.gain * b.weight, b.gain * a.weight);
            right.total_cmp(&left).then(a.service.cmp(&b.service))
        });
        let weightless = |item: &&Item| item.weight <= 0.0 && item.gain > 0.0;
        let free = items.iter().filter(weightless);
        let with_weight = items.iter().filter(|item| item.weight > 0.0);
        let densities = with_weight.map(|item| item.gain / item.weight);
        Self {
            interval,
            free: free
                .map(|item| item.gain * f64::from(left[item.service]))
                .sum(),
            densest: densities.fold(0.0, f64::max),
            list: items,
            blend,
        }
    }

    /// No pattern of a kind gains more than this in the interval: all its
    /// capacity filled with the item that gains most per weight.
    pub fn dantzig(&self, pricer: &Pricer, kind: usize) -> f64 {
        let room = capacity(pricer, self.interval, &self.blend, kind);
        if room < 0.0 {
            return f64::NEG_INFINITY;
        }
        // A hair more: the table's bound is rounded up as well.
        start(pricer, self.interval, kind) + self.free + self.densest * room * (1.0 + 1e-9)
    }
}

impl Table {
    pub fn new(pricer: &Pricer, of: Items, left: &[u32]) -> Self {
        let Items {
            interval,
            list: items,
            blend,
            ..
        } = of;
        let rooms = (0..pricer.scaled.len()).map(|kind| capacity(pricer, interval, &blend, kind));
        let cell = rooms.fold(0.0, f64::max).max(1e-300) / pricer.cells as f64;
        let mut table = Self {
            interval,
            best: vec![0.0; (items.len() + 1) * (pricer.cells + 1)],
            light: vec![0.0; items.len() + 1],
            items,
            cell,
            cells: pricer.cells,
            blend,
        };
        table.fill(left);
        table
    }

    /// From the last item to the first: with the item's own row to its left,
    /// any number of its replicas may be taken.
    fn fill(&mut self, left: &[u32]) {
        let (cells, width) = (self.cells, self.cells + 1);
        for at in (0..self.items.len()).rev() {
            let item = self.items[at];
            self.light[at] = self.light[at + 1];
            let (rows, after) = self.best.split_at_mut((at + 1) * width);
            let (row, after) = (&mut rows[at * width..], &after[..width]);
            let step = (item.weight / self.cell) as usize;
            if item.gain <= 0.0 || step == 0 || step > cells {
                row.copy_from_slice(after);
                if item.gain > 0.0 && step == 0 {
                    self.light[at] += item.gain * f64::from(left[item.service]);
                }
                continue;
            }
            row[..step].copy_from_slice(&after[..step]);
            let mut start = step;
            while start < width {
                let end = (start + step).min(width);
                let (done, open) = row.split_at_mut(start);
                let earlier = &done[start - step..];
                for ((value, one_less), without) in
                    open.iter_mut().zip(earlier).zip(&after[start..end])
                {
                    *value = without.max(one_less + item.gain);
                }
                start = end;
            }
        }
    }

    /// The capacity a kind has left, in the measure of the table.
    pub fn capacity(&self, pricer: &Pricer, kind: usize) -> f64 {
        capacity(pricer, self.interval, &self.blend, kind)
    }

    /// No replicas of the items from `from` on gain more than this within the
    /// capacity left; their weights are rounded down, so it is a bound.
    pub fn bound(&self, from: usize, capacity: f64) -> f64 {
        if capacity < 0.0 {
            return self.light[from];
        }
        // A hair more, so that rounding cannot lose a cell.
        let cell = ((capacity / self.cell + 1e-6) as usize).min(self.cells);
        self.best[from * (self.cells + 1) + cell] + self.light[from]
    }
}

/// How much each resource should count, so that the knapsack with the blended
/// weights bounds best: of resource 0 and one other in some proportion, the one
/// with the least gain per capacity. Any blend gives a bound, as every resource
/// must hold by itself.
fn blend(pricer: &Pricer, interval: Interval, items: &[Item]) -> Vec<f64> {
    let resources = pricer.view.resources;
    let mut only_first = vec![0.0; resources];
    only_first[0] = 1.0;
    let mut best = (f64::INFINITY, only_first.clone());
    for other in 1..resources {
        for step in 0..=BLENDS {
            let share = f64::from(step) / f64::from(BLENDS);
            let mut trial = only_first.clone();
            (trial[0], trial[other]) = (1.0 - share, share);
            let per_weight = |item: &Item| {
                item.gain / weight(pricer, &trial, item.service, item.weight).max(1e-12)
            };
            let densest = items.iter().map(per_weight).fold(0.0, f64::max);
            let rooms = (0..pricer.scaled.len()).map(|k| capacity(pricer, interval, &trial, k));
            let bound = densest * rooms.fold(0.0, f64::max);
            if bound < best.0 {
                best = (bound, trial);
            }
        }
    }
    best.1
}

/// Proportions tried between two resources.
const BLENDS: u32 = 8;

/// The blended weight of a replica whose linearised size on resource 0 is `size`.
fn weight(pricer: &Pricer, blend: &[f64], service: usize, size: f64) -> f64 {
    let resources = blend.len();
    let others = (1..resources).map(|r| blend[r] * pricer.mean[service * resources + r]);
    blend[0] * size + others.sum::<f64>()
}

/// The blended capacity a kind has left; negative when it has none.
fn capacity(pricer: &Pricer, interval: Interval, blend: &[f64], kind: usize) -> f64 {
    let scaled = &pricer.scaled[kind];
    let first = scaled.room[0] - pricer.view.d * chord(interval, scaled.variance[0]);
    let others = (1..blend.len()).map(|r| blend[r] * scaled.room[r]);
    if first < 0.0 {
        return first;
    }
    blend[0] * first + others.sum::<f64>()
}

/// What the linearised gain of a kind starts from: the cost of using the
/// machine, and the chord in place of the root that stands there already.
pub(super) fn start(pricer: &Pricer, interval: Interval, kind: usize) -> f64 {
    let scaled = &pricer.scaled[kind];
    match pricer.objective {
        Objective::Machines => -scaled.opening,
        Objective::Ucac if interval.slope == 0.0 => 0.0,
        Objective::Ucac => {
            pricer.view.d * (scaled.variance[0].sqrt() - chord(interval, scaled.variance[0]))
        }
    }
}

/// The chord's value at a variance: at most its root within the interval.
pub(super) fn chord(interval: Interval, variance: f64) -> f64 {
    if interval.slope == 0.0 {
        return 0.0;
    }
    (variance + interval.low * interval.high) * interval.slope
}
