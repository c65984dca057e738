//! Replicas of one service that arrive one after the other, each at the node
//! whose key is the greatest then.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::state::State;

/// A number that can be compared like a key. Never NaN.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Real(pub f64);

impl Eq for Real {}

impl Ord for Real {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Places up to `count` replicas; among equal keys the first node wins.
/// Returns how many found no room.
///
/// While they arrive, only the counts of their own service change. A key may
/// follow from the node itself in any way, but from other nodes (the group in
/// which traffic is local) only downwards, and rules close nodes but open
/// none: so a heap whose top is looked at again before it is taken gives what
/// a scan of all nodes for every replica would.
pub fn arrive<K: Ord>(
    state: &mut State,
    service: u32,
    count: u32,
    key: impl Fn(&State, u32) -> K,
) -> u32 {
    let nodes = (0..state.view.nodes() as u32).filter(|node| state.fits(service, *node, 1));
    let mut heap: BinaryHeap<(K, Reverse<u32>)> = nodes
        .map(|node| (key(state, node), Reverse(node)))
        .collect();
    let mut left = count;
    while left > 0
        && let Some((stored, Reverse(node))) = heap.pop()
    {
        if !state.fits(service, node, 1) {
            continue;
        }
        let now = key(state, node);
        if now < stored {
            heap.push((now, Reverse(node)));
            continue;
        }
        state.add(service, node, 1);
        left -= 1;
        heap.push((key(state, node), Reverse(node)));
    }
    left
}
