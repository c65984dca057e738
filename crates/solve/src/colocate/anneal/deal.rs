//! Nodes dealt out to lanes at random. Gain, moves and capacity are separable
//! by node, so lanes that own different nodes work on the exact problem
//! without locks; dealing again and again lets everything meet everything.

use rand::RngExt;
use rand::seq::SliceRandom;

use super::super::state::{NOWHERE, State};
use super::super::view::View;
use crate::Random;

/// Nodes that must stay in one lane, because a label ties them: traffic local
/// to a group, or a spread set over one.
pub fn units(view: &View) -> Vec<Vec<u32>> {
    let mut parent: Vec<u32> = (0..view.nodes() as u32).collect();
    fn root(parent: &mut [u32], mut node: u32) -> u32 {
        while parent[node as usize] != node {
            parent[node as usize] = parent[parent[node as usize] as usize];
            node = parent[node as usize];
        }
        node
    }
    let used = view.sets.iter().filter_map(|set| set.domain);
    for domain in used.chain(view.gain_domain) {
        let domain = &view.domains[domain];
        let mut first = vec![None; domain.groups];
        for (node, group) in domain.of_node.iter().enumerate() {
            let anchor = *first[*group as usize].get_or_insert(node as u32);
            let (a, b) = (root(&mut parent, anchor), root(&mut parent, node as u32));
            parent[b as usize] = a;
        }
    }
    let mut units: Vec<Vec<u32>> = vec![Vec::new(); view.nodes()];
    for node in 0..view.nodes() as u32 {
        let root = root(&mut parent, node);
        units[root as usize].push(node);
    }
    units.retain(|unit| !unit.is_empty());
    units
}

/// Takes a state apart into lanes that own disjoint nodes. The sums of a lane
/// start at zero: it reports changes.
pub fn deal<'v>(
    state: &mut State<'v>,
    units: &mut [Vec<u32>],
    lanes: usize,
    random: &mut Random,
) -> Vec<State<'v>> {
    let view = state.view;
    units.shuffle(random);
    let mut hands: Vec<Vec<u32>> = vec![Vec::new(); lanes];
    for unit in units.iter() {
        let least = hands.iter_mut().min_by_key(|hand| hand.len());
        least.expect("at least one lane").extend(unit);
    }
    let mut lane_of = vec![0u32; view.nodes()];
    let mut dealt: Vec<State> = Vec::with_capacity(lanes);
    for (lane, mut hand) in hands.into_iter().enumerate() {
        hand.sort_unstable();
        let mut part = State::bare(view, hand);
        for &node in &part.nodes {
            lane_of[node as usize] = lane as u32;
            let at = node as usize;
            part.shelves[at] = std::mem::take(&mut state.shelves[at]);
            if view.gain_domain.is_some() {
                let group = view.gain_group(node) as usize;
                let region = std::mem::take(&mut state.regions[group]);
                if region.present().next().is_some() {
                    part.regions[group] = region;
                }
            }
        }
        part.free.clone_from(&state.free);
        part.zones.clone_from(&state.zones);
        dealt.push(part);
    }
    let mut seats = vec![vec![0u32; view.services()]; lanes];
    for (&home, &service) in state.homes.iter().zip(&state.owner) {
        if home != NOWHERE {
            seats[lane_of[home as usize] as usize][service as usize] += 1;
        }
    }
    for (part, seats) in dealt.iter_mut().zip(&seats) {
        part.seat(seats);
    }
    for service in 0..view.services() as u32 {
        for &home in state.homes(service) {
            let part = &mut dealt[lane_of[home as usize] as usize];
            let end = part.range(service).end;
            part.homes[end] = home;
            part.placed[service as usize] += 1;
        }
    }
    dealt
}

/// Puts the lanes' parts back together.
pub fn join<'v>(state: &mut State<'v>, lanes: Vec<State<'v>>) {
    let view = state.view;
    let mut next: Vec<u32> = state.starts[..view.services()].to_vec();
    for mut part in lanes {
        for at in 0..part.nodes.len() {
            let node = part.nodes[at] as usize;
            state.shelves[node] = std::mem::take(&mut part.shelves[node]);
            let range = node * view.dims..(node + 1) * view.dims;
            state.free[range.clone()].copy_from_slice(&part.free[range]);
            if view.gain_domain.is_some() {
                let group = view.gain_group(node as u32) as usize;
                let region = std::mem::take(&mut part.regions[group]);
                if region.present().next().is_some() {
                    state.regions[group] = region;
                }
            }
            for (set, zones) in view.sets.iter().zip(0..) {
                if let Some(domain) = set.domain {
                    let group = view.domains[domain].of_node[node] as usize;
                    let zones: usize = zones;
                    state.zones[zones][group] = part.zones[zones][group];
                }
            }
        }
        for service in 0..view.services() as u32 {
            for &home in part.homes(service) {
                let at = &mut next[service as usize];
                state.homes[*at as usize] = home;
                *at += 1;
            }
        }
        state.gain += part.gain;
        state.moves += part.moves;
    }
}

/// A seed for a lane's own randomness.
pub fn lane_seed(random: &mut Random) -> u64 {
    random.random()
}
