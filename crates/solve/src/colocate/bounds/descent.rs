//! The Lagrangian bound: at any prices of replicas, no placement gains more
//! than price times replicas, summed, plus for each node the most a pattern
//! can be worth there. A subgradient descent with Polyak's steps comes near
//! the prices at which that is least; then a linear program over all patterns
//! met leads on, in a box around the best prices proven. Local searches find
//! patterns on the way, but only an integer program knows the best, so a step
//! counts when it is proven.

use super::super::view::View;
use super::known::{Known, replicas};
use super::merged::merged;
use super::proof::{Limits, Task, prove};
use super::region::Region;
use super::wolfe::bins;
use crate::Context;

/// How much of the last direction stays in the next.
const INERTIA: f64 = 0.7;
/// Polyak's factor at first, and where the linear program takes over.
const STRIDE: f64 = 0.3;
const LEAST_STRIDE: f64 = 3e-3;
/// Rounds without progress before the stride is shortened, and by how much.
const PATIENCE: u32 = 20;
const SHORTER: f64 = 0.7;
/// Searches for a pattern on each kind of place: in the descent, and where the
/// linear program leads, with so many times the steps.
const QUICK: usize = 2;
const THOROUGH: usize = 5;
const THOROUGHLY: u64 = 2;
/// A place is ripe for a proof when the searches there leave at least this
/// share of what the linear program promises, or after so many rounds.
const KEPT: f64 = 0.7;
const ROUNDS: u32 = 40;
/// The share of a promise that a proof must confirm for the box to grow; how it
/// grows, and shrinks after a step that led nowhere; when it is too small.
const WELL_KEPT: f64 = 0.3;
const WIDER: f64 = 2.0;
const NARROWER: f64 = 0.5;
const LEAST_RADIUS: f64 = 1e-5;
/// A promise too small to go on for.
const NEGLIGIBLE: f64 = 2e-5;

/// A descent over one view.
pub struct Descent<'v> {
    known: Known<'v>,
    region: Region,
    /// Where the next proof is due.
    prices: Vec<f64>,
    /// The best prices: by proof, and before the first one by estimate.
    best_prices: Vec<f64>,
    /// The least value so far: if the searches missed nothing, or proven.
    pub estimate: f64,
    /// The least bound proven.
    proven: f64,
    /// What the bound cannot be below: the gain of a plan, or of a mix of
    /// patterns.
    target: f64,
    direction: Vec<f64>,
    stride: f64,
    idle: u32,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Stage {
    /// Subgradient steps.
    Steps,
    /// In the box for so many rounds; what the linear program promises.
    Box(u32, f64),
    /// Nothing more to try before the next proof.
    Ripe(f64),
    /// Nothing more to try.
    Settled,
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
            proven: f64::INFINITY,
            target,
            direction: vec![0.0; view.services()],
            stride: STRIDE,
            idle: 0,
            stage: Stage::Steps,
        }
    }

    /// Whether more rounds would change nothing.
    pub fn settled(&self) -> bool {
        self.stage == Stage::Settled
    }

    /// Whether a proof is due before the next round.
    pub fn ripe(&self) -> bool {
        matches!(self.stage, Stage::Ripe(_) | Stage::Settled)
    }

    /// One round: searches at some prices, estimate, next prices.
    pub fn descend(&mut self, steps: u64, context: &Context) {
        match self.stage {
            Stage::Steps => self.step(steps, context),
            Stage::Box(round, _) => self.refine(round, steps, context),
            Stage::Ripe(_) | Stage::Settled => (),
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
        if self.stride < LEAST_STRIDE {
            self.stage = Stage::Ripe(self.estimate);
            return;
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

    /// Searches where the linear program over all patterns leads, for those
    /// that it does not know yet.
    fn refine(&mut self, round: u32, steps: u64, context: &Context) {
        let proposed = (self.region).propose(&self.known, &self.best_prices, context);
        let Some((prices, promised)) = proposed else {
            self.stage = Stage::Settled;
            return;
        };
        let hoped = self.estimate - promised;
        if hoped < NEGLIGIBLE {
            self.stage = Stage::Settled;
            return;
        }
        let thorough = (THOROUGH, THOROUGHLY * steps);
        let value = self.known.explore(&prices, thorough, context).value;
        self.prices = prices;
        self.stage = if self.estimate - value >= KEPT * hoped || round >= ROUNDS {
            Stage::Ripe(promised)
        } else {
            Stage::Box(round + 1, promised)
        };
    }

    /// The certified bound at the prices that are due. Better patterns that the
    /// proof came by are learned, and the descent goes on from the best prices
    /// proven.
    pub fn certified(&mut self, limits: Limits, context: &Context) -> f64 {
        // Before the first proof the best prices are an estimate, afterwards
        // they are proven and those in the box are to be.
        let begun = self.proven.is_finite();
        let due = if begun {
            self.prices.clone()
        } else {
            self.best_prices.clone()
        };
        let (bound, new) = self.prove(&due, limits, context);
        let promised = match self.stage {
            Stage::Box(_, promised) | Stage::Ripe(promised) => promised,
            Stage::Steps | Stage::Settled => self.estimate,
        };
        let hoped = self.proven - promised;
        if bound < self.proven {
            self.best_prices = due;
            if begun && self.proven - bound >= WELL_KEPT * hoped {
                self.region.radius *= WIDER;
            }
            self.proven = bound;
        } else {
            self.region.radius *= NARROWER;
        }
        self.estimate = self.proven;
        let over = self.region.radius < LEAST_RADIUS || (self.settled() && !new);
        self.stage = if over {
            Stage::Settled
        } else {
            Stage::Box(0, promised)
        };
        bound
    }

    /// What no pattern can exceed at some prices, and whether patterns came up
    /// that were not known.
    fn prove(&mut self, prices: &[f64], limits: Limits, context: &Context) -> (f64, bool) {
        let best = self.known.best(prices, 1, |_| 0.0);
        let counts = |at: usize| self.known.columns[at].counts.as_slice();
        let starts = best.iter().map(|best| best.first());
        let starts: Vec<_> = starts
            .map(|start| start.map_or(&[][..], |(_, at)| counts(*at)))
            .collect();
        let task = Task {
            prices,
            starts: &starts,
            limits,
        };
        let (bound, patterns) = prove(self.known.view, &self.known.bins, task, context);
        let mut new = false;
        for counts in patterns {
            new |= self.known.learn(counts);
        }
        (bound, new)
    }

    /// The patterns nearest to being used at the best prices, at most so many.
    pub fn promising(&self, most: usize) -> impl Iterator<Item = &[(u32, u32)]> {
        self.known.promising(&self.best_prices, most)
    }
}
