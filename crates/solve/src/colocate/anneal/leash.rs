//! Keeps a walk near the number of moves it may make: the price of a move
//! rises while there are too many and falls while there are fewer, so that a
//! hot walk spends its moves where they gain most; near the end the limit
//! becomes hard.

use super::super::state::State;
use super::walk::{Goal, Walk};

/// The limit, and the best placement within it so far.
pub struct Leash<'v> {
    goal: Goal,
    best: State<'v>,
    /// Gain of `best`; below any when even the start has too many moves.
    best_gain: f64,
}

/// How fast the price follows, per batch of a walk alone.
const PULL: f64 = 1.01;
/// From here on a placement within the limit is not left again.
const HARD_FROM: f64 = 0.9;
/// From here on the best placement within the limit is kept.
const KEEP_FROM: f64 = 0.7;

impl<'v> Leash<'v> {
    /// A leash for a goal, with the start as the best so far.
    pub fn new(goal: Goal, start: State<'v>) -> Self {
        let within = start.moves <= goal.max_moves;
        let best_gain = if within {
            start.gain
        } else {
            f64::NEG_INFINITY
        };
        Self {
            goal,
            best: start,
            best_gain,
        }
    }

    fn unlimited(&self) -> bool {
        self.goal.max_moves == i64::MAX
    }

    /// After a batch of a walk alone.
    pub fn pull(&mut self, walk: &mut Walk<'_, 'v>, progress: f64) {
        let mut goal = walk.goal();
        self.pull_goal(&mut goal, &walk.state, progress, PULL);
        walk.set_goal(goal);
    }

    /// Adapts the price and, near the end, the limit.
    pub fn pull_goal(&mut self, goal: &mut Goal, state: &State<'v>, progress: f64, pull: f64) {
        if self.unlimited() {
            return;
        }
        // The price stays between what was asked for and all traffic.
        goal.price = if state.moves > self.goal.max_moves {
            (goal.price.max(1e-12) * pull).min(1.0)
        } else {
            (goal.price / pull).max(self.goal.price)
        };
        if state.moves <= self.goal.max_moves {
            if progress >= HARD_FROM {
                goal.max_moves = self.goal.max_moves;
            }
            if progress >= KEEP_FROM && state.gain > self.best_gain {
                self.best_gain = state.gain;
                self.best.clone_from(state);
            }
        }
    }

    /// The last placement of a walk, or the best one within the limit.
    pub fn best(self, walk: Walk<'_, 'v>) -> State<'v> {
        self.best_state(walk.state)
    }

    /// The same for a state.
    pub fn best_state(self, last: State<'v>) -> State<'v> {
        let last_is_best = last.moves <= self.goal.max_moves && last.gain >= self.best_gain;
        if self.unlimited() || last_is_best || self.best_gain == f64::NEG_INFINITY {
            last
        } else {
            self.best
        }
    }
}
