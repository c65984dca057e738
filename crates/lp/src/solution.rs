//! What a solve found out.

use crate::{Col, Row};
use std::ops::Index;

/// What is known about the model after a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The values are optimal, proven (up to an absolute 1e-6).
    Optimal,
    /// The values obey every rule, but nobody proved that they are best.
    Feasible,
    /// No values obey every rule.
    Infeasible,
    /// The objective can be improved without end.
    Unbounded,
    /// Stopped before anything was found out.
    Unknown,
}

/// Why a solve ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// [`Options::seconds`](crate::Options::seconds) ran out.
    Seconds,
    /// [`Options::iterations`](crate::Options::iterations) ran out.
    Iterations,
    /// [`Options::nodes`](crate::Options::nodes) ran out.
    Nodes,
    /// [`Options::gap`](crate::Options::gap) was reached.
    Gap,
    /// [`Options::stop`](crate::Options::stop) was raised.
    Flag,
    /// Rounding errors: the solver could not vouch for any answer.
    Numerics,
}

/// The result of a solve. Duals follow the model as stated, see
/// [`duals`](Self::duals).
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// What is known about the model.
    pub status: Status,
    /// Why the solve ended early; nothing when it ran to its end.
    pub stopped_by: Option<Stop>,
    /// The objective at [`values`](Self::values). NaN when there are none.
    pub objective: f64,
    /// No values have a better objective than this: a lower bound when
    /// minimising, an upper bound when maximising; infinite when nothing is proven.
    pub bound: f64,
    /// One value per column, when the status is `Optimal` or `Feasible`; else
    /// empty. Integer columns are integral within 1e-6.
    pub values: Vec<f64>,
    /// One dual per row, for a linear program solved to `Optimal`; else empty.
    ///
    /// `duals[i]` is the derivative of the optimal objective by the right-hand
    /// side of row i (whichever of its bounds binds), when minimising and when
    /// maximising alike. So when minimising, a binding `>=` row has a dual `>= 0`
    /// and a binding `<=` row one `<= 0`; when maximising it is the other way
    /// round. A new column with `cost` and `entries` improves the objective
    /// only if `cost - sum(dual * entry)` is below 0 when minimising, above 0
    /// when maximising.
    pub duals: Vec<f64>,
    /// One reduced cost per column, `cost - sum(dual * entry)`, under the same
    /// conditions as [`duals`](Self::duals).
    pub reduced_costs: Vec<f64>,
    /// Simplex iterations this solve took.
    pub iterations: u64,
    /// Branch-and-bound nodes this solve took.
    pub nodes: u64,
}

impl Solution {
    /// Whether there are values: the status is `Optimal` or `Feasible`.
    pub fn has_values(&self) -> bool {
        matches!(self.status, Status::Optimal | Status::Feasible)
    }

    /// The dual of a row; see [`duals`](Self::duals) for its sign.
    pub fn dual(&self, row: Row) -> f64 {
        self.duals[row.index()]
    }

    /// The reduced cost of a column.
    pub fn reduced_cost(&self, col: Col) -> f64 {
        self.reduced_costs[col.index()]
    }

    /// The value of an integer column as an integer.
    pub fn count(&self, col: Col) -> i64 {
        let value = self[col];
        debug_assert!(
            (value - value.round()).abs() < 1e-5,
            "{value} is not integral"
        );
        value.round() as i64
    }
}

impl Index<Col> for Solution {
    type Output = f64;

    /// The value of a column.
    fn index(&self, col: Col) -> &f64 {
        &self.values[col.index()]
    }
}
