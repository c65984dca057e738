//! Runs the cells of an experiment that have not been run yet.

use std::collections::BTreeMap;
use std::time::Instant;

use bayplan_model::Problem;

use super::side_by_side::{Event, side_by_side};
use super::solver::solver;
use super::{Cell, Experiment, ExperimentError, Journal, Measured, Results, Setting, Values};

/// Makes the instance of a cell.
pub type Make = Box<dyn Fn() -> Result<Problem, ExperimentError> + Send + Sync>;

/// Answers it: the figures and the CPU seconds they took.
pub type Ask =
    Box<dyn Fn(&Problem, &Setting) -> Result<(Values, f64), bayplan::Error> + Send + Sync>;

/// A cell and how to run it.
pub struct Job {
    /// Which cell.
    pub cell: Cell,
    /// Makes its instance; cells that follow each other and share study, x and
    /// seed share the instance.
    pub make: Make,
    /// Runs it.
    pub ask: Ask,
}

/// How far a run is.
pub struct Progress<'a> {
    /// Cells done, those of earlier runs included.
    pub done: usize,
    /// All cells.
    pub total: usize,
    /// What runs now.
    pub cell: &'a Cell,
    /// Seconds that the rest will take, as far as known.
    pub seconds_left: f64,
}

/// Runs what is missing, then again what an earlier solver made, until all is
/// done, the stop flag is set, or the time is up; what has been measured is in
/// the journal.
pub fn run(
    experiment: &dyn Experiment,
    setting: &Setting,
    journal: &mut Journal,
    until: Option<Instant>,
    listen: &mut dyn FnMut(&Progress),
) -> Result<Results, ExperimentError> {
    let jobs = experiment.jobs(setting)?;
    let solver = solver(experiment.verb());
    let todo = todo(&jobs, journal, setting, solver);
    let mut pace = Pace::new(&todo);
    let mut done = jobs.len() - todo.len();
    let mut hear = |event: Event| match event {
        Event::Begun(job) => {
            listen(&Progress {
                done,
                total: jobs.len(),
                cell: &job.cell,
                seconds_left: pace.seconds_left() / setting.side_by_side.max(1) as f64,
            });
            Ok(())
        }
        Event::Ended(job, (values, cpu_seconds), wall) => {
            done += 1;
            pace.took(job, wall);
            journal.push(Measured {
                cell: job.cell.clone(),
                values,
                cpu_seconds,
                solver: solver.into(),
            })
        }
    };
    side_by_side(&todo, setting, until, &mut hear)?;
    journal.tidy()?;
    let wanted: Vec<Cell> = jobs.into_iter().map(|job| job.cell).collect();
    Ok(Results::new(journal.measured(), &wanted, solver))
}

/// The cells to run: those nobody has, then those of another solver.
fn todo<'j>(jobs: &'j [Job], journal: &Journal, setting: &Setting, solver: &str) -> Vec<&'j Job> {
    let known: BTreeMap<&Cell, &str> = (journal.measured().iter())
        .map(|measured| (&measured.cell, measured.solver.as_str()))
        .collect();
    let asked = |job: &&Job| {
        let Cell {
            study, x, series, ..
        } = &job.cell;
        let words = format!("{study}, {x}, {series}");
        (setting.only.as_ref()).is_none_or(|only| words.contains(only))
    };
    let jobs = || jobs.iter().filter(&asked);
    let missing = jobs().filter(|job| !known.contains_key(&job.cell));
    let stale = jobs().filter(|job| known.get(&job.cell).is_some_and(|by| *by != solver));
    missing.chain(stale).collect()
}

/// Seconds by study and series, to say how long the rest takes.
struct Pace {
    left: BTreeMap<(String, String), usize>,
    spent: BTreeMap<(String, String), (f64, usize)>,
}

impl Pace {
    fn new(todo: &[&Job]) -> Self {
        let mut left = BTreeMap::new();
        for job in todo {
            *left.entry(Self::kind(job)).or_default() += 1;
        }
        Self {
            left,
            spent: BTreeMap::new(),
        }
    }

    fn kind(job: &Job) -> (String, String) {
        (job.cell.study.clone(), job.cell.series.clone())
    }

    fn took(&mut self, job: &Job, seconds: f64) {
        let kind = Self::kind(job);
        if let Some(left) = self.left.get_mut(&kind) {
            *left -= 1;
        }
        let (sum, count) = self.spent.entry(kind).or_default();
        (*sum, *count) = (*sum + seconds, *count + 1);
    }

    /// A kind not seen yet is taken to be like the mean of the others.
    fn seconds_left(&self) -> f64 {
        let (sum, count) =
            (self.spent.values()).fold((0.0, 0), |(sum, count), (s, c)| (sum + s, count + c));
        let usual = if count == 0 { 0.0 } else { sum / count as f64 };
        let kind_left = |(kind, left): (&(String, String), &usize)| {
            let mean = self.spent.get(kind).map_or(usual, |(s, c)| s / *c as f64);
            mean * *left as f64
        };
        self.left.iter().map(kind_left).sum()
    }
}
