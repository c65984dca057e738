//! Lists that `kubectl get ... -o json` prints.
//!
//! Pods of one owner with the same template are replicas of one service. What
//! the model has no word for is treated on the safe side (mostly: those pods
//! stay where they are) and reported with the objects concerned.

mod groups;
mod index;
mod node_types;
mod nodes;
mod notes;
mod objects;
mod parse;
mod pod;
mod rules;
mod scope;
mod selector;
mod spreads;
mod uneven;
mod words;

use bayplan_model::{Names, Resource, Workload};
use rayon::prelude::*;

pub use index::{ContainerRef, Lookup, Objects, PodRef, Route, WorkloadRef};

use crate::bytes::utf8;
use crate::cluster::refuse_node_options;
use crate::error::{Place, Sink, Source, clip};
use crate::read::Parts;
use crate::{MAX_NODES, ReadOptions};
use notes::Notes;
use objects::List;
use parse::Item;

pub(crate) fn read(bytes: &[u8], options: &ReadOptions, sink: &mut Sink) -> Option<Parts> {
    refuse_node_options(options, sink);
    let text = utf8(bytes, Source::Input)
        .map_err(|errors| sink.take(errors))
        .ok()?;
    let items = items(text, sink)?;
    let listing = Listing::sort(items, sink);
    let scope = scope::Scope::new(options, sink);
    let types = options.node_types.as_ref();
    let types = types.map(|bytes| node_types::read(bytes, options, sink));
    let types = types.flatten();
    if !sink.is_empty() {
        return None;
    }
    let mut notes = Notes::default();
    for kind in &listing.unused {
        notes.add("N022", kind);
    }
    let resources = listing.resources();
    let mut cluster = nodes::read(&listing, resources, &mut notes);
    let mut groups = groups::gather(&listing, &cluster, &scope, &mut notes, sink);
    nodes::into_pools(&mut cluster, types.as_deref(), &mut notes);
    let (services, objects) = rules::services(
        &listing,
        &mut cluster,
        &mut groups,
        options.under_way,
        &mut notes,
        sink,
    )?;
    let (cluster, notes) = (cluster.cluster, notes.into_vec());
    Some(Parts {
        cluster,
        workload: Workload::Services(services),
        notes,
        objects: Some(Box::new(objects)),
    })
}

/// All items, read in parallel.
fn items(text: &str, sink: &mut Sink) -> Option<Vec<Item>> {
    let list: List<'_> = match serde_json::from_str(text) {
        Ok(list) => list,
        Err(error) => {
            let place = Place::Line {
                line: error.line() as u64,
                column: Some(error.column() as u64),
            };
            sink.push("F007", place, || {
                (clip(&error.to_string()), "give what kubectl prints")
            });
            return None;
        }
    };
    let Some(raw) = list.items else {
        sink.push("F010", Place::File, || {
            ("no items", "list with `kubectl get ... -A -o json`")
        });
        return None;
    };
    let kind = list
        .kind
        .as_deref()
        .and_then(|kind| kind.strip_suffix("List"));
    let kind = kind.filter(|kind| !kind.is_empty());
    let parts: Vec<(Vec<Item>, Sink)> = raw
        .par_chunks(512)
        .enumerate()
        .map(|(chunk, raw)| {
            let mut sink = Sink::default();
            let items = raw
                .iter()
                .enumerate()
                .filter_map(|(at, raw)| parse::item(chunk * 512 + at, raw, kind, &mut sink));
            (items.collect(), sink)
        })
        .collect();
    let mut items = Vec::with_capacity(raw.len());
    for (part, errors) in parts {
        items.extend(part);
        sink.absorb(errors);
    }
    Some(items)
}

/// The items by kind.
#[derive(Default)]
pub(crate) struct Listing {
    pub nodes: Vec<parse::Node>,
    pub node_names: Names,
    pub pods: Vec<pod::Pod>,
    pub wanted: std::collections::BTreeMap<String, Option<u32>>,
    pub replica_sets: std::collections::BTreeMap<String, Option<String>>,
    pub budgets: Vec<parse::Budget>,
    /// Claim to volume, and whether several nodes may use it.
    pub claims: std::collections::BTreeMap<String, (Option<String>, bool)>,
    pub volumes: std::collections::BTreeMap<String, objects::VolumeSpec>,
    pub routes: Vec<parse::Route>,
    /// Kind and full name of what an autoscaler scales.
    pub autoscaled: std::collections::BTreeSet<String>,
    pub unused: std::collections::BTreeSet<String>,
}

impl Listing {
    fn sort(items: Vec<Item>, sink: &mut Sink) -> Self {
        let mut listing = Self::default();
        for item in items {
            match item {
                Item::Node(node) => {
                    if listing.node_names.add(&node.name).is_err() {
                        sink.push("F021", Place::File, || {
                            (
                                format!("node `{}` is listed twice", clip(&node.name)),
                                "list once",
                            )
                        });
                    }
                    listing.nodes.push(node);
                }
                Item::Pod(pod) => listing.pods.push(*pod),
                Item::Workload { key, replicas } => {
                    listing.wanted.insert(key, replicas);
                }
                Item::ReplicaSet { key, owner } => {
                    listing.replica_sets.insert(key, owner);
                }
                Item::Budget(budget) => listing.budgets.push(budget),
                Item::Claim {
                    key,
                    volume,
                    shared,
                } => {
                    listing.claims.insert(key, (volume, shared));
                }
                Item::Volume { name, spec } => {
                    listing.volumes.insert(name, spec);
                }
                Item::Route(route) => listing.routes.extend(route),
                Item::Autoscaler { target } => listing.autoscaled.extend(target),
                Item::Other(kind) => {
                    let expected = ["DaemonSet", "Namespace", "Job", "CronJob"];
                    if !expected.contains(&kind.as_str()) {
                        listing.unused.insert(clip(&kind));
                    }
                }
            }
        }
        for (kind, missing) in [
            ("nodes", listing.nodes.is_empty()),
            ("pods", listing.pods.is_empty()),
        ] {
            if missing && sink.is_empty() {
                sink.push("F037", Place::File, || {
                    (
                        format!("no {kind} in the listing"),
                        "kubectl get nodes,pods,... -A -o json",
                    )
                });
            }
        }
        if listing.nodes.len() > MAX_NODES as usize {
            sink.push("F014", Place::File, || {
                (format!("more than {MAX_NODES} nodes"), "")
            });
        }
        listing
    }

    /// CPU, memory and the number of pods, then whatever else pods ask for.
    fn resources(&self) -> Vec<Resource> {
        let mut names = vec!["cpu", "memory", "pods"];
        let asked: std::collections::BTreeSet<&str> = self
            .pods
            .iter()
            .flat_map(|pod| pod.template.demand.keys().map(String::as_str))
            .collect();
        names.extend(
            asked
                .into_iter()
                .filter(|name| !["cpu", "memory", "pods"].contains(name)),
        );
        names.into_iter().map(parse::resource).collect()
    }
}
