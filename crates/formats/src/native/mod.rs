//! The native format: YAML or JSON, versioned, everything a problem can hold.
//!
//! It is meant to be written by hand: amounts may be quantities such as `500m`
//! and `2Gi`, what is not said has a plain default, and a misspelt field is an
//! error that names the nearest one.

mod applications;
mod cluster;
mod compatibility;
mod demand;
mod emit;
mod requests;
mod rules;
mod services;
mod write;

use bayplan_model::Workload;

use crate::ReadOptions;
use crate::bytes::utf8;
use crate::error::{Sink, Source};
use crate::read::Parts;
use crate::tree::{View, parse_json, parse_yaml};
pub use write::{write_problem_json, write_problem_yaml};

/// JSON Schema of problems in the native format.
pub const SCHEMA: &str = include_str!("../../../../docs/schema/problem-v1.json");

/// JSON Schema of plans.
pub const PLAN_SCHEMA: &str = include_str!("../../../../docs/schema/plan-v1.json");

const TOP: [&str; 15] = [
    "version",
    "resources",
    "pools",
    "nodes",
    "services",
    "limits",
    "spread",
    "compatibility",
    "traffic",
    "placement",
    "applications",
    "layout",
    "requests",
    "time_scale",
    "description",
];

pub(crate) fn read(bytes: &[u8], options: &ReadOptions, sink: &mut Sink) -> Option<Parts> {
    crate::cluster::refuse_node_options(options, sink);
    let text = utf8(bytes, Source::Input)
        .map_err(|errors| sink.take(errors))
        .ok()?;
    let is_json = text.trim_start().starts_with('{');
    let tree = if is_json {
        parse_json(text)
    } else {
        parse_yaml(text)
    };
    let tree = tree.map_err(|error| sink.syntax(error)).ok()?;
    let root = View::root(&tree);
    let fields = root.fields(&TOP, sink)?;
    if let Some(version) = fields.required("version", sink)
        && version.number(sink).is_some_and(|version| version != "1")
    {
        sink.push("F008", version.place(), || {
            ("a version other than 1", "write `version: 1`")
        });
    }
    if let Some(description) = fields.get("description") {
        let _ = description.text(sink);
    }
    let cluster = cluster::read(&fields, sink);
    let given: Vec<&str> = ["services", "applications", "requests"]
        .into_iter()
        .filter(|name| fields.get(name).is_some())
        .collect();
    let workload = match given.as_slice() {
        ["services"] => Workload::Services(services::read(&fields, &cluster, sink)),
        ["applications"] => Workload::Applications(applications::read(&fields, &cluster, sink)),
        ["requests"] => Workload::Requests(requests::read(&fields, &cluster, sink)),
        [] => {
            sink.push("F010", root.place(), || {
                (
                    "no workload",
                    "add `services`, `applications` or `requests`",
                )
            });
            return None;
        }
        several => {
            sink.push("F011", root.place(), || {
                (
                    format!("several workloads: {}", several.join(", ")),
                    "keep one to a file",
                )
            });
            return None;
        }
    };
    let rules: &[&str] = match given.as_slice() {
        ["services"] => &["layout", "time_scale"],
        ["applications"] => &[
            "limits",
            "spread",
            "compatibility",
            "traffic",
            "placement",
            "time_scale",
        ],
        _ => &[
            "limits",
            "spread",
            "compatibility",
            "traffic",
            "placement",
            "layout",
        ],
    };
    for name in rules {
        if let Some(view) = fields.get(name) {
            sink.push("F011", view.place(), || {
                (
                    format!("`{name}` does not go with `{}`", given[0]),
                    "remove it",
                )
            });
        }
    }
    Some(Parts {
        objects: None,
        cluster: cluster.cluster,
        workload,
        notes: Vec::new(),
    })
}
