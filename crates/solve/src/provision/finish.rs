//! From a state to the answer.

use bayplan_model::{
    Count, NodeId, Placement, PlacementPlan, Plan, PoolId, Reason, ServiceId, Unplaced,
};

use super::state::State;

/// The placement as a plan: new nodes without a replica are not opened, unless
/// they are kept as spares.
pub(super) fn plan(state: &State, with_spares: bool) -> PlacementPlan {
    let existing = state.view.existing.len();
    let mut opened: Vec<PoolId> = Vec::new();
    let mut counts = Vec::new();
    for node in 0..state.nodes() {
        let idle = state.contents(node).is_empty() && (!with_spares || state.is_shut(node));
        if node >= existing && idle {
            continue;
        }
        let id = if node < existing {
            node
        } else {
            opened.push(PoolId::from(state.pool(node)));
            existing + opened.len() - 1
        };
        counts.extend(state.contents(node).iter().map(|(service, count)| Count {
            service: ServiceId(*service),
            node: NodeId::from(id),
            count: *count,
        }));
    }
    PlacementPlan {
        opened,
        placement: Placement::new(counts),
        unplaced: unplaced(state),
        waves: Vec::new(),
    }
}

/// Wraps a plan.
pub(super) fn wrap(plan: PlacementPlan) -> Plan {
    Plan::Placement(plan)
}

fn unplaced(state: &State) -> Vec<Unplaced> {
    let mut all = state.view.hopeless.clone();
    for (service, left) in state.left.iter().enumerate().filter(|(_, left)| **left > 0) {
        let has_room = (0..state.nodes()).any(|node| state.fits(node, service));
        all.push(Unplaced {
            service: ServiceId::from(service),
            count: *left,
            reason: if has_room {
                Reason::Rules
            } else {
                Reason::NoRoom
            },
        });
    }
    all.sort_by_key(|entry| entry.service);
    all
}

/// Nodes in use and their price in millionths.
pub(super) fn used(state: &State) -> (u64, u128) {
    let mut nodes = 0;
    let mut cost = 0;
    for node in (0..state.nodes()).filter(|node| !state.contents(*node).is_empty()) {
        nodes += 1;
        cost += u128::from(state.view.kinds[state.pool(node)].price);
    }
    (nodes, cost)
}
