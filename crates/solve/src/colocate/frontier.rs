//! The curve of gain against moves: one plan for each of several limits.

use bayplan_model::Problem;

use super::anneal::walk::Goal;
use super::bounds::{Work, best_bound};
use super::evolve::{Effort, Found, Search};
use super::schedule::start;
use super::solver::{finish, found_at, goal};
use super::view::View;
use super::{Params, registry};
use crate::shared::registry::find;
use crate::{Context, Solution, SolveError};

/// Limits, as shares of the moves of the unrestricted plan beyond those of the start.
const SHARES: [f64; 9] = [0.05, 0.1, 0.15, 0.25, 0.35, 0.5, 0.65, 0.8, 0.9];

/// Plans from no moves to unrestricted, gain and moves both rising: at least
/// as many as limits that differ. A plan that a cheaper one beats is replaced
/// by the cheaper.
pub fn frontier(
    problem: &Problem,
    params: &Params,
    context: &Context,
) -> Result<Vec<Solution>, SolveError> {
    let all = registry::algorithms();
    let algorithm = find(&params.algorithm, &all)?.name.clone();
    if algorithm != "auto" {
        return Err(SolveError::UnsupportedRule {
            by: algorithm,
            rule: "the curve of gain against moves",
            fix: "use the default algorithm".into(),
        });
    }
    let view = View::new(problem, params.gain_label.as_deref(), &params.leave_alone)?;
    let from = start(&view);
    let mut search = Search::new(&view, from.clone());
    let open = goal(&view, params);
    // The unrestricted plan gets a fifth of the budget and the limits share
    // most of the rest. The bound comes last: what a proof takes is hard to
    // tell, and no plan must go without its time for it.
    let share = |part: f64| match context.steps() {
        Some(steps) => Effort::Steps((steps as f64 * part) as u64),
        None => Effort::Seconds(context.seconds_left() * part),
    };
    let free = search.run(open, share(0.2), context);
    let most = free.moves.min(open.max_moves);
    // What is illegal on arrival is put right at any limit.
    let start = found_at(&view, from);
    let least = start.moves.min(most);
    let mut found: Vec<Found> = vec![start];
    let each = share(0.75 / SHARES.len() as f64);
    for limit in SHARES {
        let max_moves = least + ((most - least) as f64 * limit).round() as i64;
        let limited = Goal { max_moves, ..open };
        found.push(search.run(limited, each, context));
    }
    let bound = params.bound.then(|| {
        let work = match context.steps() {
            Some(steps) => Work::Rounds((steps / 1_000_000).min(400)),
            None => Work::Until(context.elapsed() + context.seconds_left()),
        };
        best_bound(&view, &mut search.pool, &free, work, context).bound
    });
    found.push(free);
    found.sort_by(|a, b| a.moves.cmp(&b.moves).then(b.gain.total_cmp(&a.gain)));
    let mut best = f64::NEG_INFINITY;
    found.retain(|point| {
        let better = point.gain > best;
        best = best.max(point.gain);
        better
    });
    let solution = |found: Found| {
        finish(
            problem,
            &view,
            params,
            context,
            &algorithm,
            found,
            bound,
            Vec::new(),
        )
    };
    found.into_iter().map(solution).collect()
}
