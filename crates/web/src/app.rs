//! What all requests share: the store, what is kept, the queue and the bounds.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;
use bayplan_formats::{Format, ReadOptions, read};
use bayplan_model::Problem;
use tokio::sync::{Semaphore, watch};

use crate::Config;
use crate::fault::{Answer, Fault, blocking};
use crate::inputs::InputRecord;
use crate::runs::{Queue, Run};
use crate::store::{Kind, Store, StoreError};

/// Problems kept ready in memory; others are read again from the store.
const READY: usize = 4;

/// Answers made at the same time from plans and problems; more wait.
const HEAVY: usize = 4;

/// The server's state.
pub struct App {
    pub config: Config,
    pub store: Store,
    pub queue: Queue,
    pub uploads: Arc<Semaphore>,
    pub listeners: Arc<Semaphore>,
    /// True once the server is to end.
    pub closing: watch::Sender<bool>,
    heavy: Arc<Semaphore>,
    shelf: Mutex<Shelf>,
}

/// What is kept, by number: the lower the older.
#[derive(Default)]
pub struct Shelf {
    pub inputs: BTreeMap<u64, Arc<InputRecord>>,
    pub runs: BTreeMap<u64, Arc<Run>>,
    ready: VecDeque<(u64, Arc<Problem>)>,
}

/// A lock that a panic elsewhere does not take away.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl App {
    /// Opens the store and takes up what it holds.
    pub fn open(config: Config) -> Result<Self, StoreError> {
        let store = Store::open(config.store.as_deref())?;
        let mut shelf = Shelf::default();
        for record in store.records(Kind::Input)? {
            // A record of an older version that cannot be read is left where it is.
            if let Ok(record) = serde_json::from_slice::<InputRecord>(&record) {
                shelf.inputs.insert(record.number, Arc::new(record));
            }
        }
        for record in store.records(Kind::Run)? {
            if let Some(run) = Run::stored(&record)
                && shelf.inputs.contains_key(&run.input_number)
            {
                shelf.runs.insert(run.number, Arc::new(run));
            }
        }
        Ok(Self {
            queue: Queue::new(config.queue),
            uploads: Arc::new(Semaphore::new(config.uploads)),
            listeners: Arc::new(Semaphore::new(config.listeners)),
            heavy: Arc::new(Semaphore::new(HEAVY)),
            closing: watch::Sender::new(false),
            shelf: Mutex::new(shelf),
            config,
            store,
        })
    }

    /// What is kept, locked: hold it briefly.
    pub fn shelf(&self) -> MutexGuard<'_, Shelf> {
        lock(&self.shelf)
    }

    /// An input by its id.
    pub fn input(&self, id: &str) -> Answer<Arc<InputRecord>> {
        let number = number_of(id, 'i');
        let found = number.and_then(|number| self.shelf().inputs.get(&number).cloned());
        found.filter(|input| input.id == id).ok_or_else(|| {
            let keep = self.config.keep_inputs;
            let fix = format!("load it again: the server keeps the last {keep} inputs");
            Fault::missing("input", format!("no input {:?}", clip(id)), fix)
        })
    }

    /// A run by its id.
    pub fn run(&self, id: &str) -> Answer<Arc<Run>> {
        let number = number_of(id, 'r');
        let found = number.and_then(|number| self.shelf().runs.get(&number).cloned());
        found.filter(|run| run.id == id).ok_or_else(|| {
            let keep = self.config.keep_runs;
            let fix = format!("ask again: the server keeps the last {keep} finished runs");
            Fault::missing("run", format!("no run {:?}", clip(id)), fix)
        })
    }

    /// The problem of an input; reads it again when it is not at hand.
    pub fn problem(&self, input: &InputRecord) -> Answer<Arc<Problem>> {
        if let Some(problem) = self.shelf().ready(input.number) {
            return Ok(problem);
        }
        let text = self.store.text(&input.id, "problem");
        let text = text.map_err(|error| Fault::internal(error.to_string()))?;
        let text = text.ok_or_else(|| {
            Fault::missing("input", "the input was just forgotten", "load it again")
        })?;
        let options = ReadOptions {
            format: Some(Format::Native),
            ..ReadOptions::default()
        };
        let problem = Arc::new(read(&text, &options)?.problem);
        self.shelf().keep_ready(input.number, &problem);
        Ok(problem)
    }

    /// Work on plans and problems: a few at a time, on threads of their own.
    pub async fn heavy<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Self>) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let permit = self.heavy.clone().acquire_owned().await;
        let app = self.clone();
        blocking(move || {
            let answer = work(&app);
            drop(permit);
            answer
        })
        .await
    }

    /// Takes an input in; the oldest ones not in use are forgotten for it.
    pub fn add_input(
        &self,
        input: InputRecord,
        problem: Arc<Problem>,
        packed: Vec<u8>,
    ) -> Answer<()> {
        let (id, number) = (input.id.clone(), input.number);
        let record = serde_json::to_vec(&input).map_err(|e| Fault::internal(e.to_string()))?;
        let gone = {
            let mut shelf = self.shelf();
            let gone = shelf.make_room(&self.config, input.bytes)?;
            shelf.inputs.insert(number, Arc::new(input));
            shelf.keep_ready(number, &problem);
            gone
        };
        let texts = [("problem".to_string(), packed)];
        let stored = gone
            .iter()
            .try_for_each(|(kind, id)| self.store.remove(*kind, id))
            .and_then(|()| self.store.put(Kind::Input, &id, &record, &texts));
        stored.map_err(|error| {
            self.shelf().inputs.remove(&number);
            Fault::internal(error.to_string())
        })
    }

    /// After a run has finished: the oldest finished ones beyond the bounds go.
    pub fn forget_oldest_runs(&self) -> Result<(), StoreError> {
        let gone = {
            let mut shelf = self.shelf();
            let mut gone = Vec::new();
            loop {
                let finished = shelf.runs.values().filter(|run| run.is_finished());
                let count = finished.count();
                let fits = shelf.bytes() <= self.config.keep_bytes;
                if count <= 1 || (count <= self.config.keep_runs && fits) {
                    break gone;
                }
                gone.extend(shelf.drop_oldest_run());
            }
        };
        gone.iter()
            .try_for_each(|id| self.store.remove(Kind::Run, id))
    }
}

impl Shelf {
    fn ready(&mut self, number: u64) -> Option<Arc<Problem>> {
        let at = self.ready.iter().position(|(n, _)| *n == number)?;
        let entry = self.ready.remove(at)?;
        let problem = entry.1.clone();
        self.ready.push_back(entry);
        Some(problem)
    }

    fn keep_ready(&mut self, number: u64, problem: &Arc<Problem>) {
        self.ready.retain(|(n, _)| *n != number);
        self.ready.push_back((number, problem.clone()));
        while self.ready.len() > READY {
            self.ready.pop_front();
        }
    }

    /// Compressed bytes of everything kept.
    fn bytes(&self) -> u64 {
        let inputs: u64 = self.inputs.values().map(|input| input.bytes).sum();
        let runs: u64 = self.runs.values().map(|run| run.bytes()).sum();
        inputs + runs
    }

    /// Forgets inputs not in use, with their runs, until another fits.
    fn make_room(&mut self, config: &Config, more: u64) -> Answer<Vec<(Kind, String)>> {
        let mut gone = Vec::new();
        while self.inputs.len() >= config.keep_inputs || self.bytes() + more > config.keep_bytes {
            if self.inputs.is_empty() {
                return Err(Fault::too_large(config.keep_bytes));
            }
            let busy = |number: u64| {
                let mut runs = self.runs.values();
                runs.any(|run| run.input_number == number && !run.is_finished())
            };
            let Some(oldest) = self.inputs.keys().copied().find(|number| !busy(*number)) else {
                return Err(Fault::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "W006",
                    "inputs",
                    "every input kept is in use by a run",
                    "try again when a run has finished, or stop one",
                )
                .retry(5));
            };
            gone.extend(self.drop_input(oldest));
        }
        Ok(gone)
    }

    fn drop_input(&mut self, number: u64) -> Vec<(Kind, String)> {
        let mut gone = Vec::new();
        if let Some(input) = self.inputs.remove(&number) {
            gone.push((Kind::Input, input.id.clone()));
        }
        self.ready.retain(|(n, _)| *n != number);
        self.runs.retain(|_, run| {
            if run.input_number == number {
                gone.push((Kind::Run, run.id.clone()));
            }
            run.input_number != number
        });
        gone
    }

    fn drop_oldest_run(&mut self) -> Option<String> {
        let mut finished = self.runs.iter().filter(|(_, run)| run.is_finished());
        let (number, id) = finished.next().map(|(n, run)| (*n, run.id.clone()))?;
        self.runs.remove(&number);
        Some(id)
    }
}

/// `i12-4f09ac` with the letter `i` is number 12.
fn number_of(id: &str, letter: char) -> Option<u64> {
    id.strip_prefix(letter)?.split('-').next()?.parse().ok()
}

/// What a client sent, short enough to send back.
pub fn clip(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}
