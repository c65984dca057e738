//! Cells on several threads at once; whoever asked hears of each in turn.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Instant;

use bayplan_model::Problem;

use super::runner::Job;
use super::{ExperimentError, Setting, Values};

/// Stack of a thread that runs cells: as much as a program's first thread has.
const STACK: usize = 8 << 20;

/// What is heard of a cell.
pub(super) enum Event<'j> {
    /// It runs now.
    Begun(&'j Job),
    /// Its figures with CPU seconds, and how many seconds went by.
    Ended(&'j Job, (Values, f64), f64),
}

/// Runs cells in their order, as many at a time as the setting says, until one
/// fails, the stop flag is set, or it is late.
pub(super) fn side_by_side<'j>(
    todo: &[&'j Job],
    setting: &Setting,
    until: Option<Instant>,
    hear: &mut dyn FnMut(Event<'j>) -> Result<(), ExperimentError>,
) -> Result<(), ExperimentError> {
    let shared = Shared {
        todo,
        next: AtomicUsize::new(0),
        failed: AtomicBool::new(false),
        instances: Instances::new(todo),
    };
    let (send, receive) = mpsc::channel();
    let mut result = Ok(());
    thread::scope(|scope| {
        for _ in 0..setting.side_by_side.clamp(1, todo.len().max(1)) {
            let (send, shared) = (send.clone(), &shared);
            let work = move || shared.work(setting, until, &send);
            let thread = thread::Builder::new().stack_size(STACK);
            thread
                .spawn_scoped(scope, work)
                .expect("the system refuses to start threads");
        }
        drop(send);
        for event in receive {
            if let Err(error) = event.and_then(&mut *hear) {
                shared.failed.store(true, Ordering::Relaxed);
                // The first error is the one to tell.
                if result.is_ok() {
                    result = Err(error);
                }
            }
        }
    });
    result
}

struct Shared<'t, 'j> {
    todo: &'t [&'j Job],
    next: AtomicUsize,
    failed: AtomicBool,
    instances: Instances,
}

impl<'j> Shared<'_, 'j> {
    fn work(
        &self,
        setting: &Setting,
        until: Option<Instant>,
        send: &mpsc::Sender<Result<Event<'j>, ExperimentError>>,
    ) {
        let stopped = || setting.stop.load(Ordering::Relaxed);
        let late = || until.is_some_and(|until| Instant::now() >= until);
        while !late() && !stopped() && !self.failed.load(Ordering::Relaxed) {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = self.todo.get(at) else { return };
            // Whoever hears lives as long as this thread.
            let _ = send.send(Ok(Event::Begun(job)));
            let began = Instant::now();
            let answer = self.answer(at, job, setting);
            // An answer cut short by the user is no measurement.
            if stopped() {
                return;
            }
            let wall = began.elapsed().as_secs_f64();
            let _ = send.send(answer.map(|values| Event::Ended(job, values, wall)));
        }
    }

    fn answer(
        &self,
        at: usize,
        job: &Job,
        setting: &Setting,
    ) -> Result<(Values, f64), ExperimentError> {
        let problem = self.instances.get(at, job)?;
        (job.ask)(&problem, setting).map_err(|error| ExperimentError::Run {
            cell: format!("{:?}", job.cell),
            error,
        })
    }
}

/// Instances, each made by the first cell that needs it and dropped after the
/// last: cells that follow each other share theirs.
struct Instances {
    /// Of each cell, which instance.
    of: Vec<usize>,
    /// The instance and how many cells have not taken it yet.
    slots: Vec<Mutex<(Option<Arc<Problem>>, usize)>>,
}

impl Instances {
    fn new(todo: &[&Job]) -> Self {
        let (mut of, mut counts): (Vec<usize>, Vec<usize>) = Default::default();
        for (at, job) in todo.iter().enumerate() {
            let same = at > 0 && todo[at - 1].cell.instance() == job.cell.instance();
            if !same {
                counts.push(0);
            }
            of.push(counts.len() - 1);
            counts[of[at]] += 1;
        }
        let slots = counts.into_iter().map(|count| Mutex::new((None, count)));
        Self {
            of,
            slots: slots.collect(),
        }
    }

    fn get(&self, at: usize, job: &Job) -> Result<Arc<Problem>, ExperimentError> {
        // A panic elsewhere leaves the slot whole: it is set in one go.
        let slot = self.slots[self.of[at]].lock();
        let mut slot = slot.unwrap_or_else(PoisonError::into_inner);
        let problem = match slot.0.take() {
            Some(problem) => problem,
            None => Arc::new((job.make)()?),
        };
        slot.1 -= 1;
        if slot.1 > 0 {
            slot.0 = Some(problem.clone());
        }
        Ok(problem)
    }
}
