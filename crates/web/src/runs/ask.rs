//! From a request to a run in the queue. Everything that can be checked
//! before the run is checked here, while somebody still listens.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bayplan::flags::command_line;
use bayplan_solve::Budget;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Run;
use crate::app::{App, clip};
use crate::fault::{Answer, ErrorBody, Fault};
use crate::guard;
use crate::inputs::InputRecord;
use crate::verbs::Verb;

/// The largest body of a question.
const LARGEST: u64 = 256 << 10;

/// The longest run: a day.
const LONGEST: f64 = 86_400.0;

/// Seconds when none are given, as on the command line.
const SECONDS: f64 = 10.0;

/// A question about an input.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AskBody {
    /// The input's id.
    pub input: String,
    /// The question.
    pub verb: Verb,
    /// The algorithm; `auto` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// The verb's options, as `GET /verbs` describes them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub options: Map<String, Value>,
    /// Wall seconds, at most a day; 10 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 86400)]
    pub time: Option<f64>,
    /// Steps instead of seconds: the same plan on any machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// The seed all randomness comes from; 1 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// A run that was taken.
#[derive(Serialize, ToSchema)]
pub struct Accepted {
    /// Its id.
    pub id: String,
}

impl AskBody {
    /// The algorithm asked for.
    pub fn algorithm(&self) -> &str {
        self.algorithm.as_deref().unwrap_or("auto")
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// The budget.
    pub fn budget(&self) -> Budget {
        let seconds = Budget::Seconds(self.time.unwrap_or(SECONDS));
        self.steps.map_or(seconds, Budget::Steps)
    }

    fn check(&self) -> Answer<()> {
        if self.time.is_some() && self.steps.is_some() {
            return Err(Fault::wrong(
                "steps",
                "time and steps",
                "give one of the two",
            ));
        }
        match self.time {
            Some(time) if !(0.0..=LONGEST).contains(&time) => Err(Fault::wrong(
                "time",
                format!("{time} seconds"),
                "0 to 86400 seconds",
            )),
            _ => Ok(()),
        }
    }

    /// The command line that gives the same.
    fn command(&self, input: &InputRecord) -> String {
        let mut words = vec!["bayplan".to_string(), self.verb.word().into()];
        words.push(input.view.name.clone());
        words.extend(input.words.iter().cloned());
        if self.algorithm() != "auto" {
            words.extend(["--algorithm".into(), self.algorithm().into()]);
        }
        words.extend(self.verb.words(&self.options));
        words.extend(match self.budget() {
            Budget::Steps(steps) => ["--steps".into(), steps.to_string()],
            Budget::Seconds(seconds) => ["--time".into(), seconds.to_string()],
        });
        words.extend(["--seed".into(), self.seed().to_string()]);
        command_line(words)
    }
}

/// Asks a question: the run waits its turn.
#[utoipa::path(post, path = "/api/v1/runs", tag = "runs", request_body = AskBody,
    responses(
        (status = 202, description = "taken; GET /runs/{id} shows it", body = Accepted),
        (status = 400, description = "the body is not JSON", body = ErrorBody),
        (status = 403, description = "from another site", body = ErrorBody),
        (status = 404, description = "no such input, or forgotten", body = ErrorBody),
        (status = 408, description = "the body came too slowly", body = ErrorBody),
        (status = 413, description = "too large", body = ErrorBody),
        (status = 422, description = "the question makes no sense", body = ErrorBody),
        (status = 429, description = "the queue is full; Retry-After says when", body = ErrorBody)))]
pub async fn start(State(app): State<Arc<App>>, body: Body) -> Answer<Response> {
    let bytes = guard::body(body, LARGEST).await?;
    let asked = parse(&bytes)?;
    asked.check()?;
    let input = app.input(&asked.input)?;
    // Cheap, before any work: a full queue refuses at once.
    if !app.queue.has_room() {
        return Err(full(&app));
    }
    let id = app.heavy(move |app| enqueue(app, asked, &input)).await?;
    Ok((StatusCode::ACCEPTED, Json(Accepted { id })).into_response())
}

fn parse(bytes: &[u8]) -> Answer<AskBody> {
    serde_json::from_slice(bytes).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        let what: String = error.to_string().chars().take(300).collect();
        match error.classify() {
            Category::Data => Fault::wrong(&place, what, "see AskBody in /api/v1/openapi.json"),
            _ => Fault::unreadable(&place, what, "send one JSON object"),
        }
    })
}

fn full(app: &App) -> Fault {
    Fault::new(
        StatusCode::TOO_MANY_REQUESTS,
        "W005",
        "queue",
        format!("{} runs already wait", app.config.queue),
        "try again later, stop a run, or start the server with a larger --queue",
    )
    .retry(2)
}

fn enqueue(app: &Arc<App>, asked: AskBody, input: &InputRecord) -> Answer<String> {
    if !input
        .view
        .verbs
        .iter()
        .any(|verb| verb == asked.verb.word())
    {
        let what = format!("{} cannot be asked about this input", asked.verb.word());
        let fix = format!("ask {}", input.view.verbs.join(" or "));
        return Err(Fault::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "S001",
            "verb",
            what,
            fix,
        ));
    }
    if asked.algorithm().len() > 200 {
        let what = format!("no algorithm is called {:?}", clip(asked.algorithm()));
        return Err(Fault::wrong(
            "algorithm",
            what,
            "GET /api/v1/verbs lists them all",
        ));
    }
    let problem = app.problem(input)?;
    asked
        .verb
        .asked(asked.algorithm(), &asked.options, &problem)?;
    let next = app.store.next_id('r');
    let next = next.map_err(|error| Fault::internal(error.to_string()))?;
    let number = next.0;
    let command = asked.command(input);
    let run = Arc::new(Run::new(next, input.number, asked, command));
    // Both under the shelf's lock: an input is forgotten only while no run needs it.
    let mut shelf = app.shelf();
    if !shelf.inputs.contains_key(&input.number) {
        return Err(Fault::missing(
            "input",
            "it was just forgotten",
            "load it again",
        ));
    }
    if !app.queue.push(run.clone()) {
        return Err(full(app));
    }
    let id = run.id.clone();
    shelf.runs.insert(number, run);
    Ok(id)
}
