//! Column generation on cutting stock: added columns, duals, the integer master.

use bayplan_lp::{Model, Options, Row, Sense, Solution, Status};

/// Gilmore and Gomory's kind of instance: rolls of 1000, and per width the demand.
const ROLL: usize = 1000;
const WIDTHS: [(usize, f64); 6] = [
    (450, 97.0),
    (360, 610.0),
    (310, 395.0),
    (140, 211.0),
    (217, 58.0),
    (93, 133.0),
];

/// The pattern worth most at the duals: an unbounded knapsack by width.
fn best_pattern(duals: &[f64]) -> (f64, [usize; WIDTHS.len()]) {
    let mut best = vec![(0.0, [0; WIDTHS.len()]); ROLL + 1];
    for room in 1..=ROLL {
        best[room] = best[room - 1];
        for (item, &(width, _)) in WIDTHS.iter().enumerate().filter(|(_, (w, _))| *w <= room) {
            let (value, mut pattern) = best[room - width];
            if value + duals[item] > best[room].0 + 1e-12 {
                pattern[item] += 1;
                best[room] = (value + duals[item], pattern);
            }
        }
    }
    best[ROLL]
}

/// Adds patterns until none has a negative reduced cost.
fn generate(model: &mut Model, rows: &[Row]) -> (Solution, usize) {
    for round in 0..100 {
        let solution = model.solve(&Options::column_generation());
        assert_eq!(solution.status, Status::Optimal);
        let (value, pattern) = best_pattern(&solution.duals);
        if 1.0 - value > -1e-9 {
            return (solution, round);
        }
        let entries: Vec<_> = rows
            .iter()
            .copied()
            .zip(pattern.map(|n| n as f64))
            .collect();
        model.add_col(1.0, 0.0.., &entries);
    }
    panic!("column generation does not end");
}

#[test]
fn reaches_the_bound_and_a_matching_plan() {
    let mut model = Model::new(Sense::Minimise);
    let rows = WIDTHS.map(|(_, demand)| model.add_row(demand.., &[]));
    for (item, (width, _)) in WIDTHS.into_iter().enumerate() {
        model.add_col(1.0, 0.0.., &[(rows[item], (ROLL / width) as f64)]);
    }
    let (relaxed, rounds) = generate(&mut model, &rows);
    assert!(rounds > 3, "columns were added");

    // Weak duality, checked by hand: duals no pattern violates, times demand.
    let bound: f64 = WIDTHS
        .iter()
        .zip(&relaxed.duals)
        .map(|((_, demand), dual)| demand * dual)
        .sum();
    assert!((bound - relaxed.objective).abs() < 1e-6);

    model.set_integer(model.cols(), true);
    let rounded_up: Vec<f64> = relaxed.values.iter().map(|value| value.ceil()).collect();
    model.set_start(&rounded_up);
    let whole = model.solve(&Options::default());
    assert_eq!(whole.status, Status::Optimal);
    assert!((whole.objective - relaxed.objective.ceil()).abs() <= 1.0 + 1e-6);
    assert!(whole.bound >= relaxed.objective - 1e-6 && whole.duals.is_empty());

    // Back to the linear program: the same optimum, and at once with the old basis.
    model.set_integer(model.cols(), false);
    let again = model.solve(&Options::column_generation());
    assert!((again.objective - relaxed.objective).abs() < 1e-7);
    if cfg!(feature = "highs") {
        assert_eq!(again.iterations, 0, "the basis outlives the integer solve");
    }
}

/// Widths of 45, 36, 31 and 14 from rolls of 100: the textbook optimum of the
/// relaxation is 452.25 (Chvatal, Linear Programming, chapter 13).
#[test]
fn textbook_optimum() {
    let widths = [(45usize, 97.0), (36, 610.0), (31, 395.0), (14, 211.0)];
    let mut model = Model::new(Sense::Minimise);
    let rows = widths.map(|(_, demand)| model.add_row(demand.., &[]));
    let fits = |n: [usize; 4]| n.iter().zip(widths).map(|(n, (w, _))| n * w).sum::<usize>() <= 100;
    for code in 0..3 * 3 * 4 * 8 {
        let pattern = [code % 3, code / 3 % 3, code / 9 % 4, code / 36];
        if fits(pattern) {
            let entries: Vec<_> = rows.into_iter().zip(pattern.map(|n| n as f64)).collect();
            model.add_col(1.0, 0.0.., &entries);
        }
    }
    let relaxed = model.solve(&Options::default());
    assert!((relaxed.objective - 452.25).abs() < 1e-6);
    model.set_integer(model.cols(), true);
    let whole = model.solve(&Options::default());
    assert_eq!(
        (whole.status, whole.objective.round()),
        (Status::Optimal, 453.0)
    );
}
