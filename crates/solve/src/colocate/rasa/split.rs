//! Splitting a set of services with little traffic cut: the paper's
//! loss-minimising balanced partitioning, and a multilevel cut.

use std::collections::{BTreeMap, VecDeque};

use rand::RngExt;

use super::super::view::View;
use crate::Random;

/// Trials at most: on graphs with more edges the best hardly improves.
const TRIALS: usize = 1_000;

/// Section IV-B4: as many trials as there are edges; each samples seeds and
/// grows from them in turn, breadth first; of the balanced ones (largest at
/// most twice the smallest) the one with the least cut. When none is balanced
/// the least unbalanced.
pub fn balanced_split(
    view: &View,
    set: &[u32],
    parts: usize,
    random: &mut Random,
) -> Vec<Vec<u32>> {
    let inside: BTreeMap<u32, usize> = set.iter().enumerate().map(|(at, s)| (*s, at)).collect();
    let edges = view
        .edges
        .iter()
        .filter(|e| inside.contains_key(&e.a) && inside.contains_key(&e.b));
    let trials = edges.count().clamp(1, TRIALS);
    let mut best: Option<(bool, f64, Vec<usize>)> = None;
    for _ in 0..trials {
        let side = grow(view, set, &inside, parts, random);
        let mut sizes = vec![0usize; parts];
        side.iter().for_each(|part| sizes[*part] += 1);
        let (most, least) = (sizes.iter().max().copied(), sizes.iter().min().copied());
        let (most, least) = (most.unwrap_or(0), least.unwrap_or(0).max(1));
        let unbalanced = most > 2 * least;
        let cost = if unbalanced {
            most as f64 / least as f64
        } else {
            cut(view, &inside, &side)
        };
        let better = best
            .as_ref()
            .is_none_or(|(u, c, _)| (unbalanced, cost) < (*u, *c));
        if better {
            best = Some((unbalanced, cost, side));
        }
    }
    let side = best.map(|(_, _, side)| side).unwrap_or_default();
    collect(set, &side, parts)
}

fn collect(set: &[u32], side: &[usize], parts: usize) -> Vec<Vec<u32>> {
    let mut sets = vec![Vec::new(); parts];
    set.iter()
        .zip(side)
        .for_each(|(service, part)| sets[*part].push(*service));
    sets
}

fn cut(view: &View, inside: &BTreeMap<u32, usize>, side: &[usize]) -> f64 {
    let crossing = view.edges.iter().filter_map(|edge| {
        let (a, b) = (inside.get(&edge.a)?, inside.get(&edge.b)?);
        (side[*a] != side[*b]).then_some(edge.weight)
    });
    crossing.sum()
}

fn grow(
    view: &View,
    set: &[u32],
    inside: &BTreeMap<u32, usize>,
    parts: usize,
    random: &mut Random,
) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let mut side = vec![NONE; set.len()];
    let mut fronts: Vec<VecDeque<usize>> = vec![VecDeque::new(); parts];
    for (part, front) in fronts.iter_mut().enumerate() {
        let seed = random.random_range(0..set.len());
        if side[seed] == NONE {
            side[seed] = part;
            front.push_back(seed);
        }
    }
    while fronts.iter().any(|front| !front.is_empty()) {
        for (part, front) in fronts.iter_mut().enumerate() {
            let Some(at) = front.pop_front() else {
                continue;
            };
            for link in view.links(set[at]) {
                if let Some(&other) = inside.get(&link.to)
                    && side[other] == NONE
                {
                    side[other] = part;
                    front.push_back(other);
                }
            }
        }
    }
    // What no seed reaches goes to the smallest part.
    let mut sizes = vec![0usize; parts];
    side.iter()
        .filter(|p| **p != NONE)
        .for_each(|p| sizes[*p] += 1);
    for place in side.iter_mut().filter(|p| **p == NONE) {
        let smallest = (0..parts).min_by_key(|p| sizes[*p]).unwrap_or(0);
        sizes[smallest] += 1;
        *place = smallest;
    }
    side
}

/// A multilevel cut: heavy pairs are merged until few clusters are left, the
/// clusters dealt out by size, and single services moved between parts on the
/// way back while that lowers the cut and keeps the balance.
pub fn min_cut(view: &View, set: &[u32], parts: usize) -> Vec<Vec<u32>> {
    let inside: BTreeMap<u32, usize> = set.iter().enumerate().map(|(at, s)| (*s, at)).collect();
    let most = (set.len().div_ceil(parts) * 11).div_ceil(10);
    let mut cluster: Vec<usize> = (0..set.len()).collect();
    let mut size = vec![1usize; set.len()];
    let mut edges: Vec<_> = view
        .edges
        .iter()
        .filter_map(|edge| Some((edge.weight, *inside.get(&edge.a)?, *inside.get(&edge.b)?)))
        .collect();
    edges.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    for (_, a, b) in &edges {
        let (a, b) = (cluster[*a], cluster[*b]);
        if a != b && size[a] + size[b] <= most / 2 {
            cluster.iter_mut().filter(|c| **c == b).for_each(|c| *c = a);
            size[a] += size[b];
            size[b] = 0;
        }
    }
    let mut order: Vec<usize> = (0..set.len()).filter(|c| size[*c] > 0).collect();
    order.sort_by_key(|c| (std::cmp::Reverse(size[*c]), *c));
    let mut sizes = vec![0usize; parts];
    let mut part_of = vec![0usize; set.len()];
    for c in order {
        let smallest = (0..parts).min_by_key(|p| sizes[*p]).unwrap_or(0);
        sizes[smallest] += size[c];
        part_of[c] = smallest;
    }
    let mut side: Vec<usize> = cluster.iter().map(|c| part_of[*c]).collect();
    for _ in 0..10 {
        let mut moved = false;
        for (at, service) in set.iter().enumerate() {
            let mut pull = vec![0.0; parts];
            for link in view.links(*service) {
                if let Some(other) = inside.get(&link.to) {
                    pull[side[*other]] += link.own * f64::from(view.replicas[*service as usize]);
                }
            }
            let here = side[at];
            let best = (0..parts)
                .filter(|p| sizes[*p] < most)
                .max_by(|a, b| pull[*a].total_cmp(&pull[*b]));
            if let Some(best) = best.filter(|p| pull[*p] > pull[here] + 1e-15) {
                sizes[here] -= 1;
                sizes[best] += 1;
                side[at] = best;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    collect(set, &side, parts)
}
