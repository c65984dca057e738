//! `overcommit`, through the verifier.

mod data;
mod statements;

use std::sync::{Arc, Mutex};

use bayplan_model::*;
use bayplan_solve::overcommit::risk::{Truncate, assess, sample};
use bayplan_solve::overcommit::{
    Objective, Params, Patterns, replay::next_day, solve, solve_with_patterns,
};
use bayplan_solve::{Budget, Context, SolveError};
use bayplan_verify::{Rules, check};

const ALGORITHMS: [&str; 6] = [
    "auto",
    "BF-n-sigma",
    "BF-UCaC",
    "BiHeu",
    "CSP-Mac",
    "CSP-UCaC",
];

fn ask(
    problem: &Problem,
    params: &Params,
    threads: usize,
) -> (PlacementPlan, bayplan_solve::Solution) {
    ask_for(25, problem, params, threads)
}

fn ask_for(
    steps: u64,
    problem: &Problem,
    params: &Params,
    threads: usize,
) -> (PlacementPlan, bayplan_solve::Solution) {
    let ctx = Context::new(7, Budget::Steps(steps), threads);
    let solution = solve(problem, params, &ctx).unwrap();
    let rules = Rules {
        d_alpha: params.d().unwrap(),
        complete: false,
        ..Rules::default()
    };
    let report = check(problem, &solution.plan, &rules);
    assert!(
        report.holds(),
        "{}: {:?}",
        params.algorithm,
        report.violations
    );
    let counted = match params.goal() {
        Objective::Ucac => report.figures.ucac.unwrap(),
        Objective::Machines => report.figures.nodes as f64,
    };
    assert!(
        (counted - solution.objective).abs() <= 1e-9 * counted,
        "{counted} {}",
        solution.objective
    );
    let Plan::Placement(plan) = solution.plan.clone() else {
        panic!("a placement")
    };
    let placed = plan.placement.replicas()
        + plan
            .unplaced
            .iter()
            .map(|u| u64::from(u.count))
            .sum::<u64>();
    let wanted: u64 = problem
        .services()
        .unwrap()
        .replicas
        .iter()
        .map(|r| u64::from(*r))
        .sum();
    assert_eq!(
        placed, wanted,
        "{}: every replica is placed or listed",
        params.algorithm
    );
    (plan, solution)
}

fn with(algorithm: &str, confidence: f64) -> Params {
    Params {
        algorithm: algorithm.into(),
        confidence,
        ..Params::default()
    }
}

fn draw(mean: f64, sd: f64) -> data::Draw {
    data::Draw {
        mean,
        sd,
        containers: 1,
        remove: 0.0,
    }
}

#[test]
fn the_worked_example_of_the_paper() {
    let services = [
        draw(2.0, 0.5f64.sqrt()),
        draw(2.0, 1.0),
        draw(3.0, 1.5f64.sqrt()),
    ];
    let problem = data::problem(&services, &[1, 1, 1], 0, Placement::default());
    for (params, expected) in [
        (with("BiHeu", 0.99), 11.03),
        (
            Params {
                d_alpha: Some(2.576),
                ..with("BiHeu", 0.99)
            },
            11.46,
        ),
    ] {
        let (plan, solution) = ask(&problem, &params, 1);
        assert_eq!(plan.opened.len(), 1);
        assert!((solution.objective / data::SCALE as f64 - expected).abs() < 0.005);
    }
}

#[test]
fn all_algorithms_on_a_cluster_that_runs() {
    let mut random = data::random(5);
    let services = data::draw_services(5, &mut random);
    let base: Vec<u32> = services.iter().map(|s| s.containers / 20).collect();
    let (packed, _) = ask(
        &data::problem(&services, &base, 200, Placement::default()),
        &with("BiHeu", 0.99),
        1,
    );
    let layout = data::thin_out(&services, &packed.placement, &mut random);
    for factor in [0.4, 0.85, 1.3] {
        let wanted: Vec<u32> = base
            .iter()
            .map(|n| (f64::from(*n) * factor) as u32)
            .collect();
        let problem = data::problem(&services, &wanted, 200, layout.clone());
        let mut results = Vec::new();
        for algorithm in ALGORITHMS {
            let params = Params {
                objective: Some(Objective::Ucac),
                ..with(algorithm, 0.99)
            };
            let (plan, solution) = ask(&problem, &params, 1);
            assert!(plan.unplaced.is_empty());
            // What runs and is not to be stopped stays where it is.
            for entry in layout.counts() {
                let service = entry.service.index();
                let running: u32 = layout.of(entry.service).iter().map(|c| c.count).sum();
                assert!(
                    wanted[service] < running
                        || plan.placement.count(entry.service, entry.node) >= entry.count
                );
            }
            let risk = sample(
                &problem,
                &plan,
                Truncate::None,
                300,
                &Context::new(3, Budget::Steps(1), 2),
            );
            let error = (0.01 * 0.99 / risk.samples as f64).sqrt();
            assert!(
                risk.rate() <= 0.01 + 4.0 * error,
                "{algorithm}: {}",
                risk.rate()
            );
            results.push((algorithm, solution));
        }
        let value = |name: &str| {
            results
                .iter()
                .find(|(n, _)| *n == name)
                .unwrap()
                .1
                .objective
        };
        assert!(value("CSP-UCaC") <= value("BiHeu") && value("auto") <= value("BF-UCaC"));
        let best = &results.iter().find(|(n, _)| *n == "CSP-UCaC").unwrap().1;
        assert!(
            best.objective <= best.bound.unwrap() * 1.01,
            "{} {:?}",
            best.objective,
            best.bound
        );
    }
}

/// Twenty services at three nines once had nothing near until an integer
/// program had run for seconds.
#[test]
fn the_first_answer_of_the_cutting_stock_is_close() {
    let services = data::draw_services(20, &mut data::random(1));
    let wanted: Vec<u32> = services.iter().map(|s| s.containers).collect();
    let problem = data::problem(&services, &wanted, 0, Placement::default());
    let first = Arc::new(Mutex::new(None));
    let keep = first.clone();
    let ctx = Context::new(1, Budget::Steps(20), 1).with_listener(move |progress| {
        if let (Some(incumbent), Some(bound)) = (progress.incumbent, progress.bound) {
            keep.lock().unwrap().get_or_insert(incumbent / bound - 1.0);
        }
    });
    solve(&problem, &with("CSP-UCaC", 0.999), &ctx).unwrap();
    let gap = first.lock().unwrap().expect("there is a first answer");
    assert!(gap < 1e-4, "{gap}");
    let (_, machines) = ask(&problem, &with("CSP-Mac", 0.999), 1);
    assert!(
        machines.proven,
        "{} {:?}",
        machines.objective, machines.bound
    );
}

#[test]
fn steps_give_the_same_answer_on_any_number_of_threads() {
    let services = data::draw_services(4, &mut data::random(9));
    let wanted: Vec<u32> = services.iter().map(|s| s.containers / 60).collect();
    let problem = data::problem(&services, &wanted, 10, Placement::default());
    for algorithm in ["auto", "CSP-Mac"] {
        let params = Params {
            samples: 20,
            ..with(algorithm, 0.999)
        };
        let with_risk = |threads| {
            let (plan, mut solution) = ask_for(9, &problem, &params, threads);
            let context = Context::new(7, Budget::Steps(9), threads);
            assess(&problem, &params, &mut solution, &context);
            (plan, solution)
        };
        let ((plan, solution), (again, other)) = (with_risk(1), with_risk(3));
        assert_eq!(plan, again);
        assert_eq!(solution, other);
        let rate = |(name, _): &(&str, _)| *name == "violation_rate";
        assert!(solution.figures.iter().any(rate));
    }
}

#[test]
fn fewer_replicas_are_stopped_where_it_saves_most() {
    // Two machines hold a and b; stopping both b on one machine saves more than one on each.
    let services = [draw(5.0, 0.1), draw(2.0, 2.0)];
    let entry = |service, node, count| Count {
        service: ServiceId(service),
        node: NodeId(node),
        count,
    };
    let layout = Placement::new(vec![
        entry(0, 0, 1),
        entry(0, 1, 1),
        entry(1, 0, 2),
        entry(1, 1, 2),
    ]);
    let problem = data::problem(&services, &[2, 2], 2, layout);
    for algorithm in ALGORITHMS {
        let (plan, _) = ask(&problem, &with(algorithm, 0.999), 1);
        let mut left: Vec<u32> = (0..2)
            .map(|n| plan.placement.count(ServiceId(1), NodeId(n)))
            .collect();
        left.sort_unstable();
        assert_eq!(left, [0, 2], "{algorithm}");
    }
}

#[test]
fn what_does_not_fit_is_listed_with_its_reason() {
    let services = [draw(20.0, 1.0), draw(40.0, 1.0)];
    let (mut cluster, workload) =
        data::problem(&services, &[3, 1], 2, Placement::default()).into_parts();
    cluster.pools[0].max_count = Some(2);
    let problem = Problem::new(cluster, workload).unwrap();
    for algorithm in ALGORITHMS {
        let (plan, solution) = ask(&problem, &with(algorithm, 0.99), 1);
        let reasons: Vec<(u32, u32, Reason)> = plan
            .unplaced
            .iter()
            .map(|u| (u.service.0, u.count, u.reason))
            .collect();
        assert_eq!(
            reasons,
            [(0, 1, Reason::NoRoom), (1, 1, Reason::TooLarge)],
            "{algorithm}"
        );
        assert!(!solution.proven && solution.bound.is_none());
    }
}

#[test]
fn a_machine_too_full_on_arrival_takes_nothing_and_loses_nothing() {
    let services = [draw(16.0, 1.0), draw(1.0, 0.1)];
    let layout = Placement::new(vec![Count {
        service: ServiceId(0),
        node: NodeId(0),
        count: 2,
    }]);
    let problem = data::problem(&services, &[2, 3], 1, layout);
    for algorithm in ALGORITHMS {
        let (plan, _) = ask(&problem, &with(algorithm, 0.999), 1);
        assert_eq!(plan.placement.count(ServiceId(0), NodeId(0)), 2);
        assert_eq!(
            plan.placement.count(ServiceId(1), NodeId(0)),
            0,
            "{algorithm}"
        );
    }
}

#[test]
fn memory_and_two_kinds_of_machines_are_honoured() {
    let services = data::draw_services(5, &mut data::random(2));
    let wanted: Vec<u32> = services.iter().map(|s| s.containers / 60).collect();
    let (mut cluster, workload) =
        data::problem(&services, &wanted, 0, Placement::default()).into_parts();
    let Workload::Services(mut all) = workload else {
        panic!("services")
    };
    cluster.resources.push(Resource {
        name: "memory".into(),
        unit: "GB".into(),
        scale: 1,
    });
    cluster.pools[0].capacity.push(40);
    cluster.pools.push(Pool {
        name: "small".into(),
        capacity: vec![data::CAPACITY / 2, 60],
        max_count: Some(10),
        ..cluster.pools[0].clone()
    });
    all.demand = all
        .demand
        .iter()
        .enumerate()
        .flat_map(|(s, cpu)| [*cpu, 2 + s as u64])
        .collect();
    all.variance = all.variance.iter().flat_map(|v| [*v, 0]).collect();
    let problem = Problem::new(cluster, Workload::Services(all)).unwrap();
    for algorithm in ALGORITHMS {
        let (plan, solution) = ask(&problem, &with(algorithm, 0.99), 1);
        assert!(plan.unplaced.is_empty(), "{algorithm}");
        assert!(solution.bound.unwrap() <= solution.objective);
    }
}

#[test]
fn tuning_never_does_worse_than_d_deviations() {
    let services = data::draw_services(10, &mut data::random(4));
    let wanted: Vec<u32> = services.iter().map(|s| s.containers / 20).collect();
    let problem = data::problem(&services, &wanted, 0, Placement::default());
    let params = with("BF-n-sigma", 0.999);
    let (_, plain) = ask(&problem, &params, 1);
    let (_, tuned) = ask(
        &problem,
        &Params {
            tune: true,
            ..params.clone()
        },
        1,
    );
    assert!(tuned.objective < plain.objective);
    let (_, free) = ask(
        &problem,
        &Params {
            n_sigma: Some(0.1),
            ..params
        },
        1,
    );
    assert!(
        free.notes.iter().any(|note| note.contains("held to it")),
        "{:?}",
        free.notes
    );
}

#[test]
fn patterns_are_kept_and_used_again() {
    let services = data::draw_services(10, &mut data::random(4));
    let wanted: Vec<u32> = services.iter().map(|s| s.containers / 5).collect();
    let problem = data::problem(&services, &wanted, 0, Placement::default());
    let mut patterns = Patterns::default();
    let rounds = |patterns: &mut Patterns| {
        let ctx = Context::new(1, Budget::Steps(80), 1);
        let solution =
            solve_with_patterns(&problem, &with("CSP-Mac", 0.99), &ctx, patterns).unwrap();
        let figure = solution
            .figures
            .iter()
            .find(|(name, _)| *name == "pricing_rounds")
            .unwrap();
        match figure.1 {
            bayplan_solve::Figure::Count(rounds) => rounds,
            _ => panic!("a count"),
        }
    };
    let first = rounds(&mut patterns);
    assert!(!patterns.patterns.is_empty());
    let second = rounds(&mut patterns);
    assert!(second < first, "{second} rounds after {first}");
}

#[test]
fn days_carry_over() {
    let services = [draw(2.0, 0.5), draw(3.0, 1.0)];
    let mut problem = data::problem(&services, &[0, 0], 0, Placement::default());
    let mut plan = Plan::Placement(PlacementPlan::default());
    for wanted in [[40, 20], [20, 30], [60, 10]] {
        problem = next_day(&problem, &plan, &wanted).unwrap();
        let (today, _) = ask(&problem, &with("BiHeu", 0.999), 1);
        assert!(today.unplaced.is_empty());
        plan = Plan::Placement(today);
    }
    let Plan::Placement(last) = plan else {
        panic!("a placement")
    };
    assert_eq!(last.placement.replicas(), 70);
}

#[test]
fn rules_of_other_questions_are_refused() {
    let problem = data::problem(&[draw(1.0, 0.1)], &[2], 1, Placement::default());
    let ctx = Context::new(1, Budget::Steps(1), 1);
    let changed = |change: &dyn Fn(&mut Services)| {
        let (cluster, workload) = problem.clone().into_parts();
        let Workload::Services(mut services) = workload else {
            panic!("services")
        };
        change(&mut services);
        Problem::new(cluster, Workload::Services(services)).unwrap()
    };
    let by_label = changed(&|services| {
        services.spread = vec![SpreadSet {
            name: "zone".into(),
            members: vec![ServiceId(0)],
            max: 1,
            level: Level::Label("zone".into()),
        }];
    });
    let by_epoch = changed(&|services| {
        (services.epochs, services.demand, services.variance) = (2, vec![1, 2], Vec::new());
    });
    for problem in [by_label, by_epoch] {
        assert!(matches!(
            solve(&problem, &Params::default(), &ctx),
            Err(SolveError::UnsupportedRule { .. })
        ));
    }
    let pinned = changed(&|services| {
        services.pinned = vec![true];
        services.placement = Placement::new(vec![Count {
            service: ServiceId(0),
            node: NodeId(0),
            count: 3,
        }]);
    });
    assert!(matches!(
        solve(&pinned, &Params::default(), &ctx),
        Err(SolveError::Infeasible { .. })
    ));
    let params = Params {
        algorithm: "BiHoo".into(),
        ..Params::default()
    };
    assert!(matches!(
        solve(&problem, &params, &ctx),
        Err(SolveError::UnknownAlgorithm { .. })
    ));
}
