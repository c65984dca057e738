//! The dynamic program for requests that are not narrow (paper Theorem IV.7),
//! optimal when k is small; with Cradle on the narrow ones a 9-approximation.
//!
//! At any time a node holds at most one request wide in the first resource
//! and one wide in the second, so the past matters only through those pairs.

use std::collections::BTreeMap;

use super::view::{NOWHERE, View};
use crate::Context;

/// What runs on a node: the request wide in the first resource and the one
/// wide in the second. A request wide in both stands in both places.
type Pair = (u32, u32);

/// Nobody.
const NOBODY: u32 = u32::MAX;

/// Most states kept at a time; beyond it the program gives up.
const MOST_STATES: usize = 200_000;

/// One placement on the way to a state.
struct Trail {
    before: u32,
    request: u32,
    beside: Pair,
}

/// An optimal solution among the given requests, none of them narrow; `None`
/// when there are too many states or the time is up.
pub fn optimal(view: &View, wide: &[u32], context: &Context) -> Option<Vec<u32>> {
    debug_assert!(view.identical && view.resources <= 2);
    let requests = view.requests;
    let mut order = wide.to_vec();
    order.sort_by_key(|j| requests.start[*j as usize]);
    // Nodes are alike: a state is the sorted list of what they hold.
    let mut states: BTreeMap<Vec<Pair>, (u64, u32)> = BTreeMap::new();
    states.insert(vec![(NOBODY, NOBODY); view.nodes], (0, NOBODY));
    let mut trails: Vec<Trail> = Vec::new();
    for request in order {
        let now = requests.start[request as usize];
        let mut next: BTreeMap<Vec<Pair>, (u64, u32)> = BTreeMap::new();
        let keep = |next: &mut BTreeMap<Vec<Pair>, (u64, u32)>, state, value, trail| {
            let best = next.entry(state).or_insert((value, trail));
            if value > best.0 {
                *best = (value, trail);
            }
        };
        for (state, (value, trail)) in states {
            if context.must_stop() {
                return None;
            }
            let state = ended(view, state, now);
            keep(&mut next, state.clone(), value, trail);
            for at in 0..state.len() {
                if at > 0 && state[at] == state[at - 1] {
                    continue;
                }
                if let Some(pair) = beside(view, request, state[at]) {
                    let mut grown = state.clone();
                    grown[at] = pair;
                    grown.sort_unstable();
                    trails.push(Trail {
                        before: trail,
                        request,
                        beside: state[at],
                    });
                    let value = value + view.weight(request);
                    keep(&mut next, grown, value, trails.len() as u32 - 1);
                }
            }
            if next.len() > MOST_STATES || trails.len() >= NOBODY as usize {
                return None;
            }
        }
        states = next;
    }
    let best = states.values().max_by_key(|(value, _)| *value)?;
    Some(replay(view, &trails, best.1))
}

/// The state after everything that finished by `now` has left.
fn ended(view: &View, mut state: Vec<Pair>, now: i64) -> Vec<Pair> {
    let left = |request: u32| {
        if request != NOBODY && view.requests.finish[request as usize] <= now {
            NOBODY
        } else {
            request
        }
    };
    for pair in &mut state {
        *pair = (left(pair.0), left(pair.1));
    }
    state.sort_unstable();
    state
}

/// The pair with the request added, if it fits.
fn beside(view: &View, request: u32, pair: Pair) -> Option<Pair> {
    let wide = |r: usize| r < view.resources && view.is_wide(request, r);
    let taken = |place: u32, wide: bool| wide && place != NOBODY;
    if taken(pair.0, wide(0)) || taken(pair.1, wide(1)) {
        return None;
    }
    for r in 0..view.resources {
        let mut load = u128::from(view.demand(request)[r]);
        for (at, other) in [pair.0, pair.1].into_iter().enumerate() {
            // A request wide in both counts once.
            if other != NOBODY && (at == 0 || other != pair.0) {
                load += u128::from(view.demand(other)[r]);
            }
        }
        if load > u128::from(view.capacity(0)[r]) {
            return None;
        }
    }
    let put = |place: u32, wide: bool| if wide { request } else { place };
    Some((put(pair.0, wide(0)), put(pair.1, wide(1))))
}

/// Walks a trail forward again, to give each request a node.
fn replay(view: &View, trails: &[Trail], last: u32) -> Vec<u32> {
    let mut steps = Vec::new();
    let mut at = last;
    while at != NOBODY {
        steps.push(at);
        at = trails[at as usize].before;
    }
    let mut node_of = vec![NOWHERE; view.len()];
    let mut holds = vec![(NOBODY, NOBODY); view.nodes];
    for step in steps.into_iter().rev() {
        let Trail {
            request, beside, ..
        } = trails[step as usize];
        let now = view.requests.start[request as usize];
        for pair in &mut holds {
            let single = ended(view, vec![*pair], now);
            *pair = single[0];
        }
        let node = holds
            .iter()
            .position(|pair| *pair == beside)
            .expect("the trail leads through states that exist");
        holds[node] = self::beside(view, request, beside).expect("it fitted before");
        node_of[request as usize] = node as u32;
    }
    node_of
}
