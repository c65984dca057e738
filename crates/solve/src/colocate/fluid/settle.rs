//! From a placement of the members to one of everything: nodes of a kind are
//! told apart so that little moves, and the sand is put back.

use super::super::assign::assign;
use super::super::kinds::Kinds;
use super::super::recombine::keep_in_place;
use super::super::schedule::{place_missing, squeeze};
use super::super::state::State;
use super::super::view::{Spot, View};
use super::core::{Core, SAND};
use super::state::Fluid;

/// Kinds with more nodes are not relabelled: the assignment is cubic.
const MANY_NODES: usize = 300;

/// Puts the members of each node on the node of its kind where that moves the
/// least; returns their spots.
pub fn relabel(fluid: &Fluid, kinds: &Kinds) -> Vec<Spot> {
    let mut target: Vec<u32> = (0..fluid.core.view.nodes() as u32).collect();
    for nodes in &kinds.nodes {
        if nodes.len() < 2 || nodes.len() > MANY_NODES {
            continue;
        }
        // Hundredths of a move: displaced sand is an estimate with a fraction.
        let cost: Vec<Vec<i64>> = (nodes.iter())
            .map(|from| {
                let moves = nodes.iter().map(|to| fluid.moves_if_at(*from, *to));
                moves.map(|moves| (moves * 100.0) as i64).collect()
            })
            .collect();
        for (from, col) in nodes.iter().zip(assign(&cost)) {
            target[*from as usize] = nodes[col];
        }
    }
    let mut spots = fluid.spots();
    for spot in &mut spots {
        spot.node = target[spot.node as usize];
    }
    spots.sort_unstable();
    spots
}

/// The members as placed, and the sand where it stood as far as there is room,
/// the rest wherever there is; `None` when some of it finds no place.
pub fn settle(core: &Core, members: &[Spot]) -> Option<Vec<Spot>> {
    let view = core.view;
    for small_first in [true, false] {
        let mut state = State::new(view, members);
        if small_first {
            keep_smallest(&mut state, core);
        }
        keep_in_place(&mut state);
        let missing = place_missing(&mut state);
        if squeeze(&mut state, missing).is_empty() {
            return Some(state.spots());
        }
    }
    None
}

/// Keeps the smallest sand first: that keeps the most replicas.
fn keep_smallest(state: &mut State, core: &Core) {
    let view = core.view;
    let mut spots: Vec<(f64, Spot)> = (view.original.iter())
        .filter(|spot| core.member(spot.service) == SAND)
        .map(|spot| (size(view, spot), *spot))
        .collect();
    // What must stay comes before everything.
    let fixed = |spot: &Spot| view.fixed[spot.service as usize];
    spots.sort_by(|(a, s), (b, t)| {
        (fixed(t).cmp(&fixed(s)))
            .then(a.total_cmp(b))
            .then(s.cmp(t))
    });
    for (_, spot) in spots {
        for _ in 0..spot.count {
            let all =
                state.range(spot.service).len() as u32 >= view.replicas[spot.service as usize];
            let room = fixed(&spot) || (!all && state.fits(spot.service, spot.node, 1));
            if !room {
                break;
            }
            state.add(spot.service, spot.node, 1);
        }
    }
}

/// The share of its node that one replica takes in its tightest resource.
fn size(view: &View, spot: &Spot) -> f64 {
    let pairs = view.need(spot.service).iter().zip(view.room(spot.node));
    pairs
        .map(|(need, room)| *need as f64 / (*room).max(1) as f64)
        .fold(0.0, f64::max)
}
