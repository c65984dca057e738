//! The API's own description.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi, ToSchema};

use crate::app::App;
use crate::runs::{ProgressEvent, StateEvent};
use crate::{Token, examples, fault, guard, inputs, runs, verbs};

#[derive(OpenApi)]
#[openapi(
    info(title = "bayplan", description = "Five questions about where containers should run."),
    paths(
        guard::login,
        document,
        health,
        examples::list,
        verbs::list,
        inputs::list,
        inputs::upload,
        inputs::load_example,
        inputs::show,
        inputs::map,
        runs::list,
        runs::ask::start,
        runs::show,
        runs::forget,
        runs::stop,
        runs::events::events,
        runs::plans::placement,
        runs::plans::waves,
        runs::plans::plan_json,
        runs::plans::plan_csv,
        runs::plans::undo_json,
        runs::plans::report,
        runs::compare::compare,
    ),
    components(schemas(fault::ErrorItem, ProgressEvent, StateEvent)),
    modifiers(&Secured),
    security((), ("bearer" = []), ("cookie" = []))
)]
struct Document;

struct Secured;

impl Modify for Secured {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        let cookie = ApiKey::Cookie(ApiKeyValue::new(Token::COOKIE));
        components.add_security_scheme("cookie", SecurityScheme::ApiKey(cookie));
    }
}

/// The OpenAPI document.
pub fn openapi() -> serde_json::Value {
    let mut document = Document::openapi();
    document.info.version = env!("CARGO_PKG_VERSION").to_string();
    serde_json::to_value(document).unwrap_or_default()
}

/// This document.
#[utoipa::path(get, path = "/api/v1/openapi.json", tag = "server", responses(
    (status = 200, description = "the OpenAPI document", body = Object)))]
pub async fn document() -> Json<serde_json::Value> {
    Json(openapi())
}

/// The server, its version and bounds.
#[derive(Serialize, ToSchema)]
pub struct Health {
    /// bayplan's version.
    pub version: &'static str,
    /// Whether inputs and finished runs survive a restart.
    pub stored: bool,
    /// The largest input, in bytes.
    pub max_input: u64,
    /// Inputs kept; the oldest is forgotten for a new one.
    pub keep_inputs: usize,
    /// Finished runs kept; the oldest is forgotten for a new one.
    pub keep_runs: usize,
    /// Runs that may wait.
    pub queue: usize,
}

/// Whether the server is well, and its bounds.
#[utoipa::path(get, path = "/api/v1/health", tag = "server", responses(
    (status = 200, description = "it is", body = Health)))]
pub async fn health(State(app): State<Arc<App>>) -> Json<Health> {
    let config = &app.config;
    Json(Health {
        version: env!("CARGO_PKG_VERSION"),
        stored: config.store.is_some(),
        max_input: config.max_input,
        keep_inputs: config.keep_inputs,
        keep_runs: config.keep_runs,
        queue: config.queue,
    })
}
