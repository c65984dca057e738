//! Simulated annealing on counts: many starts on small clusters, one walk with
//! nodes dealt out to threads on large ones.

pub mod deal;
mod leash;
pub mod lottery;
pub mod pace;
pub mod walk;

use std::sync::Mutex;

use rand::SeedableRng;

use super::state::State;
use super::view::{Spot, View};
use crate::{Context, Random};
use leash::Leash;
use lottery::Lottery;
use pace::Pace;
use walk::{Goal, Homes, Walk};

/// How long one annealing may take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Length {
    /// Wall seconds from its start.
    Seconds(f64),
    /// Proposals.
    Steps(u64),
}

/// What one annealing is asked for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Task {
    /// What it maximises.
    pub goal: Goal,
    /// From hot to cold.
    pub cooling: Cooling,
    /// For how long.
    pub length: Length,
    /// The price of a move at first; it follows the limit on moves, and is
    /// never below the goal's.
    pub first_price: f64,
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
    /// Temperatures that suit a cluster: ten times what the mean replica can
    /// gain, down to a six-hundredth of that.
    pub fn of(view: &View) -> Self {
        let replicas: f64 = view.replicas.iter().map(|d| f64::from(*d)).sum();
        let hot = 10.0 / replicas.max(1.0);
        Self {
            hot,
            cold: hot / 600.0,
        }
    }

    /// Starting at a share of the heat.
    pub fn reheated(self, share: f64) -> Self {
        Self {
            hot: (self.hot * share).max(self.cold),
            ..self
        }
    }

    /// Ending at a multiple of the last temperature.
    pub fn cooled(self, times: f64) -> Self {
        Self {
            cold: (self.cold * times).min(self.hot),
            ..self
        }
    }

    /// The temperature at a share of the walk.
    pub fn at(self, progress: f64) -> f64 {
        self.hot * (self.cold / self.hot).powf(progress.clamp(0.0, 1.0))
    }
}

/// What the walks of a run share.
pub struct Anneal<'v> {
    view: &'v View,
    lottery: Lottery,
    homes: Homes,
}

impl<'v> Anneal<'v> {
    /// Prepares what all walks share.
    pub fn new(view: &'v View) -> Self {
        Self {
            view,
            lottery: Lottery::new(view),
            homes: Homes::new(view),
        }
    }

    /// One walk over the whole cluster; returns its last placement, or the best
    /// one within the allowed moves.
    pub fn alone(
        &self,
        start: &[Spot],
        task: Task,
        random: Random,
        context: &Context,
    ) -> State<'v> {
        let state = State::new(self.view, start);
        let free = Goal {
            max_moves: i64::MAX,
            price: task.first_price.max(task.goal.price),
        };
        let mut walk = Walk::new(state, free, &self.lottery, &self.homes, random);
        let mut leash = Leash::new(task.goal, walk.state.clone());
        let mut pace = Pace::alone(task.length, context);
        while let Some((progress, batch)) = pace.batch(context) {
            walk.temperature = task.cooling.at(progress);
            walk.run(batch);
            leash.pull(&mut walk, progress);
        }
        leash.best(walk)
    }

    /// A cold walk that never passes the limit on moves: from a start within it, each step is a
    /// better plan, however few steps there are.
    pub fn climb(
        &self,
        start: &[Spot],
        goal: Goal,
        length: Length,
        random: Random,
        context: &Context,
    ) -> State<'v> {
        let state = State::new(self.view, start);
        let mut walk = Walk::new(state, goal, &self.lottery, &self.homes, random);
        walk.temperature = Cooling::of(self.view).cold;
        let mut pace = Pace::alone(length, context);
        while let Some((_, batch)) = pace.batch(context) {
            walk.run(batch);
        }
        walk.state
    }

    /// One walk with the nodes dealt out to lanes again and again.
    pub fn dealt(
        &self,
        start: &[Spot],
        task: Task,
        mut random: Random,
        context: &Context,
        mut listen: impl FnMut(&State<'v>),
    ) -> State<'v> {
        let mut state = State::new(self.view, start);
        let mut units = deal::units(self.view);
        let mut pace = Pace::dealt(task.length, units.len(), context);
        let lanes = pace.lanes();
        let mut leash = Leash::new(task.goal, state.clone());
        let mut goal = Goal {
            max_moves: i64::MAX,
            price: task.first_price.max(task.goal.price),
        };
        while let Some(round) = pace.round(context) {
            let parts = deal::deal(&mut state, &mut units, lanes, &mut random);
            let share = Goal {
                max_moves: goal.max_moves.saturating_sub(state.moves).max(0) / lanes as i64,
                ..goal
            };
            let walks: Vec<Mutex<Option<Walk>>> = parts
                .into_iter()
                .map(|part| {
                    let seed = Random::seed_from_u64(deal::lane_seed(&mut random));
                    let mut walk = Walk::new(part, share, &self.lottery, &self.homes, seed);
                    walk.temperature = task.cooling.at(round.progress);
                    Mutex::new(Some(walk))
                })
                .collect();
            let parts = context.lanes(lanes, |lane| {
                let taken = walks[lane].lock().ok().and_then(|mut walk| walk.take());
                let mut walk = taken.expect("each lane is run once");
                round.work(context, |batch| walk.run(batch));
                walk.state
            });
            deal::join(&mut state, parts);
            leash.pull_goal(&mut goal, &state, round.progress, 1.25);
            listen(&state);
        }
        leash.best_state(state)
    }
}
