//! Plain calls to the API server: one request, one answer, no retry.

use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{Method, Request};
use kube::Client;
use serde_json::Value;

/// A server that takes longer is not answering.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) const JSON: &str = "application/json";
pub(crate) const MERGE: &str = "application/merge-patch+json";
pub(crate) const STRATEGIC: &str = "application/strategic-merge-patch+json";
pub(crate) const JSON_PATCH: &str = "application/json-patch+json";

/// Why a call was not carried out, as far as we know.
#[derive(Debug, Clone)]
pub(crate) enum Refusal {
    /// The server said no.
    Status {
        code: u16,
        message: String,
        /// A disruption budget is the reason.
        budget: bool,
        /// Somebody else was changing the object: the same again may pass. (That it exists
        /// already has the same code and is something else.)
        conflict: bool,
    },
    /// No answer: it may have been carried out.
    Silence(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Status { code, message, .. } => write!(f, "{code}: {message}"),
            Self::Silence(why) => write!(f, "no answer: {why}"),
        }
    }
}

impl Refusal {
    /// The status code, if there was an answer.
    pub fn code(&self) -> Option<u16> {
        match self {
            Self::Status { code, .. } => Some(*code),
            Self::Silence(_) => None,
        }
    }

    /// Was somebody else changing the object?
    fn conflicts(&self) -> bool {
        matches!(self, Self::Status { conflict: true, .. })
    }

    /// As an error of this crate, while doing `what`.
    pub fn into_error(self, what: &str) -> crate::Error {
        let what = what.to_string();
        match self {
            Self::Status {
                code: 403, message, ..
            } => crate::Error::Forbidden { what, message },
            Self::Status { code, message, .. } => crate::Error::Api {
                code,
                what,
                message,
            },
            Self::Silence(why) => crate::Error::Unreachable(why),
        }
    }
}

/// One call.
pub(crate) async fn call(
    client: &Client,
    method: Method,
    path: &str,
    content: &str,
    body: &Value,
) -> Result<Value, Refusal> {
    let bytes = if body.is_null() {
        Vec::new()
    } else {
        body.to_string().into_bytes()
    };
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(CONTENT_TYPE, content);
    let request = request
        .body(bytes)
        .map_err(|error| Refusal::Silence(error.to_string()))?;
    match tokio::time::timeout(PATIENCE, client.request::<Value>(request)).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(kube::Error::Api(status))) => Err(Refusal::Status {
            code: status.code,
            budget: status.details.as_ref().is_some_and(|details| {
                details
                    .causes
                    .iter()
                    .any(|cause| cause.reason == "DisruptionBudget")
            }),
            conflict: status.reason == "Conflict",
            message: status.message.clone(),
        }),
        Ok(Err(error)) => Err(Refusal::Silence(crate::error::causes(&error))),
        Err(_) => Err(Refusal::Silence(format!("{} s", PATIENCE.as_secs()))),
    }
}

/// A call that is safe to repeat, tried again for about a minute while the
/// trouble may pass.
pub(crate) async fn patiently(
    client: &Client,
    method: Method,
    path: &str,
    content: &str,
    body: &Value,
) -> Result<Value, Refusal> {
    let mut pause = Duration::from_millis(250);
    for attempt in 0..8 {
        // A server that has just started refuses everybody until it has read its roles.
        let young = |refusal: &Refusal| attempt < 5 && refusal.code() == Some(403);
        match call(client, method.clone(), path, content, body).await {
            Err(refusal) if passing(&refusal) || refusal.conflicts() || young(&refusal) => {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(15));
            }
            other => return other,
        }
    }
    call(client, method, path, content, body).await
}

/// Whether the same call may succeed a moment later.
pub(crate) fn passing(refusal: &Refusal) -> bool {
    refusal
        .code()
        .is_none_or(|code| matches!(code, 408 | 429 | 500..=599))
}

/// Creates, or finds that it is there already.
pub(crate) async fn create(client: &Client, path: &str, body: &Value) -> Result<(), Refusal> {
    match patiently(client, Method::POST, path, JSON, body).await {
        Ok(_) => Ok(()),
        Err(refusal) if refusal.code() == Some(409) => Ok(()),
        Err(refusal) => Err(refusal),
    }
}

/// Deletes, or finds that it is gone already.
pub(crate) async fn delete(client: &Client, path: &str) -> Result<(), Refusal> {
    match patiently(client, Method::DELETE, path, JSON, &Value::Null).await {
        Ok(_) => Ok(()),
        Err(refusal) if refusal.code() == Some(404) => Ok(()),
        Err(refusal) => Err(refusal),
    }
}

/// Reads.
pub(crate) async fn get(client: &Client, path: &str) -> Result<Value, Refusal> {
    patiently(client, Method::GET, path, JSON, &Value::Null).await
}

/// The path of a pod.
pub(crate) fn pod_path(namespace: &str, name: &str) -> String {
    format!("/api/v1/namespaces/{namespace}/pods/{name}")
}
