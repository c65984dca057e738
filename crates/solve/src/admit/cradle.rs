//! Cradle: local ratio by earliest finish (paper Sections IV-A to IV-C).
//!
//! One sweep instead of the recursion. A single number `prices` grows with
//! every request taken; what a request loses between its start and its finish
//! is its factor times the growth in between, so each residual weight is one
//! subtraction at the request's finish.

use std::collections::BinaryHeap;

use super::view::{NOWHERE, View};
use crate::Context;
use crate::shared::room::Room;

/// A residual below this share of the weight counts as used up: the sums are
/// real-valued, and equal requests must not survive by rounding.
pub const RESIDUAL_TOLERANCE: f64 = 1e-9;

/// Which requests are alike, and so which weight function applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// No resource beyond half of a node: weight function (4).
    Narrow,
    /// This resource beyond half of a node, so that no two share a node:
    /// weight function (3).
    Wide(usize),
}

impl Family {
    /// All families of a problem with this many resources.
    pub fn all(resources: usize) -> Vec<Family> {
        let wide = (0..resources).map(Family::Wide);
        std::iter::once(Family::Narrow).chain(wide).collect()
    }

    /// The family's members among `requests`.
    pub fn members(self, view: &View, requests: &[u32]) -> Vec<u32> {
        let belongs = |request: &&u32| match self {
            Family::Narrow => view.is_narrow(**request),
            Family::Wide(resource) => view.is_wide(**request, resource),
        };
        requests.iter().filter(belongs).copied().collect()
    }
}

/// Best of the families' solutions by weight; the node of each request.
pub fn cradle(view: &View, context: &Context) -> Vec<u32> {
    let placeable = view.placeable();
    let mut best = vec![NOWHERE; view.len()];
    for family in Family::all(view.resources) {
        let members = family.members(view, &placeable);
        let solution = local_ratio(view, &members, family, context);
        if view.value(&solution) > view.value(&best) {
            best = solution;
        }
    }
    best
}

/// The local-ratio solution within one family.
pub fn local_ratio(view: &View, members: &[u32], family: Family, context: &Context) -> Vec<u32> {
    let stack = survivors(view, members, family, context);
    unwind(view, stack, family, context)
}

/// How far one unit of a taken request's residual lowers each other request
/// that meets it: `factor(other) * residual / divisor(taken)`.
pub(super) struct WeightFunction<'v, 'a> {
    view: &'v View<'a>,
    family: Family,
    total: f64,
}

impl<'v, 'a> WeightFunction<'v, 'a> {
    pub(super) fn new(view: &'v View<'a>, family: Family) -> Self {
        let total = match family {
            Family::Narrow => (0..view.resources).map(|r| view.total_capacity(r)).sum(),
            Family::Wide(_) => view.nodes as f64,
        };
        Self {
            view,
            family,
            total,
        }
    }

    pub(super) fn factor(&self, request: u32) -> f64 {
        match self.family {
            Family::Narrow => self.view.total_size(request),
            Family::Wide(_) => 1.0,
        }
    }

    pub(super) fn divisor(&self, request: u32) -> f64 {
        match self.family {
            Family::Narrow => self.total - self.view.total_size(request),
            Family::Wide(_) => self.total,
        }
    }
}

/// Fraction bits of `prices`. Weights sum to less than 2^63 and a divisor is
/// at least a half, so the total stays below 2^125; differences are exact.
const FRACTION: f64 = (1u64 << 60) as f64;

/// The requests whose residual weight is positive when their turn comes, in
/// order of finish.
fn survivors(view: &View, members: &[u32], family: Family, context: &Context) -> Vec<u32> {
    let requests = view.requests;
    let function = WeightFunction::new(view, family);
    let mut by_start = members.to_vec();
    by_start.sort_by_key(|request| requests.start[*request as usize]);
    let mut by_finish = members.to_vec();
    by_finish.sort_by_key(|request| requests.finish[*request as usize]);
    let mut prices = 0u128;
    let mut at_start = vec![0u128; view.len()];
    let mut starting = by_start.into_iter().peekable();
    let mut stack = Vec::new();
    for (turn, request) in by_finish.into_iter().enumerate() {
        if turn % 4096 == 0 && context.must_stop() {
            break;
        }
        let finish = requests.finish[request as usize];
        // Half-open intervals: who starts at this finish does not meet it.
        while let Some(next) = starting.next_if(|next| requests.start[*next as usize] < finish) {
            at_start[next as usize] = prices;
        }
        let weight = view.weight(request) as f64;
        let grown = (prices - at_start[request as usize]) as f64 / FRACTION;
        let residual = weight - function.factor(request) * grown;
        if residual > weight * RESIDUAL_TOLERANCE {
            stack.push(request);
            prices += (residual / function.divisor(request) * FRACTION) as u128;
        }
    }
    stack
}

/// Adds the survivors by descending finish, each where it fits. What is
/// placed and meets a request then also contains its finish, so the load at
/// the finish decides.
fn unwind(view: &View, stack: Vec<u32>, family: Family, context: &Context) -> Vec<u32> {
    let requests = view.requests;
    // One more dimension of capacity 1 keeps wide requests apart.
    let dimensions = view.resources + 1;
    let need_of = |request: u32| {
        let mut need = view.demand(request).to_vec();
        need.push(u64::from(family != Family::Narrow));
        need
    };
    let free: Vec<u64> = (0..view.nodes)
        .flat_map(|node| view.capacity(node).iter().copied().chain([1]))
        .collect();
    let mut room = Room::new(dimensions, 0, &free);
    let mut node_of = vec![NOWHERE; view.len()];
    let mut running: BinaryHeap<(i64, u32)> = BinaryHeap::new();
    for (turn, request) in stack.into_iter().rev().enumerate() {
        if turn % 4096 == 0 && context.must_stop() {
            break;
        }
        let finish = requests.finish[request as usize];
        while let Some((start, other)) = running.peek().copied() {
            if start < finish {
                break;
            }
            running.pop();
            let need = need_of(other);
            room.change(node_of[other as usize] as usize, |at, free| {
                *free += need[at]
            });
        }
        let need = need_of(request);
        if let Some(node) = room.first(0, &need) {
            room.change(node, |at, free| *free -= need[at]);
            node_of[request as usize] = node as u32;
            running.push((requests.start[request as usize], request));
        }
    }
    node_of
}
