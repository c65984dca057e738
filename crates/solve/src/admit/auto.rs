//! The default solver: prices from the relaxation, filling in price order,
//! then neighbourhood search. Never below Cradle+, so Cradle's guarantee holds.

use super::bounds;
use super::cradle::cradle;
use super::fill::{Choice, Order, fill, sort_by_score, waiting};
use super::guarantee::{Guarantee, Wide};
use super::ilp;
use super::improve::improve;
use super::relaxation::Prices;
use super::state::State;
use super::view::{NOWHERE, View};
use crate::{Context, Progress, SolveError};

/// Work on prices: steps times columns.
pub(super) const WORK: usize = 100_000_000;

/// Share of the seconds left that prices may take.
pub(super) const PRICE_SHARE: f64 = 0.25;

/// Steps of the search before the integer program takes over a small case.
const TINY_STEPS: u64 = 2048;

/// What was found.
pub struct Found {
    /// The node of each request.
    pub node_of: Vec<u32>,
    /// No plan's weight exceeds this, in millionths.
    pub bound: u64,
    /// Steps of the search.
    pub steps: u64,
    /// Inherited from Cradle, if that ran to its end.
    pub guarantee: Guarantee,
}

/// Finds a plan within the budget.
pub fn solve(view: &View, context: &Context) -> Result<Found, SolveError> {
    let mut best = vec![NOWHERE; view.len()];
    let mut keep = |candidate: &[u32]| {
        if view.value(candidate) > view.value(&best) {
            best.copy_from_slice(candidate);
        }
    };
    let plain = cradle(view, context);
    keep(&plain);
    let guarantee = if context.must_stop() {
        Guarantee::none("the run was cut short")
    } else {
        Guarantee::of(view, Wide::LocalRatio)
    };
    keep(&filled(view, &plain, Order::Density, context));
    if context.must_stop() {
        return Ok(Found {
            node_of: best,
            bound: bounds::total_weight(view),
            steps: 0,
            guarantee,
        });
    }
    let priced = bounds::priced(view, WORK, PRICE_SHARE, context);
    let score = scores(view, &priced.prices);
    keep(&filled_by_score(view, &score, context));
    let value = view.value(&best);
    context.report(Progress {
        incumbent: Some(value as f64 / 1e6),
        bound: Some(priced.bound as f64 / 1e6),
        phase: "filled in price order",
    });
    let mut bound = priced.bound;
    // A small case leaves most of its budget to the integer program.
    let tiny = ilp::is_tiny(view);
    let most = if tiny { TINY_STEPS } else { u64::MAX };
    let steps = improve(view, &mut best, &score, bound, most, context);
    if tiny && view.value(&best) < bound && !context.must_stop() {
        let exact = ilp::solve(view, &best, context)?;
        bound = bound.min(exact.bound);
        if let Some(node_of) = exact.node_of
            && view.value(&node_of) > view.value(&best)
        {
            best = node_of;
        }
    }
    Ok(Found {
        node_of: best,
        bound,
        steps,
        guarantee,
    })
}

/// A plan with the rest filled in; as it is when the run is stopped.
pub fn filled(view: &View, start: &[u32], order: Order, context: &Context) -> Vec<u32> {
    let Some(mut state) = State::with(view, start, context) else {
        return start.to_vec();
    };
    let rest = waiting(&state, order);
    fill(&mut state, &rest, Choice::First, context);
    state.node_of().to_vec()
}

/// Empty nodes filled in the order of price over weight.
pub fn filled_by_score(view: &View, score: &[f64], context: &Context) -> Vec<u32> {
    let mut order = view.placeable();
    sort_by_score(&mut order, |request| score[request as usize]);
    let mut state = State::new(view);
    fill(&mut state, &order, Choice::First, context);
    state.node_of().to_vec()
}

/// Price over weight of every request; without weight a request is hopeless.
pub fn scores(view: &View, prices: &Prices) -> Vec<f64> {
    let score = |request: u32| match view.weight(request) {
        0 => f64::INFINITY,
        weight => prices.cost(view, request) / weight as f64,
    };
    (0..view.len() as u32).map(score).collect()
}
