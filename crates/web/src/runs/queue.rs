//! Runs that wait, in order, at most so many.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::Run;
use crate::app::lock;

/// The queue between requests and the worker.
pub struct Queue {
    most: usize,
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Default)]
struct Inner {
    waiting: VecDeque<Arc<Run>>,
    running: Option<Arc<Run>>,
    closed: bool,
}

impl Queue {
    /// With room for so many that wait.
    pub fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            inner: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Puts a run at the end; false when the queue is full or closed.
    pub fn push(&self, run: Arc<Run>) -> bool {
        let mut inner = lock(&self.inner);
        let room = inner.waiting.len() < self.most && !inner.closed;
        if room {
            inner.waiting.push_back(run);
            self.changed.notify_one();
        }
        room
    }

    /// Whether one more would be taken now.
    pub fn has_room(&self) -> bool {
        let inner = lock(&self.inner);
        inner.waiting.len() < self.most && !inner.closed
    }

    /// The next run; waits for one. `None`: closed.
    pub fn next(&self) -> Option<Arc<Run>> {
        let mut inner = lock(&self.inner);
        inner.running = None;
        loop {
            if inner.closed {
                return None;
            }
            if let Some(run) = inner.waiting.pop_front() {
                inner.running = Some(run.clone());
                return Some(run);
            }
            inner = self
                .changed
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes a run out that still waits.
    pub fn take_out(&self, number: u64) -> bool {
        let mut inner = lock(&self.inner);
        let before = inner.waiting.len();
        inner.waiting.retain(|run| run.number != number);
        inner.waiting.len() < before
    }

    /// Nothing more is taken or handed out; the run that is at work is told to
    /// end with its best answer.
    pub fn close(&self) {
        let mut inner = lock(&self.inner);
        inner.closed = true;
        inner.waiting.clear();
        if let Some(run) = &inner.running {
            run.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        }
        self.changed.notify_all();
    }
}
