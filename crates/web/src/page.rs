//! The page, embedded. A path is looked up among the embedded names, never in
//! a file system.

use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

use crate::app::clip;
use crate::fault::Fault;

#[derive(RustEmbed)]
#[folder = "dist/"]
struct Files;

/// Everything that is not the API.
pub async fn file(uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let Some(found) = Files::get(path) else {
        let what = format!("nothing at {:?}", clip(uri.path()));
        let fix = "the page is at /, the API is described at /api/v1/openapi.json";
        return Fault::missing("path", what, fix).into_response();
    };
    // Built files carry a hash in their name; the page itself does not.
    let cache = if path.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind(path))),
        (header::CACHE_CONTROL, HeaderValue::from_static(cache)),
    ];
    (headers, found.data).into_response()
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("json" | "map") => "application/json",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Asks for the token.
pub fn login_form() -> Response {
    let page = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>bayplan</title></head>\
        <body><h1>bayplan</h1><form action=\"/login\" method=\"get\"><label>Token \
        <input name=\"token\" type=\"password\" autocomplete=\"current-password\" required autofocus></label> \
        <button>Enter</button></form></body></html>\n";
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    (
        StatusCode::UNAUTHORIZED,
        [(header::CONTENT_TYPE, kind)],
        page,
    )
        .into_response()
}
