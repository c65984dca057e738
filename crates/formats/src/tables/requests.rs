//! Timed requests: `s,f,a,b[,weight]`; any further column is a resource.

use std::io::Write;

use bayplan_model::{
    Cluster, DecimalError, Request, RequestId, Requests, Resource, Rounding, WEIGHT_SCALE,
    Workload, format_units, parse_units,
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
    for name in table
        .header
        .iter()
        .filter(|name| ["cpu", "memory"].contains(&name.as_str()))
    {
        sink.push("F021", Place::line(1), || {
            (
                format!("column `{name}` beside a (cpu) and b (memory)"),
                "rename it",
            )
        });
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
    let mut times = Times::at(None);
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
        objects: None,
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

/// Reads times. Unless a scale is given they are read at the fine one and go
/// back to whole units when no time had a fraction.
pub(crate) struct Times {
    scale: u64,
    given: bool,
    fraction: bool,
}

impl Times {
    /// With the scale that the input gives, if it does.
    pub fn at(scale: Option<u64>) -> Self {
        Self {
            scale: scale.unwrap_or(FINE_TIME),
            given: scale.is_some(),
            fraction: false,
        }
    }

    /// Starts round down and finishes up, so that no overlap is lost.
    pub fn read(
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
        let found = match parse_units(digits, self.scale, rounding) {
            Ok(units) if !digits.starts_with(['-', '+']) => {
                self.fraction |= units % self.scale != 0;
                return Some(if negative {
                    -(units as i64)
                } else {
                    units as i64
                });
            }
            Err(DecimalError::TooLarge) => ("F014", "too large"),
            _ => ("F012", "not a number"),
        };
        sink.push(found.0, place, || {
            (
                format!("time {what} `{}` is {}", clip(text), found.1),
                "write it as a number such as 12.5",
            )
        });
        None
    }

    /// The time scale; brings the requests to it.
    pub fn settle(&self, requests: &mut [Request]) -> u64 {
        if self.given || self.fraction {
            return self.scale;
        }
        for request in requests {
            request.start /= self.scale as i64;
            request.finish /= self.scale as i64;
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
