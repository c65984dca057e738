//! Applications whose load can be divided.

use bayplan_model::{
    Application, ApplicationId, Applications, DecimalError, Names, NodeId, Resource, Rounding,
    Share,
};

use super::cluster::{Named, add, find, quantity};
use crate::error::{Place, Sink};
use crate::quantity::{parse_quantity, per_load};
use crate::text::{bad_number, whole};
use crate::tree::{Fields, View};

const APPLICATION: [&str; 6] =
    ["name", "load", "memory", "memory_per_load", "min_instances", "max_instances"];

pub(crate) fn read(fields: &Fields<'_, '_>, named: &Named, sink: &mut Sink) -> Applications {
    let mut applications = Applications::default();
    let resources = &named.cluster.resources;
    if resources.len() != 2 {
        sink.push("F024", Place::Path("resources".into()), || {
            (format!("{} resources", resources.len()), "applications have two: cpu and memory")
        });
        return applications;
    }
    let mut names = Names::default();
    let list = fields.required("applications", sink);
    let items = list.as_ref().map(|list| list.list(sink));
    for view in items.into_iter().flatten() {
        let Some(fields) = view.fields(&APPLICATION, sink) else { continue };
        let name = fields.required("name", sink);
        let id = name.and_then(|name| add(&mut names, &name, "application", sink));
        let [load, memory] = [("load", 0), ("memory", 1)].map(|(field, at): (_, usize)| {
            let view = fields.required(field, sink)?;
            quantity(&resources[at], &view, Rounding::Up, sink)
        });
        let memory_per_load = fields.get("memory_per_load").map_or(Some(0), |view| {
            growth(resources, &view, sink)
        });
        let [min, max] = ["min_instances", "max_instances"].map(|field| {
            let Some(view) = fields.get(field) else { return Some(None) };
            let most = u64::from(u32::MAX);
            let text = view.number(sink)?;
            whole(sink, || view.place(), field, text, 0, most).map(|count| Some(count as u32))
        });
        let (Some(_), Some(load), Some(memory), Some(memory_per_load), Some(min), Some(max)) =
            (id, load, memory, memory_per_load, min, max)
        else {
            continue;
        };
        let min_instances = min.unwrap_or(1);
        if max.is_some_and(|max| max < min_instances) {
            sink.push("F024", view.place(), || {
                ("max_instances below min_instances", "raise it or lower the other")
            });
        }
        let max_instances = max;
        applications.all.push(Application {
            load,
            memory,
            memory_per_load,
            min_instances,
            max_instances,
        });
    }
    if let Some(list) = list.filter(View::is_empty_list) {
        sink.push("F037", list.place(), || ("no application", "describe at least one"));
    }
    applications.names = names;
    applications.layout = layout(fields, named, &applications.names, sink);
    applications
}

/// Memory per unit of load as memory units per million load units, rounded up.
fn growth(resources: &[Resource], view: &View<'_, '_>, sink: &mut Sink) -> Option<u64> {
    let text = view.number(sink)?;
    let units = match per_load(resources) {
        None => Err(DecimalError::TooLarge),
        Some((scale, divisor)) => {
            let fine = Resource { scale, ..resources[1].clone() };
            parse_quantity(text, &fine, Rounding::Up).map(|units| units.div_ceil(divisor))
        }
    };
    units.map_err(|why| bad_number(sink, view.place(), "memory_per_load", text, why)).ok()
}

fn layout(
    fields: &Fields<'_, '_>,
    named: &Named,
    names: &Names,
    sink: &mut Sink,
) -> Vec<Share> {
    let Some(list) = fields.get("layout") else { return Vec::new() };
    let mut layout = Vec::new();
    for view in list.list(sink) {
        let Some(fields) = view.fields(&["application", "node", "load"], sink) else { continue };
        let application = fields.required("application", sink);
        let application = application.and_then(|v| find(names, &v, "application", sink));
        let node = fields.required("node", sink);
        let node = node.and_then(|v| find(&named.nodes, &v, "node", sink));
        let load = fields.required("load", sink);
        let load =
            load.and_then(|v| quantity(&named.cluster.resources[0], &v, Rounding::Up, sink));
        if let (Some(application), Some(node), Some(load)) = (application, node, load) {
            let (application, node) = (ApplicationId(application), NodeId(node));
            layout.push(Share { application, node, load });
        }
    }
    layout.sort_unstable();
    layout
}
