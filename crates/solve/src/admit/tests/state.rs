//! The load table against plain sums.

use bayplan_model::{Plan, Problem};
use bayplan_verify::{Rules, check};
use rand::{RngExt, SeedableRng};

use super::generate::{Shape, small};
use crate::Random;
use crate::admit::state::State;
use crate::admit::view::{NOWHERE, View};

/// The verifier accepts the plan and counts its weight.
pub fn assert_holds(problem: &Problem, view: &View, node_of: &[u32]) {
    let plan = Plan::Admission(view.plan(node_of));
    let rules = Rules {
        complete: false,
        ..Rules::default()
    };
    let report = check(problem, &plan, &rules);
    assert!(report.holds(), "{:?}", report.violations);
    assert_eq!(report.figures.weight, Some(u128::from(view.value(node_of))));
}

/// Load of a node in a slot, by adding up.
fn load(view: &View, node_of: &[u32], node: usize, slot: u32, resource: usize) -> u64 {
    let runs = |j: &usize| node_of[*j] == node as u32 && view.lo[*j] <= slot && slot < view.hi[*j];
    (0..view.len())
        .filter(runs)
        .map(|j| view.demand(j as u32)[resource])
        .sum()
}

fn compare(shape: Shape, cells: usize, random: &mut Random) {
    let problem = small(shape, random);
    let view = View::new(&problem).unwrap();
    let mut state = State::with_cells(&view, cells);
    let mut found = Vec::new();
    for _ in 0..3 * shape.requests {
        let request = random.random_range(0..shape.requests) as u32;
        if state.has(request) {
            state.remove(request);
            continue;
        }
        let slots = view.lo[request as usize]..view.hi[request as usize];
        let highest = |node: usize, r: usize| {
            slots
                .clone()
                .map(|slot| load(&view, state.node_of(), node, slot, r))
                .max()
                .unwrap()
        };
        let fits = |node: usize| {
            (0..shape.resources)
                .all(|r| highest(node, r) + view.demand(request)[r] <= view.capacity(node)[r])
        };
        let plain: Vec<u32> = (0..shape.nodes as u32)
            .filter(|n| fits(*n as usize))
            .collect();
        state.fitting(request, &mut found);
        assert_eq!(found, plain);
        assert_eq!(state.first_fit(request), plain.first().map(|n| *n as usize));
        for node in 0..shape.nodes {
            assert_eq!(state.fits(request, node), plain.contains(&(node as u32)));
            for r in 0..shape.resources {
                assert_eq!(state.highest(request, node, r), highest(node, r));
            }
        }
        if !plain.is_empty() {
            let node = plain[random.random_range(0..plain.len())];
            state.place(request, node as usize);
        }
    }
    assert_eq!(state.value(), view.value(state.node_of()));
    let admitted = state.node_of().iter().filter(|n| **n != NOWHERE).count();
    assert_eq!(state.admitted(), admitted);
    assert_holds(&problem, &view, state.node_of());
}

#[test]
fn the_load_table_counts_what_plain_sums_count() {
    let random = &mut Random::seed_from_u64(3);
    for case in 0..600 {
        let shape = Shape {
            requests: random.random_range(1..60),
            nodes: random.random_range(1..6),
            resources: 1 + case % 3,
            horizon: random.random_range(2..70),
            largest: [3, 5, 10][case % 3],
            weighted: true,
            identical: case % 2 == 0,
        };
        // Few cells make buckets of several slots.
        compare(shape, [1 << 19, 64, 12, 1][case % 4], random);
    }
}
