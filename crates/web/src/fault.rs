//! Errors as the API tells them: a status, and for each a code, a place, what
//! is wrong and the likely fix.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bayplan_formats::{Errors, InputError, Place, Source};
use bayplan_solve::SolveError;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One error.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ErrorItem {
    /// The code that `bayplan explain` knows.
    pub code: String,
    /// Where: a line, a path, an option, or empty.
    pub place: String,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub fix: String,
}

impl ErrorItem {
    /// From its four parts.
    pub fn new(
        code: &str,
        place: impl Into<String>,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            code: code.to_string(),
            place: place.into(),
            what: what.into(),
            fix: fix.into(),
        }
    }
}

impl From<&InputError> for ErrorItem {
    fn from(error: &InputError) -> Self {
        let source = match error.source {
            Source::Input => "",
            Source::Limits => "limits file ",
            Source::Nodes => "node list ",
            Source::Layout => "layout ",
            Source::Plan => "plan ",
            Source::Traffic => "traffic ",
            Source::NodeTypes => "node types ",
        };
        let place = match &error.place {
            Place::File => String::new(),
            Place::Line { line, column: None } => format!("line {line}"),
            Place::Line {
                line,
                column: Some(column),
            } => format!("line {line}, column {column}"),
            Place::Path(path) => path.clone(),
            Place::Option(name) => (*name).to_string(),
        };
        let place = format!("{source}{place}");
        Self::new(error.code, place.trim_end(), &error.found, &error.fix)
    }
}

impl From<&SolveError> for ErrorItem {
    fn from(error: &SolveError) -> Self {
        let (place, fix) = match error {
            SolveError::Parameter { name, .. } => {
                (name.trim_start_matches('-').replace('-', "_"), "")
            }
            SolveError::UnknownAlgorithm { .. } => {
                ("algorithm".into(), "GET /api/v1/verbs lists them all")
            }
            SolveError::WrongWorkload { .. } => ("verb".into(), "ask one of the input's verbs"),
            _ => (String::new(), ""),
        };
        Self::new(error.code(), place, error.to_string(), fix)
    }
}

impl From<&bayplan::Error> for ErrorItem {
    fn from(error: &bayplan::Error) -> Self {
        match error {
            bayplan::Error::Solve(error) => error.into(),
            own => Self::new(
                own.code(),
                "",
                own.to_string(),
                "this is a mistake in bayplan: please report it with the input and the command",
            ),
        }
    }
}

/// The body of every answer that is not a success.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    /// All that is wrong, at least one.
    pub errors: Vec<ErrorItem>,
    /// How many more there are of the same kind.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A refusal.
#[derive(Debug)]
pub struct Fault {
    status: StatusCode,
    retry_after: Option<u32>,
    body: ErrorBody,
}

/// What handlers return.
pub type Answer<T> = Result<T, Fault>;

impl Fault {
    /// One error.
    pub fn new(
        status: StatusCode,
        code: &str,
        place: impl Into<String>,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self::all(status, vec![ErrorItem::new(code, place, what, fix)])
    }

    /// Several errors.
    pub fn all(status: StatusCode, errors: Vec<ErrorItem>) -> Self {
        Self {
            status,
            retry_after: None,
            body: ErrorBody { errors, more: 0 },
        }
    }

    /// The errors alone, for a run that failed with them.
    pub fn into_errors(self) -> Vec<ErrorItem> {
        self.body.errors
    }

    /// With the seconds after which to try again.
    pub fn retry(self, seconds: u32) -> Self {
        Self {
            retry_after: Some(seconds),
            ..self
        }
    }

    /// No such thing, or it is forgotten.
    pub fn missing(place: &str, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "W001", place, what, fix)
    }

    /// The query or the body cannot be read at all.
    pub fn unreadable(place: &str, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "W002", place, what, fix)
    }

    /// Readable, but not possible.
    pub fn wrong(place: &str, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "W003", place, what, fix)
    }

    /// More bytes than allowed.
    pub fn too_large(limit: u64) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "W004",
            "body",
            format!("more than {limit} bytes"),
            "send less, or start the server with a larger --max-input",
        )
    }

    /// Not now, because of the state the thing is in.
    pub fn conflict(place: &str, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "W009", place, what, fix)
    }

    /// A task of the server died or its store failed.
    pub fn internal(what: impl Into<String>) -> Self {
        let fix = "this is a mistake in bayplan or a full disk; the server goes on";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "W010", "", what, fix)
    }
}

impl From<Errors> for Fault {
    fn from(errors: Errors) -> Self {
        let too_large = errors.errors.iter().any(|error| error.code == "F002");
        let status = if too_large {
            StatusCode::PAYLOAD_TOO_LARGE
        } else {
            StatusCode::UNPROCESSABLE_ENTITY
        };
        let mut fault = Self::all(status, errors.errors.iter().map(Into::into).collect());
        fault.body.more = errors.more;
        fault
    }
}

impl From<SolveError> for Fault {
    fn from(error: SolveError) -> Self {
        Self::all(StatusCode::UNPROCESSABLE_ENTITY, vec![(&error).into()])
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body)).into_response();
        if let Some(seconds) = self.retry_after {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// Runs work that takes long on a thread of its own; a panic there is an
/// error, not the end of the server.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Answer<T> + Send + 'static,
) -> Answer<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(answer) => answer,
        Err(_) => Err(Fault::internal("the work on this request ended in a panic")),
    }
}
