//! Which nodes a service may use.

use bayplan_model::{Compatibility, Names, NodeId, Reach};
use fixedbitset::FixedBitSet;

use super::cluster::{Named, find};
use crate::error::Sink;
use crate::tree::{Fields, View};

const RULE: [&str; 5] = ["services", "pools", "nodes", "new_nodes", "labels"];

/// The most bits all sets together may take: 1 GB.
const MAX_BITS: usize = 8 << 30;

/// A rule allows the places it names: pools (their nodes, existing and new),
/// nodes, new nodes of pools, and places whose labels match. A service under
/// several rules may use what all of them allow.
pub(crate) fn read(
    fields: &Fields<'_, '_>,
    named: &Named,
    services: &Names,
    count: usize,
    sink: &mut Sink,
) -> Compatibility {
    let Some(list) = fields.get("compatibility") else {
        return Compatibility::everywhere();
    };
    let (nodes, pools) = (named.cluster.nodes.len(), named.cluster.pools.len());
    let mut reach: Vec<Option<Reach>> = vec![None; count];
    let mut bits = 0usize;
    for view in list.list(sink) {
        let Some(fields) = view.fields(&RULE, sink) else {
            continue;
        };
        let Some(members) = fields.required("services", sink) else {
            continue;
        };
        let places = places(&fields, &view, named, sink);
        for member in members.list(sink) {
            let Some(id) = find(services, &member, "service", sink) else {
                continue;
            };
            match &mut reach[id as usize] {
                Some(reach) => {
                    reach.nodes.intersect_with(&places.nodes);
                    reach.pools.intersect_with(&places.pools);
                }
                none => {
                    bits = bits.saturating_add(nodes + pools);
                    if bits > MAX_BITS {
                        sink.push("F014", view.place(), || {
                            (
                                "too many services with rules for so many nodes",
                                "use pools or labels",
                            )
                        });
                        return Compatibility::everywhere();
                    }
                    *none = Some(places.clone());
                }
            }
        }
    }
    Compatibility::new(reach, nodes, pools)
}

fn places(fields: &Fields<'_, '_>, rule: &View<'_, '_>, named: &Named, sink: &mut Sink) -> Reach {
    let cluster = &named.cluster;
    let mut reach = Reach {
        nodes: FixedBitSet::with_capacity(cluster.nodes.len()),
        pools: FixedBitSet::with_capacity(cluster.pools.len()),
    };
    let mut given = false;
    for field in ["pools", "new_nodes", "nodes"] {
        let Some(list) = fields.get(field) else {
            continue;
        };
        given = true;
        let (names, kind) = if field == "nodes" {
            (&named.nodes, "node")
        } else {
            (&named.pools, "pool")
        };
        for view in list.list(sink) {
            let Some(id) = find(names, &view, kind, sink).map(|id| id as usize) else {
                continue;
            };
            match field {
                "nodes" if id < cluster.nodes.len() => reach.nodes.insert(id),
                "pools" | "new_nodes" if id < cluster.pools.len() => reach.pools.insert(id),
                _ => {}
            }
            if field == "pools" {
                let of_pool = |node: &bayplan_model::Node| node.pool.index() == id;
                for (at, _) in cluster.nodes.iter().enumerate().filter(|(_, n)| of_pool(n)) {
                    reach.nodes.insert(at);
                }
            }
        }
    }
    if let Some(labels) = fields.get("labels") {
        given = true;
        let wanted: Vec<(&str, &str)> = labels
            .entries(sink)
            .filter_map(|(key, v)| Some((key, v.text(sink)?)))
            .collect();
        for node in 0..cluster.nodes.len() {
            let id = NodeId::from(node);
            if wanted
                .iter()
                .all(|(key, value)| cluster.label(id, &[], key) == Some(value))
            {
                reach.nodes.insert(node);
            }
        }
        for (at, pool) in cluster.pools.iter().enumerate() {
            let holds = |(key, value): &(&str, &str)| {
                pool.labels.get(*key).map(String::as_str) == Some(*value)
            };
            if wanted.iter().all(holds) {
                reach.pools.insert(at);
            }
        }
    }
    if !given {
        sink.push("F010", rule.place(), || {
            (
                "a rule that names no place",
                "add `pools`, `nodes`, `new_nodes` or `labels`",
            )
        });
    }
    reach
}
