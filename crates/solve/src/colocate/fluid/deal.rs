//! Nodes dealt out to lanes at random, as for the exact walk: gain, moves and
//! room are separable by node, so lanes need no locks.

use rand::seq::SliceRandom;

use super::state::Fluid;
use crate::Random;

/// Takes a placement apart into lanes that own disjoint nodes; their sums
/// start at zero.
pub fn deal<'c>(state: &mut Fluid<'c>, lanes: usize, random: &mut Random) -> Vec<Fluid<'c>> {
    let core = state.core;
    let mut nodes: Vec<u32> = (0..core.view.nodes() as u32).collect();
    nodes.shuffle(random);
    let mut lane_of = vec![0usize; nodes.len()];
    let mut parts: Vec<Fluid> = (0..lanes).map(|_| Fluid::bare(core)).collect();
    for (at, node) in nodes.into_iter().enumerate() {
        let part = &mut parts[at % lanes];
        lane_of[node as usize] = at % lanes;
        part.rows[node as usize] = std::mem::take(&mut state.rows[node as usize]);
        part.present[node as usize] = std::mem::take(&mut state.present[node as usize]);
        part.nodes.push(node);
    }
    for part in &mut parts {
        part.free.clone_from(&state.free);
    }
    for member in 0..core.members.len() {
        for home in state.homes(member) {
            parts[lane_of[*home as usize]].homes.push(*home);
        }
        for part in &mut parts {
            part.starts.push(part.homes.len() as u32);
        }
    }
    parts
}

/// Puts the lanes' parts back together.
pub fn join<'c>(state: &mut Fluid<'c>, parts: Vec<Fluid<'c>>) {
    let dims = state.core.view.dims;
    let mut next: Vec<u32> = state.starts.clone();
    for mut part in parts {
        for node in std::mem::take(&mut part.nodes) {
            let node = node as usize;
            state.rows[node] = std::mem::take(&mut part.rows[node]);
            state.present[node] = std::mem::take(&mut part.present[node]);
            let room = node * dims..(node + 1) * dims;
            state.free[room.clone()].copy_from_slice(&part.free[room]);
        }
        for (member, next) in next.iter_mut().take(state.core.members.len()).enumerate() {
            for home in part.homes(member) {
                state.homes[*next as usize] = *home;
                *next += 1;
            }
        }
        state.gain += part.gain;
        state.moves += part.moves;
    }
}
