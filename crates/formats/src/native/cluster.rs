//! Resources, pools and nodes.

use bayplan_model::{Cluster, Labels, Names, Node, Pool, PoolId, Resource, Rounding};

use crate::error::{Sink, clip};
use crate::pools::{PRICE_SCALE, resource};
use crate::quantity::parse_quantity;
use crate::text::{amount, bad_number, whole};
use crate::tree::{Fields, View};
use crate::MAX_NODES;

/// A cluster with its names, which the rules refer to.
pub(crate) struct Named {
    pub cluster: Cluster,
    pub resources: Names,
    pub pools: Names,
    pub nodes: Names,
}

pub(crate) fn read(fields: &Fields<'_, '_>, sink: &mut Sink) -> Named {
    let mut named = Named {
        cluster: Cluster::default(),
        resources: Names::default(),
        pools: Names::default(),
        nodes: Names::default(),
    };
    resources(&mut named, fields, sink);
    pools(&mut named, fields, sink);
    nodes(&mut named, fields, sink);
    let mut counts = vec![0u32; named.cluster.pools.len()];
    for node in &named.cluster.nodes {
        if let Some(count) = counts.get_mut(node.pool.index()) {
            *count += 1;
        }
    }
    for (pool, count) in named.cluster.pools.iter().zip(counts) {
        if let Some(most) = pool.max_count.filter(|most| *most < count) {
            let place = crate::Place::Path(format!("pools.{}", clip(&pool.name)));
            sink.push("F024", place, || {
                (format!("max_count {most} but {count} nodes exist"), "raise max_count")
            });
        }
    }
    named
}

/// Adds a name that must be new and not empty.
pub(crate) fn add(names: &mut Names, view: &View<'_, '_>, kind: &str, sink: &mut Sink) -> Option<u32> {
    let name = view.text(sink)?;
    if name.is_empty() {
        sink.push("F010", view.place(), || (format!("the name of a {kind} is empty"), "name it"));
        return None;
    }
    let added = names.add(name);
    if added.is_err() {
        sink.push("F021", view.place(), || {
            (format!("{kind} `{}` is defined twice", clip(name)), "rename or merge them")
        });
    }
    added.ok()
}

/// The id of a name that must exist.
pub(crate) fn find(names: &Names, view: &View<'_, '_>, kind: &str, sink: &mut Sink) -> Option<u32> {
    let name = view.text(sink)?;
    let id = names.find(name);
    if id.is_none() {
        sink.unknown(view.place(), kind, name, names);
    }
    id
}

/// Cores in thousandths and memory in MiB unless the file says otherwise.
fn resources(named: &mut Named, fields: &Fields<'_, '_>, sink: &mut Sink) {
    let Some(list) = fields.get("resources") else {
        named.cluster.resources = vec![resource("cpu", "core", 1000), resource("memory", "MiB", 1)];
        for resource in &named.cluster.resources {
            let _ = named.resources.add(&resource.name);
        }
        return;
    };
    for view in list.list(sink) {
        let Some(fields) = view.fields(&["name", "unit", "scale"], sink) else { continue };
        let name = fields.required("name", sink);
        let id = name.and_then(|name| add(&mut named.resources, &name, "resource", sink));
        let unit = fields.get("unit").and_then(|unit| unit.text(sink)).unwrap_or("");
        let scale = fields.get("scale").map_or(Some(1), |scale| {
            let text = scale.number(sink)?;
            whole(sink, || scale.place(), "scale", text, 1, 1_000_000_000_000_000)
        });
        // A name has its entry also after an error, so that ids stay in step.
        if let Some(id) = id {
            let (name, scale) = (named.resources.get(id as usize).into(), scale.unwrap_or(1));
            named.cluster.resources.push(Resource { name, unit: unit.into(), scale });
        }
    }
    if list.is_empty_list() {
        sink.push("F037", list.place(), || ("no resource", "leave it out for cpu and memory"));
    }
}

fn pools(named: &mut Named, fields: &Fields<'_, '_>, sink: &mut Sink) {
    const POOL: [&str; 6] = ["name", "capacity", "price", "max_count", "count", "labels"];
    let Some(list) = fields.required("pools", sink) else { return };
    for view in list.list(sink) {
        let Some(fields) = view.fields(&POOL, sink) else { continue };
        let name = fields.required("name", sink);
        let id = name.and_then(|name| add(&mut named.pools, &name, "pool", sink));
        let capacity = fields.required("capacity", sink).map(|v| amounts(named, &v, Rounding::Down, sink));
        let price = fields.get("price").map_or(Some(PRICE_SCALE), |price| {
            let money = resource("price", "", PRICE_SCALE);
            let text = price.number(sink)?;
            amount(sink, || price.place(), text, &money, Rounding::Up)
        });
        let most = u64::from(MAX_NODES);
        let [max_count, count] = ["max_count", "count"].map(|name| {
            let Some(view) = fields.get(name) else { return Some(None) };
            let number = view.number(sink)?;
            whole(sink, || view.place(), name, number, 0, most).map(|count| Some(count as u32))
        });
        let labels = labels(&fields, sink);
        let Some(id) = id else { continue };
        let name = named.pools.get(id as usize).to_string();
        named.cluster.pools.push(Pool {
            name: name.clone(),
            capacity: capacity.unwrap_or_else(|| vec![0; named.cluster.resources.len()]),
            price: price.unwrap_or(PRICE_SCALE),
            max_count: max_count.flatten(),
            labels,
        });
        for number in 0..count.flatten().unwrap_or(0) {
            if named.cluster.nodes.len() >= MAX_NODES as usize {
                sink.push("F014", view.place(), || (format!("more than {MAX_NODES} nodes"), "lower `count`"));
                break;
            }
            let node = format!("{name}-{number}");
            if named.nodes.add(&node).is_err() {
                sink.push("F021", view.place(), || {
                    (format!("node `{}` is defined twice", clip(&node)), "rename the pool")
                });
            }
            let pool = PoolId::from(named.cluster.pools.len() - 1);
            named.cluster.nodes.push(Node { name: node, pool, labels: Labels::new() });
        }
    }
    if list.is_empty_list() {
        sink.push("F037", list.place(), || ("no pool", "describe at least one kind of node"));
    }
}

fn nodes(named: &mut Named, fields: &Fields<'_, '_>, sink: &mut Sink) {
    let Some(list) = fields.get("nodes") else { return };
    for view in list.list(sink) {
        let Some(fields) = view.fields(&["name", "pool", "labels"], sink) else { continue };
        let name = fields.required("name", sink);
        let id = name.and_then(|name| add(&mut named.nodes, &name, "node", sink));
        let pool = fields.required("pool", sink);
        let pool = pool.and_then(|pool| find(&named.pools, &pool, "pool", sink));
        let labels = labels(&fields, sink);
        if let Some(id) = id.filter(|_| !named.cluster.pools.is_empty()) {
            let (name, pool) = (named.nodes.get(id as usize).into(), PoolId(pool.unwrap_or(0)));
            named.cluster.nodes.push(Node { name, pool, labels });
        }
    }
}

fn labels(fields: &Fields<'_, '_>, sink: &mut Sink) -> Labels {
    let Some(view) = fields.get("labels") else { return Labels::new() };
    let entries = view.entries(sink);
    entries.filter_map(|(key, value)| Some((key.into(), value.text(sink)?.into()))).collect()
}

/// Amounts by resource; what is not named is zero.
pub(crate) fn amounts(
    named: &Named,
    view: &View<'_, '_>,
    rounding: Rounding,
    sink: &mut Sink,
) -> Vec<u64> {
    let mut units = vec![0; named.cluster.resources.len()];
    for (name, view) in view.entries(sink) {
        if let Some(at) = resource_of(named, name, &view, sink) {
            let resource = &named.cluster.resources[at];
            units[at] = quantity(resource, &view, rounding, sink).unwrap_or(0);
        }
    }
    units
}

/// The position of a resource, which must exist.
pub(crate) fn resource_of(
    named: &Named,
    name: &str,
    view: &View<'_, '_>,
    sink: &mut Sink,
) -> Option<usize> {
    let id = named.resources.find(name);
    if id.is_none() {
        sink.unknown(view.place(), "resource", name, &named.resources);
    }
    id.map(|id| id as usize)
}

/// A number or a quantity with a suffix.
pub(crate) fn quantity(
    resource: &Resource,
    view: &View<'_, '_>,
    rounding: Rounding,
    sink: &mut Sink,
) -> Option<u64> {
    let text = view.number(sink)?;
    parse_quantity(text, resource, rounding)
        .map_err(|why| bad_number(sink, view.place(), &resource.name, text, why))
        .ok()
}
