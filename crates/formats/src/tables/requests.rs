//! Timed requests: `s,f,a,b[,weight]`; any further column is a resource.

use std::io::Write;

use bayplan_model::{
    Cluster, Request, RequestId, Requests, Resource, Rounding, WEIGHT_SCALE, Workload, format_units,
};

use super::header::{column_name, columns};
use super::table::Table;
use crate::error::{Place, Sink, clip};
use crate::pools::{capacity, identical, resource};
use crate::read::Parts;
use crate::text::amount;
use crate::{Format, ReadOptions, WriteError};

/// The columns that are not resources of their own name, in writing order.
const FIXED: [&str; 5] = ["s", "f", "a", "b", "weight"];

/// Units of a share of a node.
const SHARE_SCALE: u64 = 100_000_000;

/// Units of time when any time has a fraction.
pub(crate) const FINE_TIME: u64 = 1_000_000;

pub(crate) fn read(bytes: &[u8], options: &ReadOptions, sink: &mut Sink) -> Option<Parts> {
    let mut table = Table::open(bytes, sink)?;
    if !table.check(columns(Format::RequestsTable), true, sink) {
        return None;
    }
    let [start, finish] = ["s", "f"].map(|name| table.required(name));
    let weight = table.column("weight");
    let (resources, demands) = resources(&table.header);
    let weights = resource("weight", "", WEIGHT_SCALE);
    let amounts = capacity(&resources, options, sink);
    let capacity = amounts
        .into_iter()
        .map(|amount| amount.unwrap_or(SHARE_SCALE))
        .collect();
    let mut times = Times::default();
    let mut requests: Vec<Request> = Vec::new();
    table.rows(sink, |row, sink| {
        let start = times.read(row.text(start), "s", row.place(), false, sink);
        let finish = times.read(row.text(finish), "f", row.place(), true, sink);
        let demand: Option<Vec<u64>> = demands
            .iter()
            .zip(&resources)
            .map(|(column, r)| amount(sink, || row.place(), row.text(*column), r, Rounding::Up))
            .collect();
        // Values round down: a weight is never made more than it is.
        let weight = weight.map_or(Some(WEIGHT_SCALE), |column| {
            amount(
                sink,
                || row.place(),
                row.text(column),
                &weights,
                Rounding::Down,
            )
        });
        let (Some(start), Some(finish), Some(demand), Some(weight)) =
            (start, finish, demand, weight)
        else {
            return;
        };
        if start >= finish {
            sink.push("F024", row.place(), || {
                ("it does not finish after it starts", "f must be above s")
            });
            return;
        }
        requests.push(Request {
            start,
            finish,
            demand,
            weight,
        });
    });
    let time_scale = times.settle(&mut requests);
    let cluster = identical(resources, capacity, options, sink);
    let workload = Workload::Requests(Requests::new(time_scale, requests));
    Some(Parts {
        cluster,
        workload,
        notes: Vec::new(),
    })
}

/// `a` is cpu, `b` is memory, every other column a resource of its own name.
fn resources(header: &[String]) -> (Vec<Resource>, Vec<usize>) {
    let at = |name: &str| {
        header
            .iter()
            .position(|column| column == name)
            .expect("checked")
    };
    let mut resources = vec![
        resource("cpu", "node", SHARE_SCALE),
        resource("memory", "node", SHARE_SCALE),
    ];
    let mut columns = vec![at("a"), at("b")];
    for (position, name) in header.iter().enumerate() {
        if !FIXED.contains(&name.as_str()) {
            resources.push(resource(name, "node", SHARE_SCALE));
            columns.push(position);
        }
    }
    (resources, columns)
}

/// Reads times at the fine scale and goes back to whole units when no time
/// had a fraction.
#[derive(Default)]
struct Times {
    fraction: bool,
}

impl Times {
    /// Starts round down and finishes up, so that no overlap is lost.
    fn read(
        &mut self,
        text: &str,
        what: &str,
        place: Place,
        up: bool,
        sink: &mut Sink,
    ) -> Option<i64> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let rounding = if up == negative {
            Rounding::Down
        } else {
            Rounding::Up
        };
        match bayplan_model::parse_units(digits, FINE_TIME, rounding) {
            Ok(units) if !digits.starts_with(['-', '+']) => {
                self.fraction |= units % FINE_TIME != 0;
                Some(if negative {
                    -(units as i64)
                } else {
                    units as i64
                })
            }
            Err(bayplan_model::DecimalError::TooLarge) => {
                sink.push("F014", place, || {
                    (format!("time {what} `{}`", clip(text)), "check the unit")
                });
                None
            }
            _ => {
                sink.push("F012", place, || {
                    (
                        format!("time {what} `{}` is not a number", clip(text)),
                        "write it as a number",
                    )
                });
                None
            }
        }
    }

    fn settle(&self, requests: &mut [Request]) -> u64 {
        if self.fraction {
            return FINE_TIME;
        }
        for request in requests {
            request.start /= FINE_TIME as i64;
            request.finish /= FINE_TIME as i64;
        }
        1
    }
}

/// What the table cannot say about the cluster.
pub(crate) fn fault(cluster: &Cluster) -> Option<&'static str> {
    let names: Vec<&str> = cluster.resources.iter().map(|r| r.name.as_str()).collect();
    let plain = |name: &&str| *name == column_name(name) && !FIXED.contains(name);
    if names.len() < 2 || names[..2] != ["cpu", "memory"] {
        return Some("resources that do not begin with cpu and memory");
    }
    (!names[2..].iter().all(plain)).then_some("a resource of this name")
}

/// Writes the table.
pub(crate) fn write(
    requests: &Requests,
    resources: &[Resource],
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let mut table = csv::Writer::from_writer(out);
    let extra = resources
        .iter()
        .skip(2)
        .map(|resource| resource.name.as_str());
    table.write_record(FIXED.into_iter().chain(extra))?;
    let time = |time: i64| {
        let sign = if time < 0 { "-" } else { "" };
        format!(
            "{sign}{}",
            format_units(time.unsigned_abs(), requests.time_scale)
        )
    };
    let mut fields: Vec<String> = Vec::new();
    for at in 0..requests.len() {
        let units = requests.row(RequestId::from(at));
        let mut demand = units
            .iter()
            .zip(resources)
            .map(|(units, resource)| format_units(*units, resource.scale));
        fields.clear();
        fields.extend([time(requests.start[at]), time(requests.finish[at])]);
        fields.extend(demand.by_ref().take(2));
        fields.push(format_units(requests.weight[at], WEIGHT_SCALE));
        fields.extend(demand);
        table.write_record(&fields)?;
    }
    Ok(table.flush()?)
}
