//! Every algorithm ends in the verifier; the default never falls behind.

use bayplan_model::{Plan, Problem};
use bayplan_verify::{Rules, check};
use rand::{RngExt, SeedableRng};

use super::generate::{Shape, cluster_like, small};
use crate::admit::curve::{curve, machines_for, resized};
use crate::admit::{Params, algorithms, solve};
use crate::{Budget, Context, Random, Solution, SolveError};

pub fn run(problem: &Problem, algorithm: &str, context: &Context) -> Result<Solution, SolveError> {
    let params = Params {
        algorithm: algorithm.into(),
        ..Params::default()
    };
    let solution = solve(problem, &params, context)?;
    let rules = Rules {
        complete: false,
        ..Rules::default()
    };
    let report = check(problem, &solution.plan, &rules);
    assert!(report.holds(), "{algorithm}: {:?}", report.violations);
    let weight = report.figures.weight.unwrap() as f64 / 1e6;
    assert_eq!(weight, solution.objective, "{algorithm}");
    let bound = solution.bound.unwrap();
    assert!(bound >= weight, "{algorithm}: {bound} below {weight}");
    assert_eq!(solution.proven, bound == weight);
    Ok(solution)
}

fn served(problem: &Problem, algorithm: &str, context: &Context) -> f64 {
    let solution = run(problem, algorithm, context).unwrap();
    solution.objective / problem.requests().unwrap().len() as f64 * 100.0
}

#[test]
fn every_algorithm_passes_the_verifier() {
    let random = &mut Random::seed_from_u64(17);
    for case in 0..40 {
        let shape = Shape {
            requests: random.random_range(0..60),
            nodes: random.random_range(1..5),
            resources: 1 + case % 3,
            horizon: random.random_range(2..60),
            largest: [4, 7, 12][case % 3],
            weighted: case % 2 == 0,
            identical: case % 4 < 2,
        };
        let problem = small(shape, random);
        let context = Context::new(case as u64, Budget::Steps(100), 2);
        for info in algorithms() {
            let answer = run(&problem, &info.name, &context);
            let is_refusal = matches!(answer, Err(SolveError::Parameter { .. }));
            assert!(answer.is_ok() || (is_refusal && info.name == "Cradle-DP"));
        }
    }
}

#[test]
fn steps_give_the_same_plan_on_any_number_of_threads() {
    let problem = cluster_like(20, 3.0, 0.004, 9);
    let plan = |threads, seed| {
        let context = Context::new(seed, Budget::Steps(600), threads);
        run(&problem, "auto", &context).unwrap()
    };
    assert_eq!(plan(1, 4), plan(3, 4));
    assert_ne!(plan(1, 4).plan, plan(1, 5).plan);
}

#[test]
fn the_default_is_at_least_cradle_plus_and_first_fit_is_far_behind() {
    let context = Context::new(1, Budget::Steps(1000), 2);
    // Load factor, and what is known to be reachable: first fit, by density.
    for (rho, first_fit, by_density) in [(1.0, 92.0, 97.0), (3.75, 55.0, 83.0), (12.0, 27.0, 64.0)]
    {
        let problem = cluster_like(10, rho, 0.02, 1);
        let of = |algorithm| served(&problem, algorithm, &context);
        let (fit, plus, best) = (of("Bin-Packing"), of("Cradle+Density"), of("auto"));
        println!("rho {rho}: first fit {fit:.1}, by density {plus:.1}, default {best:.1}");
        assert!((fit - first_fit).abs() < 6.0 && plus > by_density - 6.0 && best >= plus);
        assert!(rho < 12.0 || best > 2.0 * fit);
    }
}

#[test]
fn time_is_kept_and_a_stopped_run_has_a_plan() {
    let problem = cluster_like(40, 6.0, 0.004, 2);
    for seconds in [0.0, 0.05] {
        for info in algorithms() {
            let context = Context::new(1, Budget::Seconds(seconds), 1);
            let answer = run(&problem, &info.name, &context);
            assert!(answer.is_ok() || matches!(answer, Err(SolveError::Parameter { .. })));
            assert!(context.elapsed() < seconds + 3.0, "{}", info.name);
        }
    }
}

#[test]
fn nonsense_is_refused() {
    let problem = cluster_like(2, 1.0, 0.02, 3);
    let context = Context::new(1, Budget::Steps(10), 1);
    let unknown = run(&problem, "cradel", &context);
    assert!(matches!(unknown, Err(SolveError::UnknownAlgorithm { .. })));
    let ask = |params: Params| solve(&problem, &params, &context);
    let window = Params {
        online: true,
        window: Some(-1.0),
        ..Params::default()
    };
    assert!(matches!(ask(window), Err(SolveError::Parameter { .. })));
    let both = Params {
        online: true,
        algorithm: "Cradle".into(),
        ..Params::default()
    };
    assert!(matches!(ask(both), Err(SolveError::Parameter { .. })));
    let large = cluster_like(40, 2.0, 0.008, 3);
    assert!(matches!(
        run(&large, "ilp", &context),
        Err(SolveError::Parameter { .. })
    ));
}

#[test]
fn the_curve_rises_and_the_target_is_met() {
    let problem = cluster_like(4, 2.0, 0.02, 3);
    let context = Context::new(1, Budget::Steps(100), 2);
    let ask = |problem: &Problem, context: &Context| run(problem, "auto", context);
    let points = curve(&problem, &[1, 2, 4, 8], &context, ask).unwrap();
    let values: Vec<f64> = points.iter().map(|point| point.answer.objective).collect();
    assert!(
        values.windows(2).all(|pair| pair[0] < pair[1]),
        "{values:?}"
    );
    let total = problem.requests().unwrap().len() as f64;
    let needed = machines_for(&problem, 0.9, 64, &context, ask)
        .unwrap()
        .unwrap();
    assert!(needed.point.answer.objective >= 0.9 * total);
    assert!(needed.at_least <= needed.point.machines);
    let fewer = resized(&problem, needed.point.machines - 1).unwrap();
    assert!(run(&fewer, "auto", &context).unwrap().objective < 0.9 * total);
    assert!(
        machines_for(&problem, 1.0, 1, &context, ask)
            .unwrap()
            .is_none()
    );
    let empty = Plan::Admission(Default::default());
    let none = resized(&problem, 0).unwrap();
    assert_eq!(run(&none, "auto", &context).unwrap().plan, empty);
}
