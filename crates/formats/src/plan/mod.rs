//! Plans: tables `service,node,count`, `application,node,load` and
//! `request,node`, or JSON that also holds new nodes, what is unplaced and the
//! waves of moves.

mod csv;
mod json;
mod nodes;
mod read_json;
mod rows;

use bayplan_model::{Plan, Problem, Workload};

use crate::bytes::plain;
use crate::error::{Sink, Source};
use crate::tables::header::Columns;
use crate::{Errors, Format, ReadOptions};

pub use self::csv::write_plan_csv;
pub use self::json::write_plan_json;
pub use self::rows::plan_rows;

/// Reads a plan for a problem: CSV or JSON, by content, also compressed.
pub fn read_plan(bytes: &[u8], problem: &Problem) -> Result<Plan, Errors> {
    let bytes = plain(bytes, Source::Plan, &ReadOptions::default())?;
    let mut sink = Sink::new(Source::Plan);
    let is_json = bytes.trim_ascii_start().first() == Some(&b'{');
    let plan = if is_json {
        read_json::read(&bytes, problem, &mut sink)
    } else {
        csv::read(&bytes, problem, &mut sink)
    };
    match plan {
        Some(plan) => sink.finish().map(|()| plan),
        None => Err(sink.into_errors()),
    }
}

/// The columns of the plan table of a workload.
pub(crate) fn columns(workload: &Workload) -> &'static Columns {
    match workload {
        Workload::Services(_) => &Columns {
            format: Format::ServicesTable,
            required: &["service", "node", "count"],
            optional: &[],
        },
        Workload::Applications(_) => &Columns {
            format: Format::ApplicationsTable,
            required: &["application", "node", "load"],
            optional: &[],
        },
        Workload::Requests(_) => &Columns {
            format: Format::RequestsTable,
            required: &["request", "node"],
            optional: &[],
        },
    }
}
