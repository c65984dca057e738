//! The authors' program where it differs from their text, for the algorithms
//! whose published figures are reproduced exactly.
//!
//! The program normalises sizes by integer division, so that only services
//! that fill a node alone have a size; it goes round the nodes with a cursor,
//! and sorts them after each service, not after each replica.

use super::allowance::Allowance;
use super::state::State;
use super::view::View;
use crate::Context;

/// Whole nodes a service's replica fills, added up over resources.
pub(super) fn whole_sizes(view: &View) -> Vec<f64> {
    let capacity = &view.kinds[0].capacity;
    let size = |service: usize| -> u64 {
        let row = view.row(service).iter().enumerate();
        row.map(|(h, units)| units / (capacity[h / view.epochs].max(1) as u64))
            .sum()
    };
    (0..view.len())
        .map(|service| size(service) as f64)
        .collect()
}

/// The program's replica spreading on the nodes that are open; `false` when a
/// replica finds no place in a full round.
pub(super) fn spread(state: &mut State, order: &[u32], ctx: &Context) -> bool {
    let mut nodes: Vec<u32> = (0..state.nodes() as u32).collect();
    let mut whole: Vec<i64> = nodes
        .iter()
        .map(|n| whole_residual(state, *n as usize))
        .collect();
    let mut allowance = Allowance::default();
    for (i, service) in order.iter().map(|s| *s as usize).enumerate() {
        if i % 64 == 0 && ctx.must_stop() {
            return false;
        }
        allowance.compute(state, service);
        let (mut cursor, mut idle) = (0, 0);
        let mut resort = false;
        while state.left[service] > 0 {
            if idle == nodes.len() {
                return false;
            }
            let node = nodes[cursor] as usize;
            cursor = (cursor + 1) % nodes.len();
            idle += 1;
            if allowance.takes(state, node) {
                state.place(node, service, 1);
                allowance.note_placed(node, 1);
                let now = whole_residual(state, node);
                resort |= now != whole[node];
                whole[node] = now;
                idle = 0;
            }
        }
        if resort {
            nodes.sort_by_key(|node| std::cmp::Reverse(whole[*node as usize]));
        }
    }
    true
}

fn whole_residual(state: &State, node: usize) -> i64 {
    let capacity = &state.view.kinds[state.pool(node)].capacity;
    let residual = state.residual(node).iter().enumerate();
    residual
        .map(|(h, units)| units / capacity[h / state.view.epochs].max(1))
        .sum()
}
