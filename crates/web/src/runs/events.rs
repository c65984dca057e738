//! Server-sent events of a run: the curve so far, then what is new, then the end.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde::{Deserialize, Serialize};
use tokio::sync::{OwnedSemaphorePermit, watch};
use utoipa::ToSchema;

use super::Run;
use super::live::State as RunState;
use crate::app::App;
use crate::fault::{Answer, ErrorBody, Fault};

/// At most ten events a second: a page cannot show more.
const PAUSE: Duration = Duration::from_millis(100);

/// `progress`: the best so far.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ProgressEvent {
    /// Wall seconds since the run began.
    pub seconds: f64,
    /// The best objective so far.
    pub incumbent: Option<f64>,
    /// What no answer can beat.
    pub bound: Option<f64>,
    /// Distance between the two as a share of the bound.
    pub gap: Option<f64>,
    /// What is being done.
    pub phase: String,
}

impl ProgressEvent {
    /// With the gap worked out.
    pub fn new(seconds: f64, incumbent: Option<f64>, bound: Option<f64>, phase: &str) -> Self {
        let gap = match (incumbent, bound) {
            (Some(a), Some(b)) if a == b => Some(0.0),
            (Some(a), Some(b)) if b != 0.0 => Some((a - b).abs() / b.abs()),
            _ => None,
        };
        Self {
            seconds,
            incumbent,
            bound,
            gap,
            phase: phase.to_string(),
        }
    }
}

/// `state` and `done`: where the run is.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct StateEvent {
    /// The state.
    pub state: RunState,
    /// The answer in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
}

/// Events of a run: `progress`, `state`, and `done` as the last.
#[utoipa::path(get, path = "/api/v1/runs/{id}/events", tag = "runs",
    params(("id" = String, Path, description = "the run")),
    responses(
        (status = 200, description = "server-sent events: progress (ProgressEvent), state and done (StateEvent)",
            content_type = "text/event-stream", body = String),
        (status = 404, description = "no such run, or forgotten", body = ErrorBody),
        (status = 503, description = "too many listeners; Retry-After says when", body = ErrorBody)))]
pub async fn events(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<Response> {
    let run = app.run(&id)?;
    let permit = app.listeners.clone().try_acquire_owned().map_err(|_| {
        Fault::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "W006",
            "events",
            format!("{} listeners already", app.config.listeners),
            "try again later, or ask for the run itself now and then",
        )
        .retry(2)
    })?;
    let listener = Listener {
        changes: run.changes(),
        closing: app.closing.subscribe(),
        run,
        pending: VecDeque::new(),
        state: None,
        latest: None,
        replayed: false,
        ended: false,
        _permit: permit,
    };
    let events = stream::unfold(listener, |mut listener| async {
        let event = listener.next().await?;
        Some((Ok::<_, Infallible>(event), listener))
    });
    Ok(Sse::new(events)
        .keep_alive(KeepAlive::default())
        .into_response())
}

struct Listener {
    run: Arc<Run>,
    changes: watch::Receiver<u64>,
    closing: watch::Receiver<bool>,
    pending: VecDeque<Event>,
    state: Option<RunState>,
    latest: Option<ProgressEvent>,
    replayed: bool,
    ended: bool,
    _permit: OwnedSemaphorePermit,
}

impl Listener {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.pending.pop_front() {
                return Some(event);
            }
            if self.ended {
                return None;
            }
            // Marked as seen before looking: what comes after wakes us again.
            self.changes.borrow_and_update();
            self.look();
            if !self.pending.is_empty() {
                continue;
            }
            tokio::select! {
                changed = self.changes.changed() => changed.ok()?,
                _ = self.closing.wait_for(|closing| *closing) => return None,
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Puts what is new since the last look among the pending events.
    fn look(&mut self) {
        let live = self.run.live();
        if self.state != Some(live.state) && !live.state.is_final() {
            self.pending
                .push_back(state_event("state", live.state, None));
        }
        if !self.replayed {
            self.replayed = true;
            for (seconds, incumbent, bound) in &live.curve {
                let point = ProgressEvent::new(*seconds, *incumbent, *bound, "");
                self.pending.push_back(event("progress", &point));
            }
        }
        if let Some(latest) = &live.latest
            && self.latest.as_ref() != Some(latest)
        {
            self.pending.push_back(event("progress", latest));
            self.latest = Some(latest.clone());
        }
        if live.state.is_final() {
            for name in ["state", "done"] {
                let last = state_event(name, live.state, live.verdict.clone());
                self.pending.push_back(last);
            }
            self.ended = true;
        }
        self.state = Some(live.state);
    }
}

fn state_event(name: &str, state: RunState, verdict: Option<String>) -> Event {
    event(name, &StateEvent { state, verdict })
}

fn event(name: &str, data: &impl Serialize) -> Event {
    let text = serde_json::to_string(data).unwrap_or_default();
    Event::default().event(name).data(text)
}
