//! The rules for one node and one service, read off the node's contents: the
//! plain form of `allowance` and `node_rules`, and quick for a few questions.

use bayplan_model::ServiceId;

use super::state::State;

/// How many more replicas the rules allow, capacity aside.
pub(super) fn more(state: &State, node: usize, service: usize) -> u32 {
    let view = state.view;
    if !view.allows(service, node, state.pool(node)) {
        return 0;
    }
    let limits = &view.services.limits;
    let id = ServiceId::from(service);
    let mut most = view.cap[service];
    for (other, count) in state.contents(node) {
        let other = ServiceId(*other);
        if other == id {
            continue;
        }
        if limits.get(id, other).is_some_and(|max| *count > max) {
            return 0;
        }
        if let Some(max) = limits.get(other, id) {
            most = most.min(max);
        }
    }
    let mut more = most.saturating_sub(state.count(node, service));
    for set in &view.node_sets_of[service] {
        let (members, max) = &view.node_sets[*set as usize];
        let there: u32 = members.iter().map(|m| state.count(node, *m as usize)).sum();
        more = more.min(max.saturating_sub(there));
    }
    more.min(state.label_room(node, service))
}

/// How many more replicas fit by rules and capacity.
pub(super) fn most(state: &State, node: usize, service: usize) -> u32 {
    match more(state, node, service) {
        0 => 0,
        more => more.min(state.room(node, service)),
    }
}

/// Whether the replicas of a service on a node break a rule as they stand.
pub(super) fn breaks(state: &State, node: usize, service: usize) -> bool {
    let view = state.view;
    let limits = &view.services.limits;
    let (id, here) = (ServiceId::from(service), state.count(node, service));
    let limited = state.contents(node).iter().any(|(other, count)| {
        let other = ServiceId(*other);
        other != id
            && (limits.get(id, other).is_some_and(|max| *count > max)
                || limits.get(other, id).is_some_and(|max| here > max))
    });
    let crowded = view.node_sets_of[service].iter().any(|set| {
        let (members, max) = &view.node_sets[*set as usize];
        members
            .iter()
            .map(|m| state.count(node, *m as usize))
            .sum::<u32>()
            > *max
    });
    limited || crowded || here > view.cap[service] || !view.allows(service, node, state.pool(node))
}
