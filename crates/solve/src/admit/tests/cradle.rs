//! The sweep against the paper's recursion, and both against brute force.

use bayplan_model::Problem;
use rand::{RngExt, SeedableRng};

use super::generate::{Shape, small};
use crate::admit::cradle::{Family, RESIDUAL_TOLERANCE, cradle, local_ratio};
use crate::admit::guarantee::{Guarantee, Wide};
use crate::admit::view::{NOWHERE, View};
use crate::admit::wide;
use crate::{Budget, Context, Random};

fn context() -> Context {
    Context::new(1, Budget::Steps(1000), 1)
}

fn meet(view: &View, i: u32, j: u32) -> bool {
    let (s, f) = (&view.requests.start, &view.requests.finish);
    s[i as usize].max(s[j as usize]) < f[i as usize].min(f[j as usize])
}

/// Whether `request` fits beside `others` on a node, at every start.
fn fits_plainly(view: &View, request: u32, others: &[u32], node: usize) -> bool {
    let mut times: Vec<i64> = others
        .iter()
        .map(|j| view.requests.start[*j as usize])
        .collect();
    times.push(view.requests.start[request as usize]);
    let runs = |j: u32, time: i64| {
        view.requests.start[j as usize] <= time && time < view.requests.finish[j as usize]
    };
    times
        .into_iter()
        .filter(|time| runs(request, *time))
        .all(|time| {
            (0..view.resources).all(|r| {
                let running = others.iter().filter(|j| runs(**j, time));
                let load: u64 = running.map(|j| view.demand(*j)[r]).sum();
                load + view.demand(request)[r] <= view.capacity(node)[r]
            })
        })
}

/// Algorithm 1 of the paper, word by word; returns the sets of the nodes.
fn recursion(view: &View, members: &[u32], weight: &[f64], family: Family) -> Vec<Vec<u32>> {
    let dead = |j: &u32| weight[*j as usize] <= RESIDUAL_TOLERANCE * view.weight(*j) as f64;
    let alive: Vec<u32> = members.iter().copied().filter(|j| !dead(j)).collect();
    let Some(first) = alive
        .iter()
        .copied()
        .min_by_key(|j| (view.requests.finish[*j as usize], *j))
    else {
        return vec![Vec::new(); view.nodes];
    };
    let k = view.nodes as f64;
    let total = view.resources as f64 * k;
    let mut reduced = weight.to_vec();
    for j in alive
        .iter()
        .copied()
        .filter(|j| *j != first && meet(view, *j, first))
    {
        let share = match family {
            Family::Narrow => view.total_size(j) / (total - view.total_size(first)),
            Family::Wide(_) => 1.0 / k,
        };
        reduced[j as usize] -= weight[first as usize] * share;
    }
    reduced[first as usize] = 0.0;
    let mut sets = recursion(view, &alive, &reduced, family);
    let free = (0..view.nodes).find(|node| match family {
        Family::Narrow => fits_plainly(view, first, &sets[*node], *node),
        Family::Wide(_) => sets[*node].iter().all(|j| !meet(view, *j, first)),
    });
    if let Some(node) = free {
        sets[node].push(first);
    }
    sets
}

#[test]
fn the_sweep_is_the_recursion() {
    let random = &mut Random::seed_from_u64(7);
    let mut compared = 0;
    for case in 0..3000 {
        let shape = Shape {
            requests: random.random_range(1..40),
            nodes: random.random_range(1..5),
            resources: 1 + case % 2,
            horizon: random.random_range(3..40),
            largest: [4, 6, 10][case % 3],
            weighted: !case.is_multiple_of(4),
            identical: true,
        };
        let problem = small(shape, random);
        let view = View::new(&problem).unwrap();
        let placeable = view.placeable();
        let weight: Vec<f64> = (0..view.len() as u32)
            .map(|j| view.weight(j) as f64)
            .collect();
        for family in Family::all(shape.resources) {
            let members = family.members(&view, &placeable);
            let swept = local_ratio(&view, &members, family, &context());
            let mut plain = vec![NOWHERE; view.len()];
            for (node, set) in recursion(&view, &members, &weight, family)
                .iter()
                .enumerate()
            {
                for j in set {
                    plain[*j as usize] = node as u32;
                }
            }
            assert_eq!(swept, plain, "case {case}, {family:?}");
            compared += 1;
        }
    }
    assert!(compared >= 6000);
}

/// The best value by trying everything.
fn brute_force(view: &View, requests: &[u32]) -> u64 {
    fn go(view: &View, left: &[u32], sets: &mut Vec<Vec<u32>>, value: u64, best: &mut u64) {
        *best = (*best).max(value);
        let Some((first, rest)) = left.split_first() else {
            return;
        };
        let all: u64 = left.iter().map(|j| view.weight(*j)).sum();
        if value + all <= *best {
            return;
        }
        for node in 0..sets.len() {
            if fits_plainly(view, *first, &sets[node], node) {
                sets[node].push(*first);
                go(view, rest, sets, value + view.weight(*first), best);
                sets[node].pop();
            }
            // Empty nodes are alike.
            if view.identical && sets[node].is_empty() {
                break;
            }
        }
        go(view, rest, sets, value, best);
    }
    let mut best = 0;
    go(
        view,
        requests,
        &mut vec![Vec::new(); view.nodes],
        0,
        &mut best,
    );
    best
}

pub fn best_value(problem: &Problem) -> u64 {
    let view = View::new(problem).unwrap();
    brute_force(&view, &view.placeable())
}

pub fn tiny_shape(case: usize, random: &mut Random) -> Shape {
    Shape {
        requests: random.random_range(1..10),
        nodes: random.random_range(1..4),
        resources: 1 + case % 2,
        horizon: random.random_range(2..12),
        largest: [5, 7, 10][case % 3],
        weighted: !case.is_multiple_of(4),
        identical: true,
    }
}

#[test]
fn the_guarantees_hold_on_tiny_cases() {
    let random = &mut Random::seed_from_u64(11);
    let (mut twelve, mut nine) = (Vec::new(), Vec::new());
    for case in 0..600 {
        let problem = small(tiny_shape(case, random), random);
        let view = View::new(&problem).unwrap();
        let best = best_value(&problem);
        if best == 0 {
            continue;
        }
        let value = view.value(&cradle(&view, &context()));
        let factor = Guarantee::of(&view, Wide::LocalRatio).factor.unwrap();
        assert!(
            factor <= 12.0 && value as f64 * factor >= best as f64,
            "case {case}"
        );
        twelve.push(value as f64 / best as f64);

        let placeable = view.placeable();
        let wide: Vec<u32> = placeable
            .iter()
            .copied()
            .filter(|j| !view.is_narrow(*j))
            .collect();
        let exact = wide::optimal(&view, &wide, &context()).unwrap();
        super::state::assert_holds(&problem, &view, &exact);
        assert_eq!(view.value(&exact), brute_force(&view, &wide), "case {case}");
        let narrow = Family::Narrow.members(&view, &placeable);
        let narrow = local_ratio(&view, &narrow, Family::Narrow, &context());
        let value = view.value(&exact).max(view.value(&narrow));
        let factor = Guarantee::of(&view, Wide::Optimal).factor.unwrap();
        assert!(
            factor <= 9.0 && value as f64 * factor >= best as f64,
            "case {case}"
        );
        nine.push(value as f64 / best as f64);
    }
    for (name, ratios) in [("Cradle", &mut twelve), ("Cradle-DP", &mut nine)] {
        ratios.sort_unstable_by(f64::total_cmp);
        let (worst, median) = (ratios[0], ratios[ratios.len() / 2]);
        println!(
            "{name}: worst {worst:.3}, median {median:.3} of the best, {} cases",
            ratios.len()
        );
        assert!(worst > 1.0 / 12.0 && median > 0.5);
    }
}
