//! Ejection search at a number of nodes, then at one more, until everything is
//! placed or nothing better than the incumbent can come of it.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Task;
use super::budget::Share;
use super::eject::{Ejector, Ended};
use crate::Context;
use crate::provision::finish;
use crate::provision::grid::Grid;
use crate::provision::state::State;

/// Steps one lane makes alone before others join: most inputs need no more.
const SOLO_STEPS: u64 = 25_000;
/// Lanes; fixed, so that threads do not matter.
const LANES: usize = 4;
/// Steps without a result after which a small input is given up, per replica.
const STEPS_PER_REPLICA: u64 = 2_000;
/// Share of the budget left that a number of nodes gets.
const LEVEL: f64 = 0.4;

struct Lane<'v> {
    state: State<'v>,
    grid: Grid,
    ejector: Ejector,
}

/// The best of the incumbent and what the search finds: everything is tried at
/// the first number of nodes, then half way between what failed and the best.
pub(super) fn run<'v>(
    task: &Task<'v>,
    started: State<'v>,
    mut best: State<'v>,
    mut steps: u64,
    ctx: &Context,
) -> State<'v> {
    let in_use = |state: &State| finish::used(state).0;
    let replicas: u64 = task
        .view
        .wanted
        .iter()
        .map(|wanted| u64::from(*wanted))
        .sum();
    steps = steps.min(replicas.saturating_mul(STEPS_PER_REPLICA));
    let mut lanes = vec![lane(task, started, 0, ctx)];
    let mut solo = SOLO_STEPS.min(steps / 2);
    // At this many nodes the search has failed.
    let mut failed = 0;
    loop {
        let share = Share::of(LEVEL, steps, ctx);
        let most = share.steps.min(steps);
        let allowed = if lanes.len() == 1 && solo > 0 {
            solo.min(most)
        } else {
            most
        };
        let level = task.goal.rank_when_full(&lanes[0].state).1;
        let (used, done) = search(&mut lanes, allowed, &share, ctx);
        steps = steps.saturating_sub(used);
        if let Some(at) = done {
            let found = lanes.swap_remove(at);
            task.announce(&found.state, ctx);
            if task.better(&found.state, &best) {
                best = found.state.clone();
            }
            lanes = vec![found];
        } else if lanes.len() == 1 && solo > 0 && used >= solo && !ctx.must_stop() {
            // Others start from the same state, each its own way.
            solo = 0;
            let first = lanes[0].state.clone();
            lanes.extend((1..LANES).map(|id| lane(task, first.clone(), id as u64, ctx)));
            continue;
        } else {
            failed = level;
        }
        let out_of_budget = ctx.must_stop() || share.steps == 0 || steps == 0;
        if out_of_budget || task.reached_bound(&best) {
            break;
        }
        // Half way; once only the failed number is left, on with that.
        let high = in_use(&best);
        let half_way = failed + high.saturating_sub(failed) / 2;
        let next = half_way.max(task.bound_nodes());
        if next >= high {
            break;
        }
        if !lanes.iter_mut().all(|lane| lane.resize(task, next)) {
            break;
        }
    }
    for lane in &lanes {
        let whole = task.completed(&lane.state, ctx);
        if task.better(&whole, &best) {
            best = whole;
        }
    }
    best
}

impl Lane<'_> {
    /// Opens or empties nodes until this many are in use or open.
    fn resize(&mut self, task: &Task, nodes: u64) -> bool {
        let state = &mut self.state;
        let mut now = task.goal.rank_when_full(state).1;
        let mut opener = task.opener(state);
        while now < nodes {
            let waiting = task
                .order
                .iter()
                .map(|s| *s as usize)
                .find(|s| state.left[*s] > 0);
            let Some(service) = waiting else {
                return now > 0;
            };
            let Some(node) = opener.open_for(state, service) else {
                return false;
            };
            self.grid.add(state, node);
            now += 1;
        }
        // The emptiest go first: what they hold is the least to place again.
        while now > nodes {
            let staying = |node: &usize| task.view.fixed.iter().any(|e| e.node.index() == *node);
            let open = (0..state.nodes()).filter(|n| !state.is_shut(*n) && !staying(n));
            let load = |n: &usize| {
                state
                    .contents(*n)
                    .iter()
                    .map(|(s, c)| (task.sizes[*s as usize] * f64::from(*c) * 1e6) as u64)
                    .sum::<u64>()
            };
            let Some(node) = open.min_by_key(load) else {
                return false;
            };
            while let Some((service, count)) = state.contents(node).last().copied() {
                state.remove(node, service as usize, count);
            }
            state.shut(node);
            self.grid.update(state, node);
            now -= 1;
        }
        true
    }
}

fn lane<'v>(task: &Task<'v>, state: State<'v>, id: u64, ctx: &Context) -> Lane<'v> {
    Lane {
        grid: Grid::new(&state),
        ejector: Ejector::new(task.view, &task.sizes, ctx.random(id)),
        state,
    }
}

/// Runs all lanes; gives the steps each may be charged with and the lane that
/// placed everything. With a budget of time the first to finish stops the
/// others; with steps all run to their end, so that the first in order wins.
fn search(lanes: &mut [Lane], steps: u64, share: &Share, ctx: &Context) -> (u64, Option<usize>) {
    let found = AtomicBool::new(false);
    let by_time = ctx.steps().is_none();
    let work = |lane: &mut Lane| {
        let mut left = steps;
        let stop = || by_time && (found.load(Ordering::Relaxed) || share.over(ctx));
        let ended = lane
            .ejector
            .run(&mut lane.state, &mut lane.grid, &mut left, ctx, &stop);
        if ended == Ended::AllPlaced {
            found.store(true, Ordering::Relaxed);
        }
        (steps - left, ended)
    };
    let results: Vec<(u64, Ended)> = ctx.each(lanes, work);
    let used = results.iter().map(|(used, _)| *used).max().unwrap_or(0);
    (
        used,
        results
            .iter()
            .position(|(_, ended)| *ended == Ended::AllPlaced),
    )
}
