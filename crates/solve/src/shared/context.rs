//! What a run is given beside the problem: randomness, budget, stop, listener.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// The random source of a lane: portable, so the same seed gives the same
/// numbers on every machine.
pub type Random = Xoshiro256PlusPlus;

/// Set to true to make a run return its best answer so far.
pub type StopFlag = Arc<AtomicBool>;

/// How long a run may take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Budget {
    /// Wall seconds from the start of the run.
    Seconds(f64),
    /// Steps, as each algorithm counts them: the same answer on any machine
    /// and any number of threads.
    Steps(u64),
}

/// What a listener hears while a run goes on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// The best objective so far.
    pub incumbent: Option<f64>,
    /// What no answer can beat, as far as known.
    pub bound: Option<f64>,
    /// What is being done.
    pub phase: &'static str,
}

/// Randomness, budget, stop flag and listener of one run.
pub struct Context {
    seed: u64,
    budget: Budget,
    started: Instant,
    stop: StopFlag,
    /// `None`: everything happens on the thread that asks.
    pool: Option<rayon::ThreadPool>,
    listener: Box<dyn Fn(Progress) + Send + Sync>,
}

impl Context {
    /// A run on `threads` threads (0: all cores, 1: the thread that asks and no
    /// other); the clock starts now.
    pub fn new(seed: u64, budget: Budget, threads: usize) -> Self {
        let pool = || {
            // 512 is far above any gain and keeps a mistyped number from exhausting the machine.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(512));
            pool.build().expect("the system refuses to start threads")
        };
        Self {
            seed,
            budget,
            started: Instant::now(),
            stop: StopFlag::default(),
            pool: (threads != 1).then(pool),
            listener: Box::new(|_| ()),
        }
    }

    /// With a stop flag that somebody else may set.
    pub fn with_stop(self, stop: StopFlag) -> Self {
        Self { stop, ..self }
    }

    /// With a listener for progress.
    pub fn with_listener(self, listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self {
            listener: Box::new(listener),
            ..self
        }
    }

    /// The seed all randomness of the run comes from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The random source of a lane. Lanes are numbered by the algorithm, never
    /// by the thread that happens to run them.
    pub fn random(&self, lane: u64) -> Random {
        // A fixed odd multiplier spreads lanes; seed_from_u64 mixes further.
        Random::seed_from_u64(self.seed ^ lane.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// The budget.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// The steps allowed, if the budget counts steps.
    pub fn steps(&self) -> Option<u64> {
        match self.budget {
            Budget::Steps(steps) => Some(steps),
            Budget::Seconds(_) => None,
        }
    }

    /// Wall seconds since the start.
    pub fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Wall seconds left: infinite when the budget counts steps.
    pub fn seconds_left(&self) -> f64 {
        match self.budget {
            Budget::Seconds(seconds) => (seconds - self.elapsed()).max(0.0),
            Budget::Steps(_) => f64::INFINITY,
        }
    }

    /// When the time is up; `None` when the budget counts steps.
    pub fn deadline(&self) -> Option<Instant> {
        match self.budget {
            Budget::Seconds(seconds) => Duration::try_from_secs_f64(seconds)
                .ok()
                .and_then(|d| self.started.checked_add(d)),
            Budget::Steps(_) => None,
        }
    }

    /// Whether somebody asked to stop.
    pub fn interrupted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether to return the best answer so far: interrupted, or out of time.
    /// Steps are counted by the algorithm.
    pub fn must_stop(&self) -> bool {
        self.interrupted() || self.seconds_left() <= 0.0
    }

    /// The stop flag, to hand on to an LP or MIP.
    pub fn stop_flag(&self) -> &StopFlag {
        &self.stop
    }

    /// Tells the listener.
    pub fn report(&self, progress: Progress) {
        (self.listener)(progress);
    }

    /// How many threads run lanes.
    pub fn threads(&self) -> usize {
        self.pool
            .as_ref()
            .map_or(1, rayon::ThreadPool::current_num_threads)
    }

    /// Whether the run starts no thread of its own.
    pub fn stays_on_its_thread(&self) -> bool {
        self.pool.is_none()
    }

    /// Runs `lanes` independent pieces of work on the threads there are; the
    /// results come back in lane order, whatever ran first.
    pub fn lanes<T: Send>(&self, lanes: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
        match &self.pool {
            None => (0..lanes).map(work).collect(),
            Some(pool) => pool.install(|| (0..lanes).into_par_iter().map(work).collect()),
        }
    }

    /// Works on each item on the threads there are; the results come back in order.
    pub fn each<I: Send, T: Send>(
        &self,
        items: &mut [I],
        work: impl Fn(&mut I) -> T + Sync + Send,
    ) -> Vec<T> {
        match &self.pool {
            Some(pool) if items.len() > 1 => {
                pool.install(|| items.par_iter_mut().map(work).collect())
            }
            _ => items.iter_mut().map(work).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    #[test]
    fn lanes_do_not_depend_on_threads() {
        let draw = |threads| {
            let context = Context::new(7, Budget::Steps(1), threads);
            context.lanes(5, |lane| context.random(lane as u64).random::<u64>())
        };
        assert_eq!(draw(1), draw(3));
        let first = draw(2);
        assert!((1..5).all(|lane| first[lane] != first[0]));
    }

    #[test]
    fn time_and_interruption_stop_a_run() {
        assert!(Context::new(0, Budget::Seconds(0.0), 1).must_stop());
        let context = Context::new(0, Budget::Steps(3), 1);
        assert!(!context.must_stop());
        context.stop_flag().store(true, Ordering::Relaxed);
        assert!(context.must_stop());
        assert!(
            Context::new(0, Budget::Seconds(f64::INFINITY), 1)
                .deadline()
                .is_none()
        );
    }
}
