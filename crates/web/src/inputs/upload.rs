//! The query of an upload: the same words as the command line's.

use std::sync::Arc;

use axum::extract::Query;
use axum::http::{StatusCode, Uri};
use bayplan_formats::{Format, ReadOptions, read};
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;
use utoipa::IntoParams;

use super::Given;
use crate::app::{App, clip};
use crate::fault::{Answer, Fault};

/// What plain tables leave open, and the file's name.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UploadQuery {
    /// The file's name, as it would stand on the command line.
    #[param(max_length = 255)]
    name: Option<String>,
    /// The format, when the content does not tell.
    format: Option<String>,
    /// Capacity of a node, such as `cpu=64,memory=128`.
    node: Option<String>,
    /// CPU capacity of a node, for a table of services with mean and std.
    capacity: Option<String>,
    /// CPU capacity of a node, for a table of applications.
    cpu: Option<String>,
    /// Memory capacity of a node, in the unit of the table.
    memory: Option<String>,
    /// How many identical nodes there are.
    machines: Option<u32>,
}

/// The query of an upload.
pub fn query(uri: &Uri) -> Answer<UploadQuery> {
    let Query(query) = Query::<UploadQuery>::try_from_uri(uri).map_err(|error| {
        Fault::unreadable("query", clip(&error.to_string()), "see openapi.json")
    })?;
    let texts = [&query.name, &query.format, &query.node];
    let amounts = [&query.capacity, &query.cpu, &query.memory];
    for text in texts.into_iter().chain(amounts).flatten() {
        if text.len() > 255 || text.chars().any(char::is_control) {
            let what = "a text with control characters or longer than 255 bytes";
            return Err(Fault::unreadable("query", what, "send plain words"));
        }
    }
    Ok(query)
}

/// A place among the inputs that are read at the same time.
pub fn slot(app: &Arc<App>) -> Answer<OwnedSemaphorePermit> {
    app.uploads.clone().try_acquire_owned().map_err(|_| {
        Fault::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "W006",
            "inputs",
            "too many inputs are being read at the same time",
            "try again in a moment",
        )
        .retry(1)
    })
}

impl UploadQuery {
    /// The options for the reader.
    pub fn options(&self, max_input: u64) -> Answer<ReadOptions> {
        let format = self.format.as_deref().filter(|name| !name.is_empty());
        let format = format.map(|name| {
            Format::parse(name).ok_or_else(|| {
                let names: Vec<&str> = Format::ALL.into_iter().map(Format::name).collect();
                let fix = format!("one of {}", names.join(", "));
                Fault::wrong(
                    "format",
                    format!("no format is called {:?}", clip(name)),
                    fix,
                )
            })
        });
        let pairs = self.node.as_deref().unwrap_or("").split(',');
        let node = pairs.filter(|pair| !pair.is_empty()).map(|pair| {
            let (resource, amount) = pair.split_once('=').ok_or_else(|| {
                let what = format!("{:?} is not RESOURCE=AMOUNT", clip(pair));
                Fault::wrong("node", what, "such as cpu=64,memory=128")
            })?;
            Ok((resource.trim().to_string(), amount.trim().to_string()))
        });
        let amount = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        Ok(ReadOptions {
            format: format.transpose()?,
            node: node.collect::<Answer<_>>()?,
            capacity: amount(&self.capacity),
            cpu: amount(&self.cpu),
            memory: amount(&self.memory),
            machines: self.machines,
            max_bytes: Some(max_input),
            ..ReadOptions::default()
        })
    }

    /// Reads the file.
    pub fn given(&self, bytes: &[u8], options: &ReadOptions) -> Answer<Given> {
        Ok(Given {
            name: self.file_name(),
            words: self.words(),
            input: read(bytes, options)?,
        })
    }

    /// A name that the command line takes for a file.
    fn file_name(&self) -> String {
        match self.name.as_deref() {
            None | Some("") => "INPUT".to_string(),
            Some(name) if name.starts_with('-') => format!("./{name}"),
            Some(name) => name.to_string(),
        }
    }

    fn words(&self) -> Vec<String> {
        let machines = self.machines.map(|count| count.to_string());
        let flags = [
            ("--format", &self.format),
            ("--node", &self.node),
            ("--capacity", &self.capacity),
            ("--cpu", &self.cpu),
            ("--memory", &self.memory),
            ("--machines", &machines),
        ];
        let given = flags.into_iter().filter_map(|(flag, value)| {
            let value = value.clone().filter(|value| !value.is_empty())?;
            Some([flag.to_string(), value])
        });
        given.flatten().collect()
    }
}
