//! The papers' experiments: each is a list of cells (study, x, series, seed);
//! figures and tables are made from the cells that have been run.

mod admit;
mod ask;
mod baseline;
mod cell;
mod colocate;
mod divide;
mod error;
mod facts;
mod journal;
mod machine;
mod overcommit;
mod page;
mod provision;
mod results;
mod runner;
mod setting;
mod side_by_side;
mod solver;
mod write;

pub use baseline::{Better, Held, Line, baseline, compare, table as baseline_table};
pub use cell::{Cell, Measured, Values};
pub use error::ExperimentError;
pub use facts::{Fact, Facts};
pub use journal::Journal;
pub use page::{Page, Section, SummaryRow, Table};
pub use results::{Results, Stat};
pub use runner::{Job, Progress, run};
pub use setting::{Extent, Setting};
pub use solver::solver;
pub use write::{csv, made, markdown, summary, terminal, write};

/// The experiments of one paper.
pub trait Experiment {
    /// The verb that answers the paper's question.
    fn verb(&self) -> &'static str;

    /// Every cell and how to run it, in the order to run them: a run that is
    /// cut short has the first seeds of everything.
    fn jobs(&self, setting: &Setting) -> Result<Vec<Job>, ExperimentError>;

    /// The page made of what has been measured.
    fn page(&self, results: &Results, setting: &Setting) -> Result<Page, ExperimentError>;

    /// The quality figures that must not get worse.
    fn held(&self) -> &'static [Held];
}

/// All experiments, in the order of the questions.
pub fn all() -> Vec<Box<dyn Experiment>> {
    vec![
        Box::new(provision::Provision),
        Box::new(colocate::Colocate),
        Box::new(overcommit::Overcommit),
        Box::new(divide::Divide),
        Box::new(admit::Admit),
    ]
}
