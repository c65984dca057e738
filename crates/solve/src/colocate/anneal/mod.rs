//! Simulated annealing on counts: many starts on small clusters, one walk with
//! nodes dealt out to threads on large ones.

pub mod deal;
pub mod lottery;
pub mod walk;

use std::sync::Mutex;

use rand::SeedableRng;

use super::state::State;
use super::view::{Spot, View};
use crate::{Context, Random};
use lottery::Lottery;
use walk::{Goal, Homes, Walk};

/// How long one annealing may take: until a moment of the run, or a number of
/// proposals.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Length {
    /// From and until these seconds of the run's clock.
    Clock {
        /// When it starts.
        from: f64,
        /// When it ends.
        until: f64,
    },
    /// Proposals.
    Steps(u64),
}

/// Temperatures, in shares of all traffic.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cooling {
    /// At the start.
    pub hot: f64,
    /// At the end.
    pub cold: f64,
}

impl Cooling {
    /// Temperatures that suit a cluster: a few times what the mean replica can
    /// gain, down to a thousandth of that.
    pub fn of(view: &View) -> Self {
        let replicas: f64 = view.replicas.iter().map(|d| f64::from(*d)).sum();
        let hot = 2.5 / replicas.max(1.0);
        Self {
            hot,
            cold: hot / 1000.0,
        }
    }

    fn at(self, progress: f64) -> f64 {
        self.hot * (self.cold / self.hot).powf(progress.clamp(0.0, 1.0))
    }
}

/// What the walks of a run share.
pub struct Anneal<'v> {
    view: &'v View,
    lottery: Lottery,
    homes: Homes,
}

/// Proposals between two looks at the clock.
const BATCH: u64 = 512;
/// Lanes of a dealt walk: fixed, so that the answer does not depend on threads.
const DEALT_LANES: usize = 8;
/// Seconds between two deals.
const DEAL_SECONDS: f64 = 0.4;
/// Proposals of a lane between two deals, when steps are counted.
const DEAL_STEPS: u64 = 200_000;

impl<'v> Anneal<'v> {
    /// Prepares what all walks share.
    pub fn new(view: &'v View) -> Self {
        Self {
            view,
            lottery: Lottery::new(view),
            homes: Homes::new(view),
        }
    }

    /// One walk over the whole cluster; returns its last placement.
    pub fn alone(
        &self,
        start: &[Spot],
        goal: Goal,
        cooling: Cooling,
        length: Length,
        random: Random,
        context: &Context,
    ) -> State<'v> {
        let state = State::new(self.view, start);
        let mut walk = Walk::new(state, goal, &self.lottery, &self.homes, random);
        let mut done = 0u64;
        loop {
            let progress = match length {
                Length::Clock { from, until } => (context.elapsed() - from) / (until - from).max(1e-9),
                Length::Steps(steps) => done as f64 / steps.max(1) as f64,
            };
            if progress >= 1.0 || context.interrupted() {
                return walk.state;
            }
            walk.temperature = cooling.at(progress);
            let batch = match length {
                Length::Clock { .. } => BATCH,
                Length::Steps(steps) => BATCH.min(steps - done),
            };
            walk.run(batch);
            done += batch;
        }
    }

    /// One walk with the nodes dealt out to lanes again and again.
    pub fn dealt(
        &self,
        start: &[Spot],
        goal: Goal,
        cooling: Cooling,
        length: Length,
        mut random: Random,
        context: &Context,
    ) -> State<'v> {
        let mut state = State::new(self.view, start);
        let mut units = deal::units(self.view);
        let lanes = match length {
            Length::Clock { .. } => context.threads(),
            Length::Steps(_) => DEALT_LANES,
        };
        let lanes = lanes.clamp(1, units.len().max(1));
        let mut done = 0u64;
        loop {
            let now = context.elapsed();
            let (progress, stop_at, batch) = match length {
                Length::Clock { from, until } => {
                    let progress = (now - from) / (until - from).max(1e-9);
                    (progress, (now + DEAL_SECONDS).min(until), u64::MAX)
                }
                Length::Steps(steps) => {
                    let batch = (steps - done).div_ceil(lanes as u64).min(DEAL_STEPS);
                    (done as f64 / steps.max(1) as f64, f64::INFINITY, batch)
                }
            };
            if progress >= 1.0 || context.interrupted() {
                return state;
            }
            let parts = deal::deal(&mut state, &mut units, lanes, &mut random);
            let share = Goal {
                max_moves: (goal.max_moves - state.moves).max(0) / lanes as i64,
                ..goal
            };
            let walks: Vec<Mutex<Option<Walk>>> = parts
                .into_iter()
                .map(|part| {
                    let seed = Random::seed_from_u64(deal::lane_seed(&mut random));
                    let mut walk = Walk::new(part, share, &self.lottery, &self.homes, seed);
                    walk.temperature = cooling.at(progress);
                    Mutex::new(Some(walk))
                })
                .collect();
            let parts = context.lanes(lanes, |lane| {
                let taken = walks[lane].lock().ok().and_then(|mut walk| walk.take());
                let mut walk = taken.expect("each lane is run once");
                let mut left = batch;
                while left > 0 && !context.interrupted() {
                    if stop_at.is_finite() && context.elapsed() >= stop_at {
                        break;
                    }
                    walk.run(left.min(BATCH));
                    left -= left.min(BATCH);
                }
                walk.state
            });
            deal::join(&mut state, parts);
            done = done.saturating_add(batch.saturating_mul(lanes as u64));
        }
    }
}
