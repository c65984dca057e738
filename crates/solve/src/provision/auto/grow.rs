//! Ejection search at a number of nodes, then at one more, until everything is
//! placed or nothing better than the incumbent can come of it.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Task;
use super::budget::Share;
use super::eject::{Ejector, Ended};
use crate::Context;
use crate::provision::grid::Grid;
use crate::provision::state::State;

/// Steps one lane makes alone before others join: most inputs need no more.
const SOLO_STEPS: u64 = 25_000;
/// Lanes; fixed, so that threads do not matter.
const LANES: usize = 4;
/// Share of the budget left that a number of nodes gets.
const LEVEL: f64 = 0.4;

struct Lane<'v> {
    state: State<'v>,
    grid: Grid,
    ejector: Ejector,
}

/// The best of the incumbent and what the search finds.
pub(super) fn run<'v>(
    task: &Task<'v>,
    started: State<'v>,
    mut best: State<'v>,
    mut steps: u64,
    ctx: &Context,
) -> State<'v> {
    let mut lanes = vec![lane(task, started, 0, ctx)];
    let mut solo = SOLO_STEPS.min(steps / 2);
    loop {
        let share = Share::of(LEVEL, steps, ctx);
        let allowed = if lanes.len() == 1 { solo.min(share.steps) } else { share.steps };
        let (used, done) = search(&mut lanes, allowed, &share, ctx);
        steps = steps.saturating_sub(used);
        if let Some(at) = done {
            let found = lanes.swap_remove(at).state;
            task.announce(&found, ctx);
            return if task.better(&found, &best) { found } else { best };
        }
        if ctx.must_stop() || share.steps == 0 {
            break;
        }
        if lanes.len() == 1 && used >= solo {
            // Others start from the same state, each its own way.
            solo = 0;
            let first = lanes[0].state.clone();
            lanes.extend((1..LANES).map(|id| lane(task, first.clone(), id as u64, ctx)));
            continue;
        }
        if !lanes.iter_mut().all(|lane| open_one_more(task, lane)) {
            break;
        }
        // With all its nodes in use a lane must still be better.
        if task.goal.rank_when_full(&lanes[0].state) >= task.goal.rank(&best) {
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
        let ended =
            lane.ejector.run(&mut lane.state, &mut lane.grid, &mut left, ctx, &stop);
        if ended == Ended::AllPlaced {
            found.store(true, Ordering::Relaxed);
        }
        (steps - left, ended)
    };
    let results: Vec<(u64, Ended)> = ctx.each(lanes, work);
    let used = results.iter().map(|(used, _)| *used).max().unwrap_or(0);
    (used, results.iter().position(|(_, ended)| *ended == Ended::AllPlaced))
}

/// One more node for a lane, from the best pool for what is left.
fn open_one_more(task: &Task, lane: &mut Lane) -> bool {
    let mut opener = task.opener(&lane.state);
    let waiting = task.order.iter().map(|s| *s as usize).find(|s| lane.state.left[*s] > 0);
    let Some(service) = waiting else { return false };
    let Some(node) = opener.open_for(&mut lane.state, service) else { return false };
    lane.grid.add(&lane.state, node);
    true
}
