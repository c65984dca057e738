//! What no plan can beat, and the prices that prove it.

use bayplan_lp::{Model, Options, Row, Sense, Status};

use super::prices::{Priced, solve};
use super::relaxation::Relaxation;
use super::view::View;
use crate::{Context, Progress};

/// Work of a quick bound: steps times columns.
const QUICK_WORK: usize = 20_000_000;

/// The bound beside a plan of any algorithm: a second of work at most.
pub fn quick(view: &View, context: &Context) -> u64 {
    if context.must_stop() {
        return total_weight(view);
    }
    priced(view, QUICK_WORK, 0.5, context).bound
}

/// The bound that takes no time: everything that fits a node at all.
pub fn total_weight(view: &View) -> u64 {
    view.placeable().into_iter().map(|j| view.weight(j)).sum()
}

/// With a budget in steps: work on prices for each, and the least.
const WORK_PER_STEP: usize = 20_000;
const LEAST_WORK: usize = 2_000_000;

/// Columns from which prices are first sought on a sample.
const SAMPLE: usize = 100_000;

/// Prices and bound. Work is limited by steps times columns, by a share of
/// the seconds left, and by progress.
pub fn priced(view: &View, work: usize, share: f64, context: &Context) -> Priced {
    let relaxation = Relaxation::new(view, &view.placeable());
    // Few steps ask for little work here too.
    let work = context.steps().map_or(work, |steps| {
        let allowed = (steps as usize).saturating_mul(WORK_PER_STEP);
        work.min(allowed.max(LEAST_WORK))
    });
    let until = context.elapsed() + context.seconds_left() * share;
    let every = relaxation.columns().div_ceil(SAMPLE).max(1);
    let mut start = relaxation.flat();
    if every > 1 && !context.must_stop() {
        let sample = relaxation.sampled(every);
        start = search(&sample, start, work / 2, until, context, false).rows;
    }
    search(&relaxation, start, work, until, context, true)
}

/// Goes on while the bound falls by more than 1e-5 of it in 256 steps.
fn search(
    relaxation: &Relaxation,
    start: Vec<f64>,
    work: usize,
    until: f64,
    context: &Context,
    is_whole: bool,
) -> Priced {
    let most = work / relaxation.columns().max(1);
    let timed = context.steps().is_none();
    let mut checkpoint = (0, u64::MAX);
    let mut reported = u64::MAX;
    solve(relaxation, start, |iteration, bound| {
        if is_whole && bound < reported {
            reported = bound;
            context.report(Progress {
                incumbent: None,
                bound: Some(bound as f64 / 1e6),
                phase: "prices",
            });
        }
        if iteration >= checkpoint.0 + 256 {
            let gained = checkpoint.1 - bound;
            if (gained as f64) < bound as f64 * 1e-5 {
                return false;
            }
            checkpoint = (iteration, bound);
        }
        iteration < most && !context.interrupted() && !(timed && context.elapsed() > until)
    })
}

/// The relaxation solved to its optimum by the LP solver, for small cases.
pub fn interval_lp(view: &View, context: &Context) -> Option<f64> {
    if view.placeable().is_empty() {
        return Some(0.0);
    }
    let mut model = Model::new(Sense::Maximise);
    let slots = view.slot_start.len();
    let rows: Vec<Row> = (0..slots * view.resources)
        .map(|cell| model.add_row(..=view.total_capacity(cell % view.resources), &[]))
        .collect();
    for request in view.placeable() {
        let range = view.lo[request as usize] as usize..view.hi[request as usize] as usize;
        let entries: Vec<(Row, f64)> = range
            .flat_map(|slot| (0..view.resources).map(move |r| (slot, r)))
            .map(|(slot, r)| (rows[slot * view.resources + r], view.size(request, r)))
            .filter(|(_, size)| *size > 0.0)
            .collect();
        model.add_col(view.weight(request) as f64 / 1e6, 0.0..=1.0, &entries);
    }
    let options = Options {
        seconds: context.deadline().map(|_| context.seconds_left().max(0.01)),
        stop: Some(context.stop_flag().clone()),
        ..Options::default()
    };
    let solution = model.solve(&options);
    (solution.status == Status::Optimal).then_some(solution.objective * 1e6)
}
