//! The integer program of paper Section III-A, for small cases: exact.

use std::sync::Arc;

use bayplan_lp::{Col, Model, Options, Sense};

use super::relaxation::gcd;
use super::state::State;
use super::view::{NOWHERE, View};
use crate::{Context, SolveError};

/// Most variables (request and node) the program is built for.
pub const MOST_VARIABLES: usize = 20_000;

/// What the integer program found.
pub struct Exact {
    /// The node of each request; `None` when no solution was found in time.
    pub node_of: Option<Vec<u32>>,
    /// No plan's weight exceeds this, in millionths.
    pub bound: u64,
}

/// Whether the program is small enough to build.
pub fn is_small(view: &View) -> bool {
    view.len().saturating_mul(view.nodes) <= MOST_VARIABLES
}

/// Whether a proof is likely within seconds.
pub fn is_tiny(view: &View) -> bool {
    view.len().saturating_mul(view.nodes) <= 1_000
}

/// Solves it, starting from a known plan, within the budget.
pub fn solve(view: &View, start: &[u32], context: &Context) -> Result<Exact, SolveError> {
    if !is_small(view) {
        return Err(SolveError::Parameter {
            name: "algorithm",
            problem: format!(
                "the integer program would have {} variables, and {MOST_VARIABLES} are the most \
                 it is built for; use auto",
                view.len() * view.nodes
            ),
        });
    }
    let mut model = Model::new(Sense::Maximise);
    let mut columns: Vec<(u32, u32, Col)> = Vec::new();
    for request in view.placeable() {
        let fits = |node: &usize| {
            let pairs = view.demand(request).iter().zip(view.capacity(*node));
            pairs.into_iter().all(|(need, has)| need <= has)
        };
        let mut row = Vec::new();
        for node in (0..view.nodes).filter(fits) {
            let weight = view.weight(request) as f64 / 1e6;
            let column = model.add_integer_col(weight, 0.0..=1.0, &[]);
            columns.push((request, node as u32, column));
            row.push((column, 1.0));
        }
        model.add_row(..=1.0, &row);
    }
    if columns.is_empty() {
        return Ok(Exact {
            node_of: Some(vec![NOWHERE; view.len()]),
            bound: 0,
        });
    }
    for slot in scarce_slots(view) {
        for node in 0..view.nodes as u32 {
            for r in 0..view.resources {
                let active: Vec<(Col, f64)> = columns
                    .iter()
                    .filter(|(j, n, _)| *n == node && runs(view, *j, slot))
                    .map(|(j, _, column)| (*column, view.size(*j, r)))
                    .filter(|(_, size)| *size > 0.0)
                    .collect();
                let capacity = view.capacity(node as usize)[r] as f64;
                if !active.is_empty() {
                    model.add_row(..=capacity / view.reference[r] as f64, &active);
                }
            }
        }
    }
    let values: Vec<f64> = columns
        .iter()
        .map(|(j, node, _)| f64::from(u8::from(start[*j as usize] == *node)))
        .collect();
    model.set_start(&values);
    let options = Options {
        seconds: context.deadline().map(|_| context.seconds_left().max(0.01)),
        nodes: context.steps(),
        seed: (context.seed() % (1 << 31)) as u32,
        stop: Some(Arc::clone(context.stop_flag())),
        ..Options::default()
    };
    let solution = model.solve(&options);
    // The solver's tolerance is not ours: what does not fit exactly is left out.
    let node_of = solution.has_values().then(|| {
        let mut state = State::new(view);
        for (request, node, column) in &columns {
            if solution.count(*column) == 1 && state.fits(*request, *node as usize) {
                state.place(*request, *node as usize);
            }
        }
        state.node_of().to_vec()
    });
    let total = view.requests.total_weight() as f64;
    let bound = (solution.bound * 1e6 * (1.0 + 1e-9)).min(total);
    Ok(Exact {
        node_of,
        bound: whole_steps(view, bound),
    })
}

/// A bound in whole steps: all weights are multiples of their greatest common
/// divisor. Half a millionth allows for the solver's rounding.
fn whole_steps(view: &View, bound: f64) -> u64 {
    let step = view
        .requests
        .weight
        .iter()
        .fold(0, |g, w| gcd(g, *w))
        .max(1);
    (bound + 0.5) as u64 / step * step
}

fn runs(view: &View, request: u32, slot: u32) -> bool {
    (view.lo[request as usize]..view.hi[request as usize]).contains(&slot)
}

/// Slots after whose start something ends before the next start: every set of
/// requests that run together does so in one of these, so the others add
/// nothing.
fn scarce_slots(view: &View) -> Vec<u32> {
    let mut ends = vec![false; view.slot_start.len()];
    for hi in view.hi.iter() {
        ends[*hi as usize - 1] = true;
    }
    (0..ends.len() as u32)
        .filter(|slot| ends[*slot as usize])
        .collect()
}
