//! The default solver of `pack`: heuristics, bounds, then ruin and recreate on
//! ever fewer (or cheaper) nodes.

use super::answer::Answer;
use super::bounds;
use super::columns;
use super::index::Fit;
use super::lanes::{self, Target};
use super::multi::{self, Orientation};
use super::view::{Slot, View};
use crate::{Context, Progress};

/// Above this many applications only the most promising heuristics start.
const MANY_APPS: usize = 20_000;

/// Solves `pack` for any kinds of node, limits and layout.
pub fn solve(view: &View, ctx: &Context) -> Answer {
    let mut bound = bounds::least_price(view);
    let mut best = start(view, bound, ctx);
    report(ctx, &best, bound, view, "heuristics");
    if best.left.is_empty() && best.price(view) <= bound {
        best.bound = bound;
        return best;
    }
    // Search a little before the relaxation: it often ends the matter.
    best = lanes::improve(view, best, bound, Target { share: 0.1 }, ctx);
    report(ctx, &best, bound, view, "search");
    let open = !best.left.is_empty() || best.price(view) > bound;
    if open && !ctx.must_stop() {
        let enough = if best.left.is_empty() { best.price(view) } else { u64::MAX };
        bound = columns::least_price(view, None, bound, enough, ctx);
        report(ctx, &best, bound, view, "bound");
        best = lanes::improve(view, best, bound, Target { share: 1.0 }, ctx);
        report(ctx, &best, bound, view, "search");
    }
    best.bound = bound;
    best
}

fn report(ctx: &Context, best: &Answer, bound: u64, view: &View, phase: &'static str) {
    let scale = if view.priced { 1e6 } else { 1e6 };
    ctx.report(Progress {
        incumbent: best.left.is_empty().then(|| best.price(view) as f64 / scale),
        bound: Some(bound as f64 / scale),
        phase,
    });
}

/// The best of the paper's heuristics, over every sequence of kinds that
/// starts with a different one.
fn start(view: &View, bound: u64, ctx: &Context) -> Answer {
    let methods: &[(Orientation, Fit)] = if view.apps.len() > MANY_APPS {
        &[(Orientation::Mem, Fit::Worst)]
    } else {
        &[
            (Orientation::Mem, Fit::Worst),
            (Orientation::Mem, Fit::First),
            (Orientation::Mem, Fit::Next),
            (Orientation::Cpu, Fit::Worst),
            (Orientation::Cpu, Fit::First),
            (Orientation::Cpu, Fit::Next),
        ]
    };
    let fleets = sequences(view);
    let dearest = view.kinds.iter().map(|kind| kind.price).max().unwrap_or(1).max(1);
    // A cheaper kind may need more nodes, so only one kind can use the bound.
    let lowest = if view.kinds.len() == 1 { bound / dearest } else { 1 };
    let tried = ctx.lanes(methods.len() * fleets.len(), |lane| {
        let (orientation, fit) = methods[lane % methods.len()];
        let fleet = &fleets[lane / methods.len()];
        let (division, left) =
            multi::fewest(view, fleet, orientation, fit, lowest, &|| ctx.interrupted());
        Answer::new(division, left)
    });
    tried
        .into_iter()
        .min_by_key(|answer| answer.rank(view))
        .expect("there is a heuristic and a fleet")
}

/// For each kind: its nodes, then those of the other kinds by price per
/// capacity, as many as could ever be needed.
fn sequences(view: &View) -> Vec<Vec<Slot>> {
    let needed: u64 = view.apps.iter().map(|app| view.fewest_instances(app)).sum();
    let (load, memory) = view.apps.iter().fold((1.0, 1.0), |(load, memory), app| {
        (load + app.load as f64, memory + app.memory as f64)
    });
    let value = |k: usize| {
        let kind = &view.kinds[k];
        (kind.cpu as f64 / load).min(kind.memory as f64 / memory) / kind.price.max(1) as f64
    };
    let mut by_value: Vec<usize> = (0..view.kinds.len()).collect();
    by_value.sort_by(|a, b| value(*b).total_cmp(&value(*a)));
    let sequence = |first: &usize| {
        let others = by_value.iter().filter(|k| *k != first);
        let mut slots = Vec::new();
        for kind in [first].into_iter().chain(others) {
            let room = needed.saturating_sub(slots.len() as u64).min(view.kinds[*kind].most.into());
            slots.extend(view.slots(*kind, room as usize));
        }
        slots
    };
    by_value.iter().map(sequence).collect()
}
