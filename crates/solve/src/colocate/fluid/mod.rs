//! Annealing without the sand.
//!
//! Services without traffic only get in the way of those with traffic. While
//! the search is hot they are treated as a fluid: members of the core may
//! stand wherever the core alone leaves room, and each unit of sand they
//! displace costs its share of a move. The total room does not change, so the
//! sand fits somewhere but for fragments; at the end it is put back exactly
//! and the last degrees are walked on the exact problem.

pub mod core;
mod deal;
pub mod settle;
pub mod state;
pub mod walk;

use super::anneal::lottery::Lottery;
use super::anneal::{DEAL_SECONDS, DEAL_STEPS, DEALT_LANES, Length, Task};
use super::view::Spot;
use rand::{RngExt, SeedableRng};
use std::sync::Mutex;

use crate::{Context, Random};
use core::Core;
use state::Fluid;
use walk::FluidWalk;

/// Proposals between two looks at the clock.
const BATCH: u64 = 512;

/// What all fluid walks of a run share.
pub struct Pour<'v> {
    /// The problem.
    pub core: Core<'v>,
    lottery: Lottery,
}

impl<'v> Pour<'v> {
    /// Prepares what all walks share.
    pub fn new(core: Core<'v>) -> Self {
        let lottery = Lottery::new(core.view).renamed(|service| core.member(service));
        Self { core, lottery }
    }

    /// One walk from a placement, at the goal's price; a limit on moves is the
    /// caller's business.
    pub fn walk<'c>(
        &'c self,
        start: &[Spot],
        task: Task,
        random: Random,
        context: &Context,
    ) -> Fluid<'c> {
        let state = Fluid::new(&self.core, start);
        let mut walk = FluidWalk::new(state, task.goal, &self.lottery, random);
        let (began, mut done) = (context.elapsed(), 0u64);
        loop {
            let (progress, batch) = match task.length {
                Length::Seconds(seconds) => {
                    ((context.elapsed() - began) / seconds.max(1e-9), BATCH)
                }
                Length::Steps(steps) if done >= steps => (1.0, 0),
                Length::Steps(steps) => (done as f64 / steps as f64, BATCH.min(steps - done)),
            };
            if progress >= 1.0 || context.must_stop() {
                return walk.state;
            }
            walk.temperature = task.cooling.at(progress);
            walk.run(batch);
            done += batch;
        }
    }

    /// One walk with the nodes dealt out to lanes again and again.
    pub fn dealt<'c>(
        &'c self,
        start: &[Spot],
        task: Task,
        mut random: Random,
        context: &Context,
        mut listen: impl FnMut(f64),
    ) -> Fluid<'c> {
        let mut state = Fluid::new(&self.core, start);
        let lanes = match task.length {
            Length::Seconds(_) => context.threads(),
            Length::Steps(_) => DEALT_LANES,
        };
        let lanes = lanes.clamp(1, self.core.view.nodes().max(1));
        let (began, mut done) = (context.elapsed(), 0u64);
        loop {
            let now = context.elapsed();
            let (progress, stop_at, batch) = match task.length {
                Length::Seconds(seconds) => {
                    let round = DEAL_SECONDS.min(seconds / 40.0);
                    let progress = (now - began) / seconds.max(1e-9);
                    (progress, (now + round).min(began + seconds), u64::MAX)
                }
                Length::Steps(steps) if done >= steps => (1.0, 0.0, 0),
                Length::Steps(steps) => {
                    let round = DEAL_STEPS.min(steps / 40 / lanes as u64).max(1);
                    let batch = (steps - done).div_ceil(lanes as u64).min(round);
                    (done as f64 / steps as f64, f64::INFINITY, batch)
                }
            };
            if progress >= 1.0 || context.must_stop() {
                return state;
            }
            let parts = deal::deal(&mut state, lanes, &mut random);
            let walks: Vec<Mutex<Option<FluidWalk>>> = (parts.into_iter())
                .map(|part| {
                    let own = Random::seed_from_u64(random.random());
                    let mut walk = FluidWalk::new(part, task.goal, &self.lottery, own);
                    walk.temperature = task.cooling.at(progress);
                    Mutex::new(Some(walk))
                })
                .collect();
            let parts = context.lanes(lanes, |lane| {
                let taken = walks[lane].lock().ok().and_then(|mut walk| walk.take());
                let mut walk = taken.expect("each lane is run once");
                let mut left = batch;
                while left > 0 && !context.must_stop() && context.elapsed() < stop_at {
                    walk.run(left.min(BATCH));
                    left -= left.min(BATCH);
                }
                walk.state
            });
            deal::join(&mut state, parts);
            listen(state.gain);
            done = done.saturating_add(batch.saturating_mul(lanes as u64));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::gain::gain_of;
    use super::super::kinds::Kinds;
    use super::super::schedule::start;
    use super::super::tests::random_problem;
    use super::super::view::View;
    use super::*;

    #[test]
    fn members_agree_with_the_definition_after_every_shift() {
        let mut random = Random::seed_from_u64(31);
        for _ in 0..200 {
            let problem = random_problem(&mut random, 7, 5);
            let view = View::new(&problem, None, &[]).expect("supported");
            let core = Core::new(&view);
            if core.members.is_empty() {
                continue;
            }
            let mut fluid = Fluid::new(&core, &start(&view));
            for _ in 0..30 {
                let member = random.random_range(0..core.members.len());
                let homes = fluid.homes(member);
                if homes.is_empty() {
                    continue;
                }
                let from = homes[random.random_range(0..homes.len())];
                let to = random.random_range(0..5u32);
                if from == to {
                    continue;
                }
                let count = random.random_range(1..=fluid.count(member, from));
                let (gain, moves) = (fluid.gain, fluid.moves);
                let (more_gain, more_moves) = fluid.change_if(member, from, to, count);
                fluid.shift(member, from, to, count);
                assert!((fluid.gain - gain - more_gain).abs() < 1e-9);
                assert!((fluid.moves - moves - more_moves).abs() < 1e-6);
                if random.random_bool(0.4) {
                    fluid.rollback(gain, moves);
                } else {
                    fluid.commit();
                }
                assert!((fluid.gain - gain_of(&view, &fluid.spots())).abs() < 1e-9);
                let again = Fluid::new(&core, &fluid.spots());
                assert!((again.moves - fluid.moves).abs() < 1e-6);
            }
            let relabelled = settle::relabel(&fluid, &Kinds::new(&view));
            assert!((gain_of(&view, &relabelled) - fluid.gain).abs() < 1e-9);
            assert!(Fluid::new(&core, &relabelled).moves <= fluid.moves + 0.1);
        }
    }
}
