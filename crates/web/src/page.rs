//! The page, embedded. A path is looked up among the embedded names, never in
//! a file system.

use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

use crate::app::clip;
use crate::fault::Fault;

/// The form has its style inside, and nothing else.
const LOGIN_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
     form-action 'self'; frame-ancestors 'none'";

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

/// Asks for the token; says what was wrong with the last one.
pub fn login_form(wrong: &'static str) -> Response {
    let page = include_str!("login.html").replace("{wrong}", wrong);
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ),
        // With `no-referrer` a browser would not say that the form is ours.
        (
            header::REFERRER_POLICY,
            HeaderValue::from_static("same-origin"),
        ),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(LOGIN_POLICY),
        ),
    ];
    (StatusCode::UNAUTHORIZED, headers, page).into_response()
}
