//! The patterns known so far and the linear program over them.

use bayplan_lp::{Col, Model, Options, Row as LpRow, Sense, Solution, Status, Stop};
use rustc_hash::FxHashMap;

use super::super::pricing::Pricer;
use crate::{Context, SolveError};

/// A pattern for a kind of machine.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Column {
    pub kind: u32,
    /// (service, count), by service.
    pub pattern: Vec<(u32, u32)>,
}

/// A pattern used a number of times.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Chosen {
    pub column: Column,
    pub times: u64,
}

/// What leaving a replica out costs, in largest capacities: above anything
/// placing it can cost, so that the LP leaves none out that fits.
const LEFT_OUT: f64 = 1000.0;

/// The restricted master program. Every service has a row "cover the replicas
/// wanted", every row of machines one "no more than there are".
pub(crate) struct Master<'a> {
    pub pricer: &'a Pricer<'a>,
    pub columns: Vec<Column>,
    pub costs: Vec<f64>,
    known: FxHashMap<Column, u32>,
    /// What is wanted now, and which columns hold no more than that.
    wanted: Vec<u32>,
    proper: Vec<bool>,
    model: Model,
    cover: Vec<LpRow>,
    supply: Vec<Option<LpRow>>,
    cols: Vec<Col>,
    left_out: Vec<Col>,
}

/// The LP's answer.
pub(crate) struct Relaxed {
    pub objective: f64,
    /// How often each column is used.
    pub values: Vec<f64>,
    /// Per service.
    pub duals: Vec<f64>,
    /// Per row of machines, zero or less.
    pub supply_duals: Vec<f64>,
    /// Whether replicas are left out.
    pub short: bool,
}

impl Relaxed {
    /// What a column costs above what the LP pays for its replicas and for its
    /// place in a row of machines.
    pub fn reduced(&self, column: &Column, cost: f64, row: usize) -> f64 {
        let earned: f64 = (column.pattern.iter())
            .map(|(service, count)| self.duals[*service as usize] * f64::from(*count))
            .sum();
        cost - earned - self.supply_duals[row]
    }
}

impl<'a> Master<'a> {
    pub fn new(pricer: &'a Pricer<'a>) -> Self {
        let mut model = Model::new(Sense::Minimise);
        let wanted = &pricer.kinds.wanted;
        let cover: Vec<LpRow> = wanted
            .iter()
            .map(|w| model.add_row(f64::from(*w).., &[]))
            .collect();
        let supply = pricer.kinds.rows.iter().map(|row| {
            let count = row.count();
            (count != u64::MAX).then(|| model.add_row(..=count as f64, &[]))
        });
        let supply = supply.collect();
        let left_out = cover
            .iter()
            .map(|row| model.add_col(LEFT_OUT, 0.0.., &[(*row, 1.0)]))
            .collect();
        Self {
            pricer,
            columns: Vec::new(),
            costs: Vec::new(),
            known: FxHashMap::default(),
            wanted: wanted.clone(),
            proper: Vec::new(),
            model,
            cover,
            supply,
            cols: Vec::new(),
            left_out,
        }
    }

    /// Adds a pattern unless it is known or empty.
    pub fn add(&mut self, column: Column) -> bool {
        if column.pattern.is_empty() || self.known.contains_key(&column) {
            return false;
        }
        let cost = self.pricer.cost(column.kind as usize, &column.pattern);
        let mut entries: Vec<(LpRow, f64)> = column
            .pattern
            .iter()
            .map(|(s, count)| (self.cover[*s as usize], f64::from(*count)))
            .collect();
        entries.extend(self.supply[self.row_of(&column)].map(|row| (row, 1.0)));
        self.cols.push(self.model.add_col(cost, 0.0.., &entries));
        self.known.insert(column.clone(), self.columns.len() as u32);
        self.columns.push(column);
        self.costs.push(cost);
        self.proper.push(true);
        self.open_or_close(self.columns.len() - 1);
        true
    }

    /// The row of machines a column takes one of.
    pub fn row_of(&self, column: &Column) -> usize {
        self.pricer.kinds.kinds[column.kind as usize].row
    }

    /// Whether a column holds no more of any service than is wanted now.
    pub fn is_proper(&self, at: usize) -> bool {
        self.proper[at]
    }

    /// Opens a column to the LP if it is proper, else closes it.
    fn open_or_close(&mut self, at: usize) {
        let within = |(s, count): &(u32, u32)| *count <= self.wanted[*s as usize];
        let proper = self.columns[at].pattern.iter().all(within);
        if proper != self.proper[at] {
            let most = if proper { f64::INFINITY } else { 0.0 };
            self.model.set_bounds(self.cols[at], 0.0..=most);
            self.proper[at] = proper;
        }
    }

    /// Changes what is wanted and how many machines there are. Columns that
    /// hold more than is wanted are closed: the LP would use a fraction of one
    /// for what takes a whole machine, and the last machines of a dive would
    /// end up nearly empty.
    pub fn restrict(&mut self, wanted: &[u32], supply: &[u64]) {
        self.wanted.copy_from_slice(wanted);
        (0..self.columns.len()).for_each(|at| self.open_or_close(at));
        for (row, wanted) in self.cover.iter().zip(wanted) {
            self.model.set_row_bounds(*row, f64::from(*wanted)..);
        }
        for (row, supply) in self.supply.iter().zip(supply) {
            if let Some(row) = row {
                self.model.set_row_bounds(*row, ..=*supply as f64);
            }
        }
    }

    /// Solves the LP; `None` when the time was up before it was solved.
    pub fn relax(&mut self, ctx: &Context) -> Result<Option<Relaxed>, SolveError> {
        let options = Options {
            seconds: ctx.steps().is_none().then(|| ctx.seconds_left().max(0.01)),
            stop: Some(ctx.stop_flag().clone()),
            ..Options::column_generation()
        };
        let solution: Solution = self.model.solve(&options);
        match solution.status {
            Status::Optimal => {}
            // The solver's clock may be a hair ahead of ours.
            _ if ctx.must_stop() || solution.stopped_by == Some(Stop::Seconds) => return Ok(None),
            status => {
                return Err(SolveError::Numerical {
                    what: format!("the master program ended {status:?}"),
                });
            }
        }
        let supply_dual = |row: &Option<LpRow>| row.map_or(0.0, |row| solution.dual(row).min(0.0));
        Ok(Some(Relaxed {
            objective: solution.objective,
            values: self
                .cols
                .iter()
                .map(|col| solution[*col].max(0.0))
                .collect(),
            duals: self
                .cover
                .iter()
                .map(|row| solution.dual(*row).max(0.0))
                .collect(),
            supply_duals: self.supply.iter().map(supply_dual).collect(),
            short: self.left_out.iter().any(|col| solution[*col] > 1e-6),
        }))
    }
}
