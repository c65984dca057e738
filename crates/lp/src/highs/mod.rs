//! The backend over HiGHS: options, statuses and the warm basis.

mod ffi;

use crate::{Bounds, Col, Options, Row, Sense, Simplex, Solution, Status, Stop};
use ffi::{Basis, Highs, int};
use highs_sys::*;
use std::collections::BTreeMap;
use std::mem::take;

/// A HiGHS model, and the basis its last linear program ended with.
#[derive(Debug)]
pub(crate) struct Backend {
    highs: Highs,
    sense: Sense,
    /// Solving an integer program loses the basis: it waits here for the next
    /// linear program.
    basis: Option<Basis>,
    /// Columns that turned integer or continuous since the last solve: HiGHS
    /// takes long over a single one, and wants a list in ascending order.
    new_kinds: BTreeMap<HighsInt, HighsInt>,
}

impl Backend {
    pub(crate) fn new(sense: Sense) -> Self {
        let mut highs = Highs::new();
        highs.set_bool(c"output_flag", false);
        highs.set_int(c"threads", 1);
        highs.set_text(c"parallel", c"off");
        if sense == Sense::Maximise {
            highs.maximise();
        }
        Self {
            highs,
            sense,
            basis: None,
            new_kinds: BTreeMap::new(),
        }
    }

    pub(crate) fn add_row(&mut self, bounds: Bounds, entries: &[(Col, f64)]) {
        let (index, value) = split(entries, |col| col.index());
        self.highs.add_row(ends(bounds), &index, &value);
    }

    pub(crate) fn add_col(&mut self, cost: f64, bounds: Bounds, entries: &[(Row, f64)]) {
        let (index, value) = split(entries, |row| row.index());
        self.highs.add_col(cost, ends(bounds), &index, &value);
    }

    pub(crate) fn set_cost(&mut self, col: Col, cost: f64) {
        self.highs.set_cost(int(col.index()), cost);
    }

    pub(crate) fn set_bounds(&mut self, col: Col, bounds: Bounds) {
        self.highs.set_bounds(int(col.index()), ends(bounds));
    }

    pub(crate) fn set_row_bounds(&mut self, row: Row, bounds: Bounds) {
        self.highs.set_row_bounds(int(row.index()), ends(bounds));
    }

    pub(crate) fn set_integer(&mut self, cols: &[Col], integer: bool) {
        let kind = if integer {
            VAR_TYPE_INTEGER
        } else {
            VAR_TYPE_CONTINUOUS
        };
        let kinds = cols.iter().map(|col| (int(col.index()), kind));
        self.new_kinds.extend(kinds);
    }

    pub(crate) fn set_start(&mut self, values: &[f64]) {
        self.keep_basis();
        self.apply_kinds();
        self.highs.set_start(values);
    }

    pub(crate) fn solve(&mut self, options: &Options, integer: bool) -> Solution {
        if integer {
            self.keep_basis();
        }
        self.apply_kinds();
        if let Some(mut basis) = self.basis.take_if(|_| !integer) {
            // What was added since: columns at a bound, rows basic, as HiGHS itself does.
            basis
                .cols
                .resize(self.highs.num_cols(), kHighsBasisStatusNonbasic);
            basis
                .rows
                .resize(self.highs.num_rows(), kHighsBasisStatusBasic);
            self.highs.set_basis(&basis);
        }
        self.apply(options, integer);
        let mut status = self.run(options, integer);
        if undecided(status) {
            // Warm starts add up rounding errors and presolve may not tell
            // unbounded from infeasible: once more, from scratch, the other way.
            self.highs.forget();
            self.set_presolve(!options.presolve);
            status = self.run(options, integer);
        }
        self.read(status, options, integer)
    }

    /// Tells HiGHS which columns turned integer or continuous.
    fn apply_kinds(&mut self) {
        let (cols, kinds): (Vec<_>, Vec<_>) = take(&mut self.new_kinds).into_iter().unzip();
        self.highs.set_kinds(&cols, &kinds);
    }

    /// Saves a valid basis before something destroys it.
    fn keep_basis(&mut self) {
        self.basis = self.highs.basis().or(self.basis.take());
    }

    fn apply(&mut self, options: &Options, integer: bool) {
        let seconds = options.seconds.map_or(f64::INFINITY, |s| s.max(0.0));
        let simplex = match options.simplex {
            Simplex::Automatic => 0,
            Simplex::Dual => 1,
            Simplex::Primal => 4,
        };
        let iterations = if integer { None } else { options.iterations };
        self.highs.set_float(c"time_limit", seconds);
        self.highs
            .set_int(c"simplex_iteration_limit", limit(iterations));
        self.highs
            .set_int(c"mip_max_nodes", limit(options.nodes.map(|n| n.max(1))));
        self.highs.set_float(c"mip_rel_gap", options.gap);
        self.highs
            .set_int(c"random_seed", limit(Some(options.seed.into())));
        self.highs.set_int(c"simplex_strategy", simplex);
        self.set_presolve(options.presolve);
    }

    fn set_presolve(&mut self, on: bool) {
        self.highs
            .set_text(c"presolve", if on { c"choose" } else { c"off" });
    }

    fn run(&mut self, options: &Options, integer: bool) -> HighsInt {
        let lp_iterations = options
            .iterations
            .filter(|_| integer)
            .map_or(i64::MAX, |n| n as i64);
        self.highs.run(options, lp_iterations)
    }

    fn read(&self, status: HighsInt, options: &Options, integer: bool) -> Solution {
        let stopped_by = match status {
            MODEL_STATUS_OPTIMAL | MODEL_STATUS_MODEL_EMPTY => None,
            MODEL_STATUS_INFEASIBLE | MODEL_STATUS_UNBOUNDED => None,
            MODEL_STATUS_REACHED_TIME_LIMIT => Some(Stop::Seconds),
            MODEL_STATUS_REACHED_ITERATION_LIMIT => Some(Stop::Iterations),
            MODEL_STATUS_REACHED_SOLUTION_LIMIT => Some(Stop::Nodes),
            MODEL_STATUS_REACHED_INTERRUPT if options.stop_requested() => Some(Stop::Flag),
            MODEL_STATUS_REACHED_INTERRUPT => Some(Stop::Iterations),
            _ => Some(Stop::Numerics),
        };
        let feasible = || {
            self.highs.int_info(c"primal_solution_status") == SOLUTION_STATUS_FEASIBLE
                && stopped_by != Some(Stop::Numerics)
        };
        let status = match status {
            MODEL_STATUS_OPTIMAL | MODEL_STATUS_MODEL_EMPTY => Status::Optimal,
            MODEL_STATUS_INFEASIBLE => Status::Infeasible,
            MODEL_STATUS_UNBOUNDED => Status::Unbounded,
            _ if feasible() => Status::Feasible,
            _ => Status::Unknown,
        };
        let mut solution = Solution {
            status,
            stopped_by,
            objective: f64::NAN,
            bound: self.sense.no_bound(),
            values: Vec::new(),
            duals: Vec::new(),
            reduced_costs: Vec::new(),
            iterations: self.highs.int_info(c"simplex_iteration_count").max(0) as u64,
            nodes: self.highs.int64_info(c"mip_node_count").max(0) as u64,
        };
        if integer {
            solution.bound = self.highs.float_info(c"mip_dual_bound");
        }
        if solution.has_values() {
            let raw = self.highs.solution();
            solution.objective = self.highs.float_info(c"objective_function_value");
            solution.values = raw.col_values;
            if integer && status == Status::Optimal && !proven(&solution) {
                // HiGHS calls reaching the gap optimal too, and has been caught
                // calling worse so.
                let why = if options.gap > 0.0 {
                    Stop::Gap
                } else {
                    Stop::Numerics
                };
                solution.status = Status::Feasible;
                solution.stopped_by = Some(why);
            }
            if !integer && status == Status::Optimal {
                solution.bound = solution.objective;
                solution.duals = raw.row_duals;
                solution.reduced_costs = raw.col_duals;
            }
        }
        solution
    }
}

/// Whether objective and bound of an integer program meet, up to rounding errors.
fn proven(solution: &Solution) -> bool {
    let apart = (solution.objective - solution.bound).abs();
    apart <= 2e-6_f64.max(1e-9 * solution.objective.abs())
}

/// Whether a second attempt may say more.
fn undecided(status: HighsInt) -> bool {
    matches!(
        status,
        MODEL_STATUS_UNBOUNDED_OR_INFEASIBLE
            | MODEL_STATUS_UNKNOWN
            | MODEL_STATUS_SOLVE_ERROR
            | MODEL_STATUS_PRESOLVE_ERROR
            | MODEL_STATUS_POSTSOLVE_ERROR
    )
}

fn limit(count: Option<u64>) -> HighsInt {
    count.map_or(HighsInt::MAX, |n| {
        HighsInt::try_from(n).unwrap_or(HighsInt::MAX)
    })
}

fn ends(bounds: Bounds) -> (f64, f64) {
    (bounds.lower, bounds.upper)
}

fn split<T: Copy>(entries: &[(T, f64)], index: impl Fn(T) -> usize) -> (Vec<HighsInt>, Vec<f64>) {
    entries
        .iter()
        .map(|&(item, value)| (int(index(item)), value))
        .unzip()
}
