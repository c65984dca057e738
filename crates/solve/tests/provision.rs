//! Every algorithm of `provision` against the verifier, brute force and the
//! integer program, on small random inputs.

use bayplan_model::{
    Cluster, Compatibility, Count, Labels, Level, Limit, LimitsBuilder, Names, Node, NodeId,
    Placement, Plan, Pool, PoolId, Problem, Reach, Resource, Service, ServiceId, Services,
    SpreadSet, Workload,
};
use bayplan_solve::provision::{Params, algorithms, solve};
use bayplan_solve::{Budget, Context, Solution};
use bayplan_verify::{Report, Rules, check};
use fixedbitset::FixedBitSet;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What a random input may contain.
#[derive(Clone, Copy, Default)]
struct Spice {
    epochs: usize,
    pools: usize,
    rules: bool,
    existing: bool,
}

fn random_problem(seed: u64, services: usize, spice: Spice) -> Problem {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let epochs = spice.epochs.max(1);
    let resources = ["cpu", "memory"].map(|name| Resource {
        name: name.into(),
        unit: "unit".into(),
        scale: 1,
    });
    let pool = |p: usize| Pool {
        name: format!("pool{p}"),
        capacity: vec![20 + 10 * p as u64, 30 + 7 * p as u64],
        price: 1_000_000 + 600_000 * p as u64,
        max_count: None,
        labels: Labels::from([("zone".into(), ["a", "b"][p % 2].into())]),
    };
    let pools: Vec<Pool> = (0..spice.pools.max(1)).map(pool).collect();
    let mut row = || Service {
        replicas: random.random_range(1..=3),
        demand: (0..2 * epochs)
            .map(|_| random.random_range(1..=12))
            .collect(),
        variance: Vec::new(),
        pinned: false,
        alive: 0,
    };
    let rows: Vec<Service> = (0..services).map(|_| row()).collect();
    let mut all = Services::new(Names::numbered("s", services), epochs, rows);
    let mut limits = LimitsBuilder::new(services);
    for of in 0..services {
        for on in 0..services {
            if random.random_range(0..4) == 0 && (of != on || random.random_range(0..2) == 0) {
                let max = random.random_range(0..3) + u32::from(of == on);
                let (of, on) = (ServiceId::from(of), ServiceId::from(on));
                limits.push(Limit { of, on, max }).unwrap();
            }
        }
    }
    all.limits = limits.build().unwrap();
    let node = |n: usize| Node {
        name: format!("n{n}"),
        pool: PoolId::from(n % pools.len()),
        labels: Labels::new(),
    };
    let nodes: Vec<Node> = (0..if spice.existing { 3 } else { 0 }).map(node).collect();
    if spice.rules {
        add_rules(&mut all, nodes.len(), pools.len());
    }
    if spice.existing {
        let (service, node) = (ServiceId(2), NodeId(0));
        all.placement = Placement::new(vec![Count {
            service,
            node,
            count: 1,
        }]);
    }
    let cluster = Cluster {
        resources: resources.into(),
        pools,
        nodes,
    };
    Problem::new(cluster, Workload::Services(all)).unwrap()
}

/// Spread sets at both levels, and one service for the last pool only.
fn add_rules(services: &mut Services, nodes: usize, pools: usize) {
    let set = |name: &str, members: &[u32], max, level| SpreadSet {
        name: name.into(),
        members: members.iter().map(|m| ServiceId(*m)).collect(),
        max,
        level,
    };
    services.spread.push(set("pair", &[0, 1], 2, Level::Node));
    services.spread.push(set("one", &[2], 1, Level::Node));
    services
        .spread
        .push(set("zones", &[3], 2, Level::Label("zone".into())));
    let mut reach = Reach {
        nodes: FixedBitSet::with_capacity(nodes),
        pools: FixedBitSet::with_capacity(pools),
    };
    reach.nodes.insert_range(..);
    reach.pools.insert(pools - 1);
    let mut all = vec![None; services.len()];
    all[1] = Some(reach);
    services.compatibility = Compatibility::new(all, nodes, pools);
}

fn run(problem: &Problem, params: &Params, steps: u64, threads: usize) -> (Solution, Report) {
    let ctx = Context::new(7, Budget::Steps(steps), threads);
    let solution = solve(problem, params, &ctx).unwrap();
    let rules = Rules {
        headroom: params.headroom.clone(),
        survive: params.survive.clone(),
        complete: params.nodes.is_none(),
        ..Rules::default()
    };
    let report = check(problem, &solution.plan, &rules);
    (solution, report)
}

fn named(algorithm: &str) -> Params {
    Params {
        algorithm: algorithm.into(),
        ..Params::default()
    }
}

/// Fewest nodes by trying everything: replica by replica onto each node in use
/// or one new one. Plain, from the definition of the rules; the one cut is by area.
fn brute_force(problem: &Problem) -> usize {
    let services = problem.services().unwrap();
    let mut order: Vec<usize> = (0..services.len()).collect();
    order.sort_by_key(|s| std::cmp::Reverse(demand(services, *s).iter().sum::<u64>()));
    let replicas: Vec<usize> = order
        .into_iter()
        .flat_map(|s| std::iter::repeat_n(s, services.replicas[s] as usize))
        .collect();
    let mut best = replicas.len() + 1;
    place_rest(problem, &replicas, 0, &mut Vec::new(), &mut best);
    best
}

fn place_rest(
    problem: &Problem,
    rest: &[usize],
    from: usize,
    nodes: &mut Vec<Vec<usize>>,
    best: &mut usize,
) {
    if nodes.len() >= *best || !area_suffices(problem, rest, nodes, *best - 1) {
        return;
    }
    let Some((service, after)) = rest.split_first() else {
        *best = nodes.len();
        return;
    };
    // Replicas of a service are the same: the next never goes to an earlier node.
    let known = nodes.len();
    for node in from..=known {
        if node == known {
            nodes.push(Vec::new());
        }
        nodes[node].push(*service);
        if legal(problem, &nodes[node]) {
            let same = after.first() == Some(service);
            place_rest(problem, after, if same { node } else { 0 }, nodes, best);
        }
        nodes[node].pop();
        nodes.truncate(known);
    }
}

/// Whether the rest can fit into `most` nodes by area alone, where room that
/// the smallest demand of the rest does not fit into counts for nothing.
fn area_suffices(problem: &Problem, rest: &[usize], nodes: &[Vec<usize>], most: usize) -> bool {
    let services = problem.services().unwrap();
    let capacity = &problem.cluster().pools[0].capacity;
    (0..services.width()).all(|h| {
        let size = |s: &usize| demand(services, *s)[h];
        let load: u64 = rest.iter().map(size).sum();
        let least = rest.iter().map(size).min().unwrap_or(0);
        let full = capacity[h / services.epochs];
        let free = |node: &Vec<usize>| full - node.iter().map(size).sum::<u64>();
        let usable: u64 = nodes.iter().map(free).filter(|room| *room >= least).sum();
        load <= usable + (most - nodes.len()) as u64 * full
    })
}

fn demand(services: &Services, service: usize) -> &[u64] {
    &services.demand[service * services.width()..][..services.width()]
}

fn legal(problem: &Problem, node: &[usize]) -> bool {
    let services = problem.services().unwrap();
    let capacity = &problem.cluster().pools[0].capacity;
    let fits = (0..services.width()).all(|h| {
        let load: u64 = node.iter().map(|s| demand(services, *s)[h]).sum();
        load <= capacity[h / services.epochs]
    });
    let count = |s: usize| node.iter().filter(|other| **other == s).count() as u32;
    fits && services.limits.iter().all(|limit| {
        let (of, on) = (limit.of.index(), limit.on.index());
        count(of) == 0 || count(on) <= limit.max
    })
}

#[test]
fn auto_and_the_integer_program_equal_brute_force() {
    for seed in 0..30 {
        let problem = random_problem(seed, 3 + seed as usize % 10, Spice::default());
        let best = brute_force(&problem) as f64;
        let (ilp, report) = run(&problem, &named("ILP"), 100_000, 1);
        assert!(
            report.violations.is_empty(),
            "ILP, seed {seed}: {:?}",
            report.violations
        );
        assert_eq!(
            (ilp.objective, ilp.proven),
            (best, true),
            "ILP, seed {seed}"
        );
        let (auto, report) = run(&problem, &named("auto"), 3_000, 1);
        assert!(
            report.violations.is_empty(),
            "auto, seed {seed}: {:?}",
            report.violations
        );
        assert_eq!(auto.objective, best, "auto, seed {seed}");
        assert!(auto.bound.unwrap() <= best, "bound, seed {seed}");
    }
}

#[test]
fn every_algorithm_is_feasible_and_never_below_the_optimum() {
    let names: Vec<String> = algorithms().into_iter().map(|info| info.name).collect();
    for seed in 100..108 {
        let spice = Spice {
            epochs: 1 + seed as usize % 2 * 2,
            ..Spice::default()
        };
        let problem = random_problem(seed, 5, spice);
        let best = brute_force(&problem) as f64;
        for name in &names {
            for alpha in [1.0, 0.5] {
                let params = Params {
                    alpha,
                    ..named(name)
                };
                let (solution, report) = run(&problem, &params, 500, 1);
                let violations = &report.violations;
                assert!(violations.is_empty(), "{name}, seed {seed}: {violations:?}");
                assert!(solution.objective >= best, "{name}, seed {seed}");
                assert!(solution.bound.unwrap() <= best, "{name}, seed {seed}");
                assert_eq!(solution.objective, report.figures.nodes as f64, "{name}");
            }
        }
    }
}

#[test]
fn rules_pools_prices_and_what_exists_are_honoured_by_every_algorithm() {
    let names: Vec<String> = algorithms().into_iter().map(|info| info.name).collect();
    for seed in 200..204 {
        for (existing, repack) in [(false, false), (true, false), (true, true)] {
            let spice = Spice {
                epochs: 1,
                pools: 3,
                rules: true,
                existing,
            };
            let problem = random_problem(seed, 5, spice);
            let (ilp, _) = run(
                &problem,
                &Params {
                    repack,
                    ..named("ILP")
                },
                2_000,
                1,
            );
            for name in names.iter().filter(|name| *name != "ILP") {
                let params = Params {
                    repack,
                    ..named(name)
                };
                let (solution, report) = run(&problem, &params, 300, 1);
                let broken: Vec<_> = report
                    .violations
                    .iter()
                    .filter(|v| v.rule != bayplan_verify::Rule::Unplaced)
                    .collect();
                assert!(broken.is_empty(), "{name}, seed {seed}: {broken:?}");
                let cost = report.figures.cost as f64 / 1e6;
                assert!(
                    (solution.objective - cost).abs() < 1e-9,
                    "{name}, seed {seed}"
                );
                let whole = report.figures.unplaced == Some(0);
                if name == "auto" {
                    assert!(whole, "auto leaves something out, seed {seed}");
                }
                if ilp.proven && whole {
                    assert!(
                        cost >= ilp.objective - 1e-6,
                        "{name} beats a proof, seed {seed}"
                    );
                }
                assert!(
                    solution.bound.unwrap() <= ilp.objective + 1e-6,
                    "{name}, seed {seed}"
                );
                if !repack && existing {
                    let Plan::Placement(plan) = &solution.plan else {
                        panic!("no placement")
                    };
                    assert!(
                        plan.placement.count(ServiceId(2), NodeId(0)) >= 1,
                        "{name} moved"
                    );
                }
            }
        }
    }
}

/// Services that lean one way each go to the pool that suits them: a bound that
/// mixes them first would be above this plan.
#[test]
fn the_bound_over_pools_lets_services_choose_their_pool() {
    let pool = |name: &str, capacity: [u64; 2]| Pool {
        name: name.into(),
        capacity: capacity.into(),
        price: 1_000_000,
        max_count: Some(5),
        labels: Labels::new(),
    };
    let service = |demand: [u64; 2]| Service {
        replicas: 5,
        demand: demand.into(),
        variance: Vec::new(),
        pinned: false,
        alive: 0,
    };
    let resource = |name: &str| Resource {
        name: name.into(),
        unit: "u".into(),
        scale: 1,
    };
    let rows = vec![service([10, 1]), service([1, 10])];
    let cluster = Cluster {
        resources: vec![resource("cpu"), resource("memory")],
        pools: vec![pool("cpu", [20, 2]), pool("memory", [2, 20])],
        nodes: Vec::new(),
    };
    let services = Services::new(Names::numbered("s", 2), 1, rows);
    let problem = Problem::new(cluster, Workload::Services(services)).unwrap();
    let (solution, report) = run(&problem, &named("auto"), 1_000, 1);
    assert!(report.violations.is_empty(), "{:?}", report.violations);
    assert_eq!(
        (solution.objective, solution.bound, solution.proven),
        (6.0, Some(6.0), true)
    );
}

#[test]
fn steps_give_the_same_plan_on_any_number_of_threads() {
    for (epochs, pools) in [(1, 1), (4, 1), (1, 3)] {
        let spice = Spice {
            epochs,
            pools,
            ..Spice::default()
        };
        let problem = random_problem(300, 60, spice);
        let plans = [1, 2, 3].map(|threads| run(&problem, &named("auto"), 1_000, threads).0);
        assert_eq!(plans[0], plans[1]);
        assert_eq!(plans[0], plans[2]);
    }
}

#[test]
fn a_fixed_number_of_nodes_leaves_the_rest_out_with_reasons() {
    let problem = random_problem(400, 12, Spice::default());
    for name in [
        "auto",
        "FF",
        "SpreadWFD-Avg",
        "Match-TightFill",
        "NCD-Fitness",
        "Medea-NC",
    ] {
        let params = Params {
            nodes: Some(2),
            ..named(name)
        };
        let (solution, report) = run(&problem, &params, 500, 1);
        assert!(
            report.violations.is_empty(),
            "{name}: {:?}",
            report.violations
        );
        assert!(report.figures.nodes <= 2, "{name}");
        let Plan::Placement(plan) = &solution.plan else {
            panic!("no placement")
        };
        let left: u64 = plan.unplaced.iter().map(|left| u64::from(left.count)).sum();
        assert!(left > 0 && Some(left) == report.figures.unplaced, "{name}");
        assert!(!solution.proven, "{name}");
    }
}

#[test]
fn headroom_and_survival_hold_before_the_verifier() {
    for seed in 500..506 {
        let problem = random_problem(
            seed,
            6,
            Spice {
                pools: 2,
                ..Spice::default()
            },
        );
        let levels = [None, Some("zone".to_string())].into_iter();
        for (survive, algorithm) in levels.flat_map(|s| [(s.clone(), "auto"), (s, "ILP")]) {
            let params = Params {
                headroom: vec![200_000, 100_000],
                survive: Some(survive),
                ..named(algorithm)
            };
            let (solution, report) = run(&problem, &params, 300, 1);
            assert!(
                report.violations.is_empty(),
                "seed {seed}: {:?}",
                report.violations
            );
            // The spares are paid for.
            assert_eq!(solution.objective, report.figures.cost as f64 / 1e6);
        }
    }
}

#[test]
fn what_cannot_be_honoured_is_refused() {
    let ctx = || Context::new(1, Budget::Steps(10), 1);
    let problem = random_problem(1, 4, Spice::default());
    assert_eq!(
        solve(&problem, &named("nope"), &ctx()).unwrap_err().code(),
        "S003"
    );
    let params = Params {
        as_published: true,
        ..named("WFD-Avg")
    };
    assert_eq!(solve(&problem, &params, &ctx()).unwrap_err().code(), "S004");
    let (cluster, workload) = problem.into_parts();
    let Workload::Services(mut services) = workload else {
        panic!("services")
    };
    services.variance = vec![4; services.len() * 2];
    let random = Problem::new(cluster, Workload::Services(services)).unwrap();
    assert_eq!(
        solve(&random, &named("auto"), &ctx()).unwrap_err().code(),
        "S002"
    );
}
