//! The way from the cluster as it is to where a plan wanted to go.

use std::collections::BTreeMap;

use bayplan::solve::SolveError;
use bayplan::solve::colocate::migrate::{Safety, plan};
use bayplan::solve::colocate::view::{Spot, View};
use bayplan_model::{Count, NodeId, Placement, PlacementPlan, Problem, ServiceId};

use super::core::Slots;

/// Where the pods of a workload should stand now that things have changed:
/// places on nodes that are gone are given up, a workload that became smaller
/// gives up places it has not taken yet, one that became larger keeps its new
/// pods where they are.
pub(crate) fn adapt(
    want: &Slots,
    here: &Slots,
    replicas: u32,
    usable: impl Fn(u32) -> bool,
) -> Slots {
    let mut slots: Slots = want
        .iter()
        .filter(|(node, _)| usable(**node))
        .map(|(node, count)| (*node, *count))
        .collect();
    let mut total: u32 = slots.values().sum();
    let count_here = |node: &u32| here.get(node).copied().unwrap_or(0);
    while total > replicas {
        let vacant = slots
            .iter()
            .max_by_key(|(node, count)| (count.saturating_sub(count_here(node)), **count, **node));
        let Some((node, _)) = vacant else { break };
        let node = *node;
        match slots.get_mut(&node) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                slots.remove(&node);
            }
        }
        total -= 1;
    }
    for (node, count) in here {
        let taken = slots.get(node).copied().unwrap_or(0);
        let more = count.saturating_sub(taken).min(replicas - total);
        if more > 0 && usable(*node) {
            *slots.entry(*node).or_insert(0) += more;
            total += more;
        }
    }
    slots
}

/// A legal way from the current placement of a problem to `targets`; services
/// without a target stay. When the way leads only part of the way, the plan
/// ends there.
pub(crate) fn way(
    problem: &Problem,
    targets: &BTreeMap<ServiceId, Slots>,
    alive: u32,
) -> Result<PlacementPlan, SolveError> {
    let services = problem.services().ok_or(SolveError::WrongWorkload {
        verb: "apply",
        needs: "services",
    })?;
    let stay: Vec<ServiceId> = services
        .ids()
        .filter(|id| !targets.contains_key(id))
        .collect();
    let view = View::new(problem, None, &stay)?;
    let mut spots: Vec<Spot> = Vec::new();
    for entry in services.placement.counts() {
        if !targets.contains_key(&entry.service) {
            spots.push(spot(entry.service, entry.node.0, entry.count));
        }
    }
    for (service, slots) in targets {
        spots.extend(
            slots
                .iter()
                .map(|(node, count)| spot(*service, *node, *count)),
        );
    }
    spots.sort_unstable();
    let safety = Safety {
        alive,
        own: &services.alive,
        outage: false,
    };
    let migration = plan(&view, &spots, safety);
    let counts = migration.reached.iter().map(|spot| Count {
        service: ServiceId(spot.service),
        node: NodeId(spot.node),
        count: spot.count,
    });
    Ok(PlacementPlan {
        placement: Placement::new(counts.collect()),
        waves: migration.waves,
        ..PlacementPlan::default()
    })
}

fn spot(service: ServiceId, node: u32, count: u32) -> Spot {
    Spot {
        service: service.0,
        node,
        count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_workload_gives_up_vacant_places_first() {
        let want = Slots::from([(0, 2), (1, 2)]);
        let here = Slots::from([(0, 2), (2, 1)]);
        assert_eq!(
            adapt(&want, &here, 3, |_| true),
            Slots::from([(0, 2), (1, 1)])
        );
        assert_eq!(adapt(&want, &here, 1, |_| true), Slots::from([(0, 1)]));
    }

    #[test]
    fn a_larger_workload_keeps_its_new_pods_where_they_are() {
        let want = Slots::from([(0, 1)]);
        let here = Slots::from([(0, 1), (3, 2)]);
        assert_eq!(
            adapt(&want, &here, 3, |_| true),
            Slots::from([(0, 1), (3, 2)])
        );
    }

    #[test]
    fn places_on_a_lost_node_are_given_up() {
        let want = Slots::from([(0, 1), (1, 1)]);
        let here = Slots::from([(2, 1)]);
        let slots = adapt(&want, &here, 2, |node| node != 1);
        assert_eq!(slots, Slots::from([(0, 1), (2, 1)]));
    }
}
