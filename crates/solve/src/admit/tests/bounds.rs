//! Bounds are bounds: above every optimum, close to the LP's, and reached
//! where the integer program proves it.

use rand::{RngExt, SeedableRng};

use super::cradle::{best_value, tiny_shape};
use super::generate::{Shape, cluster_like, small};
use crate::admit::bounds::{interval_lp, priced, quick};
use crate::admit::view::View;
use crate::admit::{Params, solve};
use crate::{Budget, Context, Random};

#[test]
fn no_optimum_beats_a_bound_and_small_cases_are_proven() {
    let random = &mut Random::seed_from_u64(5);
    let context = Context::new(1, Budget::Steps(1000), 1);
    for case in 0..100 {
        let shape = Shape {
            identical: case % 2 == 0,
            ..tiny_shape(case, random)
        };
        let problem = small(shape, random);
        let best = best_value(&problem);
        let view = View::new(&problem).unwrap();
        assert!(quick(&view, &context) >= best, "case {case}");
        let lp = interval_lp(&view, &context).unwrap();
        assert!(lp >= best as f64 * (1.0 - 1e-9), "case {case}");
        for algorithm in ["ILP", "auto"] {
            let params = Params {
                algorithm: algorithm.into(),
                ..Params::default()
            };
            let solution = solve(&problem, &params, &context).unwrap();
            assert!(solution.proven, "case {case}, {algorithm}: {solution:?}");
            assert_eq!(
                solution.objective,
                best as f64 / 1e6,
                "case {case}, {algorithm}"
            );
        }
    }
}

#[test]
fn prices_come_close_to_the_linear_program() {
    let context = Context::new(1, Budget::Steps(1000), 1);
    let mut worst: f64 = 0.0;
    for seed in 0..4 {
        let random = &mut Random::seed_from_u64(seed);
        let shape = Shape {
            requests: 400,
            nodes: random.random_range(2..8),
            resources: 2,
            horizon: 120,
            largest: 5,
            weighted: seed % 2 == 0,
            identical: true,
        };
        let problem = small(shape, random);
        let view = View::new(&problem).unwrap();
        let lp = interval_lp(&view, &context).unwrap();
        let bound = priced(&view, 20_000_000, 1.0, &context).bound as f64;
        assert!(bound >= lp / 1.000_001 - 1e6, "{bound} below {lp}");
        worst = worst.max(bound / lp - 1.0);
    }
    println!(
        "worst distance of the prices' bound from the LP: {:.4} %",
        worst * 100.0
    );
    assert!(worst < 0.005);
}

#[test]
fn averaged_rows_and_samples_still_bound() {
    // More starts than rows: rows are averages over time.
    let problem = cluster_like(10, 3.75, 0.008, 1);
    let view = View::new(&problem).unwrap();
    assert!(view.slot_start.len() > 4096);
    let context = Context::new(1, Budget::Steps(500), 2);
    let solution = solve(&problem, &Params::default(), &context).unwrap();
    let bound = solution.bound.unwrap();
    assert!(solution.objective <= bound && solution.objective > 0.95 * bound);
}
