//! Inputs to begin with, embedded: at least one for each question.

use axum::Json;
use bayplan_formats::{ReadOptions, read};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::clip;
use crate::fault::{Answer, Fault};
use crate::inputs::Given;
use crate::verbs::Verb;

/// An example.
#[derive(Serialize, ToSchema)]
pub struct Example {
    /// The name to load it by.
    pub name: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// What it is about.
    pub description: &'static str,
    /// The question it is made for.
    pub verb: Verb,
    #[serde(skip)]
    file: &'static str,
    #[serde(skip)]
    text: &'static str,
}

macro_rules! example {
    ($name:literal, $verb:ident, $title:literal, $description:literal) => {
        Example {
            name: $name,
            title: $title,
            description: $description,
            verb: Verb::$verb,
            file: concat!("examples/", $name, ".yaml"),
            text: include_str!(concat!("../../../examples/", $name, ".yaml")),
        }
    };
}

static ALL: [Example; 5] = [
    example!(
        "web-shop",
        Colocate,
        "Web shop",
        "A dozen services in two zones, with traffic, limits and what runs now."
    ),
    example!(
        "growing-shop",
        Provision,
        "Growing shop",
        "Sixty services with limits between them and no node yet: how many are needed?"
    ),
    example!(
        "steady-fleet",
        Overcommit,
        "Steady fleet",
        "Eight services whose usage varies: how far may nodes be overcommitted?"
    ),
    example!(
        "divided-load",
        Divide,
        "Divided load",
        "Forty applications whose load can be split over instances."
    ),
    example!(
        "batch-cluster",
        Admit,
        "Batch cluster",
        "Nightly and daily jobs on three nodes that cannot take them all."
    ),
];

/// The examples.
#[utoipa::path(get, path = "/api/v1/examples", tag = "inputs", responses(
    (status = 200, description = "at least one for each question", body = Vec<Example>)))]
pub async fn list() -> Json<&'static [Example]> {
    Json(&ALL)
}

/// An example by its name.
pub fn find(name: &str) -> Answer<&'static Example> {
    ALL.iter()
        .find(|example| example.name == name)
        .ok_or_else(|| {
            let names: Vec<&str> = ALL.iter().map(|example| example.name).collect();
            let fix = format!("there are {}", names.join(", "));
            Fault::missing(
                "name",
                format!("no example is called {:?}", clip(name)),
                fix,
            )
        })
}

impl Example {
    /// The example, read.
    pub fn given(&self) -> Answer<Given> {
        Ok(Given {
            name: self.file.to_string(),
            words: Vec::new(),
            input: read(self.text.as_bytes(), &ReadOptions::default())?,
        })
    }
}
