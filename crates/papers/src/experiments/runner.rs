//! Runs the cells of an experiment that have not been run yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Instant;

use bayplan_model::Problem;

use super::{Cell, Experiment, ExperimentError, Journal, Measured, Results, Setting, Values};

/// Makes the instance of a cell.
pub type Make = Box<dyn Fn() -> Result<Problem, ExperimentError>>;

/// Answers it: the figures and the CPU seconds they took.
pub type Ask = Box<dyn Fn(&Problem, &Setting) -> Result<(Values, f64), bayplan::Error>>;

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

/// Runs what is missing, until all is done, the stop flag is set, or the time
/// is up; what has been measured is in the journal.
pub fn run(
    experiment: &dyn Experiment,
    setting: &Setting,
    journal: &mut Journal,
    until: Option<Instant>,
    listen: &mut dyn FnMut(&Progress),
) -> Result<Results, ExperimentError> {
    let jobs = experiment.jobs(setting)?;
    let known: BTreeSet<Cell> = (journal.measured().iter())
        .map(|measured| measured.cell.clone())
        .collect();
    let todo: Vec<&Job> = jobs
        .iter()
        .filter(|job| !known.contains(&job.cell))
        .collect();
    let mut pace = Pace::new(&todo);
    let mut last: Option<((String, String, u64), Problem)> = None;
    for (at, job) in todo.iter().enumerate() {
        let late = until.is_some_and(|until| Instant::now() >= until);
        if late || setting.stop.load(Ordering::Relaxed) {
            break;
        }
        listen(&Progress {
            done: jobs.len() - todo.len() + at,
            total: jobs.len(),
            cell: &job.cell,
            seconds_left: pace.seconds_left(),
        });
        let began = Instant::now();
        let instance = job.cell.instance();
        let problem = match last.take() {
            Some((known, problem)) if known == instance => problem,
            _ => (job.make)()?,
        };
        let answer = (job.ask)(&problem, setting);
        last = Some((instance, problem));
        // An answer cut short by the user is no measurement.
        if setting.stop.load(Ordering::Relaxed) {
            break;
        }
        let (values, cpu_seconds) = answer.map_err(|error| ExperimentError::Run {
            cell: format!("{:?}", job.cell),
            error,
        })?;
        let cell = job.cell.clone();
        journal.push(Measured {
            cell,
            values,
            cpu_seconds,
        })?;
        pace.took(job, began.elapsed().as_secs_f64());
    }
    let wanted: BTreeSet<Cell> = jobs.into_iter().map(|job| job.cell).collect();
    Ok(Results::new(journal.measured(), &wanted))
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
