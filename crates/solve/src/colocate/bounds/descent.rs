//! The Lagrangian bound: at any prices of replicas, no placement gains more
//! than price times replicas, summed, plus for each node the most a pattern
//! can be worth there. A subgradient descent with Polyak's steps comes near
//! the prices at which that is least, a linear program over all patterns met
//! leads on from there; the worth of patterns comes from local search and from
//! all patterns met, until an integer program proves it.

use std::sync::atomic::{AtomicUsize, Ordering};

use bayplan_lp::Options;

use super::super::view::View;
use super::certify::{Claim, certify};
use super::known::{Known, replicas};
use super::merged::{contains, merged};
use super::region::Region;
use super::wolfe::bins;
use crate::Context;

/// Pairs so light that together they carry less than this share of the
/// traffic are counted in full instead of searched.
const LIGHT: f64 = 1e-5;
/// How much of the last direction stays in the next.
const INERTIA: f64 = 0.7;
/// Polyak's factor at first, and where the linear program takes over.
const STRIDE: f64 = 0.3;
const LEAST_STRIDE: f64 = 0.1;
/// Rounds without progress before the stride is shortened, and by how much.
const PATIENCE: u32 = 10;
const SHORTER: f64 = 0.7;
/// Searches for a pattern on each kind of place: in the descent, and where the
/// linear program leads; and how often progress there is confirmed.
const QUICK: usize = 2;
const THOROUGH: usize = 5;
const CONFIRMED: usize = 2;
/// The share of what the linear program promises that counts as progress.
const PROGRESS: f64 = 0.1;
/// How the box grows and shrinks, and when it is too small to go on.
const WIDER: f64 = 1.5;
const NARROWER: f64 = 0.7;
const LEAST_RADIUS: f64 = 1e-5;
/// A promise too small to go on for.
const NEGLIGIBLE: f64 = 2e-6;
/// How close a proof must come to the best pattern of a node.
const TOLERANCE: f64 = 2e-6;

/// A descent over one view.
pub struct Descent<'v> {
    known: Known<'v>,
    region: Region,
    prices: Vec<f64>,
    best_prices: Vec<f64>,
    /// The least estimate so far: the bound if the searches missed nothing.
    pub estimate: f64,
    /// What the bound cannot be below: the gain of a plan.
    target: f64,
    direction: Vec<f64>,
    stride: f64,
    idle: u32,
    settled: bool,
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
        let mut known = Known::new(view, merged(view, &bins(view)));
        for counts in patterns {
            known.learn(counts.to_vec());
        }
        Self {
            region: Region::new(view, &known),
            known,
            best_prices: prices.clone(),
            prices,
            estimate: f64::INFINITY,
            target,
            direction: vec![0.0; view.services()],
            stride: STRIDE,
            idle: 0,
            settled: false,
        }
    }

    /// Whether more rounds would change nothing.
    pub fn settled(&self) -> bool {
        self.settled
    }

    /// One round: searches at the prices, estimate, step.
    pub fn descend(&mut self, steps: u64, context: &Context) {
        if self.stride >= LEAST_STRIDE {
            self.step(steps, context);
        } else {
            self.refine(steps, context);
        }
    }

    /// A step of the subgradient descent.
    fn step(&mut self, steps: u64, context: &Context) {
        let found = (self.known).explore(&self.prices, (QUICK, steps), context);
        if found.value < self.estimate {
            if found.value < self.estimate - 1e-3 * (self.estimate - self.target) {
                self.idle = 0;
            }
            self.estimate = found.value;
            self.best_prices.clone_from(&self.prices);
        } else {
            self.idle += 1;
        }
        if self.idle > PATIENCE {
            self.stride *= SHORTER;
            self.idle = 0;
            self.prices.clone_from(&self.best_prices);
        }
        for (direction, slope) in self.direction.iter_mut().zip(&found.slope) {
            *direction = INERTIA * *direction + (1.0 - INERTIA) * slope;
        }
        let norm: f64 = self.direction.iter().map(|x| x * x).sum();
        let length = self.stride * (found.value - self.target).max(1e-4) / norm.max(1e-12);
        for (s, price) in self.prices.iter_mut().enumerate() {
            let pays = length * self.direction[s] / replicas(self.known.view, s);
            *price = (*price - pays).max(0.0);
        }
    }

    /// A step to where the linear program over all patterns leads.
    fn refine(&mut self, steps: u64, context: &Context) {
        // Patterns met since may be worth more at the centre as well.
        self.estimate = self.known.value(&self.best_prices);
        let proposed = (self.region).propose(&self.known, &self.best_prices, context);
        let Some((prices, promised)) = proposed else {
            self.settled = true;
            return;
        };
        let thorough = (THOROUGH, 2 * steps);
        let mut value = self.known.explore(&prices, thorough, context).value;
        let hoped = self.estimate - promised;
        // A search that missed the best pattern looks like progress: again.
        for _ in 0..CONFIRMED {
            if value < self.estimate - PROGRESS * hoped {
                value = self.known.explore(&prices, thorough, context).value;
            }
        }
        if value < self.estimate - PROGRESS * hoped {
            self.estimate = value;
            self.best_prices = prices;
            self.region.radius *= WIDER;
        } else if value > self.estimate + hoped {
            self.region.radius *= NARROWER;
        }
        self.settled = hoped < NEGLIGIBLE || self.region.radius < LEAST_RADIUS;
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
        let (view, bins) = (self.known.view, &self.known.bins);
        let heavy = heavy(view);
        let light: f64 = (view.edges.iter().zip(&heavy))
            .filter(|(_, heavy)| !**heavy)
            .map(|(edge, _)| edge.weight)
            .sum();
        let best = self.known.best(&self.best_prices, 1, |_| 0.0);
        let until = seconds.map(|seconds| context.elapsed() + seconds);
        // The smallest first: they are done soon, and what they leave of their
        // share of the time goes to the hard ones.
        let turns = AtomicUsize::new(0);
        let mut proofs = context.lanes(bins.len(), |_| {
            let turn = turns.fetch_add(1, Ordering::Relaxed);
            let kind = bins.len() - 1 - turn;
            let start = best[kind].first();
            let claim = Claim {
                prices: &self.best_prices,
                heavy: &heavy,
                tolerance: TOLERANCE,
                start: start.map_or(&[], |(_, at)| &self.known.columns[*at].counts),
            };
            let share = (context.threads() as f64 / (bins.len() - turn) as f64).min(1.0);
            let options = Options {
                seconds: until.map(|until| ((until - context.elapsed()) * share).max(0.01)),
                nodes,
                stop: Some(context.stop_flag().clone()),
                ..Options::default()
            };
            (kind, certify(view, &bins[kind], &claim, &options))
        });
        proofs.sort_by_key(|(kind, _)| *kind);
        let proofs: Vec<_> = proofs.into_iter().map(|(_, proof)| proof).collect();
        let mut bound = self.known.paid_by_all(&self.best_prices) + light;
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
            new |= counts.is_some_and(|counts| self.known.learn(counts));
        }
        if new {
            self.go_on();
        }
        bound
    }

    /// Takes the estimate again with the patterns known now, and goes on.
    fn go_on(&mut self) {
        self.estimate = self.known.value(&self.best_prices);
        self.prices.clone_from(&self.best_prices);
        self.region.radius = self.region.radius.max(100.0 * LEAST_RADIUS);
        self.idle = 0;
        self.settled = false;
    }

    /// The patterns nearest to being used at the best prices, at most so many.
    pub fn promising(&self, most: usize) -> impl Iterator<Item = &[(u32, u32)]> {
        self.known.promising(&self.best_prices, most)
    }
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
