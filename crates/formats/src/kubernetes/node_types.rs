//! Kinds of nodes that can be had, with capacity and price: a YAML or JSON
//! list, or CSV `name,price,cpu,memory[,pods,...][,max_count,labels,taints]`.

use bayplan_model::{Names, Rounding};

use super::objects::{Map, Scalar, Taint};
use super::parse::units;
use crate::bytes::{plain, utf8};
use crate::error::{Place, Sink, Source, clip};
use crate::pools::{PRICE_SCALE, resource};
use crate::tables::table::Table;
use crate::text::{amount, whole};
use crate::tree::{View, parse_json, parse_yaml};
use crate::{MAX_NODES, ReadOptions};

/// Pods of a node where nothing else is said: the kubelet's default.
const PODS: u64 = 110;

/// A kind of node.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NodeType {
    pub name: String,
    /// In millionths.
    pub price: u64,
    /// The most that can be had.
    pub max_count: Option<u32>,
    /// What is allocatable on an empty node.
    pub capacity: Vec<(String, u64)>,
    pub labels: Map,
    pub taints: Vec<Taint>,
}

/// A kind as it is written.
#[derive(Default)]
struct Written {
    place: Option<Place>,
    name: String,
    price: String,
    max_count: Option<String>,
    capacity: Vec<(String, String)>,
    labels: Map,
    taints: Vec<String>,
}

/// The kinds of the file; `None` after an error.
pub(crate) fn read(bytes: &[u8], options: &ReadOptions, sink: &mut Sink) -> Option<Vec<NodeType>> {
    let mut own = Sink::new(Source::NodeTypes);
    let found = kinds(bytes, options, &mut own);
    let failed = !own.is_empty();
    sink.absorb(own);
    found.filter(|_| !failed)
}

fn kinds(bytes: &[u8], options: &ReadOptions, sink: &mut Sink) -> Option<Vec<NodeType>> {
    let bytes = plain(bytes, Source::NodeTypes, options)
        .map_err(|errors| sink.take(errors))
        .ok()?;
    let text = utf8(&bytes, Source::NodeTypes)
        .map_err(|errors| sink.take(errors))
        .ok()?;
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let first = first.unwrap_or("");
    let is_table = first.contains(',') && !first.starts_with(['{', '[', '-']);
    let written = if is_table {
        table(&bytes, sink)?
    } else {
        document(text, sink)?
    };
    if written.is_empty() && sink.is_empty() {
        sink.push("F037", Place::File, || {
            ("no kind of node", "describe at least one")
        });
    }
    let mut names = Names::default();
    let mut all = Vec::new();
    for kind in written {
        all.extend(finish(kind, &mut names, sink));
    }
    Some(all)
}

fn table(bytes: &[u8], sink: &mut Sink) -> Option<Vec<Written>> {
    let mut table = Table::open(bytes, sink)?;
    let header = table.header.clone();
    for name in ["name", "price"] {
        if !header.iter().any(|column| column == name) {
            sink.push("F010", Place::line(1), || {
                (format!("no column `{name}`"), "name,price,cpu,memory")
            });
            return None;
        }
    }
    let mut all = Vec::new();
    table.rows(sink, |row, _| {
        let mut kind = Written {
            place: Some(row.place()),
            ..Written::default()
        };
        for (at, column) in header.iter().enumerate() {
            let text = row.text(at);
            let pieces = || text.split(';').map(str::trim).filter(|p| !p.is_empty());
            match column.as_str() {
                "name" => kind.name = text.into(),
                "price" => kind.price = text.into(),
                "max_count" => kind.max_count = (!text.is_empty()).then(|| text.into()),
                "labels" => kind.labels.extend(pieces().map(|pair| {
                    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                    (key.trim().to_string(), value.trim().to_string())
                })),
                "taints" => kind.taints.extend(pieces().map(String::from)),
                _ if text.is_empty() => {}
                resource => kind.capacity.push((resource.into(), text.into())),
            }
        }
        all.push(kind);
    });
    Some(all)
}

fn document(text: &str, sink: &mut Sink) -> Option<Vec<Written>> {
    const KNOWN: [&str; 6] = ["name", "price", "max_count", "capacity", "labels", "taints"];
    let is_json = text.trim_start().starts_with(['{', '[']);
    let tree = if is_json {
        parse_json(text)
    } else {
        parse_yaml(text)
    };
    let tree = tree.map_err(|error| sink.syntax(error)).ok()?;
    let root = View::root(&tree);
    let mut all = Vec::new();
    for view in root.list(sink) {
        let Some(fields) = view.fields(&KNOWN, sink) else {
            continue;
        };
        let mut kind = Written {
            place: Some(view.place()),
            ..Written::default()
        };
        if let Some(name) = fields.required("name", sink).and_then(|v| v.text(sink)) {
            kind.name = name.into();
        }
        if let Some(price) = fields.required("price", sink).and_then(|v| v.number(sink)) {
            kind.price = price.into();
        }
        let max_count = fields.get("max_count").and_then(|v| v.number(sink));
        kind.max_count = max_count.map(String::from);
        if let Some(capacity) = fields.required("capacity", sink) {
            for (resource, view) in capacity.entries(sink) {
                let text = view.number(sink).unwrap_or("0");
                kind.capacity.push((resource.into(), text.into()));
            }
        }
        if let Some(labels) = fields.get("labels") {
            for (key, view) in labels.entries(sink) {
                let value = view.text(sink).unwrap_or("");
                kind.labels.insert(key.into(), value.into());
            }
        }
        if let Some(taints) = fields.get("taints") {
            for view in taints.list(sink) {
                kind.taints.extend(view.text(sink).map(String::from));
            }
        }
        all.push(kind);
    }
    Some(all)
}

fn finish(kind: Written, names: &mut Names, sink: &mut Sink) -> Option<NodeType> {
    let at = kind.place.unwrap_or(Place::File);
    let place = || at.clone();
    if kind.name.is_empty() || names.add(&kind.name).is_err() {
        sink.push("F021", place(), || {
            (
                format!("the name `{}` is empty or used twice", clip(&kind.name)),
                "give each kind a name of its own",
            )
        });
        return None;
    }
    let money = resource("price", "", PRICE_SCALE);
    let price = amount(sink, place, &kind.price, &money, Rounding::Up);
    let most = u64::from(MAX_NODES);
    let max_count = match kind.max_count {
        Some(text) => Some(whole(sink, place, "max_count", &text, 0, most)? as u32),
        None => None,
    };
    let mut capacity = Vec::new();
    for (resource, text) in kind.capacity {
        let units = units(
            &resource,
            &Scalar(text.into()),
            Rounding::Down,
            &place,
            sink,
        )?;
        capacity.push((resource, units));
    }
    for needed in ["cpu", "memory"] {
        if !capacity.iter().any(|(resource, _)| resource == needed) {
            sink.push("F010", place(), || {
                (format!("`{}` has no {needed}", clip(&kind.name)), "add it")
            });
        }
    }
    if !capacity.iter().any(|(resource, _)| resource == "pods") {
        capacity.push(("pods".into(), PODS));
    }
    let mut labels = kind.labels;
    labels
        .entry(super::nodes::INSTANCE_TYPE.into())
        .or_insert_with(|| kind.name.clone());
    let taints = kind.taints.iter().map(|text| {
        taint(text).or_else(|| {
            sink.push("F018", place(), || {
                (
                    format!("`{}` is not a taint", clip(text)),
                    "write such as dedicated=gpu:NoSchedule",
                )
            });
            None
        })
    });
    let taints = taints.collect::<Option<Vec<Taint>>>()?;
    Some(NodeType {
        name: kind.name,
        price: price?,
        max_count,
        capacity,
        labels,
        taints,
    })
}

/// `key=value:effect` or `key:effect`, as kubectl writes it.
fn taint(text: &str) -> Option<Taint> {
    let (what, effect) = text.rsplit_once(':')?;
    if !["NoSchedule", "PreferNoSchedule", "NoExecute"].contains(&effect) {
        return None;
    }
    let (key, value) = match what.split_once('=') {
        Some((key, value)) => (key, Some(value.to_string())),
        None => (what, None),
    };
    (!key.is_empty()).then(|| Taint {
        key: key.into(),
        value,
        effect: effect.into(),
    })
}
