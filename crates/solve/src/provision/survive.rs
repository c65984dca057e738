//! Survival of a loss: spare nodes until the replicas of any one node, or of
//! all nodes sharing a label, find places on the others by first fit
//! decreasing, nothing else being moved. Existing nodes without a replica are
//! spares already.

use std::collections::BTreeMap;

use bayplan_model::{NodeId, ServiceId};

use super::open::Opener;
use super::plain;
use super::state::State;
use crate::SolveError;

/// Opens spare nodes until every loss is survived; gives how many.
pub(super) fn add_spares(
    state: &mut State,
    label: Option<&str>,
    allowed: Option<u32>,
) -> Result<u64, SolveError> {
    for node in 0..state.nodes() {
        // Empty nodes left by the search are not spares; those that exist are.
        let empty = state.contents(node).is_empty();
        if node < state.view.existing.len() && state.is_shut(node) {
            state.reopen(node);
        } else if node >= state.view.existing.len() && empty && !state.is_shut(node) {
            state.shut(node);
        }
    }
    let opened = (0..state.nodes())
        .filter(|n| !state.contents(*n).is_empty())
        .count() as u32;
    let mut opener = Opener::new(state.view, allowed.map(|most| most.saturating_sub(opened)));
    let mut spares = 0;
    let mut group = 0;
    loop {
        let groups = groups(state, label);
        let Some(nodes) = groups.get(group) else {
            return Ok(spares);
        };
        match first_homeless(state, nodes) {
            None => group += 1,
            Some(service) => {
                let name = state.view.services.names.get(service);
                let Some(node) = spare_for(state, &mut opener, service, nodes, label) else {
                    return Err(SolveError::Infeasible {
                        why: format!(
                            "after a loss {name} has no place, and no pool can give a spare node"
                        ),
                    });
                };
                debug_assert!(state.contents(node).is_empty());
                spares += 1;
            }
        }
    }
}

/// A spare outside the lost group; one inside it would be lost as well.
fn spare_for(
    state: &mut State,
    opener: &mut Opener,
    service: usize,
    lost: &[usize],
    label: Option<&str>,
) -> Option<usize> {
    let value = |state: &State, node: usize| {
        let key = label?;
        value_of(state, node, key)
    };
    let lost_value = lost.first().and_then(|node| value(state, *node));
    for pool in opener.ranked_pools() {
        let own = label.and_then(|key| {
            state.view.problem.cluster().pools[pool]
                .labels
                .get(key)
                .cloned()
        });
        if own.is_some() && own == lost_value {
            continue;
        }
        if let Some(node) = opener.open_spare(state, pool, service) {
            return Some(node);
        }
    }
    None
}

fn value_of(state: &State, node: usize, key: &str) -> Option<String> {
    let opened = state.opened_pools();
    let cluster = state.view.problem.cluster();
    cluster
        .label(NodeId::from(node), &opened, key)
        .map(String::from)
}

/// Nodes that are lost together, in node order; a node without the label is
/// lost by itself.
fn groups(state: &State, label: Option<&str>) -> Vec<Vec<usize>> {
    let in_use = (0..state.nodes()).filter(|node| !state.is_shut(*node));
    let Some(key) = label else {
        return in_use.map(|node| vec![node]).collect();
    };
    let numbers = state
        .view
        .problem
        .cluster()
        .groups(&state.opened_pools(), key);
    let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for node in in_use {
        groups.entry(numbers[node]).or_default().push(node);
    }
    groups.into_values().collect()
}

/// A service that finds no place when these nodes are lost; the state is as
/// before afterwards.
fn first_homeless(state: &mut State, lost: &[usize]) -> Option<usize> {
    let view = state.view;
    let mut order: Vec<(f64, usize)> = (0..state.nodes())
        .filter(|node| !state.is_shut(*node))
        .map(|node| (least_free_share(state, node), node))
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut taken: BTreeMap<usize, u32> = BTreeMap::new();
    let mut log: Vec<(usize, usize, i64)> = Vec::new();
    for node in lost {
        for (service, count) in state.contents(*node).to_vec() {
            let service = service as usize;
            state.remove(*node, service, count);
            log.push((*node, service, -i64::from(count)));
            if !view.services.pinned[service] {
                *taken.entry(service).or_insert(0) += count;
            }
        }
    }
    let mut services: Vec<(usize, u32)> = taken.into_iter().collect();
    // As the verifier does: those bound to some nodes first, then the largest.
    let anywhere = |service: usize| {
        let id = ServiceId::from(service);
        view.services.compatibility.reach(id).is_none()
    };
    services.sort_by(|a, b| {
        let choosy = anywhere(a.0).cmp(&anywhere(b.0));
        choosy.then(largest_share(state, b.0).total_cmp(&largest_share(state, a.0)))
    });
    let mut homeless = None;
    for (service, mut count) in services {
        for (_, node) in &order {
            if count == 0 {
                break;
            }
            if lost.contains(node) {
                continue;
            }
            let most = plain::most(state, *node, service).min(count);
            if most > 0 {
                state.place(*node, service, most);
                log.push((*node, service, i64::from(most)));
                count -= most;
            }
        }
        if count > 0 {
            homeless = Some(service);
            break;
        }
    }
    for (node, service, count) in log.into_iter().rev() {
        if count > 0 {
            state.remove(node, service, count as u32);
        } else {
            state.place(node, service, count.unsigned_abs() as u32);
        }
    }
    homeless
}

/// Free share of the tightest resource of a node.
fn least_free_share(state: &State, node: usize) -> f64 {
    let capacity = &state.view.kinds[state.pool(node)].capacity;
    let shares = state.residual(node).iter().enumerate();
    let shares =
        shares.map(|(h, left)| *left as f64 / capacity[h / state.view.epochs].max(1) as f64);
    shares.fold(f64::INFINITY, f64::min)
}

/// Largest share of the largest node a replica takes.
fn largest_share(state: &State, service: usize) -> f64 {
    let view = state.view;
    let pools = &view.problem.cluster().pools;
    let row = view.row(service).iter().enumerate();
    let shares = row.map(|(h, units)| {
        let r = h / view.epochs;
        let largest = pools.iter().map(|pool| pool.capacity[r]).max().unwrap_or(0);
        *units as f64 / largest.max(1) as f64
    });
    shares.fold(0.0, f64::max)
}
