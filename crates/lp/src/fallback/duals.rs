//! Duals, which `microlp` does not report: the dual program, written out and solved.
//!
//! For `min c x` with `l <= A x <= u` and `lo <= x <= hi` it is
//! `max l p - u n + lo s - hi t` with `A'(p - n) + s - t = c` and all of
//! `p, n, s, t >= 0`; the dual of a row is `p - n`. Only finite bounds have a
//! variable. Maximising `c x` is minimising `-c x`, with the duals' signs turned.

use super::Backend;
use super::run::{Ended, Run};
use crate::{Bounds, Sense};
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};

/// One dual per row, or nothing if the dual program could not be solved in time.
pub(super) fn solve(model: &Backend, run: &Run<'_>) -> Option<Vec<f64>> {
    let sign = match model.sense {
        Sense::Minimise => 1.0,
        Sense::Maximise => -1.0,
    };
    let mut dual = Problem::new(OptimizationDirection::Maximize);
    let rows: Vec<_> = model
        .rows
        .iter()
        .map(|&row| multiplier(&mut dual, row))
        .collect();
    for col in &model.cols {
        let mut terms: Vec<(Variable, f64)> = multiplier(&mut dual, col.bounds);
        for &(row, entry) in &col.entries {
            terms.extend(
                rows[row]
                    .iter()
                    .map(|&(variable, side)| (variable, side * entry)),
            );
        }
        dual.add_constraint(&terms, ComparisonOp::Eq, sign * col.cost);
    }
    let Ended::Done(outcome) = run.solve(&dual, None) else {
        return None;
    };
    let found = outcome.into_solution().ok()?;
    let value = |row: &Vec<(Variable, f64)>| -> f64 {
        row.iter()
            .map(|&(variable, side)| side * found.var_value(variable))
            .sum()
    };
    Some(rows.iter().map(|row| sign * value(row)).collect())
}

/// The multiplier of a pair of bounds as a sum of non-negative variables, or as
/// one free variable where the bounds are one value.
fn multiplier(dual: &mut Problem, bounds: Bounds) -> Vec<(Variable, f64)> {
    if bounds.is_exact() {
        let free = (f64::NEG_INFINITY, f64::INFINITY);
        return vec![(dual.add_var(bounds.lower, free), 1.0)];
    }
    let mut sides = Vec::new();
    for (bound, side) in [(bounds.lower, 1.0), (bounds.upper, -1.0)] {
        if bound.is_finite() {
            sides.push((dual.add_var(side * bound, (0.0, f64::INFINITY)), side));
        }
    }
    sides
}
