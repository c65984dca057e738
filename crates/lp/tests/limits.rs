//! Limits, interruption and determinism.

use bayplan_lp::{Model, Options, Sense, Solution, Status, Stop};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A market-split program: a few equations over binaries that branch and bound
/// cannot decide in any reasonable time, made feasible by slacks.
fn market_split(rows: usize, cols: usize) -> Model {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let entries: Vec<Vec<f64>> = (0..cols)
        .map(|_| {
            (0..rows)
                .map(|_| f64::from(random.random_range(0..100)))
                .collect()
        })
        .collect();
    let mut model = Model::new(Sense::Minimise);
    let rows: Vec<_> = (0..rows)
        .map(|row| {
            let half = (entries.iter().map(|col| col[row]).sum::<f64>() / 2.0).floor();
            let row = model.add_row(half, &[]);
            model.add_col(1.0, 0.0.., &[(row, 1.0)]);
            model.add_col(1.0, 0.0.., &[(row, -1.0)]);
            row
        })
        .collect();
    for col in entries {
        let entries: Vec<_> = rows.iter().copied().zip(col).collect();
        model.add_integer_col(0.0, 0.0..=1.0, &entries);
    }
    model
}

/// A linear program that takes a good many iterations.
fn transport(size: usize) -> Model {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(13);
    let mut model = Model::new(Sense::Minimise);
    let supply: Vec<_> = (0..size).map(|_| model.add_row(..=40.0, &[])).collect();
    let demand: Vec<_> = (0..size).map(|_| model.add_row(30.0.., &[])).collect();
    for &from in &supply {
        for &to in &demand {
            model.add_col(
                random.random_range(1.0..100.0),
                0.0..,
                &[(from, 1.0), (to, 1.0)],
            );
        }
    }
    model
}

fn honest(solution: &Solution) {
    assert!(
        matches!(solution.status, Status::Feasible | Status::Unknown),
        "{:?}",
        solution.status
    );
    assert_eq!(solution.has_values(), !solution.values.is_empty());
    assert!(!solution.has_values() || solution.bound <= solution.objective + 1e-6);
    assert!(solution.duals.is_empty());
}

#[test]
fn seconds_end_an_integer_program() {
    let begin = Instant::now();
    let options = Options {
        seconds: Some(0.3),
        ..Options::default()
    };
    let solution = market_split(5, 50).solve(&options);
    assert_eq!(solution.stopped_by, Some(Stop::Seconds));
    honest(&solution);
    assert!(begin.elapsed() < Duration::from_secs(10));
}

/// Every solve has the whole budget, not what earlier solves left of it.
#[test]
fn limits_count_anew_in_each_solve() {
    let mut model = transport(30);
    let free = model.solve(&Options {
        presolve: false,
        ..Options::default()
    });
    assert_eq!(free.status, Status::Optimal);
    assert!(free.iterations > 40, "{}", free.iterations);
    let half = Options {
        seconds: Some(30.0),
        iterations: Some(free.iterations / 2 + 10),
        ..Options::column_generation()
    };
    let mut objective = f64::INFINITY;
    for col in model.cols().take(20) {
        model.set_cost(col, 0.5);
        let solution = model.solve(&half);
        assert_eq!(
            solution.status,
            Status::Optimal,
            "a few iterations are enough"
        );
        assert!(solution.iterations <= free.iterations / 2 || cfg!(not(feature = "highs")));
        objective = solution.objective;
    }
    assert!(objective < free.objective);
}

#[cfg(feature = "highs")]
#[test]
fn iterations_end_both_kinds_of_program() {
    let few = Options {
        iterations: Some(15),
        ..Options::default()
    };
    let mut linear = transport(30);
    let stopped = linear.solve(&Options {
        presolve: false,
        ..few.clone()
    });
    assert_eq!(stopped.stopped_by, Some(Stop::Iterations));
    assert!(stopped.iterations <= 16);
    assert_ne!(stopped.status, Status::Optimal);
    let rest = linear.solve(&Options::column_generation());
    assert_eq!(rest.status, Status::Optimal, "goes on from there");

    let some = Options {
        iterations: Some(2000),
        ..Options::default()
    };
    let integer = market_split(4, 40).solve(&some);
    assert_eq!(integer.stopped_by, Some(Stop::Iterations));
    honest(&integer);
    assert!(integer.iterations >= 2000);
}

#[test]
fn the_flag_ends_a_solve() {
    let flag = Arc::new(AtomicBool::new(false));
    let options = Options {
        stop: Some(Arc::clone(&flag)),
        ..Options::default()
    };
    let raised = std::thread::scope(|scope| {
        let raise = scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            flag.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let solution = market_split(5, 50).solve(&options);
        assert_eq!(solution.stopped_by, Some(Stop::Flag));
        honest(&solution);
        raise.join().unwrap()
    });
    assert!(
        raised.elapsed() < Duration::from_secs(5),
        "{:?}",
        raised.elapsed()
    );
}

/// Node limits give the same result every time, on whichever thread.
#[test]
fn same_calls_same_result() {
    let options = Options {
        nodes: Some(60),
        seed: 3,
        ..Options::default()
    };
    let solve = || market_split(4, 30).solve(&options);
    let first = solve();
    assert_eq!(first.stopped_by, Some(Stop::Nodes));
    honest(&first);
    let others = std::thread::scope(|scope| {
        [scope.spawn(solve), scope.spawn(solve)].map(|thread| thread.join().unwrap())
    });
    for other in others {
        assert_eq!(first.values, other.values);
        assert_eq!(first.objective.to_bits(), other.objective.to_bits());
        assert_eq!(first.bound.to_bits(), other.bound.to_bits());
        assert_eq!(
            (first.nodes, first.iterations),
            (other.nodes, other.iterations)
        );
    }
    assert_eq!(transport(25).solve(&options), transport(25).solve(&options));
}
