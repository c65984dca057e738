//! What already runs, from a table beside the input: `service,node,count`, or
//! `application,node,load` for applications.

use bayplan_model::{
    ApplicationId, Cluster, Count, Labels, Names, Node, NodeId, Placement, PoolId, Rounding,
    ServiceId, Share, Workload,
};

use crate::bytes::plain;
use crate::error::{Place, Sink, Source};
use crate::plan::columns;
use crate::pools::POOL;
use crate::read::Parts;
use crate::tables::table::Table;
use crate::text::{amount, whole};
use crate::{Errors, MAX_NODES, MAX_REPLICAS, Note, ReadOptions};

struct Entry {
    who: String,
    node: String,
    amount: String,
    line: u64,
}

/// Sets the current placement.
pub(crate) fn apply(parts: &mut Parts, bytes: &[u8], options: &ReadOptions) -> Result<(), Errors> {
    let bytes = plain(bytes, Source::Layout, options)?;
    let mut sink = Sink::new(Source::Layout);
    if matches!(parts.workload, Workload::Requests(_)) {
        sink.push("F030", Place::Option("--layout"), || {
            ("requests have no layout", "leave the option out")
        });
        return sink.finish();
    }
    let entries = entries(&bytes, &parts.workload, &mut sink);
    let nodes = nodes(&mut parts.cluster, &entries, options, &mut sink);
    let replaced = fill(parts, &entries, &nodes, &mut sink);
    if replaced {
        let text = "the layout given replaces the placement in the input";
        parts.notes.push(Note::general("N003", text));
    }
    sink.finish()
}

fn entries(bytes: &[u8], workload: &Workload, sink: &mut Sink) -> Vec<Entry> {
    let columns = columns(workload);
    let mut entries = Vec::new();
    let Some(mut table) = Table::open(bytes, sink) else {
        return entries;
    };
    if table.check(columns, false, sink) {
        let [who, node, amount] =
            [0, 1, 2].map(|at: usize| table.required(columns.required[at]));
        table.rows(sink, |row, sink| {
            if row.text(node).is_empty() {
                sink.push("F010", row.place(), || ("the node has no name", "name it"));
                return;
            }
            let [who, node, amount] = [who, node, amount].map(|column| row.text(column).into());
            entries.push(Entry { who, node, amount, line: row.line });
        });
    }
    entries
}

/// Existing nodes by name. Where the input lists none, the layout's nodes are
/// nodes of its pool; with `--machines` they count among those.
fn nodes(
    cluster: &mut Cluster,
    entries: &[Entry],
    options: &ReadOptions,
    sink: &mut Sink,
) -> Names {
    let mut existing = Names::default();
    for node in &cluster.nodes {
        let _ = existing.add(&node.name);
    }
    let strange = entries.iter().any(|entry| existing.find(&entry.node).is_none());
    let own_nodes = !cluster.nodes.is_empty() && options.machines.is_none();
    if !strange || own_nodes || cluster.pools.len() != 1 {
        return existing;
    }
    let mut named = Names::default();
    for entry in entries {
        let _ = named.add(&entry.node);
    }
    let wanted = options.machines.unwrap_or(0) as usize;
    let most = if wanted > 0 { wanted } else { MAX_NODES as usize };
    if named.len() > most {
        sink.push("F016", Place::File, || {
            (format!("{} nodes", named.len()), format!("there are at most {most}"))
        });
        return named;
    }
    let mut number = 0;
    while named.len() < wanted {
        let _ = named.add(&format!("{POOL}-{number}"));
        number += 1;
    }
    let node = |name: &str| Node { name: name.into(), pool: PoolId(0), labels: Labels::new() };
    cluster.nodes = named.iter().map(node).collect();
    named
}

/// Whether there was a placement before.
fn fill(parts: &mut Parts, entries: &[Entry], nodes: &Names, sink: &mut Sink) -> bool {
    let find = |names: &Names, entry: &Entry, sink: &mut Sink, kind: &str| {
        let who = names.find(&entry.who);
        if who.is_none() {
            sink.unknown(Place::line(entry.line), kind, &entry.who, names);
        }
        let node = nodes.find(&entry.node);
        if node.is_none() {
            sink.unknown(Place::line(entry.line), "node", &entry.node, nodes);
        }
        Some((who?, NodeId(node?)))
    };
    match &mut parts.workload {
        Workload::Services(services) => {
            let mut counts = Vec::with_capacity(entries.len());
            for entry in entries {
                let place = || Place::line(entry.line);
                let count = whole(sink, place, "count", &entry.amount, 0, MAX_REPLICAS);
                let found = find(&services.names, entry, sink, "service");
                if let (Some((service, node)), Some(count)) = (found, count) {
                    let (service, count) = (ServiceId(service), count as u32);
                    counts.push(Count { service, node, count });
                }
            }
            let old = std::mem::replace(&mut services.placement, Placement::new(counts));
            !old.is_empty()
        }
        Workload::Applications(applications) => {
            let mut layout = Vec::with_capacity(entries.len());
            let cpu = &parts.cluster.resources[0];
            for entry in entries {
                let place = || Place::line(entry.line);
                let load = amount(sink, place, &entry.amount, cpu, Rounding::Up);
                let found = find(&applications.names, entry, sink, "application");
                if let (Some((application, node)), Some(load)) = (found, load) {
                    layout.push(Share { application: ApplicationId(application), node, load });
                }
            }
            !std::mem::replace(&mut applications.layout, layout).is_empty()
        }
        Workload::Requests(_) => false,
    }
}
