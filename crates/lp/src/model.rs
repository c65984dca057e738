//! The model: what a user builds, changes and solves.

use crate::backend::Backend;
use crate::{Bounds, Options, Solution};

/// Which way the objective goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// The least objective is best.
    Minimise,
    /// The greatest objective is best.
    Maximise,
}

impl Sense {
    /// The bound that claims nothing.
    pub(crate) fn no_bound(self) -> f64 {
        match self {
            Self::Minimise => f64::NEG_INFINITY,
            Self::Maximise => f64::INFINITY,
        }
    }
}

/// A column (variable) of the model that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Col(u32);

impl Col {
    /// The position among the columns, in order of addition, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A row (constraint) of the model that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row(u32);

impl Row {
    /// The position among the rows, in order of addition, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A linear or integer program that can be changed and solved again.
///
/// Every method panics on input that is a mistake in the calling program: a
/// column or row of another model, one named twice in a list of entries, or a
/// number that is not finite. Entries should lie within 1e-9 and 1e15 in
/// magnitude; smaller ones count as 0.
#[derive(Debug)]
pub struct Model {
    backend: Backend,
    rows: usize,
    cols: Vec<Kind>,
}

/// What a column was asked to be.
#[derive(Clone, Copy, Debug)]
struct Kind {
    bounds: Bounds,
    integer: bool,
}

impl Kind {
    /// The bounds for the solver. HiGHS (1.15) may put an integer column on a
    /// fractional bound and call that optimal, so it never sees one.
    fn effective(self) -> Bounds {
        if self.integer {
            self.bounds.whole()
        } else {
            self.bounds
        }
    }
}

impl Model {
    /// An empty model.
    pub fn new(sense: Sense) -> Self {
        let backend = Backend::new(sense);
        Self {
            backend,
            rows: 0,
            cols: Vec::new(),
        }
    }

    /// Adds a row: the weighted sum of columns must lie within `bounds`.
    pub fn add_row(&mut self, bounds: impl Into<Bounds>, entries: &[(Col, f64)]) -> Row {
        self.check_entries(
            entries.iter().map(|&(col, entry)| (col.index(), entry)),
            self.cols.len(),
        );
        self.backend.add_row(bounds.into(), entries);
        self.rows += 1;
        Row(u32::try_from(self.rows - 1).expect("fewer than 2^32 rows"))
    }

    /// Adds a continuous column with its cost, bounds and entries in the rows so far.
    pub fn add_col(&mut self, cost: f64, bounds: impl Into<Bounds>, entries: &[(Row, f64)]) -> Col {
        assert!(cost.is_finite(), "cost {cost}");
        self.check_entries(
            entries.iter().map(|&(row, entry)| (row.index(), entry)),
            self.rows,
        );
        let bounds = bounds.into();
        self.backend.add_col(cost, bounds, entries);
        self.cols.push(Kind {
            bounds,
            integer: false,
        });
        Col(u32::try_from(self.cols.len() - 1).expect("fewer than 2^32 columns"))
    }

    /// Adds a column that may only take whole values.
    pub fn add_integer_col(
        &mut self,
        cost: f64,
        bounds: impl Into<Bounds>,
        entries: &[(Row, f64)],
    ) -> Col {
        let col = self.add_col(cost, bounds, entries);
        self.set_integer([col], true);
        col
    }

    /// Changes the cost of a column.
    pub fn set_cost(&mut self, col: Col, cost: f64) {
        assert!(
            col.index() < self.num_cols() && cost.is_finite(),
            "{col:?} cost {cost}"
        );
        self.backend.set_cost(col, cost);
    }

    /// Changes the bounds of a column.
    pub fn set_bounds(&mut self, col: Col, bounds: impl Into<Bounds>) {
        assert!(col.index() < self.num_cols(), "{col:?} is of another model");
        let kind = &mut self.cols[col.index()];
        kind.bounds = bounds.into();
        self.backend.set_bounds(col, kind.effective());
    }

    /// Changes the bounds of a row.
    pub fn set_row_bounds(&mut self, row: Row, bounds: impl Into<Bounds>) {
        assert!(row.index() < self.num_rows(), "{row:?} is of another model");
        self.backend.set_row_bounds(row, bounds.into());
    }

    /// Restricts columns to whole values, or lifts that. `model.cols()` names
    /// all: between a master problem and its integer form the model, and the
    /// basis of its last linear program, stay alive.
    pub fn set_integer(&mut self, cols: impl IntoIterator<Item = Col>, integer: bool) {
        let cols: Vec<Col> = cols.into_iter().collect();
        for &col in &cols {
            let kind = &mut self.cols[col.index()];
            let before = kind.effective();
            kind.integer = integer;
            if kind.effective() != before {
                self.backend.set_bounds(col, kind.effective());
            }
        }
        self.backend.set_integer(&cols, integer);
    }

    /// Gives the next solve of an integer program values to start from, one per
    /// column. Values that break a rule are ignored.
    pub fn set_start(&mut self, values: &[f64]) {
        assert_eq!(values.len(), self.num_cols(), "one value per column");
        self.backend.set_start(values);
    }

    /// Solves the model: as an integer program if any column is integer, else
    /// as a linear program, from its last basis.
    pub fn solve(&mut self, options: &Options) -> Solution {
        let integer = self.cols.iter().any(|kind| kind.integer);
        self.backend.solve(options, integer)
    }

    /// All columns, in order of addition.
    pub fn cols(&self) -> impl Iterator<Item = Col> + use<> {
        (0..self.cols.len() as u32).map(Col)
    }

    /// All rows, in order of addition.
    pub fn rows(&self) -> impl Iterator<Item = Row> + use<> {
        (0..self.rows as u32).map(Row)
    }

    /// The number of columns.
    pub fn num_cols(&self) -> usize {
        self.cols.len()
    }

    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        self.rows
    }

    /// Panics on entries no backend could give a meaning to.
    fn check_entries(&self, entries: impl Iterator<Item = (usize, f64)>, limit: usize) {
        for (index, entry) in entries {
            assert!(
                index < limit,
                "entry {index} of {limit} is of another model"
            );
            assert!(entry.is_finite(), "entry {index} is {entry}");
        }
    }
}
