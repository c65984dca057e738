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

use super::anneal::Task;
use super::anneal::lottery::Lottery;
use super::anneal::pace::Pace;
use super::view::Spot;
use rand::{RngExt, SeedableRng};
use std::sync::Mutex;

use crate::{Context, Random};
use core::Core;
use state::Fluid;
use walk::FluidWalk;

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

    /// One walk from a placement, at the price that keeps it about the limit on
    /// moves; returns that price as well.
    pub fn walk<'c>(
        &'c self,
        start: &[Spot],
        task: Task,
        random: Random,
        context: &Context,
    ) -> (Fluid<'c>, f64) {
        let state = Fluid::new(&self.core, start);
        let prices = (task.goal, task.first_price);
        let mut walk = FluidWalk::new(state, prices, &self.lottery, random);
        let limit = limit(task);
        let mut pace = Pace::alone(task.length, context);
        while let Some((progress, batch)) = pace.batch(context) {
            walk.temperature = task.cooling.at(progress);
            walk.run(batch);
            if let Some(limit) = limit {
                walk.pull(batch, limit, limit);
            }
        }
        (walk.state, walk.price)
    }

    /// One walk with the nodes dealt out to lanes again and again.
    pub fn dealt<'c>(
        &'c self,
        start: &[Spot],
        task: Task,
        mut random: Random,
        context: &Context,
        mut listen: impl FnMut(f64),
    ) -> (Fluid<'c>, f64) {
        let mut state = Fluid::new(&self.core, start);
        let mut price = task.first_price;
        let mut pace = Pace::dealt(task.length, self.core.view.nodes(), context);
        let lanes = pace.lanes();
        while let Some(round) = pace.round(context) {
            // Each lane may make its share of the moves that are left.
            let limit = limit(task).map(|limit| {
                let left = limit - state.moves;
                (left / lanes as f64, limit / lanes as f64)
            });
            let parts = deal::deal(&mut state, lanes, &mut random);
            let walks: Vec<Mutex<Option<FluidWalk>>> = (parts.into_iter())
                .map(|part| {
                    let own = Random::seed_from_u64(random.random());
                    let mut walk = FluidWalk::new(part, (task.goal, price), &self.lottery, own);
                    walk.temperature = task.cooling.at(round.progress);
                    Mutex::new(Some(walk))
                })
                .collect();
            let parts = context.lanes(lanes, |lane| {
                let taken = walks[lane].lock().ok().and_then(|mut walk| walk.take());
                let mut walk = taken.expect("each lane is run once");
                round.work(context, |batch| {
                    walk.run(batch);
                    if let Some((limit, scale)) = limit {
                        // All lanes' proposals count: each sees its share.
                        walk.pull(batch * lanes as u64, limit, scale);
                    }
                });
                (walk.state, walk.price)
            });
            let (parts, prices): (Vec<Fluid>, Vec<f64>) = parts.into_iter().unzip();
            let logs = prices.iter().map(|price| price.max(1e-12).ln());
            price = (logs.sum::<f64>() / lanes as f64).exp();
            deal::join(&mut state, parts);
            listen(state.gain);
        }
        (state, price)
    }
}

/// The limit on moves, where there is one.
fn limit(task: Task) -> Option<f64> {
    (task.goal.max_moves < i64::MAX).then_some(task.goal.max_moves as f64)
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
