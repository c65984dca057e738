//! APPLSCI19: pairs are contracted at random in proportion to their traffic
//! while the merged services fit a node, then the sets are packed (section V-A
//! and its reference 46).

use rand::RngExt;

use super::super::evolve::Found;
use super::super::view::View;
use super::{completed, emptied};
use crate::Context;

/// Contracts, then packs the sets, largest first, each where it fits tightest.
pub fn applsci19(view: &View, context: &Context) -> Found {
    let mut random = context.random(0);
    let node = largest(view);
    let mut set_of: Vec<usize> = (0..view.services()).collect();
    let mut sets: Vec<Vec<u32>> = (0..view.services() as u32).map(|s| vec![s]).collect();
    let movable = |s: u32| !view.fixed[s as usize];
    let mut edges: Vec<_> = (view.edges.iter()).filter(|e| movable(e.a) && movable(e.b)).collect();
    while !edges.is_empty() {
        let total: f64 = edges.iter().map(|edge| edge.weight).sum();
        let mut ticket = random.random::<f64>() * total;
        let drawn = edges.iter().position(|edge| {
            ticket -= edge.weight;
            ticket <= 0.0
        });
        let edge = edges.swap_remove(drawn.unwrap_or(0));
        let (a, b) = (set_of[edge.a as usize], set_of[edge.b as usize]);
        if a != b {
            let merged = [sets[a].as_slice(), sets[b].as_slice()].concat();
            let fits = size(view, &merged).iter().zip(&node).all(|(need, room)| need <= room);
            if fits {
                sets[b].iter().for_each(|s| set_of[*s as usize] = a);
                sets[a] = merged;
                sets[b].clear();
            }
        }
    }
    pack(view, sets)
}

fn pack(view: &View, mut sets: Vec<Vec<u32>>) -> Found {
    sets.retain(|set| set.iter().any(|s| !view.fixed[*s as usize]));
    sets.sort_by_cached_key(|set| (std::cmp::Reverse(size(view, set)), set.clone()));
    let mut state = emptied(view);
    for set in &sets {
        let need = size(view, set);
        let nodes = (0..view.nodes() as u32).filter(|node| {
            let room = state.free(*node).iter().zip(&need).all(|(free, need)| *free >= 0 && *free as u128 >= *need);
            room && set.iter().all(|s| state.fits(*s, *node, view.replicas[*s as usize]))
        });
        let tightest = nodes.min_by_key(|node| (state.free(*node).to_vec(), *node));
        for &service in set {
            let mut left = view.replicas[service as usize];
            if let Some(node) = tightest {
                // Spread sets may bind although each member fits alone.
                while left > 0 && state.fits(service, node, 1) {
                    state.add(service, node, 1);
                    left -= 1;
                }
            }
        }
    }
    completed(state)
}

/// What all replicas of a set of services need.
fn size(view: &View, set: &[u32]) -> Vec<u128> {
    let mut need = vec![0u128; view.dims];
    for &service in set {
        for (sum, units) in need.iter_mut().zip(view.need(service)) {
            *sum += u128::from(*units) * u128::from(view.replicas[service as usize]);
        }
    }
    need
}

/// The largest room of any node, per dimension.
fn largest(view: &View) -> Vec<u128> {
    (0..view.dims)
        .map(|dim| {
            let rooms = (0..view.nodes() as u32).map(|node| u128::from(view.room(node)[dim]));
            rooms.max().unwrap_or(0)
        })
        .collect()
}
