//! Timed requests.

use bayplan_model::{Request, Requests, Rounding, WEIGHT_SCALE};

use super::cluster::{Named, amounts};
use crate::MAX_ROWS;
use crate::error::Sink;
use crate::pools::resource;
use crate::tables::requests::Times;
use crate::text::{amount, whole};
use crate::tree::Fields;

const REQUEST: [&str; 4] = ["start", "finish", "demand", "weight"];

pub(crate) fn read(fields: &Fields<'_, '_>, named: &Named, sink: &mut Sink) -> Requests {
    let time_scale = fields.get("time_scale").and_then(|view| {
        let text = view.number(sink)?;
        whole(sink, || view.place(), "time_scale", text, 1, 1_000_000_000)
    });
    let mut times = Times::at(time_scale);
    let weights = resource("weight", "", WEIGHT_SCALE);
    let mut requests = Vec::new();
    let list = fields.required("requests", sink);
    let items = list.as_ref().map(|list| list.list(sink));
    for view in items.into_iter().flatten() {
        let Some(fields) = view.fields(&REQUEST, sink) else { continue };
        let [start, finish] = [("start", false), ("finish", true)].map(|(field, up)| {
            let view = fields.required(field, sink)?;
            times.read(view.number(sink)?, field, view.place(), up, sink)
        });
        let demand = fields.required("demand", sink);
        let demand = demand.map(|view| amounts(named, &view, Rounding::Up, sink));
        let weight = fields.get("weight").map_or(Some(WEIGHT_SCALE), |view| {
            let text = view.number(sink)?;
            amount(sink, || view.place(), text, &weights, Rounding::Down)
        });
        let (Some(start), Some(finish), Some(demand), Some(weight)) =
            (start, finish, demand, weight)
        else {
            continue;
        };
        if start >= finish {
            sink.push("F024", view.place(), || {
                ("it does not finish after it starts", "`finish` must be above `start`")
            });
            continue;
        }
        requests.push(Request { start, finish, demand, weight });
    }
    if let Some(list) = list {
        if list.is_empty_list() {
            sink.push("F037", list.place(), || ("no request", "describe at least one"));
        }
        if requests.len() > MAX_ROWS {
            sink.push("F014", list.place(), || (format!("more than {MAX_ROWS} requests"), "split it"));
        }
    }
    let time_scale = times.settle(&mut requests);
    Requests::new(time_scale, requests)
}
