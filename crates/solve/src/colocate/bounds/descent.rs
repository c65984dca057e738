//! The Lagrangian bound: at any prices of replicas, no placement gains more
//! than price times replicas, summed, plus for each node the most a pattern
//! can be worth there. A subgradient descent with Polyak's steps finds prices
//! at which that is low, taking the worth of patterns from local search and
//! from all patterns met; an integer program then proves it.

use bayplan_lp::Options;
use rustc_hash::FxHashSet;

use super::super::patterns::{gain_at, trim};
use super::super::view::View;
use super::certify::{Claim, certify};
use super::merged::{contains, merged};
use super::pricing::{Bin, search};
use super::wolfe::bins;
use crate::Context;

/// Pairs so light that together they carry less than this share of the
/// traffic are counted in full instead of searched.
const LIGHT: f64 = 1e-4;
/// Searches for a better pattern on each kind of place in a round.
const STARTS: usize = 2;
/// How much of the last direction stays in the next.
const INERTIA: f64 = 0.7;
/// Polyak's factor at first, after new patterns, and where nothing moves any more.
const STRIDE: f64 = 0.3;
const NEW_STRIDE: f64 = 0.1;
const LEAST_STRIDE: f64 = 1e-3;
/// Rounds without progress before the stride is shortened, and by how much.
const PATIENCE: u32 = 20;
const SHORTER: f64 = 0.7;
/// How close a proof must come to the best pattern.
const TOLERANCE: f64 = 1e-5;

/// A pattern, its gain, and on which kinds of places it fits.
struct Column {
    counts: Vec<(u32, u32)>,
    gain: f64,
    fits: Vec<bool>,
}

/// A descent over one view.
pub struct Descent<'v> {
    view: &'v View,
    bins: Vec<Bin>,
    columns: Vec<Column>,
    seen: FxHashSet<Vec<(u32, u32)>>,
    prices: Vec<f64>,
    best_prices: Vec<f64>,
    /// The least estimate so far: the bound if the searches missed nothing.
    pub estimate: f64,
    /// What the bound cannot be below: the gain of a plan.
    target: f64,
    direction: Vec<f64>,
    stride: f64,
    idle: u32,
    round: u64,
}

impl<'v> Descent<'v> {
    /// A descent from prices at which each service pays about half of its
    /// traffic, knowing these patterns and the gain of some plan.
    pub fn new<'p>(
        view: &'v View,
        patterns: impl Iterator<Item = &'p [(u32, u32)]>,
        target: f64,
    ) -> Self {
        let prices: Vec<f64> = (0..view.services() as u32)
            .map(|s| 0.45 * view.total_affinity(s) / replicas(view, s as usize))
            .collect();
        let mut descent = Self {
            view,
            bins: merged(view, &bins(view)),
            columns: Vec::new(),
            seen: FxHashSet::default(),
            best_prices: prices.clone(),
            prices,
            estimate: f64::INFINITY,
            target,
            direction: vec![0.0; view.services()],
            stride: STRIDE,
            idle: 0,
            round: 0,
        };
        for counts in patterns {
            descent.learn(counts.to_vec());
        }
        descent
    }

    /// Remembers a pattern; says whether it is new and useful.
    fn learn(&mut self, mut counts: Vec<(u32, u32)>) -> bool {
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

    /// Whether more rounds would change nothing.
    pub fn settled(&self) -> bool {
        self.stride < LEAST_STRIDE
    }

    /// The known patterns worth most on each kind of place, best first.
    fn best_known(&self, prices: &[f64], most: usize) -> Vec<Vec<(f64, usize)>> {
        let mut known: Vec<Vec<(f64, usize)>> = vec![Vec::new(); self.bins.len()];
        for (at, column) in self.columns.iter().enumerate() {
            let worth = column.gain - paid(prices, &column.counts);
            for (known, fits) in known.iter_mut().zip(&column.fits) {
                let last = known.get(most - 1).map_or(f64::NEG_INFINITY, |(w, _)| *w);
                if *fits && worth > last {
                    let place = known.partition_point(|(w, _)| *w >= worth);
                    known.insert(place, (worth, at));
                    known.truncate(most);
                }
            }
        }
        known
    }

    /// One round: searches at the prices, estimate, step.
    pub fn descend(&mut self, steps: u64, context: &Context) {
        const KNOWN: usize = 12;
        let known = self.best_known(&self.prices, KNOWN);
        let scale = 3500.0
            / (0..self.view.services())
                .map(|s| replicas(self.view, s))
                .sum::<f64>();
        let round = self.round;
        let found = context.lanes(self.bins.len() * STARTS, |lane| {
            let (kind, start) = (lane / STARTS, lane % STARTS);
            let mut random = context.random(0x2000_0000 + round * 4096 + lane as u64);
            // From the best known pattern; from another one, or from nothing.
            let at = if start == 0 {
                0
            } else {
                round as usize % (KNOWN + 1) + 1
            };
            let from = known[kind]
                .get(at)
                .map_or(&[][..], |(_, at)| &self.columns[*at].counts);
            let heat = [1e-4, 1e-3][start] * scale;
            let rebate = if from.is_empty() { 0.5 } else { 0.0 };
            let task = (steps, heat, rebate);
            search(
                self.view,
                &self.bins[kind],
                &self.prices,
                from,
                task,
                &mut random,
            )
        });
        self.round += 1;
        let mut gradient: Vec<f64> = (0..self.view.services() as u32)
            .map(|s| {
                if self.view.links(s).is_empty() {
                    0.0
                } else {
                    1.0
                }
            })
            .collect();
        let mut value = self.paid_by_all(&self.prices);
        let mut learned = Vec::new();
        for (kind, bin) in self.bins.iter().enumerate() {
            let mut best = known[kind].first().map_or((0.0, None), |(worth, at)| {
                (*worth, Some(&self.columns[*at].counts))
            });
            for (counts, worth) in &found[kind * STARTS..][..STARTS] {
                if *worth > best.0 {
                    best = (*worth, Some(counts));
                }
            }
            let (worth, Some(counts)) = best else {
                continue;
            };
            if worth <= 0.0 {
                continue;
            }
            value += worth * bin.count as f64;
            for (s, count) in counts {
                let share = f64::from(*count) / replicas(self.view, *s as usize);
                gradient[*s as usize] -= share * bin.count as f64;
            }
            learned.push(counts.clone());
        }
        for counts in learned {
            self.learn(counts);
        }
        self.step(value, &gradient);
    }

    fn step(&mut self, value: f64, gradient: &[f64]) {
        if value < self.estimate {
            if value < self.estimate - 1e-3 * (self.estimate - self.target) {
                self.idle = 0;
            }
            self.estimate = value;
            self.best_prices.clone_from(&self.prices);
        } else {
            self.idle += 1;
        }
        if self.idle > PATIENCE {
            self.stride *= SHORTER;
            self.idle = 0;
            self.prices.clone_from(&self.best_prices);
        }
        for (direction, gradient) in self.direction.iter_mut().zip(gradient) {
            *direction = INERTIA * *direction + (1.0 - INERTIA) * gradient;
        }
        let norm: f64 = self.direction.iter().map(|x| x * x).sum();
        let length = self.stride * (value - self.target).max(1e-4) / norm.max(1e-12);
        for (s, price) in self.prices.iter_mut().enumerate() {
            *price = (*price - length * self.direction[s] / replicas(self.view, s)).max(0.0);
        }
    }

    fn paid_by_all(&self, prices: &[f64]) -> f64 {
        let pairs = prices.iter().enumerate();
        pairs.map(|(s, price)| price * replicas(self.view, s)).sum()
    }

    /// The certified bound at the best prices, with at most so many wall seconds,
    /// or so many branch-and-bound nodes for each kind. Better patterns that the
    /// proof came by are learned, and the descent goes on from there.
    pub fn certified(
        &mut self,
        seconds: Option<f64>,
        nodes: Option<u64>,
        context: &Context,
    ) -> f64 {
        let heavy = heavy(self.view);
        let light: f64 = (self.view.edges.iter().zip(&heavy))
            .filter(|(_, heavy)| !**heavy)
            .map(|(edge, _)| edge.weight)
            .sum();
        let claim = Claim {
            prices: &self.best_prices,
            heavy: &heavy,
            tolerance: TOLERANCE,
        };
        let (view, bins, kinds) = (self.view, &self.bins, self.bins.len() as f64);
        let proofs = context.lanes(bins.len(), |kind| {
            // Half of all for the largest: they are the hardest.
            let share = if kind == 0 {
                0.5 + 0.5 / kinds
            } else {
                0.5 / kinds
            };
            let threads = context.threads() as f64;
            let options = Options {
                seconds: seconds.map(|seconds| (seconds * threads * share).min(seconds)),
                nodes,
                stop: Some(context.stop_flag().clone()),
                ..Options::default()
            };
            certify(view, &bins[kind], &claim, &options)
        });
        let mut bound = self.paid_by_all(&self.best_prices) + light;
        for (bin, (own, _)) in bins.iter().zip(&proofs) {
            let larger = bins
                .iter()
                .zip(&proofs)
                .filter(|(large, _)| contains(large, bin));
            let worth = larger.map(|(_, (worth, _))| *worth).fold(*own, f64::min);
            bound += worth * bin.count as f64;
        }
        let mut new = false;
        for (_, counts) in proofs {
            new |= counts.is_some_and(|counts| self.learn(counts));
        }
        if new {
            self.go_on();
        }
        bound
    }

    /// Takes the estimate again with the patterns known now, and goes on.
    fn go_on(&mut self) {
        let known = self.best_known(&self.best_prices, 1);
        let worth = known.iter().zip(&self.bins).map(|(known, bin)| {
            known.first().map_or(0.0, |(worth, _)| worth.max(0.0)) * bin.count as f64
        });
        self.estimate = self.paid_by_all(&self.best_prices) + worth.sum::<f64>();
        self.prices.clone_from(&self.best_prices);
        self.stride = self.stride.max(NEW_STRIDE);
        self.idle = 0;
    }

    /// The patterns nearest to being used at the best prices, at most so many.
    pub fn promising(&self, most: usize) -> impl Iterator<Item = &[(u32, u32)]> {
        let mut order: Vec<(f64, usize)> = (self.columns.iter().enumerate())
            .map(|(at, column)| (column.gain - paid(&self.best_prices, &column.counts), at))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        order.truncate(most);
        let columns = order.into_iter();
        columns.map(|(_, at)| self.columns[at].counts.as_slice())
    }
}

fn replicas(view: &View, service: usize) -> f64 {
    f64::from(view.replicas[service].max(1))
}

fn paid(prices: &[f64], counts: &[(u32, u32)]) -> f64 {
    let each = counts.iter();
    each.map(|(s, count)| prices[*s as usize] * f64::from(*count))
        .sum()
}

/// Pairs that carry all but a negligible share of the traffic.
fn heavy(view: &View) -> Vec<bool> {
    let mut order: Vec<usize> = (0..view.edges.len()).collect();
    let weight = |at: &usize| view.edges[*at].weight;
    order.sort_by(|a, b| weight(a).total_cmp(&weight(b)).then(a.cmp(b)));
    let mut heavy = vec![true; view.edges.len()];
    let mut light = 0.0;
    for at in order {
        light += view.edges[at].weight;
        if light > LIGHT {
            break;
        }
        heavy[at] = false;
    }
    heavy
}
