//! The backend in pure Rust, over `microlp`: keeps the model and solves it from scratch.

mod duals;
mod run;

use crate::{Bounds, Col, Options, Row, Sense, Solution, Status, Stop};
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use run::{Ended, Run};

/// The model, column by column.
#[derive(Debug)]
pub(crate) struct Backend {
    sense: Sense,
    cols: Vec<Column>,
    rows: Vec<Bounds>,
    start: Option<Vec<f64>>,
}

/// A column with its entries by row.
#[derive(Debug)]
struct Column {
    cost: f64,
    bounds: Bounds,
    integer: bool,
    entries: Vec<(usize, f64)>,
}

impl Backend {
    pub(crate) fn new(sense: Sense) -> Self {
        Self {
            sense,
            cols: Vec::new(),
            rows: Vec::new(),
            start: None,
        }
    }

    pub(crate) fn add_row(&mut self, bounds: Bounds, entries: &[(Col, f64)]) {
        for &(col, entry) in entries {
            let row = self.rows.len();
            self.cols[col.index()].entries.push((row, entry));
        }
        self.rows.push(bounds);
    }

    pub(crate) fn add_col(&mut self, cost: f64, bounds: Bounds, entries: &[(Row, f64)]) {
        let entries = entries.iter().map(|&(row, entry)| (row.index(), entry));
        self.cols.push(Column {
            cost,
            bounds,
            integer: false,
            entries: entries.collect(),
        });
    }

    pub(crate) fn set_cost(&mut self, col: Col, cost: f64) {
        self.cols[col.index()].cost = cost;
    }

    pub(crate) fn set_bounds(&mut self, col: Col, bounds: Bounds) {
        self.cols[col.index()].bounds = bounds;
    }

    pub(crate) fn set_row_bounds(&mut self, row: Row, bounds: Bounds) {
        self.rows[row.index()] = bounds;
    }

    pub(crate) fn set_integer(&mut self, cols: &[Col], integer: bool) {
        for col in cols {
            self.cols[col.index()].integer = integer;
        }
    }

    pub(crate) fn set_start(&mut self, values: &[f64]) {
        self.start = Some(values.to_vec());
    }

    pub(crate) fn solve(&mut self, options: &Options, integer: bool) -> Solution {
        let (problem, variables) = self.problem();
        // Columns may have come since the start values were given.
        let start = self.start.take().filter(|_| integer);
        let start = start.map(|values| variables.iter().copied().zip(values).collect());
        let run = Run::begin(options);
        let mut solution = self.read(run.solve(&problem, start), &variables);
        if !integer && solution.status == Status::Optimal {
            match duals::solve(self, &run) {
                Some(duals) => {
                    solution.reduced_costs = self.reduced_costs(&duals);
                    solution.duals = duals;
                }
                // Callers count on duals of an optimal linear program.
                None => {
                    solution.status = Status::Feasible;
                    solution.stopped_by = Some(Stop::Numerics);
                }
            }
        }
        solution
    }

    /// The model in `microlp`'s terms.
    fn problem(&self) -> (Problem, Vec<Variable>) {
        let mut problem = Problem::new(match self.sense {
            Sense::Minimise => OptimizationDirection::Minimize,
            Sense::Maximise => OptimizationDirection::Maximize,
        });
        let mut rows = vec![Vec::new(); self.rows.len()];
        let mut variables = Vec::with_capacity(self.cols.len());
        for col in &self.cols {
            let Bounds { lower, upper } = col.bounds;
            let variable = if col.integer {
                // Whole already; casts saturate, and microlp's integers are no wider.
                problem.add_integer_var(col.cost, (lower as i32, upper as i32))
            } else {
                problem.add_var(col.cost, (lower, upper))
            };
            for &(row, entry) in &col.entries {
                rows[row].push((variable, entry));
            }
            variables.push(variable);
        }
        for (bounds, entries) in self.rows.iter().zip(rows) {
            if bounds.is_exact() {
                problem.add_constraint(&entries, ComparisonOp::Eq, bounds.lower);
            } else {
                problem.add_constraint(&entries, ComparisonOp::Ge, bounds.lower);
                problem.add_constraint(&entries, ComparisonOp::Le, bounds.upper);
            }
        }
        (problem, variables)
    }

    fn read(&self, ended: Ended, variables: &[Variable]) -> Solution {
        let values_of = |found: &microlp::Solution| -> Vec<f64> {
            variables.iter().map(|&v| found.var_value(v)).collect()
        };
        let mut solution = Solution {
            status: Status::Unknown,
            stopped_by: ended.stopped_by(),
            objective: f64::NAN,
            bound: self.sense.no_bound(),
            values: Vec::new(),
            duals: Vec::new(),
            reduced_costs: Vec::new(),
            iterations: 0,
            nodes: 0,
        };
        match ended {
            Ended::Infeasible => solution.status = Status::Infeasible,
            Ended::Unbounded => solution.status = Status::Unbounded,
            Ended::Failed => {}
            Ended::Done(outcome) | Ended::Stopped(outcome, _) => {
                let stats = outcome.stats();
                solution.iterations = stats.lp_iterations;
                solution.nodes = stats.nodes_solved;
                solution.bound = stats.best_bound.unwrap_or(solution.bound);
                if let Some(found) = outcome.solution() {
                    let optimal = outcome.is_optimal();
                    solution.status = if optimal {
                        Status::Optimal
                    } else {
                        Status::Feasible
                    };
                    solution.objective = found.objective();
                    solution.values = values_of(found);
                }
            }
        }
        solution
    }

    fn reduced_costs(&self, duals: &[f64]) -> Vec<f64> {
        let priced = |col: &Column| -> f64 {
            col.entries
                .iter()
                .map(|&(row, entry)| duals[row] * entry)
                .sum()
        };
        self.cols.iter().map(|col| col.cost - priced(col)).collect()
    }
}
