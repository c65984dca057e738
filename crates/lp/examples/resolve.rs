//! What a warm start is worth: a covering master of 200 rows that grows from
//! 200 to 2,100 columns over 100 solves, once from the last basis and once from
//! scratch. `cargo run --release -p bayplan-lp --example resolve`

use bayplan_lp::{Model, Options, Sense, Status};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Instant;

const ROWS: usize = 200;
const ROUNDS: usize = 100;
const NEW_COLUMNS: usize = 19;

fn main() {
    for (name, options, fresh) in [
        ("warm, primal simplex", Options::column_generation(), false),
        ("from scratch", Options::default(), true),
    ] {
        let begin = Instant::now();
        let (objective, iterations) = rounds(&options, fresh);
        let seconds = begin.elapsed().as_secs_f64();
        println!(
            "{name}: {ROUNDS} re-solves, {iterations} iterations, {seconds:.2} s, objective {objective:.4}"
        );
    }
}

/// Solves after each batch of columns; with `fresh`, in a new model each time.
fn rounds(options: &Options, fresh: bool) -> (f64, u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let demands: Vec<f64> = (0..ROWS)
        .map(|_| random.random_range(10.0..100.0))
        .collect();
    let mut patterns: Vec<Vec<(usize, f64)>> = (0..ROWS).map(|row| vec![(row, 2.0)]).collect();
    let mut model = Model::new(Sense::Minimise);
    let mut known = 0;
    let mut iterations = 0;
    let mut objective = f64::NAN;
    for _ in 0..=ROUNDS {
        if fresh || known == 0 {
            (model, known) = (Model::new(Sense::Minimise), 0);
        }
        let rows: Vec<_> = match known {
            0 => demands
                .iter()
                .map(|&demand| model.add_row(demand.., &[]))
                .collect(),
            _ => model.rows().collect(),
        };
        for pattern in &patterns[known..] {
            let entries: Vec<_> = pattern
                .iter()
                .map(|&(row, count)| (rows[row], count))
                .collect();
            model.add_col(1.0, 0.0.., &entries);
        }
        known = patterns.len();
        let solution = model.solve(options);
        assert_eq!(solution.status, Status::Optimal);
        iterations += solution.iterations;
        objective = solution.objective;
        for _ in 0..NEW_COLUMNS {
            let first = random.random_range(0..ROWS);
            let items = (0..random.random_range(3..8)).map(|step| (first + step * 23) % ROWS);
            patterns.push(
                items
                    .map(|row| (row, f64::from(random.random_range(1..4))))
                    .collect(),
            );
        }
    }
    (objective, iterations)
}
