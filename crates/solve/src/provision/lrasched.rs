//! LRASched's two phases (section 4.6): as many services as possible placed in
//! full on the nodes that exist, then node-centric fitness for the rest.

use super::allowance::Allowance;
use super::measure::{Measure, service_sizes};
use super::node_centric;
use super::open::Opener;
use super::order;
use super::score::Score;
use super::state::State;
use crate::Context;

/// Both phases.
pub(super) fn run(state: &mut State, epsilon: f64, opener: &mut Opener, ctx: &Context) {
    fill_existing(state, epsilon, ctx);
    node_centric::run(state, Score::Fitness, opener, ctx);
}

/// Services with the least total demand first: that places the most in full.
fn fill_existing(state: &mut State, epsilon: f64, ctx: &Context) {
    let existing = state.view.existing.len();
    let shut: Vec<usize> = state.shut_nodes().collect();
    for node in &shut {
        state.reopen(*node);
    }
    let mut order = order::decreasing(&service_sizes(state.view, Measure::ExtendedSum, epsilon));
    order.reverse();
    let mut allowance = Allowance::default();
    let mut placed: Vec<(usize, u32)> = Vec::new();
    for service in order.into_iter().map(|s| s as usize) {
        if existing == 0 || ctx.must_stop() {
            break;
        }
        if state.left[service] == 0 {
            continue;
        }
        allowance.compute(state, service);
        placed.clear();
        for node in 0..existing {
            let count = allowance.most(state, node).min(state.left[service]);
            if count > 0 {
                state.place(node, service, count);
                allowance.note_placed(node, count);
                placed.push((node, count));
            }
        }
        if state.left[service] > 0 {
            for (node, count) in &placed {
                state.remove(*node, service, *count);
            }
        }
    }
    for node in shut {
        if state.contents(node).is_empty() {
            state.shut(node);
        }
    }
}
