//! Inputs: files sent, examples, and what is known of each.

mod map;
mod record;
mod upload;

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};

pub use map::{MapView, NodesView, PlacementView};
pub use record::{Given, InputRecord, InputView};
pub use upload::UploadQuery;

pub(crate) use map::{new_nodes, placement_of_plan};

use crate::app::App;
use crate::fault::{Answer, ErrorBody};
use crate::{examples, guard};

/// All inputs kept, oldest first.
#[utoipa::path(get, path = "/api/v1/inputs", tag = "inputs", responses(
    (status = 200, description = "inputs kept, oldest first", body = Vec<InputView>)))]
pub async fn list(State(app): State<Arc<App>>) -> Json<Vec<InputView>> {
    let shelf = app.shelf();
    Json(shelf.inputs.values().map(|input| input.view()).collect())
}

/// Reads a file sent as the body: any supported format, also gzip.
#[utoipa::path(post, path = "/api/v1/inputs", tag = "inputs", params(UploadQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "the file as it is"),
    responses(
        (status = 201, description = "read", body = InputView),
        (status = 400, description = "the query cannot be read", body = ErrorBody),
        (status = 403, description = "from another site", body = ErrorBody),
        (status = 408, description = "the body came too slowly", body = ErrorBody),
        (status = 413, description = "too large, as sent or decompressed", body = ErrorBody),
        (status = 422, description = "errors in the file, all at once", body = ErrorBody),
        (status = 503, description = "too many inputs are being read; Retry-After says when", body = ErrorBody)))]
pub async fn upload(
    State(app): State<Arc<App>>,
    uri: Uri,
    body: axum::body::Body,
) -> Answer<Response> {
    let query = upload::query(&uri)?;
    let options = query.options(app.config.max_input)?;
    let permit = upload::slot(&app)?;
    let bytes = guard::body(body, app.config.max_input).await?;
    let view = app
        .heavy(move |app| {
            let given = query.given(&bytes, &options)?;
            drop((bytes, permit));
            record::take_in(app, given)
        })
        .await?;
    Ok((StatusCode::CREATED, Json(view)).into_response())
}

/// Loads one of the examples.
#[utoipa::path(post, path = "/api/v1/inputs/examples/{name}", tag = "inputs",
    params(("name" = String, Path, description = "the example's name")),
    responses(
        (status = 201, description = "loaded", body = InputView),
        (status = 403, description = "from another site", body = ErrorBody),
        (status = 404, description = "no such example", body = ErrorBody),
        (status = 503, description = "too many inputs are being read; Retry-After says when", body = ErrorBody)))]
pub async fn load_example(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Answer<Response> {
    let example = examples::find(&name)?;
    let permit = upload::slot(&app)?;
    let view = app
        .heavy(move |app| {
            let view = record::take_in(app, example.given()?);
            drop(permit);
            view
        })
        .await?;
    Ok((StatusCode::CREATED, Json(view)).into_response())
}

/// One input.
#[utoipa::path(get, path = "/api/v1/inputs/{id}", tag = "inputs",
    params(("id" = String, Path, description = "the input")),
    responses(
        (status = 200, description = "what is known of it", body = InputView),
        (status = 404, description = "no such input, or forgotten", body = ErrorBody)))]
pub async fn show(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<Json<InputView>> {
    Ok(Json(app.input(&id)?.view()))
}

/// Nodes, services and what runs where, as columns of integers.
#[utoipa::path(get, path = "/api/v1/inputs/{id}/map", tag = "inputs",
    params(("id" = String, Path, description = "the input")),
    responses(
        (status = 200, description = "the cluster and what runs on it", body = MapView),
        (status = 404, description = "no such input, or forgotten", body = ErrorBody)))]
pub async fn map(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<Response> {
    let input = app.input(&id)?;
    app.heavy(move |app| {
        let problem = app.problem(&input)?;
        Ok(Json(map::map(&problem)).into_response())
    })
    .await
}

/// Takes in what the command line gave; returns its id.
pub fn take_given(app: &App, given: Given) -> Answer<InputView> {
    record::take_in(app, given)
}
