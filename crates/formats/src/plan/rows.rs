//! A plan as plain rows, without the problem it belongs to.

use serde_json::Value;

use crate::bytes::plain;
use crate::error::{Place, Sink, Source};
use crate::{Errors, ReadOptions};

/// (what, node, amount) of every row of a plan, CSV or JSON: replicas of
/// services, load of applications, 1 for a request.
pub fn plan_rows(bytes: &[u8]) -> Result<Vec<(String, String, f64)>, Errors> {
    let bytes = plain(bytes, Source::Plan, &ReadOptions::default())?;
    let mut sink = Sink::new(Source::Plan);
    let rows = if bytes.trim_ascii_start().first() == Some(&b'{') {
        json_rows(&bytes, &mut sink)
    } else {
        csv_rows(&bytes, &mut sink)
    };
    sink.finish().map(|()| rows)
}

fn csv_rows(bytes: &[u8], sink: &mut Sink) -> Vec<(String, String, f64)> {
    let mut rows = Vec::new();
    for (at, record) in csv::Reader::from_reader(bytes).records().enumerate() {
        let place = Place::line(at as u64 + 2);
        let Ok(record) = record else {
            sink.push("F007", place, || {
                ("a row that is not CSV", "write what,node,amount")
            });
            continue;
        };
        let amount = record
            .get(2)
            .map_or(Some(1.0), |text| text.trim().parse().ok());
        match (record.get(0), record.get(1), amount) {
            (Some(what), Some(node), Some(amount)) => rows.push((what.into(), node.into(), amount)),
            _ => sink.push("F007", place, || {
                (
                    "a row without what, node and amount",
                    "write what,node,amount",
                )
            }),
        }
    }
    rows
}

fn json_rows(bytes: &[u8], sink: &mut Sink) -> Vec<(String, String, f64)> {
    let root: Value = match serde_json::from_slice(bytes) {
        Ok(root) => root,
        Err(error) => {
            let found = error.to_string();
            sink.push("F007", Place::line(error.line() as u64), || {
                (found, "write a plan as JSON")
            });
            return Vec::new();
        }
    };
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let lists = ["placement", "shares", "accepted"]
        .iter()
        .filter_map(|name| root.get(name)?.as_array());
    lists
        .flatten()
        .filter_map(|row| {
            let what = ["service", "application", "request"]
                .iter()
                .find_map(|key| row.get(key))?;
            let amount = ["count", "load"].iter().find_map(|key| row.get(key));
            let amount = amount.map_or(Some(1.0), |value| text(value).parse().ok());
            Some((text(what), text(row.get("node")?), amount?))
        })
        .collect()
}
