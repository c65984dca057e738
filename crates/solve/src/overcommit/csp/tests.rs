//! The cutting stock against brute force.

use std::collections::BTreeMap;

use bayplan_model::at_confidence;

use super::super::biheu::bi_level;
use super::super::fleet::Fleet;
use super::super::kinds::{Kinds, loads};
use super::super::testing::{all_patterns, random_problem};
use super::super::view::View;
use super::super::{Objective, Params, solve};
use super::blocks::improve;
use crate::{Budget, Context};

/// The least (objective, machines) over all ways to place everything, by
/// dynamic programming over machines; `None` when it cannot all be placed.
pub(crate) fn plain_optimum(view: &View, objective: Objective) -> Option<(f64, u64)> {
    let current = Fleet::current(view);
    let kinds = Kinds::new(view, &current);
    let wanted_total: u64 = kinds.wanted.iter().map(|w| u64::from(*w)).sum();
    // Reached: what is left, with the least value so far.
    let mut reached: BTreeMap<Vec<u32>, (f64, u64)> =
        BTreeMap::from([(kinds.wanted.clone(), (0.0, 0))]);
    for (row, about) in kinds.rows.iter().enumerate() {
        let of_row: Vec<usize> = (0..kinds.kinds.len())
            .filter(|k| kinds.kinds[*k].row == row)
            .collect();
        for _ in 0..about
            .count()
            .min(about.machines.len() as u64 + wanted_total)
        {
            let mut next: BTreeMap<Vec<u32>, (f64, u64)> = BTreeMap::new();
            for &kind in &of_row {
                let kind = &kinds.kinds[kind];
                for pattern in all_patterns(view, kind, &kinds.wanted) {
                    let add = |mean: u64, (s, n): &(u32, u32)| {
                        mean + view.mean_of(*s as usize)[0] * u64::from(*n)
                    };
                    let mean = pattern.iter().fold(kind.mean[0], add);
                    let add = |sum: u128, (s, n): &(u32, u32)| {
                        sum + view.variance_of(*s as usize)[0] * u128::from(*n)
                    };
                    let variance = pattern.iter().fold(kind.variance[0], add);
                    let used = u64::from(!(kind.is_empty() && pattern.is_empty()));
                    let cost = match objective {
                        Objective::Ucac => at_confidence(mean, variance, view.d),
                        Objective::Machines => used as f64,
                    };
                    for (left, (value, machines)) in &reached {
                        if pattern.iter().any(|(s, n)| left[*s as usize] < *n) {
                            continue;
                        }
                        let mut left = left.clone();
                        pattern.iter().for_each(|(s, n)| left[*s as usize] -= n);
                        let found = (value + cost, machines + used);
                        let best = next.entry(left).or_insert(found);
                        if found.0 < best.0 - 1e-12 {
                            *best = found;
                        }
                    }
                }
            }
            reached = next;
        }
    }
    reached.get(&vec![0; view.count()]).copied()
}

#[test]
fn bounds_never_exceed_the_optimum_and_answers_are_near_it() {
    let ctx = Context::new(21, Budget::Steps(1), 1);
    let (mut compared, mut optimal) = (0, 0);
    for case in 0..90 {
        let mut random = ctx.random(case);
        let problem = random_problem(&mut random, case % 3 == 0);
        let d = [0.0, 1.0, 2.326][case as usize % 3];
        let view = View::new(&problem, d).unwrap();
        let current = Fleet::current(&view);
        if current.held.iter().any(|held| view.breaks_rules(held)) {
            continue; // what may stay broken is not a matter of patterns
        }
        for objective in [Objective::Ucac, Objective::Machines] {
            let Some((optimum, _)) = plain_optimum(&view, objective) else {
                continue;
            };
            for algorithm in [
                "auto",
                "BF-n-sigma",
                "BF-UCaC",
                "BiHeu",
                "CSP-Mac",
                "CSP-UCaC",
            ] {
                let params = Params {
                    algorithm: algorithm.into(),
                    objective: Some(objective),
                    d_alpha: Some(d),
                    ..Params::default()
                };
                let run = Context::new(case, Budget::Steps(20), 1);
                let solution = solve(&problem, &params, &run).unwrap();
                let bayplan_model::Plan::Placement(plan) = &solution.plan else {
                    panic!("a placement")
                };
                if !plan.unplaced.is_empty() {
                    continue; // a heuristic may fail where brute force does not
                }
                let tolerance = 1e-7 * optimum.max(1.0);
                let bound = solution.bound.unwrap();
                assert!(
                    bound <= optimum + tolerance,
                    "case {case} {algorithm} {objective:?}: bound {bound} optimum {optimum}"
                );
                assert!(
                    solution.objective >= optimum - tolerance,
                    "case {case} {algorithm}: {} beats {optimum}",
                    solution.objective
                );
                assert!(!solution.proven || solution.objective <= optimum + tolerance);
                if algorithm == "auto" {
                    compared += 1;
                    optimal += u32::from(solution.objective <= optimum + tolerance);
                }
            }
        }
    }
    assert!(
        compared > 60 && optimal * 10 >= compared * 9,
        "{optimal} of {compared} optimal"
    );
}

/// Theorem 5: on empty machines the least UCaC needs at most 8/3 of the fewest machines.
#[test]
fn least_ucac_needs_few_machines() {
    let ctx = Context::new(22, Budget::Steps(1), 1);
    let mut compared = 0;
    for case in 0..60 {
        let mut random = ctx.random(case);
        let (mut cluster, workload) = random_problem(&mut random, false).into_parts();
        let bayplan_model::Workload::Services(mut services) = workload else {
            panic!("services")
        };
        cluster.nodes.clear();
        cluster.pools.truncate(1);
        services.placement = Default::default();
        // The theorem is about one resource.
        let resources = cluster.resources.len();
        cluster.resources.truncate(1);
        cluster.pools[0].capacity.truncate(1);
        services.demand = services.demand.into_iter().step_by(resources).collect();
        services.variance = services.variance.into_iter().step_by(resources).collect();
        let workload = bayplan_model::Workload::Services(services);
        let problem = bayplan_model::Problem::new(cluster, workload).unwrap();
        let view = View::new(&problem, 1.5).unwrap();
        let Some((_, machines)) = plain_optimum(&view, Objective::Ucac) else {
            continue;
        };
        let (fewest, _) = plain_optimum(&view, Objective::Machines).unwrap();
        assert!(
            machines as f64 <= 8.0 / 3.0 * fewest + 1e-9,
            "{machines} against {fewest}"
        );
        // The proof needs only that no machine is opened while another takes the replica.
        for heuristic in ["BF-UCaC", "BiHeu"] {
            let params = Params {
                algorithm: heuristic.into(),
                objective: Some(Objective::Machines),
                d_alpha: Some(1.5),
                ..Params::default()
            };
            let run = Context::new(case, Budget::Steps(1), 1);
            let found = solve(&problem, &params, &run).unwrap().objective;
            assert!(
                found <= 8.0 / 3.0 * fewest + 1e-9,
                "{heuristic}: {found} against {fewest}"
            );
        }
        compared += 1;
    }
    assert!(compared > 30);
}

/// Blocks keep every replica and every machine within its capacity, never do
/// worse, and give the same on any number of threads.
#[test]
fn blocks_improve_what_a_heuristic_found() {
    let options = bayplan_papers::generate::OvercommitOptions {
        services: 8,
        machines: 400,
        containers: Some(2500),
        scale: Some(1.3),
        ..Default::default()
    };
    let problem = bayplan_papers::generate::overcommit(&options, 3).unwrap();
    let view = View::new(&problem, 3.09).unwrap();
    let current = Fleet::current(&view);
    let kinds = Kinds::new(&view, &current);
    let mut start = current.clone();
    assert!(bi_level(&view, &mut start).iter().all(|left| *left == 0));
    let improved = |threads: usize| {
        let mut fleet = start.clone();
        let ctx = Context::new(5, Budget::Steps(20), threads);
        assert!(improve(&view, &kinds, Objective::Ucac, &mut fleet, &ctx).unwrap());
        fleet
    };
    let fleet = improved(1);
    assert_eq!(fleet.held, improved(3).held);
    assert!(fleet.ucac(view.d) < start.ucac(view.d) * 0.9999);
    let total = |fleet: &Fleet, service: usize| -> u32 {
        (0..fleet.len()).map(|m| fleet.count(m, service)).sum()
    };
    for service in 0..view.count() {
        assert_eq!(total(&fleet, service), view.services.replicas[service]);
    }
    for machine in 0..fleet.len() {
        let (mean, variance) = loads(&view, &fleet.held[machine]);
        assert!(view.fits(fleet.pool[machine], &mean, &variance));
        if let Some(before) = current.held.get(machine) {
            let stays = |(s, n): &(u32, u32)| fleet.count(machine, *s as usize) >= *n;
            assert!(before.iter().all(stays), "what runs stays where it is");
        }
    }
}
