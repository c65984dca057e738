//! Which nodes to use: sequences to start from, and cheaper sets of nodes.

use rand::RngExt;

use super::answer::Answer;
use super::view::{Division, Piece, Slot, View};
use crate::Random;

/// For each kind: its nodes, then those of the other kinds by price per
/// capacity, as many as could ever be needed.
pub fn sequences(view: &View) -> Vec<Vec<Slot>> {
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
            slots.extend(view.slots(*kind, view.most_nodes(*kind) as usize));
        }
        slots
    };
    by_value.iter().map(sequence).collect()
}

/// The nodes in use, with their pieces.
pub fn used(division: &Division) -> Vec<(Slot, Vec<Piece>)> {
    let all = division
        .slots
        .iter()
        .copied()
        .zip(division.pieces.iter().cloned());
    all.filter(|(_, pieces)| !pieces.is_empty()).collect()
}

fn load(pieces: &[Piece]) -> u64 {
    pieces.iter().map(|piece| piece.load).sum()
}

/// The nodes of an answer less `drop` of the emptiest (ties at random).
pub fn fewer(answer: &Answer, drop: usize, random: &mut Random) -> Division {
    let mut nodes: Vec<_> = (used(&answer.division).into_iter())
        .map(|(slot, pieces)| (load(&pieces), random.random::<u32>(), slot, pieces))
        .collect();
    nodes.sort_by_key(|(load, tie, ..)| (*load, *tie));
    let kept = nodes.into_iter().skip(drop);
    let (slots, pieces) = kept.map(|(_, _, slot, pieces)| (slot, pieces)).unzip();
    Division { slots, pieces }
}

/// A cheaper set of nodes: one or two nodes leave, and one or two cheaper ones
/// may take their place.
pub fn cheaper(view: &View, answer: &Answer, random: &mut Random) -> Division {
    let mut nodes = used(&answer.division);
    let mut freed = 0;
    for _ in 0..random.random_range(1..=2usize).min(nodes.len()) {
        // Two draws, the emptier one leaves: emptier nodes are easier to do without.
        let (a, b) = (
            random.random_range(0..nodes.len()),
            random.random_range(0..nodes.len()),
        );
        let leaves = if load(&nodes[a].1) <= load(&nodes[b].1) {
            a
        } else {
            b
        };
        let (slot, _) = nodes.swap_remove(leaves);
        freed += view.kinds[slot.kind].price;
    }
    for _ in 0..random.random_range(0..=2) {
        let affordable = |k: &usize| view.kinds[*k].price < freed;
        let kinds: Vec<usize> = (0..view.kinds.len()).filter(affordable).collect();
        if kinds.is_empty() {
            break;
        }
        let kind = kinds[random.random_range(0..kinds.len())];
        if let Some(slot) = unused(view, kind, &nodes) {
            freed -= view.kinds[kind].price;
            nodes.push((slot, Vec::new()));
        }
    }
    let (slots, pieces) = nodes.into_iter().unzip();
    Division { slots, pieces }
}

/// One more node of a kind, if there may be one.
pub fn unused(view: &View, kind: usize, nodes: &[(Slot, Vec<Piece>)]) -> Option<Slot> {
    let same = nodes.iter().filter(|(slot, _)| slot.kind == kind);
    let new = same.clone().filter(|(slot, _)| slot.node.is_none()).count();
    let taken = |node: &u32| same.clone().any(|(slot, _)| slot.node == Some(*node));
    let existing = &view.kinds[kind].existing;
    if let Some(&node) = existing.iter().find(|node| !taken(node)) {
        return Some(Slot {
            kind,
            node: Some(node),
        });
    }
    let room = view.kinds[kind].most as usize - existing.len();
    (new < room).then_some(Slot { kind, node: None })
}

/// Gives each group of pieces the existing node of its kind on which most of
/// its applications run already: the same division with fewer changes.
pub fn stay(view: &View, division: &mut Division) {
    if view.running.iter().all(Vec::is_empty) {
        return;
    }
    let mut hosts: Vec<Vec<u32>> = vec![Vec::new(); view.apps.len()];
    for (node, apps) in view.running.iter().enumerate() {
        for &app in apps {
            hosts[app as usize].push(node as u32);
        }
    }
    let kind_of = kinds_of_nodes(view);
    let mut common: Vec<(usize, usize, u32)> = Vec::new();
    for (at, pieces) in division.pieces.iter().enumerate() {
        let kind = division.slots[at].kind;
        let mut nodes: Vec<u32> = pieces
            .iter()
            .flat_map(|p| hosts[p.app as usize].iter().copied())
            .collect();
        nodes.retain(|node| kind_of[*node as usize] == kind);
        nodes.sort_unstable();
        for same in nodes.chunk_by(|a, b| a == b) {
            common.push((same.len(), at, same[0]));
        }
    }
    common.sort_by_key(|(count, at, node)| (std::cmp::Reverse(*count), *at, *node));
    let mut place: Vec<Option<u32>> = vec![None; division.slots.len()];
    let mut taken = vec![false; view.running.len()];
    for (_, at, node) in common {
        if place[at].is_none() && !taken[node as usize] {
            place[at] = Some(node);
            taken[node as usize] = true;
        }
    }
    // The others keep to existing nodes before new ones.
    for (at, slot) in division.slots.iter_mut().enumerate() {
        let free = |node: &&u32| !taken[**node as usize];
        let next = place[at].or_else(|| {
            let wanted = !division.pieces[at].is_empty();
            wanted
                .then(|| view.kinds[slot.kind].existing.iter().find(free).copied())
                .flatten()
        });
        slot.node = next;
        if let Some(node) = next {
            taken[node as usize] = true;
        }
    }
}

/// The kind of each existing node.
pub fn kinds_of_nodes(view: &View) -> Vec<usize> {
    let mut kinds = vec![0; view.running.len()];
    for (k, kind) in view.kinds.iter().enumerate() {
        for &node in &kind.existing {
            kinds[node as usize] = k;
        }
    }
    kinds
}
