//! Which services are solved together (section IV-B), and the alternatives of
//! section V-B.

use rand::seq::SliceRandom;

use super::super::view::View;
use super::split::{balanced_split, min_cut};
use super::{Choices, Partition};
use crate::Random;

/// Services in a part at most, before it is split.
const PART: usize = 80;
/// Services in a part dealt at random, those without traffic included.
const DEALT: usize = 55;

/// The parts, each a set of movable services.
pub fn partition(view: &View, choices: Choices, random: &mut Random) -> Vec<Vec<u32>> {
    let mut talking: Vec<u32> = (0..view.services() as u32)
        .filter(|s| !view.links(*s).is_empty() && !view.fixed[*s as usize])
        .collect();
    let parts = talking.len().div_ceil(PART).max(1);
    let sets = match choices.partition {
        Partition::None => vec![talking],
        Partition::Random => {
            // As many parts as all services make, those without traffic
            // included: dealt at random, they fill parts like any other.
            let parts = view.services().div_ceil(DEALT).max(1);
            talking.shuffle(random);
            talking
                .chunks(talking.len().div_ceil(parts).max(1))
                .map(<[u32]>::to_vec)
                .collect()
        }
        Partition::MinCut => min_cut(view, &talking, parts),
        Partition::MultiStage => {
            let blocks = blocks(view, &masters(view, &talking, choices.masters));
            blocks
                .into_iter()
                .flat_map(|block| split(view, block, random))
                .collect()
        }
    };
    let mut sets: Vec<Vec<u32>> = sets.into_iter().filter(|set| !set.is_empty()).collect();
    sets.iter_mut().for_each(|set| set.sort_unstable());
    sets
}

/// Master services: the first floor(45 * ln^0.66 N) by total affinity, or some
/// percent of that number.
fn masters(view: &View, talking: &[u32], percent: u32) -> Vec<u32> {
    let paper = 45.0 * (view.services() as f64).ln().max(0.0).powf(0.66);
    let count = paper.floor() * f64::from(percent) / 100.0;
    let mut order: Vec<(f64, u32)> = talking
        .iter()
        .map(|s| (view.total_affinity(*s), *s))
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.truncate((count as usize).max(1));
    order.into_iter().map(|(_, s)| s).collect()
}

/// Compatibility blocks: services are connected when they share a node.
fn blocks(view: &View, services: &[u32]) -> Vec<Vec<u32>> {
    let mut owner: Vec<Option<usize>> = vec![None; view.nodes()];
    let mut blocks: Vec<Vec<u32>> = Vec::new();
    for &service in services {
        let nodes = (0..view.nodes()).filter(|n| view.may_use(service, *n as u32));
        let nodes: Vec<usize> = nodes.collect();
        let mut met: Vec<usize> = nodes.iter().filter_map(|n| owner[*n]).collect();
        met.sort_unstable();
        met.dedup();
        let home = met.first().copied().unwrap_or_else(|| {
            blocks.push(Vec::new());
            blocks.len() - 1
        });
        for other in met.into_iter().skip(1) {
            let moved = std::mem::take(&mut blocks[other]);
            blocks[home].extend(moved);
            owner
                .iter_mut()
                .filter(|o| **o == Some(other))
                .for_each(|o| *o = Some(home));
        }
        blocks[home].push(service);
        nodes.into_iter().for_each(|n| owner[n] = Some(home));
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

fn split(view: &View, block: Vec<u32>, random: &mut Random) -> Vec<Vec<u32>> {
    if block.len() <= PART {
        return vec![block];
    }
    let parts = block.len().div_ceil(PART);
    balanced_split(view, &block, parts, random)
}

/// Share of the traffic that no part sees.
pub fn lost(view: &View, sets: &[Vec<u32>]) -> f64 {
    let mut set_of = vec![usize::MAX; view.services()];
    for (at, set) in sets.iter().enumerate() {
        set.iter().for_each(|s| set_of[*s as usize] = at);
    }
    let apart = view.edges.iter().filter(|edge| {
        let (a, b) = (set_of[edge.a as usize], set_of[edge.b as usize]);
        a != b || a == usize::MAX
    });
    apart.map(|edge| edge.weight).sum()
}
