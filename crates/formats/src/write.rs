//! Problems back into tables.

use std::fmt;
use std::io::{self, Write};

use bayplan_model::{Problem, Services, Workload};

use crate::tables::{applications, requests, services};
use crate::{Format, cluster, tclab};

/// Why a problem was not written.
#[derive(Debug)]
pub enum WriteError {
    /// The format has no room for something the problem says.
    Cannot {
        /// The format.
        format: Format,
        /// What it cannot hold.
        what: &'static str,
    },
    /// Writing failed.
    Io(io::Error),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cannot { format, what } => {
                let format = format.name();
                write!(
                    f,
                    "F038: the format {format} cannot hold {what}; write the native format"
                )
            }
            Self::Io(error) => write!(f, "F001: cannot write: {error}"),
        }
    }
}

impl std::error::Error for WriteError {}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<csv::Error> for WriteError {
    fn from(error: csv::Error) -> Self {
        Self::Io(error.into())
    }
}

/// Writes a problem as one of the plain tables or as cluster JSON. What the
/// format cannot say is an error, but for the nodes of tables: those come from
/// options when the table is read.
pub fn write_table(
    problem: &Problem,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let cluster = problem.cluster();
    let fault = match (format, problem.workload()) {
        (Format::TClab, Workload::Services(all)) => {
            beyond(all, &["limits", "epochs"]).or_else(|| tclab::fault(cluster, all))
        }
        (Format::Cluster, Workload::Services(all)) => {
            let held = ["traffic", "placement", "compatibility"];
            beyond(all, &held).or_else(|| cluster::fault(cluster, all))
        }
        (Format::ServicesTable, Workload::Services(all)) => {
            beyond(all, &["random demand"]).or_else(|| services::fault(cluster))
        }
        (Format::ApplicationsTable, Workload::Applications(all)) => {
            (!all.layout.is_empty()).then_some("a current layout")
        }
        (Format::RequestsTable, Workload::Requests(_)) => requests::fault(cluster),
        _ => Some("this kind of workload"),
    };
    if let Some(what) = fault {
        return Err(WriteError::Cannot { format, what });
    }
    match (format, problem.workload()) {
        (Format::TClab, Workload::Services(all)) => tclab::write(all, &cluster.resources, out)?,
        (_, Workload::Services(all)) if format == Format::Cluster => {
            cluster::write(cluster, all, out)?;
        }
        (_, Workload::Services(all)) => services::write(all, &cluster.resources, out)?,
        (_, Workload::Applications(all)) => applications::write(all, &cluster.resources, out)?,
        (_, Workload::Requests(all)) => requests::write(all, &cluster.resources, out)?,
    }
    Ok(())
}

/// A rule of the services that is not among those a format holds.
fn beyond(services: &Services, held: &[&str]) -> Option<&'static str> {
    let rules = [
        ("limits", !services.limits.is_empty()),
        ("epochs", services.epochs > 1),
        ("random demand", !services.variance.is_empty()),
        ("spread sets", !services.spread.is_empty()),
        ("compatibility", !services.compatibility.is_everywhere()),
        ("traffic", !services.traffic.is_empty()),
        ("placement", !services.placement.is_empty()),
        ("pinned services", services.pinned.contains(&true)),
        (
            "replicas that must be alive",
            services.alive.iter().any(|alive| *alive > 0),
        ),
    ];
    let (what, _) = rules
        .into_iter()
        .find(|(what, present)| *present && !held.contains(what))?;
    Some(what)
}

/// A text as JSON, quotes included.
pub(crate) fn json_text(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            char if char.is_control() => quoted.push_str(&format!("\\u{:04x}", char as u32)),
            char => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}
