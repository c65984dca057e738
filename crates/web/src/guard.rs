//! Who may ask: this host, this origin, who knows the token. And what every
//! answer says to the browser.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Form;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::rejection::FormRejection;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::fault::{Answer, ErrorBody, Fault};
use crate::{Token, page};

/// The page's policy: nothing from elsewhere, no inline script.
const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// A report has its style inside and nothing else: no script at all.
pub const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/// The longest a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(120);

/// Checks a request before anything else, and puts the headers on the answer.
pub async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let api = request.uri().path().starts_with("/api/");
    let answer = match check(&app, &request) {
        Ok(()) => next.run(request).await,
        Err(refused) => *refused,
    };
    with_headers(answer, api)
}

fn check(app: &App, request: &Request) -> Result<(), Box<Response>> {
    let headers = request.headers();
    if !is_text(request.uri().path()) {
        let what = "a path that is not UTF-8 when decoded";
        return Err(refused(Fault::unreadable("path", what, "send plain words")));
    }
    let host = host(request).map_err(refused)?;
    if !is_ours(app, &host) {
        let what = "the Host header names another server";
        let fix = "use the address the server printed, or start it with --host NAME";
        return Err(refused(Fault::new(
            StatusCode::FORBIDDEN,
            "W008",
            "host",
            what,
            fix,
        )));
    }
    let reads = [Method::GET, Method::HEAD].contains(request.method());
    if !reads && is_foreign(headers, &host) {
        let what = "the request comes from a page of another site";
        let fix = "use the page of this server, or a client that is not a browser";
        return Err(refused(Fault::new(
            StatusCode::FORBIDDEN,
            "W008",
            "origin",
            what,
            fix,
        )));
    }
    let Some(token) = &app.config.token else {
        return Ok(());
    };
    let enters = request.uri().path() == "/login" && request.method() == Method::POST;
    if enters || shows(headers, token) {
        return Ok(());
    }
    if reads && !request.uri().path().starts_with("/api/") {
        return Err(Box::new(page::login_form("")));
    }
    Err(Box::new(no_token()))
}

fn refused(fault: Fault) -> Box<Response> {
    Box::new(fault.into_response())
}

/// Whether a path is UTF-8 once its percent signs are decoded.
fn is_text(path: &str) -> bool {
    let mut decoded = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = match (first, tail) {
            (b'%', [high, low, ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                digit(high)
                    .zip(digit(low))
                    .map(|(high, low)| (high * 16 + low) as u8)
            }
            _ => None,
        };
        decoded.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    std::str::from_utf8(&decoded).is_ok()
}

/// The host a request is for, without its port, in lower case.
fn host(request: &Request) -> Answer<String> {
    let mut named = request.headers().get_all(header::HOST).iter();
    let text = match (named.next(), named.next(), request.uri().authority()) {
        (Some(host), None, _) => host.to_str().unwrap_or(""),
        (None, None, Some(authority)) => authority.as_str(),
        _ => "",
    };
    let name = match text.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None => text.split(':').next(),
    };
    match name {
        Some(name) if !name.is_empty() => Ok(name.to_ascii_lowercase()),
        _ => Err(Fault::unreadable(
            "host",
            "no Host header, or several",
            "send one",
        )),
    }
}

/// A name that no other site can make point here: loopback names, addresses
/// (which are never looked up), and the names the server was told.
fn is_ours(app: &App, host: &str) -> bool {
    let told = |name: &String| name.eq_ignore_ascii_case(host);
    match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback() || !app.config.address.ip().is_loopback(),
        Err(_) => host == "localhost" || app.config.hosts.iter().any(told),
    }
}

/// Whether a browser says that another site makes this request.
fn is_foreign(headers: &HeaderMap, host: &str) -> bool {
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    if site.is_some_and(|site| site != b"same-origin" && site != b"none") {
        return true;
    }
    let Some(origin) = headers.get(header::ORIGIN) else {
        return false;
    };
    let origin = origin
        .to_str()
        .ok()
        .and_then(|origin| origin.parse::<Uri>().ok());
    let authority = origin.as_ref().and_then(|origin| origin.authority());
    let wanted = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or(host);
    !authority.is_some_and(|authority| authority.as_str().eq_ignore_ascii_case(wanted))
}

/// Whether the token is there: as a header, or as the page's cookie.
fn shows(headers: &HeaderMap, token: &Token) -> bool {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| {
        let (scheme, shown) = value.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| shown.trim())
    });
    let cookies = headers.get_all(header::COOKIE).iter();
    let cookies = cookies.filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|value| value.split(';').filter_map(|pair| pair.split_once('=')));
    let cookie = pairs.find(|(name, _)| name.trim() == Token::COOKIE);
    bearer.is_some_and(|shown| token.matches(shown))
        || cookie.is_some_and(|(_, shown)| token.matches(shown.trim()))
}

fn no_token() -> Response {
    let fix =
        "send `Authorization: Bearer TOKEN`, or open the page in a browser, which asks for it";
    let fault = Fault::new(
        StatusCode::UNAUTHORIZED,
        "W007",
        "token",
        "no token, or a wrong one",
        fix,
    );
    let mut response = fault.into_response();
    let scheme = HeaderValue::from_static("Bearer");
    response
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, scheme);
    response
}

/// The token, once, for the cookie.
#[derive(Deserialize, ToSchema)]
pub struct Login {
    /// The token the server was started with.
    token: String,
}

/// Takes the token and sets the cookie with which the page asks. In a body: an
/// address would stay in the browser's history and in the logs of proxies.
#[utoipa::path(post, path = "/login", tag = "server",
    request_body(content = Login, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 303, description = "the cookie is set; on to the page"),
        (status = 401, description = "no token, or a wrong one; the form again"),
        (status = 403, description = "from another site", body = ErrorBody)))]
pub async fn login(
    State(app): State<Arc<App>>,
    form: Result<Form<Login>, FormRejection>,
) -> Response {
    let Some(token) = &app.config.token else {
        return Redirect::to("/").into_response();
    };
    if !form.is_ok_and(|Form(login)| token.matches(&login.token)) {
        return page::login_form("This is not the token.");
    }
    let mut response = Redirect::to("/").into_response();
    if let Ok(cookie) = HeaderValue::from_str(&token.cookie()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// Reads a body up to a bound, within a time.
pub async fn body(body: Body, limit: u64) -> Answer<Bytes> {
    let limit_bytes = usize::try_from(limit).unwrap_or(usize::MAX);
    let read = tokio::time::timeout(BODY_TIME, to_bytes(body, limit_bytes)).await;
    let Ok(read) = read else {
        let what = "the body came too slowly";
        return Err(Fault::new(
            StatusCode::REQUEST_TIMEOUT,
            "W002",
            "body",
            what,
            "send it faster",
        ));
    };
    read.map_err(|error| {
        // The only other error is a connection that broke: nobody hears the answer.
        let _ = error;
        Fault::too_large(limit)
    })
}

fn with_headers(mut response: Response, api: bool) -> Response {
    let headers = response.headers_mut();
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let unless_set = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in unless_set {
        let value = HeaderValue::from_static(value);
        headers.entry(name).or_insert(value);
    }
    if api || !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}
