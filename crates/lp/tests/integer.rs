//! Integer programs: known answers, starts, and thousands of tiny ones against brute force.

use bayplan_lp::{Model, Options, Sense, Status, Stop};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// max 5a + 4b + 3c, binary, 2a + 3b + c <= 5 and 4a + b + 2c <= 11: all but c fit, 9.
#[test]
fn known_knapsack() {
    let mut model = Model::new(Sense::Maximise);
    let rows = [model.add_row(..=5.0, &[]), model.add_row(..=11.0, &[])];
    let items = [(5.0, [2.0, 4.0]), (4.0, [3.0, 1.0]), (3.0, [1.0, 2.0])];
    let cols = items.map(|(cost, entries)| {
        model.add_integer_col(
            cost,
            0.0..=1.0,
            &[(rows[0], entries[0]), (rows[1], entries[1])],
        )
    });
    let solution = model.solve(&Options::default());
    assert_eq!(solution.status, Status::Optimal);
    assert!((solution.objective - 9.0).abs() < 1e-9 && (solution.bound - 9.0).abs() < 1e-6);
    assert_eq!(cols.map(|col| solution.count(col)), [1, 1, 0]);
    assert!(solution.duals.is_empty() && solution.reduced_costs.is_empty());
}

#[test]
fn infeasible_and_unbounded() {
    for presolve in [true, false] {
        let options = Options {
            presolve,
            ..Options::default()
        };
        let mut model = Model::new(Sense::Maximise);
        let row = model.add_row(1.0, &[]);
        let x = model.add_integer_col(1.0, 0.0.., &[(row, 2.0)]);
        assert_eq!(model.solve(&options).status, Status::Infeasible, "2x = 1");
        model.set_row_bounds(row, 2.0..);
        // microlp's integers end at 2^31, so there the optimum is that bound.
        if cfg!(feature = "highs") {
            assert_eq!(model.solve(&options).status, Status::Unbounded);
        }
        model.set_bounds(x, ..=7.5);
        let solution = model.solve(&options);
        assert_eq!((solution.status, solution.count(x)), (Status::Optimal, 7));
    }
}

/// HiGHS 1.15 left to itself answers 7.5 here, and calls it optimal.
#[test]
fn fractional_bounds_of_integer_columns() {
    let mut model = Model::new(Sense::Maximise);
    let row = model.add_row(2.0.., &[]);
    let x = model.add_integer_col(1.0, ..=7.5, &[(row, 2.0)]);
    assert_eq!(model.solve(&Options::default()).values, [7.0]);
    model.set_integer([x], false);
    assert_eq!(
        model.solve(&Options::default()).values,
        [7.5],
        "the relaxation has its bound back"
    );
    model.set_integer([x], true);
    model.set_bounds(x, 1.2..=1.8);
    assert_eq!(model.solve(&Options::default()).status, Status::Infeasible);
}

#[test]
fn a_gap_is_no_proof() {
    let mut model = knapsack(60, 3);
    let loose = Options {
        gap: 0.2,
        ..Options::default()
    };
    let near = model.solve(&loose);
    let best = model.solve(&Options::default());
    assert_eq!(best.status, Status::Optimal);
    assert!(near.has_values() && near.bound >= best.objective - 1e-6);
    assert!(near.objective >= near.bound - 0.2 * near.objective.abs() - 1e-6);
    if near.status == Status::Feasible {
        assert_eq!(near.stopped_by, Some(Stop::Gap));
    }
}

/// The start is never thrown away for something worse, and a wrong one does no harm.
#[test]
fn starts_are_used() {
    let best = knapsack(30, 4).solve(&Options::default());
    let tight = Options {
        nodes: Some(1),
        ..Options::default()
    };
    let mut model = knapsack(30, 4);
    model.set_start(&best.values);
    let kept = model.solve(&tight);
    assert!(kept.has_values() && kept.objective >= best.objective - 1e-6);

    let mut model = knapsack(30, 4);
    model.set_start(&[1.0; 30]);
    let solution = model.solve(&Options::default());
    assert!((solution.objective - best.objective).abs() < 1e-6);
}

/// A knapsack in `rows` dimensions that takes some branching.
fn knapsack(items: usize, rows: usize) -> Model {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut model = Model::new(Sense::Maximise);
    let rows: Vec<_> = (0..rows)
        .map(|_| model.add_row(..=(items * 12) as f64, &[]))
        .collect();
    for _ in 0..items {
        let entries: Vec<_> = rows
            .iter()
            .map(|&row| (row, f64::from(random.random_range(10..90))))
            .collect();
        let mean = entries.iter().map(|entry| entry.1).sum::<f64>() / rows.len() as f64;
        model.add_integer_col(
            mean + f64::from(random.random_range(0..10)),
            0.0..=1.0,
            &entries,
        );
    }
    model
}

/// A small random program: costs, box, rows (coefficients, lower, upper).
struct Tiny {
    sense: Sense,
    costs: Vec<f64>,
    boxes: Vec<(i32, i32)>,
    rows: Vec<(Vec<f64>, f64, f64)>,
}

impl Tiny {
    fn random(random: &mut Xoshiro256PlusPlus) -> Self {
        let cols = random.random_range(1..=4);
        let draw = |random: &mut Xoshiro256PlusPlus| f64::from(random.random_range(-5..=5));
        let rows = (0..random.random_range(0..=3)).map(|_| {
            let entries = (0..cols).map(|_| draw(random)).collect();
            match (draw(random) * 2.0, random.random_range(0..4)) {
                (rhs, 0) => (entries, rhs, f64::INFINITY),
                (rhs, 1) => (entries, f64::NEG_INFINITY, rhs),
                (rhs, 2) => (entries, rhs, rhs + 3.0),
                (rhs, _) => (entries, rhs, rhs),
            }
        });
        let rows = rows.collect();
        let boxes = (0..cols).map(|_| {
            let lower = random.random_range(-2..=1);
            (lower, lower + random.random_range(0..=3))
        });
        let boxes = boxes.collect();
        let sense = if random.random() {
            Sense::Minimise
        } else {
            Sense::Maximise
        };
        let costs = (0..cols).map(|_| draw(random)).collect();
        Self {
            sense,
            costs,
            boxes,
            rows,
        }
    }

    fn model(&self) -> Model {
        let mut model = Model::new(self.sense);
        let mut cols = Vec::new();
        for (&cost, &(lower, upper)) in self.costs.iter().zip(&self.boxes) {
            cols.push(model.add_integer_col(cost, f64::from(lower)..=f64::from(upper), &[]));
        }
        for (entries, lower, upper) in &self.rows {
            let entries: Vec<_> = cols.iter().copied().zip(entries.iter().copied()).collect();
            model.add_row(*lower..=*upper, &entries);
        }
        model
    }

    /// The objective at a point, if it obeys the rows.
    fn objective(&self, point: &[f64]) -> Option<f64> {
        let dot = |weights: &[f64]| weights.iter().zip(point).map(|(w, x)| w * x).sum::<f64>();
        let holds = |(entries, lower, upper): &(Vec<f64>, f64, f64)| {
            (*lower - 1e-6..=*upper + 1e-6).contains(&dot(entries))
        };
        self.rows.iter().all(holds).then(|| dot(&self.costs))
    }

    /// The best objective of all points of the box.
    fn brute_force(&self) -> Option<f64> {
        let better = |a: f64, b: f64| match self.sense {
            Sense::Minimise => a.min(b),
            Sense::Maximise => a.max(b),
        };
        let mut point: Vec<i32> = self.boxes.iter().map(|range| range.0).collect();
        let mut best = None;
        loop {
            let real: Vec<f64> = point.iter().map(|&x| f64::from(x)).collect();
            let found = self.objective(&real);
            best = best.into_iter().chain(found).reduce(better);
            let Some(next) = (0..point.len()).find(|&i| point[i] < self.boxes[i].1) else {
                return best;
            };
            point[next] += 1;
            for (value, range) in point.iter_mut().zip(&self.boxes).take(next) {
                *value = range.0;
            }
        }
    }
}

#[test]
fn agrees_with_brute_force() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut solved, mut infeasible) = (0, 0);
    for case in 0..3000 {
        let tiny = Tiny::random(&mut random);
        let mut model = tiny.model();
        let solution = model.solve(&Options::default());
        let Some(best) = tiny.brute_force() else {
            assert_eq!(solution.status, Status::Infeasible, "case {case}");
            infeasible += 1;
            continue;
        };
        assert_eq!(solution.status, Status::Optimal, "case {case}");
        assert!(
            (solution.objective - best).abs() < 1e-6,
            "case {case}: {solution:?}"
        );
        assert!(
            (solution.bound - best).abs() < 1e-5,
            "case {case}: {solution:?}"
        );
        let point: Vec<f64> = model.cols().map(|col| solution.count(col) as f64).collect();
        assert_eq!(
            tiny.objective(&point),
            Some(best),
            "case {case}: values and objective agree"
        );

        // The relaxation is never worse, and strong duality holds.
        model.set_integer(model.cols(), false);
        let relaxed = model.solve(&Options::column_generation());
        let gain = match tiny.sense {
            Sense::Minimise => best - relaxed.objective,
            Sense::Maximise => relaxed.objective - best,
        };
        assert!(
            relaxed.status == Status::Optimal && gain > -1e-6,
            "case {case}"
        );
        let priced = relaxed
            .values
            .iter()
            .zip(&relaxed.reduced_costs)
            .map(|(x, d)| x * d);
        let paid = tiny
            .rows
            .iter()
            .zip(&relaxed.duals)
            .map(|((entries, ..), dual)| {
                dual * entries
                    .iter()
                    .zip(&relaxed.values)
                    .map(|(a, x)| a * x)
                    .sum::<f64>()
            });
        let dual_objective: f64 = priced.chain(paid).sum();
        assert!(
            (dual_objective - relaxed.objective).abs() < 1e-6,
            "case {case}: {relaxed:?}"
        );
        solved += 1;
    }
    assert!(
        solved > 1000 && infeasible > 300,
        "{solved} solved, {infeasible} infeasible"
    );
}
