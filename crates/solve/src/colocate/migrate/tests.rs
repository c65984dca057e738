//! Adversarial cases: every prefix of every plan is replayed in plain counts.

use std::collections::BTreeMap;

use bayplan_model::WaveKind;
use rand::{RngExt, SeedableRng};

use super::super::limits::Limit;
use super::super::view::{Edge, Spot, View};
use super::{Migration, Safety, plan};
use crate::Random;

fn spot(service: u32, node: u32, count: u32) -> Spot {
    Spot {
        service,
        node,
        count,
    }
}

/// One resource; services given as (replicas, demand).
fn view(services: &[(u32, u64)], capacity: &[u64], original: &[Spot]) -> View {
    let replicas = services.iter().map(|(d, _)| *d).collect();
    let demand = services.iter().map(|(_, need)| *need).collect();
    let edges: Vec<Edge> = Vec::new();
    let mut view = View::plain(1, replicas, demand, capacity.to_vec(), edges);
    view.original = original.to_vec();
    view.finish()
}

const SAFE: Safety = Safety {
    alive: 750_000,
    own: &[],
    outage: false,
};

const WITH_OUTAGE: Safety = Safety {
    outage: true,
    ..SAFE
};

/// Replays a plan and checks every prefix; a wave's worst order is its end for
/// creates and its end for deletes, because both are monotone.
fn replay(view: &View, target: &[Spot], migration: &Migration) {
    let mut at: BTreeMap<(u32, u32), i64> = BTreeMap::new();
    for spot in &view.original {
        at.insert((spot.service, spot.node), i64::from(spot.count));
    }
    for wave in &migration.waves {
        assert!(!wave.moves.is_empty());
        for step in &wave.moves {
            let sign = if wave.kind == WaveKind::Create { 1 } else { -1 };
            let entry = at.entry((step.service.0, step.node.0)).or_default();
            *entry += sign * i64::from(step.count);
            assert!(*entry >= 0, "deletes only what is there");
        }
        for node in 0..view.nodes() as u32 {
            let used: i64 = (at.iter().filter(|((_, n), _)| *n == node))
                .map(|((s, _), count)| view.need(*s)[0] as i64 * count)
                .sum();
            assert!(used <= view.room(node)[0] as i64, "node {node} overfull");
        }
        for service in 0..view.services() as u32 {
            let alive: i64 = (at.iter().filter(|((s, _), _)| *s == service))
                .map(|(_, c)| *c)
                .sum();
            let floor = SAFE.floor(service, view.replicas[service as usize]);
            // One fewer only where the plan says so.
            let floor = floor - u32::from(migration.outages.contains(&service));
            assert!(
                alive >= i64::from(floor),
                "service {service}: {alive} of {floor} alive"
            );
        }
        for ((service, node), count) in &at {
            assert!(*count <= i64::from(view.cap[*service as usize]));
            assert!(*count == 0 || view.may_use(*service, *node));
        }
        for limit in &view.limits {
            for node in 0..view.nodes() as u32 {
                let count = |s: u32| at.get(&(s, node)).copied().unwrap_or(0);
                let legal = count(limit.of) == 0 || count(limit.on) <= i64::from(limit.max);
                assert!(legal, "{limit:?} broken at node {node}");
            }
        }
    }
    let ended: Vec<Spot> = (at.iter().filter(|(_, count)| **count > 0))
        .map(|((service, node), count)| spot(*service, *node, *count as u32))
        .collect();
    assert_eq!(ended, migration.reached);
    if migration.stuck.is_empty() {
        assert_eq!(ended, target);
    }
}

#[test]
fn full_nodes_swap_through_a_third() {
    let original = [spot(0, 0, 1), spot(1, 1, 1)];
    let view = view(&[(1, 10), (1, 10)], &[10, 10, 10], &original);
    let target = [spot(0, 1, 1), spot(1, 0, 1)];
    let migration = plan(&view, &target, SAFE);
    assert!(migration.stuck.is_empty());
    assert_eq!(migration.detours, 1);
    replay(&view, &target, &migration);
}

#[test]
fn an_impossible_swap_names_its_obstacle_and_changes_nothing() {
    let original = [spot(0, 0, 1), spot(1, 1, 1)];
    let view = view(&[(1, 10), (1, 10)], &[10, 10], &original);
    let target = [spot(0, 1, 1), spot(1, 0, 1)];
    let migration = plan(&view, &target, SAFE);
    assert!(!migration.stuck.is_empty() && migration.waves.is_empty());
    replay(&view, &target, &migration);
}

#[test]
fn what_can_be_done_beside_an_impossible_swap_is_done() {
    let original = [spot(0, 0, 1), spot(1, 1, 1), spot(2, 2, 1)];
    let view = view(&[(1, 10), (1, 10), (1, 3)], &[10, 10, 5, 5], &original);
    let target = [spot(0, 1, 1), spot(1, 0, 1), spot(2, 3, 1)];
    let migration = plan(&view, &target, SAFE);
    assert!(!migration.stuck.is_empty());
    assert_eq!(migration.waves.len(), 2, "service 2 moves");
    replay(&view, &target, &migration);
}

#[test]
fn a_ring_of_full_nodes_turns() {
    let original: Vec<Spot> = (0..6).map(|s| spot(s, s, 4)).collect();
    let mut capacity = vec![4; 6];
    capacity.push(1);
    let view = view(&[(4, 1); 6], &capacity, &original);
    let target: Vec<Spot> = (0..6).map(|s| spot(s, (s + 1) % 6, 4)).collect();
    let migration = plan(&view, &target, SAFE);
    assert!(migration.stuck.is_empty());
    replay(&view, &target, &migration);
}

#[test]
fn a_node_is_emptied_without_an_outage() {
    let original = [spot(0, 0, 1), spot(1, 0, 2), spot(2, 0, 8), spot(2, 1, 2)];
    let view = view(&[(1, 3), (2, 2), (10, 1)], &[15, 10, 8], &original);
    let target = [spot(0, 1, 1), spot(1, 2, 2), spot(2, 1, 6), spot(2, 2, 4)];
    let migration = plan(&view, &target, SAFE);
    assert!(migration.stuck.is_empty());
    replay(&view, &target, &migration);
}

#[test]
fn random_plans_are_legal_in_every_prefix() {
    let mut random = Random::seed_from_u64(11);
    let (mut finished, mut with_outage) = (0, 0);
    for _ in 0..2_000 {
        let (n, m) = (
            random.random_range(1..6usize),
            random.random_range(2..6usize),
        );
        let services: Vec<(u32, u64)> = (0..n)
            .map(|_| (random.random_range(1..7u32), random.random_range(1..4u64)))
            .collect();
        let scatter = |random: &mut Random| -> Vec<Spot> {
            let mut at: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            for (s, (d, _)) in services.iter().enumerate() {
                for _ in 0..*d {
                    *at.entry((s as u32, random.random_range(0..m as u32)))
                        .or_default() += 1;
                }
            }
            at.into_iter().map(|((s, n), c)| spot(s, n, c)).collect()
        };
        let (original, target) = (scatter(&mut random), scatter(&mut random));
        let load = |spots: &[Spot], node: u32| -> u64 {
            let here = spots.iter().filter(|spot| spot.node == node);
            here.map(|s| services[s.service as usize].1 * u64::from(s.count))
                .sum()
        };
        // Tight: each node holds the larger of its two loads and little more.
        let capacity: Vec<u64> = (0..m as u32)
            .map(|node| {
                load(&original, node).max(load(&target, node)) + random.random_range(0..3u64)
            })
            .collect();
        let view = view(&services, &capacity, &original);
        let migration = plan(&view, &target, SAFE);
        finished += u32::from(migration.stuck.is_empty());
        replay(&view, &target, &migration);
        let migration = plan(&view, &target, WITH_OUTAGE);
        with_outage += u32::from(migration.stuck.is_empty());
        replay(&view, &target, &migration);
    }
    assert!(with_outage > finished, "{with_outage} {finished}");
    assert!(
        finished > 1_500,
        "only {finished} of 2000 tight plans found a way"
    );
}

#[test]
fn an_allowed_outage_of_one_replica_breaks_an_impossible_swap() {
    let original = [spot(0, 0, 1), spot(1, 1, 1)];
    let view = view(&[(1, 10), (1, 10)], &[10, 10], &original);
    let target = [spot(0, 1, 1), spot(1, 0, 1)];
    let migration = plan(&view, &target, WITH_OUTAGE);
    assert!(migration.stuck.is_empty());
    assert_eq!(migration.outages.len(), 1, "one service, once");
    replay(&view, &target, &migration);
}

#[test]
fn no_outage_where_a_detour_helps() {
    let original = [spot(0, 0, 1), spot(1, 1, 1)];
    let view = view(&[(1, 10), (1, 10)], &[10, 10, 10], &original);
    let target = [spot(0, 1, 1), spot(1, 0, 1)];
    let migration = plan(&view, &target, WITH_OUTAGE);
    assert!(migration.stuck.is_empty() && migration.outages.is_empty());
    replay(&view, &target, &migration);
}

/// Every machine full to the last unit, services of one, two and three
/// replicas, everything one machine further.
#[test]
fn full_machines_without_a_spare_unit_turn_with_outages_only() {
    let services = [(1, 6), (2, 3), (3, 2), (1, 6)];
    let original: Vec<Spot> = (0..4).map(|s| spot(s, s, services[s as usize].0)).collect();
    let view = view(&services, &[6; 4], &original);
    let target: Vec<Spot> = (0..4)
        .map(|s| spot(s, (s + 1) % 4, services[s as usize].0))
        .collect();
    let stuck = plan(&view, &target, SAFE);
    assert!(!stuck.stuck.is_empty() && stuck.waves.is_empty() && stuck.outages.is_empty());
    replay(&view, &target, &stuck);
    let migration = plan(&view, &target, WITH_OUTAGE);
    replay(&view, &target, &migration);
}

/// Two nodes exchange services of two replicas each; a replica can leave only
/// after its twin is created elsewhere, and there is room for one at a time.
#[test]
fn services_of_two_swap_with_room_for_one() {
    let original = [spot(0, 0, 2), spot(1, 1, 2)];
    let view = view(&[(2, 5), (2, 5)], &[10, 10, 5], &original);
    let target = [spot(0, 1, 2), spot(1, 0, 2)];
    let migration = plan(&view, &target, SAFE);
    assert!(migration.stuck.is_empty());
    replay(&view, &target, &migration);
}

/// Two services that must not meet exchange their nodes: each waits for the
/// other to leave, and a third node is the way out.
#[test]
fn services_that_keep_apart_change_places_through_a_third_node() {
    let original = [spot(0, 0, 1), spot(1, 1, 1)];
    let target = [spot(0, 1, 1), spot(1, 0, 1)];
    for nodes in [2, 3] {
        let mut view = view(&[(1, 1), (1, 1)], &vec![9; nodes], &original);
        view.limits = vec![Limit {
            of: 0,
            on: 1,
            max: 0,
        }];
        let view = view.finish();
        let migration = plan(&view, &target, SAFE);
        if nodes == 2 {
            assert!(!migration.stuck.is_empty() && migration.waves.is_empty());
        } else {
            assert!(migration.stuck.is_empty() && migration.detours > 0);
            replay(&view, &target, &migration);
        }
    }
}
