//! A small client for Prometheus, over the same HTTP stack as the API server's.

use std::collections::BTreeMap;
use std::time::Duration;

use http::Request;
use kube::{Client, Config};
use serde::Deserialize;

use crate::Error;
use crate::error::causes;

const PATIENCE: Duration = Duration::from_secs(120);

/// A Prometheus server.
#[derive(Clone)]
pub struct Prometheus {
    client: Client,
    /// The path before `/api`, without a slash at its end.
    base: String,
}

/// The samples of one set of labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Labels and values.
    pub labels: BTreeMap<String, String>,
    /// Seconds since 1970, and the value there; values that are no number are left out.
    pub samples: Vec<(f64, f64)>,
}

impl Series {
    /// The value of a label; empty when it is missing.
    pub fn label(&self, name: &str) -> &str {
        self.labels.get(name).map_or("", String::as_str)
    }
}

#[derive(Deserialize)]
struct Answer {
    status: String,
    error: Option<String>,
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Data {
    result: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    metric: BTreeMap<String, String>,
    value: Option<(f64, String)>,
    values: Option<Vec<(f64, String)>>,
}

impl Prometheus {
    /// The server at an address such as `http://prometheus:9090`, with a path
    /// where one stands before its API. Needs the runtime it will run on.
    pub async fn new(url: &str) -> Result<Self, Error> {
        let wrong = |why: String| Error::Prometheus(format!("{url:?} is no address: {why}"));
        let uri: http::Uri = url.parse().map_err(|error| wrong(causes(&error)))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none() {
            return Err(wrong("give http:// or https:// and a host".into()));
        }
        let base = uri.path().trim_end_matches('/').to_string();
        let mut root = uri.into_parts();
        root.path_and_query = Some(http::uri::PathAndQuery::from_static("/"));
        let root = http::Uri::from_parts(root).map_err(|error| wrong(causes(&error)))?;
        let mut config = Config::new(root);
        config.connect_timeout = Some(Duration::from_secs(15));
        let client = Client::try_from(config).map_err(|error| wrong(causes(&error)))?;
        Ok(Self { client, base })
    }

    /// The values of a query at one time.
    pub async fn at(&self, query: &str, time: f64) -> Result<Vec<Series>, Error> {
        let arguments = [("query", query.to_string()), ("time", time.to_string())];
        self.ask("query", &arguments).await
    }

    /// The values of a query over a range of time, every `step` seconds.
    pub async fn range(
        &self,
        query: &str,
        (start, end): (f64, f64),
        step: f64,
    ) -> Result<Vec<Series>, Error> {
        let arguments = [
            ("query", query.to_string()),
            ("start", start.to_string()),
            ("end", end.to_string()),
            ("step", step.to_string()),
        ];
        self.ask("query_range", &arguments).await
    }

    async fn ask(&self, what: &str, arguments: &[(&str, String)]) -> Result<Vec<Series>, Error> {
        let mut uri = format!("{}/api/v1/{what}?", self.base);
        for (at, (name, value)) in arguments.iter().enumerate() {
            let and = if at > 0 { "&" } else { "" };
            uri.push_str(&format!("{and}{name}={}", escaped(value)));
        }
        let request = Request::get(uri)
            .body(Vec::new())
            .map_err(|error| Error::Prometheus(causes(&error)))?;
        let answer = tokio::time::timeout(PATIENCE, self.client.request_text(request)).await;
        let text = answer
            .map_err(|_| Error::Prometheus(format!("no answer within {} s", PATIENCE.as_secs())))?
            .map_err(|error| match error {
                kube::Error::Api(status) => {
                    Error::Prometheus(format!("{}: {}", status.code, status.message))
                }
                other => Error::Prometheus(causes(&other)),
            })?;
        read(&text)
    }
}

fn read(text: &str) -> Result<Vec<Series>, Error> {
    let answer: Answer = serde_json::from_str(text)
        .map_err(|error| Error::Prometheus(format!("the answer cannot be read: {error}")))?;
    if answer.status != "success" {
        let why = answer.error.unwrap_or_else(|| "no reason given".into());
        return Err(Error::Prometheus(why));
    }
    let found = answer.data.map(|data| data.result).unwrap_or_default();
    let series = found.into_iter().map(|found| {
        let samples = found.values.into_iter().flatten().chain(found.value);
        let samples = samples.filter_map(|(time, text)| {
            let value: f64 = text.parse().ok()?;
            value.is_finite().then_some((time, value))
        });
        Series {
            labels: found.metric,
            samples: samples.collect(),
        }
    });
    Ok(series.collect())
}

/// A text as part of a URL.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
