//! The default solver: straight at the lower bound with a strong constructive
//! rule, then ejection search (or, where demand varies over epochs, annealing
//! of slack first), then one node more with what was learnt.

mod anneal;
mod bins;
mod budget;
mod complete;
mod construct;
mod eject;
mod grow;
mod recreate;
mod varying;

use super::goal::Goal;
use super::grid::Grid;
use super::measure::{Measure, service_sizes};
use super::open::Opener;
use super::order;
use super::pools;
use super::state::State;
use super::view::View;
use crate::{Context, Progress};

use construct::{Builder, Weights};

/// How much emptiness counts against balance in the constructive rule.
const EMPTINESS: f32 = 0.5;

/// What a run works with.
pub(super) struct Task<'v> {
    pub view: &'v View<'v>,
    pub goal: Goal,
    /// What no plan can beat, as the goal counts.
    pub bound: u128,
    /// At most this many new nodes.
    pub nodes: Option<u32>,
    sizes: Vec<f64>,
    order: Vec<u32>,
}

impl<'v> Task<'v> {
    pub fn new(view: &'v View<'v>, goal: Goal, bound: u128, nodes: Option<u32>) -> Self {
        let sizes = service_sizes(view, Measure::Average, 0.0);
        let order = order::decreasing(&sizes);
        Self {
            view,
            goal,
            bound,
            nodes,
            sizes,
            order,
        }
    }

    fn opener(&self, state: &State) -> Opener {
        let opened = (state.nodes() - self.view.existing.len()) as u32;
        Opener::new(
            self.view,
            self.nodes.map(|nodes| nodes.saturating_sub(opened)),
        )
    }

    /// The bound as a number of nodes; 0 where the goal is the cost.
    fn bound_nodes(&self) -> u64 {
        match self.goal {
            Goal::Nodes => self.bound as u64,
            Goal::Cost => 0,
        }
    }

    /// What stays, and these many more nodes of each pool in use.
    fn opened(&self, mix: &[u32]) -> State<'v> {
        let mut state = State::new(self.view);
        let mut opener = self.opener(&state);
        for (pool, count) in mix.iter().enumerate() {
            for _ in 0..*count {
                if opener.open_any(&mut state, pool).is_none() {
                    break;
                }
            }
        }
        state
    }

    fn is_whole(&self, state: &State) -> bool {
        state.left.iter().all(|left| *left == 0)
    }

    /// A whole plan from a partial one; the partial one is left as it is.
    fn completed(&self, state: &State<'v>, ctx: &Context) -> State<'v> {
        let mut whole = state.clone();
        let mut opener = self.opener(&whole);
        complete::complete(&mut whole, &self.order, &mut opener, ctx);
        self.announce(&whole, ctx);
        whole
    }

    fn announce(&self, state: &State, ctx: &Context) {
        if self.is_whole(state) {
            ctx.report(Progress {
                incumbent: Some(self.goal.shown(self.goal.rank(state).0)),
                bound: Some(self.goal.shown(self.bound)),
                phase: "search",
            });
        }
    }

    /// Whether one is better: first fewer replicas left, then the goal.
    fn better(&self, a: &State, b: &State) -> bool {
        let key = |state: &State| {
            let left: u64 = state.left.iter().map(|left| u64::from(*left)).sum();
            (left, self.goal.rank(state))
        };
        key(a) < key(b)
    }

    fn reached_bound(&self, state: &State) -> bool {
        self.is_whole(state) && self.goal.rank(state).0 <= self.bound
    }
}

/// A state with these many new nodes per pool, filled by the constructive rule.
pub(super) fn constructed<'v>(task: &Task<'v>, mix: &[u32], ctx: &Context) -> (State<'v>, Grid) {
    let mut state = task.opened(mix);
    let mut grid = Grid::new(&state);
    fill(task, &mut state, &mut grid, ctx);
    (state, grid)
}

fn fill(task: &Task, state: &mut State, grid: &mut Grid, ctx: &Context) {
    let weights = Weights {
        emptiness: EMPTINESS,
    };
    Builder::default().fill(state, grid, &task.order, weights, ctx);
}

/// The best state found from a first choice of new nodes per pool.
pub(super) fn run<'v>(task: &Task<'v>, mix: &[u32], ctx: &Context) -> State<'v> {
    let mut steps = budget::all_steps(ctx);
    let started = if varying::applies(task.view) {
        varying::run(task, mix, &mut steps, ctx)
    } else {
        constructed(task, mix, ctx).0
    };
    let best = task.completed(&started, ctx);
    if task.is_whole(&started) || task.reached_bound(&best) || ctx.must_stop() {
        return if task.better(&best, &started) {
            best
        } else {
            started
        };
    }
    grow::run(task, started, best, steps, ctx)
}

/// Slack tried when choosing nodes of several pools.
const SLACKS: [f64; 10] = [0.0, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.25];

/// Several pools: mixes with more and more slack, then ruin and recreate.
pub(super) fn run_pools<'v>(task: &Task<'v>, ctx: &Context) -> State<'v> {
    let mut best = task.completed(&State::new(task.view), ctx);
    let mut tried: Vec<Vec<u32>> = Vec::new();
    for slack in SLACKS {
        if ctx.must_stop() {
            break;
        }
        let Some(mix) = pools::mix(task.view, task.goal, slack) else {
            continue;
        };
        if tried.contains(&mix) {
            continue;
        }
        let (state, _) = constructed(task, &mix, ctx);
        let whole = task.completed(&state, ctx);
        if task.better(&whole, &best) {
            best = whole;
        }
        tried.push(mix);
        if task.is_whole(&state) {
            break;
        }
    }
    recreate::run(task, best, ctx)
}
