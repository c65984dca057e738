//! Runs: a question asked about an input, its progress and its answer.

pub(crate) mod ask;
pub(crate) mod compare;
pub(crate) mod events;
mod live;
pub(crate) mod plans;
mod queue;
mod run;
mod worker;

pub use events::{ProgressEvent, StateEvent};
pub use queue::Queue;
pub use run::{Run, RunSummary, RunView};

pub(crate) use ask::start;
pub(crate) use compare::compare;
pub(crate) use events::events;
pub(crate) use plans::{placement, plan_csv, plan_json, report, undo_json, waves};
pub(crate) use worker::work;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::fault::{Answer, ErrorBody, Fault};
use crate::store::Kind;

/// How long a request to stop waits for the answer: solvers look at the flag
/// many times a second, but the way there may still have to be planned.
const PATIENCE: Duration = Duration::from_secs(30);

/// All runs kept, oldest first.
#[utoipa::path(get, path = "/api/v1/runs", tag = "runs", responses(
    (status = 200, description = "runs kept, oldest first", body = Vec<RunSummary>)))]
pub async fn list(State(app): State<Arc<App>>) -> Json<Vec<RunSummary>> {
    let runs: Vec<Arc<Run>> = app.shelf().runs.values().cloned().collect();
    Json(runs.iter().map(|run| run.summary()).collect())
}

/// One run, with its answer when there is one.
#[utoipa::path(get, path = "/api/v1/runs/{id}", tag = "runs",
    params(("id" = String, Path, description = "the run")),
    responses(
        (status = 200, description = "the run so far", body = RunView),
        (status = 404, description = "no such run, or forgotten", body = ErrorBody)))]
pub async fn show(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<Json<RunView>> {
    Ok(Json(app.run(&id)?.view()))
}

/// Stops a run and answers with the best plan so far.
#[utoipa::path(post, path = "/api/v1/runs/{id}/stop", tag = "runs",
    params(("id" = String, Path, description = "the run")),
    responses(
        (status = 200, description = "it has ended; with the best answer so far", body = RunView),
        (status = 202, description = "it was told to, and is still ending", body = RunView),
        (status = 403, description = "from another site", body = ErrorBody),
        (status = 404, description = "no such run, or forgotten", body = ErrorBody)))]
pub async fn stop(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<Response> {
    let run = app.run(&id)?;
    run.stop.store(true, Ordering::Relaxed);
    // One that still waits ends at once; the worker never sees it.
    if app.queue.take_out(run.number) {
        run.end_unasked();
    }
    let mut changes = run.changes();
    let ended = changes.wait_for(|_| run.is_finished());
    let ended = tokio::time::timeout(PATIENCE, ended).await.is_ok();
    let status = if ended {
        StatusCode::OK
    } else {
        StatusCode::ACCEPTED
    };
    Ok((status, Json(run.view())).into_response())
}

/// Forgets a run that has ended.
#[utoipa::path(delete, path = "/api/v1/runs/{id}", tag = "runs",
    params(("id" = String, Path, description = "the run")),
    responses(
        (status = 204, description = "forgotten"),
        (status = 403, description = "from another site", body = ErrorBody),
        (status = 404, description = "no such run, or forgotten", body = ErrorBody),
        (status = 409, description = "it still runs or waits", body = ErrorBody)))]
pub async fn forget(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<StatusCode> {
    let run = app.run(&id)?;
    if !run.is_finished() {
        return Err(Fault::conflict(
            "run",
            "it still runs or waits",
            "stop it first",
        ));
    }
    app.heavy(move |app| {
        app.shelf().runs.remove(&run.number);
        let removed = app.store.remove(Kind::Run, &run.id);
        removed.map_err(|error| Fault::internal(error.to_string()))?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}
