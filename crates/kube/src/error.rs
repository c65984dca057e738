//! What can go wrong while reading a cluster: codes K1xx, each with its fix.

use bayplan_formats::Errors;

/// Why a cluster, or what measures it, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No usable kubeconfig, context or in-cluster configuration.
    #[error("no cluster to talk to: {0}")]
    Config(String),
    /// The API server did not answer.
    #[error("the API server does not answer: {0}")]
    Unreachable(String),
    /// The credentials were refused.
    #[error("the API server refuses the credentials: {0}")]
    Unauthorized(String),
    /// The account may not do this.
    #[error("the account may not {what}: {message}")]
    Forbidden {
        /// Such as `list pods`.
        what: String,
        /// What the server said.
        message: String,
    },
    /// Any other refusal of the API server.
    #[error("the API server answered {code} to {what}: {message}")]
    Api {
        /// Status code.
        code: u16,
        /// Such as `list pods`.
        what: String,
        /// What the server said.
        message: String,
    },
    /// What the server sent is not what its API promises.
    #[error("the answer to {what} cannot be read: {message}")]
    Answer {
        /// Such as `list pods`.
        what: String,
        /// What is wrong with it.
        message: String,
    },
    /// The pages of a list expired before the last one was read.
    #[error("the list of {0} changed faster than it could be read")]
    Expired(&'static str),
    /// The objects were read but make no problem.
    #[error("{0}")]
    Objects(#[from] Errors),
    /// Prometheus did not answer or refused.
    #[error("Prometheus: {0}")]
    Prometheus(String),
    /// Prometheus has nothing of what was asked for.
    #[error("Prometheus has no {0}")]
    NoData(String),
}

impl Error {
    /// The code that `bayplan explain` knows.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Config(_) => "K101",
            Self::Unreachable(_) => "K102",
            Self::Unauthorized(_) => "K103",
            Self::Forbidden { .. } => "K104",
            Self::Api { .. } => "K105",
            Self::Answer { .. } => "K106",
            Self::Expired(_) => "K107",
            Self::Objects(_) => "K108",
            Self::Prometheus(_) => "K110",
            Self::NoData(_) => "K111",
        }
    }

    /// A client's error while doing `what`, such as `list pods`.
    pub fn from_client(what: &str, error: kube::Error) -> Self {
        let what = what.to_string();
        match error {
            kube::Error::Api(status) => match status.code {
                401 => Self::Unauthorized(status.message),
                403 => Self::Forbidden {
                    what,
                    message: status.message,
                },
                code => Self::Api {
                    code,
                    what,
                    message: status.message,
                },
            },
            kube::Error::SerdeError(error) => Self::Answer {
                what,
                message: error.to_string(),
            },
            kube::Error::Auth(error) => Self::Unauthorized(error.to_string()),
            other => Self::Unreachable(causes(&other)),
        }
    }

    /// Whether the same question may be answered a moment later.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable(_) => true,
            Self::Api { code, .. } => matches!(code, 408 | 429 | 500..=599),
            _ => false,
        }
    }
}

/// An error with its causes in one line: the outermost alone says little.
pub(crate) fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}
