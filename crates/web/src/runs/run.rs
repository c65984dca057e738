//! One run: what was asked, where it is, what came out.

use std::sync::Mutex;
use std::sync::MutexGuard;

use bayplan_solve::StopFlag;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;
use utoipa::ToSchema;

use super::ask::AskBody;
use super::live::{CurvePoint, Live, State};
use crate::app::lock;
use crate::fault::ErrorItem;
use crate::verbs::Verb;

/// A run.
pub struct Run {
    pub id: String,
    pub number: u64,
    pub input_number: u64,
    pub asked: AskBody,
    /// The command line that gives the same.
    pub command: String,
    /// Set: end with the best answer so far.
    pub stop: StopFlag,
    live: Mutex<Live>,
    changed: watch::Sender<u64>,
}

/// A run in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunSummary {
    /// Its id.
    pub id: String,
    /// The input asked about.
    pub input: String,
    /// The question.
    pub verb: Verb,
    /// The algorithm asked for.
    pub algorithm: String,
    /// Where it is.
    pub state: State,
    /// The answer in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Wall seconds to the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// A run with everything.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunView {
    /// Its id.
    pub id: String,
    /// The input asked about.
    pub input: String,
    /// The question.
    pub verb: Verb,
    /// The algorithm asked for.
    pub algorithm: String,
    /// Where it is.
    pub state: State,
    /// The command line that gives the same.
    pub command: String,
    /// The answer, as `bayplan VERB -o json` prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub outcome: Option<Value>,
    /// The answer in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorItem>,
    /// Seconds, incumbent, bound; null where not known.
    #[schema(value_type = Vec<Vec<Option<f64>>>)]
    pub curve: Vec<CurvePoint>,
    /// Several answers: gain against moves, or machines against confidence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub points: Vec<Value>,
    /// Which of the points the outcome is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<usize>,
}

/// A finished run as it is stored.
#[derive(Serialize, Deserialize)]
pub struct RunRecord {
    id: String,
    number: u64,
    input_number: u64,
    asked: AskBody,
    command: String,
    state: State,
    outcome: Option<Value>,
    verdict: Option<String>,
    errors: Vec<ErrorItem>,
    curve: Vec<CurvePoint>,
    points: Vec<Value>,
    chosen: usize,
    bytes: u64,
}

impl RunRecord {
    /// As it will be once the end is told.
    pub fn ended(&mut self, state: State) {
        self.state = state;
    }
}

impl Run {
    /// A run that waits.
    pub fn new(
        (number, id): (u64, String),
        input_number: u64,
        asked: AskBody,
        command: String,
    ) -> Self {
        Self {
            id,
            number,
            input_number,
            asked,
            command,
            stop: StopFlag::default(),
            live: Mutex::new(Live::new()),
            changed: watch::Sender::new(0),
        }
    }

    /// A finished run from the store; `None` when it cannot be read.
    pub fn stored(record: &[u8]) -> Option<Self> {
        let record: RunRecord = serde_json::from_slice(record).ok()?;
        let run = Self::new(
            (record.number, record.id),
            record.input_number,
            record.asked,
            record.command,
        );
        {
            let mut live = run.live();
            live.state = record.state;
            live.outcome = record.outcome;
            live.verdict = record.verdict;
            live.errors = record.errors;
            live.curve = record.curve;
            live.points = record.points;
            live.chosen = record.chosen;
            live.bytes = record.bytes;
        }
        Some(run)
    }

    /// As it is stored.
    pub fn record(&self) -> RunRecord {
        let live = self.live();
        RunRecord {
            id: self.id.clone(),
            number: self.number,
            input_number: self.input_number,
            asked: self.asked.clone(),
            command: self.command.clone(),
            state: live.state,
            outcome: live.outcome.clone(),
            verdict: live.verdict.clone(),
            errors: live.errors.clone(),
            curve: live.curve.clone(),
            points: live.points.clone(),
            chosen: live.chosen,
            bytes: live.bytes,
        }
    }

    /// The part that changes, locked: hold it briefly.
    pub fn live(&self) -> MutexGuard<'_, Live> {
        lock(&self.live)
    }

    /// Changes the run and wakes everybody who waits for that.
    pub fn change(&self, change: impl FnOnce(&mut Live)) {
        change(&mut self.live());
        self.changed.send_modify(|version| *version += 1);
    }

    /// To wait for changes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Whether nothing will change any more.
    pub fn is_finished(&self) -> bool {
        self.live().state.is_final()
    }

    /// Compressed bytes of its texts.
    pub fn bytes(&self) -> u64 {
        self.live().bytes
    }

    /// Ends a run that never began.
    pub fn end_unasked(&self) {
        self.change(|live| live.state = State::Stopped);
    }

    /// In a list.
    pub fn summary(&self) -> RunSummary {
        let live = self.live();
        RunSummary {
            id: self.id.clone(),
            input: self.asked.input.clone(),
            verb: self.asked.verb,
            algorithm: self.asked.algorithm().to_string(),
            state: live.state,
            verdict: live.verdict.clone(),
            seconds: live.outcome.as_ref().and_then(|o| o["seconds"].as_f64()),
        }
    }

    /// With everything.
    pub fn view(&self) -> RunView {
        let live = self.live();
        RunView {
            id: self.id.clone(),
            input: self.asked.input.clone(),
            verb: self.asked.verb,
            algorithm: self.asked.algorithm().to_string(),
            state: live.state,
            command: self.command.clone(),
            outcome: live.outcome.clone(),
            verdict: live.verdict.clone(),
            errors: live.errors.clone(),
            curve: live.curve.clone(),
            point: (!live.points.is_empty()).then_some(live.chosen),
            points: live.points.clone(),
        }
    }
}
