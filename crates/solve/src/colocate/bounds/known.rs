//! The patterns met so far, and what they are worth at given prices.

use rustc_hash::FxHashSet;

use super::super::patterns::{gain_at, trim};
use super::super::view::View;
use super::pricing::{Bin, search};
use crate::Context;

/// A pattern, its gain, and on which kinds of places it fits.
pub struct Column {
    /// Services and counts, ascending.
    pub counts: Vec<(u32, u32)>,
    /// Its gain.
    pub gain: f64,
    /// By kind of place.
    pub fits: Vec<bool>,
}

/// Kinds of places and all patterns met.
pub struct Known<'v> {
    /// The problem.
    pub view: &'v View,
    /// The kinds of places, largest first.
    pub bins: Vec<Bin>,
    /// The patterns, in the order met.
    pub columns: Vec<Column>,
    seen: FxHashSet<Vec<(u32, u32)>>,
    round: u64,
}

/// How searches of a round begin: from the best pattern known, from one of the
/// next, from nothing, and how hot, in the traffic a mean replica carries.
const STARTS: [(From, f64); 5] = [
    (From::Best, 1e-4),
    (From::Next, 1e-3),
    (From::Nothing, 1e-3),
    (From::Next, 3e-4),
    (From::Best, 3e-3),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum From {
    Best,
    Next,
    Nothing,
}

/// Patterns of each kind that searches begin with.
const BEST: usize = 12;

/// The value of the bound at some prices, as far as searches know, and for
/// each service the replicas left over by the patterns worth most.
pub struct Estimate {
    /// What the bound would be if no search missed anything.
    pub value: f64,
    /// 1 less the share of each service's replicas that the patterns use.
    pub slope: Vec<f64>,
}

impl<'v> Known<'v> {
    /// Knows nothing yet.
    pub fn new(view: &'v View, bins: Vec<Bin>) -> Self {
        Self {
            view,
            bins,
            columns: Vec::new(),
            seen: FxHashSet::default(),
            round: 0,
        }
    }

    /// Remembers a pattern; says whether it is new and useful.
    pub fn learn(&mut self, mut counts: Vec<(u32, u32)>) -> bool {
        trim(self.view, &mut counts);
        let gain = gain_at(self.view, &counts);
        if gain <= 0.0 || !self.seen.insert(counts.clone()) {
            return false;
        }
        let fits = (self.bins.iter()).map(|bin| bin.holds(self.view, &counts));
        self.columns.push(Column {
            fits: fits.collect(),
            counts,
            gain,
        });
        true
    }

    /// The known patterns worth most on each kind of place, best first, of
    /// those worth more than some level there.
    pub fn best(
        &self,
        prices: &[f64],
        most: usize,
        above: impl Fn(usize) -> f64,
    ) -> Vec<Vec<(f64, usize)>> {
        let mut known: Vec<Vec<(f64, usize)>> = vec![Vec::new(); self.bins.len()];
        let levels: Vec<f64> = (0..self.bins.len()).map(above).collect();
        for (at, column) in self.columns.iter().enumerate() {
            let worth = column.gain - paid(prices, &column.counts);
            for (kind, known) in known.iter_mut().enumerate() {
                let last = known.get(most - 1).map_or(levels[kind], |(w, _)| *w);
                if column.fits[kind] && worth > last {
                    let place = known.partition_point(|(w, _)| *w >= worth);
                    known.insert(place, (worth, at));
                    known.truncate(most);
                }
            }
        }
        known
    }

    /// Searches every kind of place at some prices, so often and for so many
    /// steps, learns what is found, and estimates the bound there.
    pub fn explore(
        &mut self,
        prices: &[f64],
        (starts, steps): (usize, u64),
        context: &Context,
    ) -> Estimate {
        let known = self.best(prices, BEST, |_| f64::NEG_INFINITY);
        let (view, round) = (self.view, self.round);
        let all: f64 = (0..view.services()).map(|s| replicas(view, s)).sum();
        let scale = 3500.0 / all;
        let starts = starts.clamp(1, STARTS.len());
        let found = context.lanes(self.bins.len() * starts, |lane| {
            let (kind, start) = (lane / starts, lane % starts);
            let mut random = context.random(0x2000_0000 + round * 4096 + lane as u64);
            let (from, heat) = STARTS[start];
            // The next ones in turn; after the last of them from nothing.
            let at = match from {
                From::Best => 0,
                From::Next => (round as usize + 5 * start) % (BEST + 1) + 1,
                From::Nothing => BEST,
            };
            let from = (known[kind].get(at)).map_or(&[][..], |(_, at)| &self.columns[*at].counts);
            let rebate = if from.is_empty() { 0.5 } else { 0.0 };
            let (bin, task) = (&self.bins[kind], (steps, heat * scale, rebate));
            search(view, bin, prices, from, task, &mut random)
        });
        self.round += 1;
        let talks = |s: u32| f64::from(u8::from(!view.links(s).is_empty()));
        let mut slope: Vec<f64> = (0..view.services() as u32).map(talks).collect();
        let mut value = paid_by_all(self.view, prices);
        for (kind, bin) in self.bins.iter().enumerate() {
            let mut best = known[kind].first().map_or((0.0, &[][..]), |(worth, at)| {
                (*worth, self.columns[*at].counts.as_slice())
            });
            for (counts, worth) in &found[kind * starts..][..starts] {
                if *worth > best.0 {
                    best = (*worth, counts);
                }
            }
            if best.0 > 0.0 {
                value += best.0 * bin.count as f64;
                for (s, count) in best.1 {
                    let share = f64::from(*count) / replicas(view, *s as usize);
                    slope[*s as usize] -= share * bin.count as f64;
                }
            }
        }
        for (counts, worth) in found {
            if worth > 0.0 {
                self.learn(counts);
            }
        }
        Estimate { value, slope }
    }

    /// The patterns nearest to being used at some prices, at most so many.
    pub fn promising(&self, prices: &[f64], most: usize) -> impl Iterator<Item = &[(u32, u32)]> {
        let mut order: Vec<(f64, usize)> = (self.columns.iter().enumerate())
            .map(|(at, column)| (column.gain - paid(prices, &column.counts), at))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        order.truncate(most);
        let columns = order.into_iter();
        columns.map(|(_, at)| self.columns[at].counts.as_slice())
    }
}

/// The replicas of a service, at least one.
pub fn replicas(view: &View, service: usize) -> f64 {
    f64::from(view.replicas[service].max(1))
}

/// What all replicas cost at these prices.
pub fn paid_by_all(view: &View, prices: &[f64]) -> f64 {
    let pairs = prices.iter().enumerate();
    pairs.map(|(s, price)| price * replicas(view, s)).sum()
}

fn paid(prices: &[f64], counts: &[(u32, u32)]) -> f64 {
    let each = counts.iter();
    each.map(|(s, count)| prices[*s as usize] * f64::from(*count))
        .sum()
}
