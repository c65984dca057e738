//! Every route, once: the router and the test of the OpenAPI document both
//! come from this list.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, post};

use crate::app::{App, clip};
use crate::fault::Fault;
use crate::{examples, guard, inputs, openapi, page, runs, verbs};

type Route = (&'static str, &'static str, MethodRouter<Arc<App>>);

fn all() -> Vec<Route> {
    vec![
        ("post", "/login", post(guard::login)),
        ("get", "/api/v1/openapi.json", get(openapi::document)),
        ("get", "/api/v1/health", get(openapi::health)),
        ("get", "/api/v1/examples", get(examples::list)),
        ("get", "/api/v1/verbs", get(verbs::list)),
        ("get", "/api/v1/inputs", get(inputs::list)),
        ("post", "/api/v1/inputs", post(inputs::upload)),
        (
            "post",
            "/api/v1/inputs/examples/{name}",
            post(inputs::load_example),
        ),
        ("get", "/api/v1/inputs/{id}", get(inputs::show)),
        ("get", "/api/v1/inputs/{id}/map", get(inputs::map)),
        ("get", "/api/v1/runs", get(runs::list)),
        ("post", "/api/v1/runs", post(runs::start)),
        ("get", "/api/v1/runs/{id}", get(runs::show)),
        ("delete", "/api/v1/runs/{id}", delete(runs::forget)),
        ("post", "/api/v1/runs/{id}/stop", post(runs::stop)),
        ("get", "/api/v1/runs/{id}/events", get(runs::events)),
        ("get", "/api/v1/runs/{id}/placement", get(runs::placement)),
        ("get", "/api/v1/runs/{id}/waves", get(runs::waves)),
        ("get", "/api/v1/runs/{id}/plan.json", get(runs::plan_json)),
        ("get", "/api/v1/runs/{id}/plan.csv", get(runs::plan_csv)),
        ("get", "/api/v1/runs/{id}/undo.json", get(runs::undo_json)),
        ("get", "/api/v1/runs/{id}/report.html", get(runs::report)),
        ("get", "/api/v1/compare", get(runs::compare)),
    ]
}

/// Method and path of every route.
pub fn route_list() -> Vec<(&'static str, &'static str)> {
    all()
        .into_iter()
        .map(|(method, path, _)| (method, path))
        .collect()
}

/// The router, guarded.
pub fn router(app: Arc<App>) -> Router {
    let routes = all().into_iter();
    let router = routes.fold(Router::new(), |router, (_, path, methods)| {
        router.route(path, methods)
    });
    router
        .fallback(elsewhere)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(app.clone(), guard::guard))
        .with_state(app)
}

async fn elsewhere(request: Request) -> Response {
    let path = request.uri().path();
    if path.starts_with("/api/") {
        let what = format!("no route {:?}", clip(path));
        return Fault::missing("path", what, "see /api/v1/openapi.json").into_response();
    }
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        return wrong_method().await;
    }
    page::file(request.uri().clone()).await
}

async fn wrong_method() -> Response {
    let fix = "see /api/v1/openapi.json";
    let status = StatusCode::METHOD_NOT_ALLOWED;
    Fault::new(status, "W001", "method", "not with this method", fix).into_response()
}
