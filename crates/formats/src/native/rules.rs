//! Limits, spread sets, traffic and the current placement.

use bayplan_model::{
    Count, Level, Limit, Limits, LimitsBuilder, Names, NodeId, Placement, ServiceId, SpreadSet,
    Traffic,
};

use super::cluster::{add, find};
use crate::MAX_REPLICAS;
use crate::error::Sink;
use crate::text::{weight, whole};
use crate::tree::{Fields, View};

/// Visits the items of a list that may be missing.
fn each(
    fields: &Fields<'_, '_>,
    name: &str,
    known: &[&'static str],
    sink: &mut Sink,
    mut visit: impl FnMut(&View<'_, '_>, &Fields<'_, '_>, &mut Sink),
) {
    let Some(list) = fields.get(name) else { return };
    for view in list.list(sink) {
        if let Some(fields) = view.fields(known, sink) {
            visit(&view, &fields, sink);
        }
    }
}

fn service(fields: &Fields<'_, '_>, field: &str, names: &Names, sink: &mut Sink) -> Option<ServiceId> {
    let view = fields.required(field, sink)?;
    find(names, &view, "service", sink).map(ServiceId)
}

fn count(fields: &Fields<'_, '_>, field: &str, most: u64, sink: &mut Sink) -> Option<u32> {
    let view = fields.required(field, sink)?;
    let text = view.number(sink)?;
    whole(sink, || view.place(), field, text, 0, most).map(|count| count as u32)
}

pub(crate) fn limits(fields: &Fields<'_, '_>, names: &Names, sink: &mut Sink) -> Limits {
    let mut builder = LimitsBuilder::new(names.len());
    each(fields, "limits", &["of", "on", "max"], sink, |view, fields, sink| {
        let of = service(fields, "of", names, sink);
        let on = service(fields, "on", names, sink);
        let max = count(fields, "max", u64::from(u32::MAX), sink);
        if let (Some(of), Some(on), Some(max)) = (of, on, max) {
            if let Err(error) = builder.push(Limit { of, on, max }) {
                sink.push("F022", view.place(), || (error.to_string(), "give each pair once"));
            }
        }
    });
    builder.build().unwrap_or_else(|error| {
        let place = crate::Place::Path("limits".into());
        let text = match error {
            bayplan_model::ModelError::DuplicateLimit { of, on, .. } => {
                let (of, on) = (names.get(of as usize), names.get(on as usize));
                format!("the limit of {of} on {on} is given with two values")
            }
            other => other.to_string(),
        };
        sink.push("F022", place, || (text, "give each pair once"));
        Limits::default()
    })
}

pub(crate) fn spread(fields: &Fields<'_, '_>, names: &Names, sink: &mut Sink) -> Vec<SpreadSet> {
    let mut sets = Vec::new();
    let mut used = Names::default();
    each(fields, "spread", &["name", "services", "max", "label"], sink, |view, fields, sink| {
        let name = match fields.get("name") {
            Some(name) => {
                let _ = add(&mut used, &name, "spread set", sink);
                name.text(sink).map(String::from)
            }
            None => Some(format!("spread-{}", sets.len())),
        };
        let mut members: Vec<ServiceId> = Vec::new();
        if let Some(list) = fields.required("services", sink) {
            let items = list.list(sink);
            members
                .extend(items.filter_map(|v| find(names, &v, "service", sink).map(ServiceId)));
            if list.is_empty_list() {
                sink.push("F037", view.place(), || ("a spread set without services", "name them"));
            }
        }
        let max = count(fields, "max", u64::from(u32::MAX), sink);
        let level = match fields.get("label") {
            Some(label) => label.text(sink).map(|label| Level::Label(label.into())),
            None => Some(Level::Node),
        };
        if let (Some(name), Some(max), Some(level)) = (name, max, level) {
            sets.push(SpreadSet { name, members, max, level });
        }
    });
    sets
}

pub(crate) fn traffic(fields: &Fields<'_, '_>, names: &Names, sink: &mut Sink) -> Vec<Traffic> {
    let mut traffic = Vec::new();
    each(fields, "traffic", &["between", "weight", "priority"], sink, |view, fields, sink| {
        let Some(list) = fields.required("between", sink) else { return };
        let pair: Vec<Option<u32>> =
            list.list(sink).map(|view| find(names, &view, "service", sink)).collect();
        if list.is_list() && pair.len() != 2 {
            sink.push("F017", list.place(), || {
                (format!("traffic between {} services", pair.len()), "name two")
            });
        }
        let number = |view: Option<View<'_, '_>>, name, sink: &mut Sink| {
            let view = view?;
            let text = view.number(sink)?;
            weight(sink, || view.place(), name, text)
        };
        let volume = fields.required("weight", sink);
        let volume = number(volume, "weight", sink);
        let priority = match fields.get("priority") {
            Some(view) => number(Some(view), "priority", sink),
            None => Some(1.0),
        };
        let (Some(volume), Some(priority)) = (volume, priority) else { return };
        let [Some(a), Some(b)] = pair.as_slice() else { return };
        let weight = volume * priority;
        if a == b {
            sink.push("F024", view.place(), || {
                ("traffic of a service with itself", "name two different services")
            });
        } else if weight.is_finite() {
            traffic.push(Traffic { a: ServiceId(*a), b: ServiceId(*b), weight });
        } else {
            sink.push("F014", view.place(), || ("too much traffic", "check it"));
        }
    });
    traffic
}

pub(crate) fn placement(
    fields: &Fields<'_, '_>,
    names: &Names,
    nodes: &Names,
    sink: &mut Sink,
) -> Placement {
    let mut counts = Vec::new();
    each(fields, "placement", &["service", "node", "count"], sink, |_, fields, sink| {
        let service = service(fields, "service", names, sink);
        let node = fields.required("node", sink).and_then(|v| find(nodes, &v, "node", sink));
        let count = match fields.get("count") {
            Some(_) => count(fields, "count", MAX_REPLICAS, sink),
            None => Some(1),
        };
        if let (Some(service), Some(node), Some(count)) = (service, node, count) {
            counts.push(Count { service, node: NodeId(node), count });
        }
    });
    Placement::new(counts)
}
