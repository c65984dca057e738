//! Linear programs with known answers, the signs of duals, and changes to a live model.

use bayplan_lp::{Bounds, Model, Options, Sense, Status};

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-7 * (1.0 + b.abs())
}

/// max 3x + 5y with x <= 4, 2y <= 12, 3x + 2y <= 18: 36 at (2, 6), duals 0, 3/2, 1.
#[test]
fn textbook_maximum() {
    let mut model = Model::new(Sense::Maximise);
    let (x, y) = (
        model.add_col(3.0, 0.0.., &[]),
        model.add_col(5.0, 0.0.., &[]),
    );
    let a = model.add_row(..=4.0, &[(x, 1.0)]);
    let b = model.add_row(..=12.0, &[(y, 2.0)]);
    let c = model.add_row(..=18.0, &[(x, 3.0), (y, 2.0)]);
    let solution = model.solve(&Options::default());
    assert_eq!(solution.status, Status::Optimal);
    assert!(close(solution.objective, 36.0) && close(solution.bound, 36.0));
    assert!(close(solution[x], 2.0) && close(solution[y], 6.0));
    let duals = [a, b, c].map(|row| solution.dual(row));
    assert!(
        close(duals[0], 0.0) && close(duals[1], 1.5) && close(duals[2], 1.0),
        "{duals:?}"
    );
    assert!(close(solution.reduced_cost(x), 0.0));
}

/// The documented meaning of a dual, for both senses and all kinds of rows:
/// the change of the objective when a right-hand side moves.
#[test]
fn duals_are_derivatives() {
    for sense in [Sense::Minimise, Sense::Maximise] {
        let sign = if sense == Sense::Minimise { 1.0 } else { -1.0 };
        let solve = |cover: f64, cap: f64, exact: f64| {
            let mut model = Model::new(sense);
            let at_least = model.add_row(cover.., &[]);
            let at_most = model.add_row(..=cap, &[]);
            let equal = model.add_row(exact, &[]);
            let entries = |a, b, c| [(at_least, a), (at_most, b), (equal, c)];
            model.add_col(sign * 2.0, 0.0.., &entries(1.0, 1.0, 0.0));
            model.add_col(sign * 5.0, 0.0.., &entries(1.0, 0.0, 1.0));
            model.add_col(sign * 4.0, 0.0.., &entries(2.0, 0.0, -1.0));
            model.solve(&Options::default())
        };
        let base = solve(10.0, 3.0, 1.0);
        assert_eq!(base.status, Status::Optimal);
        let moved = [
            solve(10.1, 3.0, 1.0),
            solve(10.0, 3.1, 1.0),
            solve(10.0, 3.0, 1.1),
        ];
        for (row, moved) in moved.iter().enumerate() {
            let derivative = (moved.objective - base.objective) / 0.1;
            assert!(
                close(base.duals[row], derivative),
                "{sense:?} row {row}: {base:?}"
            );
        }
        assert!(sign * base.duals[0] > 0.0 && sign * base.duals[1] < 0.0);
    }
}

/// Reduced costs are cost minus duals times entries, and are derivatives too.
#[test]
fn reduced_costs_of_columns_at_bounds() {
    for (sense, sign) in [(Sense::Minimise, 1.0), (Sense::Maximise, -1.0)] {
        let mut model = Model::new(sense);
        let row = model.add_row(6.0.., &[]);
        let cheap = model.add_col(sign, 0.0..=4.0, &[(row, 1.0)]);
        let dear = model.add_col(sign * 3.0, 0.0.., &[(row, 1.0)]);
        let idle = model.add_col(sign * 7.0, 0.0.., &[(row, 2.0)]);
        let solution = model.solve(&Options::default());
        assert!(close(solution.dual(row), sign * 3.0));
        assert!(close(solution.reduced_cost(cheap), -sign * 2.0));
        assert!(close(solution.reduced_cost(dear), 0.0));
        assert!(close(solution.reduced_cost(idle), sign));
    }
}

#[test]
fn infeasible_unbounded_and_empty() {
    for presolve in [true, false] {
        let options = Options {
            presolve,
            ..Options::default()
        };
        let mut model = Model::new(Sense::Maximise);
        let empty = model.solve(&options);
        assert_eq!((empty.status, empty.objective), (Status::Optimal, 0.0));

        let row = model.add_row(..=1.0, &[]);
        assert_eq!(model.solve(&options).status, Status::Optimal);
        let x = model.add_col(1.0, 0.0.., &[]);
        let unbounded = model.solve(&options);
        assert_eq!(unbounded.status, Status::Unbounded);
        assert!(unbounded.values.is_empty() && unbounded.objective.is_nan());

        let y = model.add_col(0.0, 2.0.., &[(row, 1.0)]);
        let infeasible = model.solve(&options);
        assert_eq!(
            (infeasible.status, infeasible.stopped_by),
            (Status::Infeasible, None)
        );

        model.set_bounds(x, ..=3.0);
        model.set_bounds(y, 0.0..);
        assert!(close(model.solve(&options).objective, 3.0));

        model.set_bounds(x, Bounds::new(2.0, 1.0));
        assert_eq!(
            model.solve(&options).status,
            Status::Infeasible,
            "bounds that cross"
        );
        model.set_bounds(x, 2.0);
        model.add_row(5.0.., &[]);
        assert_eq!(
            model.solve(&options).status,
            Status::Infeasible,
            "a row without columns"
        );
    }
}

/// Costs, bounds, rows and columns change; the model follows.
#[test]
fn a_live_model_follows_changes() {
    for options in [Options::default(), Options::column_generation()] {
        let mut model = Model::new(Sense::Minimise);
        let x = model.add_col(2.0, 0.0.., &[]);
        let demand = model.add_row(10.0.., &[(x, 1.0)]);
        let mut objective = |change: &mut dyn FnMut(&mut Model)| {
            change(&mut model);
            let solution = model.solve(&options);
            assert_eq!(solution.status, Status::Optimal);
            solution.objective
        };
        assert!(close(objective(&mut |_| ()), 20.0));
        assert!(close(objective(&mut |m| m.set_cost(x, 3.0)), 30.0));
        assert!(close(
            objective(&mut |m| m.set_row_bounds(demand, 12.0..)),
            36.0
        ));
        assert!(close(
            objective(&mut |m| _ = m.add_col(1.0, 0.0..=2.0, &[(demand, 2.0)])),
            26.0
        ));
        assert!(close(
            objective(&mut |m| _ = m.add_row(9.5.., &[(x, 1.0)])),
            29.75
        ));
        assert!(close(objective(&mut |m| m.set_bounds(x, 11.0..)), 33.5));
        assert_eq!((model.num_cols(), model.num_rows()), (2, 2));
    }
}

#[test]
#[should_panic(expected = "another model")]
fn a_foreign_column_is_refused() {
    let mut other = Model::new(Sense::Minimise);
    let col = other.add_col(1.0, 0.0.., &[]);
    Model::new(Sense::Minimise).add_row(..=1.0, &[(col, 1.0)]);
}

#[test]
#[should_panic]
fn a_row_named_twice_is_refused() {
    let mut model = Model::new(Sense::Minimise);
    let row = model.add_row(1.0.., &[]);
    model.add_col(1.0, 0.0.., &[(row, 1.0), (row, 1.0)]);
    model.solve(&Options::default());
}
