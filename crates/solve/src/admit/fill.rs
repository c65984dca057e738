//! Best-effort filling: requests in some order, each where it fits during its
//! whole interval. The second phase of Cradle+ (paper Section V).

use super::state::State;
use super::view::View;
use crate::Context;

/// In which order requests are offered room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// By start, as in the paper.
    Start,
    /// By (a + b) * duration / weight, least first.
    Density,
}

/// The requests not yet admitted, in order.
pub fn waiting(state: &State, order: Order) -> Vec<u32> {
    let view = state.view;
    let mut requests = view.placeable();
    requests.retain(|request| !state.has(*request));
    match order {
        Order::Start => requests.sort_by_key(|request| view.requests.start[*request as usize]),
        Order::Density => sort_by_score(&mut requests, |request| density(view, request)),
    }
    requests
}

/// Room times time per weight. Without weight a request comes last.
pub fn density(view: &View, request: u32) -> f64 {
    view.total_size(request) * view.duration(request) / view.weight(request) as f64
}

/// Sorts ascending; equal scores by request, so that the order is total.
pub fn sort_by_score(requests: &mut [u32], score: impl Fn(u32) -> f64) {
    let mut keyed: Vec<(f64, u32)> = requests.iter().map(|j| (score(*j), *j)).collect();
    keyed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for (place, (_, request)) in requests.iter_mut().zip(keyed) {
        *place = request;
    }
}

/// Which of the nodes with room to take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// The lowest.
    First,
    /// The one left with the least room in its scarcest moment.
    Tightest,
}

/// Admits each request of `order` that fits somewhere.
pub fn fill(state: &mut State, order: &[u32], choice: Choice, context: &Context) {
    let mut found = Vec::new();
    for (turn, request) in order.iter().copied().enumerate() {
        if turn % 64 == 0 && context.must_stop() {
            return;
        }
        let node = match choice {
            Choice::First => state.first_fit(request),
            Choice::Tightest => {
                state.fitting(request, &mut found);
                tightest(state, request, &found)
            }
        };
        if let Some(node) = node {
            state.place(request, node);
        }
    }
}

/// The node whose highest load during the request is largest, summed over
/// resources as shares of its capacity.
pub fn tightest(state: &State, request: u32, found: &[u32]) -> Option<usize> {
    let load = |node: usize| -> f64 {
        let capacity = state.view.capacity(node);
        (0..capacity.len())
            .filter(|r| capacity[*r] > 0)
            .map(|r| state.highest(request, node, r) as f64 / capacity[r] as f64)
            .sum()
    };
    let mut best: Option<(f64, usize)> = None;
    for node in found.iter().map(|node| *node as usize) {
        let load = load(node);
        if best.is_none_or(|(most, _)| load > most) {
            best = Some((load, node));
        }
    }
    best.map(|(_, node)| node)
}
