//! The incremental state against the definitions, and every answer against the
//! verifier, on random small clusters.

use bayplan_model::*;
use bayplan_verify::{Rules, check};
use rand::{RngExt, SeedableRng};

use super::anneal::walk::Goal;
use super::anneal::{Anneal, Length};
use super::frontier::frontier;
use super::gain::{gain_of, moves_of};
use super::schedule::start;
use super::state::State;
use super::view::View;
use super::{Params, solve};
use crate::{Budget, Context, Random};

/// A random cluster with every rule `colocate` honours.
pub(super) fn random_problem(random: &mut Random, services: usize, nodes: usize) -> Problem {
    let below = |random: &mut Random, limit: u32| random.random_range(0..limit);
    let pools: Vec<Pool> = (0..3)
        .map(|p| Pool {
            name: format!("pool{p}"),
            capacity: vec![20 + 10 * p, 30],
            price: 0,
            max_count: None,
            labels: Labels::new(),
        })
        .collect();
    let all_nodes = (0..nodes).map(|n| Node {
        name: format!("n{n}"),
        pool: PoolId(below(random, 3)),
        labels: Labels::from([("zone".into(), format!("z{}", n % 3))]),
    });
    let cluster = Cluster {
        resources: ["cpu", "memory"]
            .map(|name| Resource {
                name: name.into(),
                unit: "unit".into(),
                scale: 1,
            })
            .to_vec(),
        nodes: all_nodes.collect(),
        pools,
    };
    let list: Vec<Service> = (0..services)
        .map(|_| Service {
            replicas: 1 + below(random, 6),
            demand: vec![1 + u64::from(below(random, 4)), u64::from(below(random, 5))],
            variance: Vec::new(),
            pinned: below(random, 8) == 0,
            alive: 0,
        })
        .collect();
    let mut all = Services::new(Names::numbered("s", services), 1, list);
    for _ in 0..2 * services {
        let (a, b) = (
            below(random, services as u32),
            below(random, services as u32),
        );
        if a != b {
            let weight = f64::from(1 + below(random, 100));
            all.traffic.push(Traffic {
                a: ServiceId(a),
                b: ServiceId(b),
                weight,
            });
        }
    }
    for set in 0..below(random, 3) {
        let members = (0..services as u32)
            .filter(|_| below(random, 3) == 0)
            .map(ServiceId);
        let members: Vec<ServiceId> = members.collect();
        let zone = below(random, 2) == 0;
        all.spread.push(SpreadSet {
            name: format!("set{set}"),
            members,
            max: 3 + below(random, 4),
            level: if zone {
                Level::Label("zone".into())
            } else {
                Level::Node
            },
        });
    }
    let mut limits = LimitsBuilder::new(services);
    for of in 0..services as u32 {
        let (on, max) = (below(random, services as u32), below(random, 3));
        if of != on && below(random, 4) == 0 {
            let row = [(ServiceId(on), max)];
            limits
                .extend(ServiceId(of), row)
                .expect("services that exist");
        }
    }
    all.limits = limits.build().expect("each pair once");
    let reach: Vec<Option<Reach>> = (0..services)
        .map(|_| {
            (below(random, 5) == 0).then(|| {
                let mut reach = Reach {
                    nodes: fixedbitset::FixedBitSet::with_capacity(nodes),
                    pools: fixedbitset::FixedBitSet::with_capacity(3),
                };
                (0..nodes)
                    .filter(|n| n % 2 == 0)
                    .for_each(|n| reach.nodes.insert(n));
                reach
            })
        })
        .collect();
    all.compatibility = Compatibility::new(reach, nodes, 3);
    let mut counts = Vec::new();
    for s in all.ids() {
        for _ in 0..all.replicas[s.index()] {
            let node = NodeId(below(random, nodes as u32));
            counts.push(Count {
                service: s,
                node,
                count: 1,
            });
        }
    }
    all.placement = Placement::new(counts);
    Problem::new(cluster, Workload::Services(all)).expect("a valid problem")
}

#[test]
fn the_state_agrees_with_the_definitions_after_every_move() {
    let mut random = Random::seed_from_u64(5);
    for case in 0..300 {
        let problem = random_problem(&mut random, 7, 5);
        let label = (case % 3 == 0).then_some("zone");
        let view = View::new(&problem, label, &[]).expect("supported");
        let mut state = State::new(&view, &view.original);
        for _ in 0..40 {
            let service = random.random_range(0..7u32);
            let range = state.range(service);
            let replica = random.random_range(range);
            let (from, to) = (
                state.homes(service)[replica - state.range(service).start],
                random.random_range(0..5u32),
            );
            if from == to {
                continue;
            }
            let count = random.random_range(1..=state.count(service, from));
            let (gain, moves) = (state.gain, state.moves);
            let expected = gain + state.gain_if(service, from, to, count);
            let more = moves + state.moves_if(service, from, to, count);
            state.shift(service, replica, to, count);
            assert!((state.gain - expected).abs() < 1e-9);
            assert_eq!(state.moves, more);
            if random.random_bool(0.4) {
                state.rollback(gain, moves);
            } else {
                state.commit();
            }
            let spots = state.spots();
            assert!((state.gain - gain_of(&view, &spots)).abs() < 1e-9);
            assert_eq!(state.moves as u64, moves_of(&view, &spots));
        }
    }
}

/// Asks the verifier: nothing may be broken beyond what was broken on arrival.
pub(super) fn verified(
    problem: &Problem,
    params: &Params,
    steps: u64,
    threads: usize,
) -> crate::Solution {
    let context = Context::new(7, Budget::Steps(steps), threads);
    let solution = solve(problem, params, &context).expect("an answer");
    let rules = Rules {
        alive: params.alive,
        gain_level: params.gain_label.clone(),
        complete: false,
        ..Rules::default()
    };
    let report = check(problem, &solution.plan, &rules);
    assert!(
        report.holds(),
        "{} {:?}",
        solution.algorithm,
        report.violations
    );
    let gained = report.figures.gained_affinity.unwrap_or(0.0);
    assert!(
        (gained - solution.objective).abs() < 1e-9,
        "{gained} {}",
        solution.objective
    );
    if let Some(bound) = solution.bound {
        assert!(solution.objective <= bound + 1e-9);
    }
    solution
}

#[test]
fn every_answer_passes_the_verifier() {
    let mut random = Random::seed_from_u64(9);
    for case in 0..8 {
        let problem = random_problem(&mut random, 8, 6);
        for algorithm in super::algorithms() {
            let params = Params {
                algorithm: algorithm.name,
                gain_label: (case % 4 == 0).then(|| "zone".into()),
                ..Params::default()
            };
            verified(&problem, &params, 4_000, 2);
        }
    }
}

#[test]
fn a_limit_on_moves_is_kept_and_nothing_gets_worse() {
    let mut random = Random::seed_from_u64(13);
    for _ in 0..40 {
        let problem = random_problem(&mut random, 8, 6);
        let view = View::new(&problem, None, &[]).expect("supported");
        let needed = moves_of(&view, &start(&view));
        let most = needed + random.random_range(0..6u64);
        let params = Params {
            max_moves: Some(most),
            ..Params::default()
        };
        let solution = verified(&problem, &params, 6_000, 1);
        let services = problem.services().expect("services");
        let Plan::Placement(plan) = &solution.plan else {
            panic!("a placement")
        };
        assert!(plan.placement.moves_from(&services.placement) <= most);
        assert!(solution.objective >= gain_of(&view, &start(&view)) - 1e-9);
    }
}

#[test]
fn a_curve_of_few_steps_still_rises_from_the_first_moves_on() {
    let mut random = Random::seed_from_u64(15);
    for _ in 0..6 {
        let problem = random_problem(&mut random, 40, 16);
        let context = Context::new(7, Budget::Steps(60_000), 1);
        let curve = frontier(&problem, &Params::default(), &context).expect("a curve");
        let services = problem.services().expect("services");
        let points = curve.iter().map(|point| {
            let Plan::Placement(plan) = &point.plan else {
                panic!("a placement")
            };
            let report = check(&problem, &point.plan, &Rules::default());
            assert!(report.holds(), "{:?}", report.violations);
            (
                plan.placement.moves_from(&services.placement),
                point.objective,
            )
        });
        let points: Vec<(u64, f64)> = points.collect();
        assert!(
            points.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1),
            "{points:?}"
        );
        assert!(points.len() >= 4, "{points:?}");
    }
}

#[test]
fn a_climb_keeps_its_limit_and_mostly_gains() {
    let mut random = Random::seed_from_u64(16);
    let mut gained = 0;
    for case in 0..100 {
        let problem = random_problem(&mut random, 8, 6);
        let view = View::new(&problem, None, &[]).expect("supported");
        let from = start(&view);
        let begin = State::new(&view, &from);
        let goal = Goal {
            price: 0.0,
            max_moves: begin.moves + 3,
        };
        let context = Context::new(case, Budget::Steps(1), 1);
        let (length, lane) = (Length::Steps(3_000), context.random(1));
        let climbed = Anneal::new(&view).climb(&from, goal, length, lane, &context);
        assert!(climbed.moves <= goal.max_moves);
        assert!((climbed.gain - gain_of(&view, &climbed.spots())).abs() < 1e-9);
        gained += u32::from(climbed.gain > begin.gain + 1e-9);
    }
    // Some have no edge that three moves can bring together.
    assert!(gained >= 80, "{gained} of 100");
}

#[test]
fn steps_give_the_same_plan_on_any_number_of_threads() {
    let mut random = Random::seed_from_u64(17);
    let problem = random_problem(&mut random, 12, 9);
    for algorithm in ["auto", "rasa", "pop"] {
        let params = Params {
            algorithm: algorithm.into(),
            ..Params::default()
        };
        let one = verified(&problem, &params, 20_000, 1);
        let three = verified(&problem, &params, 20_000, 3);
        assert_eq!(one, three);
    }
}
