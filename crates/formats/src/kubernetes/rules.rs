//! From groups to services with their rules.

use std::collections::BTreeMap;

use bayplan_model::{
    Compatibility, Count, Level, Limit, LimitsBuilder, Names, NodeId, Placement, Reach, Service,
    ServiceId, Services, SpreadSet,
};
use fixedbitset::FixedBitSet;

use super::Listing;
use super::groups::Group;
use super::index::{Objects, objects};
use super::nodes::{HOSTNAME, Nodes, Unique};
use super::notes::Notes;
use super::objects::{LabelSelector, PodTerm};
use super::parse::key;
use super::selector::{Target, Wish, labels_match};
use super::spreads;
use crate::error::{Place, Sink};

/// The most limits that anti-affinity may make.
const MAX_LIMITS: usize = 20_000_000;

pub(crate) fn services(
    listing: &Listing,
    nodes: &mut Nodes,
    groups: &mut [Group],
    under_way: bool,
    notes: &mut Notes,
    sink: &mut Sink,
) -> Option<(Services, Objects)> {
    let mut names = Unique::default();
    for group in groups.iter() {
        names.name(&key(&group.namespace, &group.base));
    }
    let names = names.names;
    if names.is_empty() {
        sink.push("F037", Place::File, || {
            ("no pod that could be placed", "list pods with -A")
        });
        return None;
    }
    let index = Index::new(groups);
    let (limits, mut spread) = anti_affinity(&names, &index, groups, notes, sink)?;
    affinity(&names, &index, groups, notes);
    spread.extend(spreads::sets(
        &names, nodes, &index, groups, under_way, notes,
    ));
    spread.extend(ports(groups));
    let alive = budgets(listing, &index, groups, notes);
    let resources = &nodes.cluster.resources;
    let rows = groups.iter().zip(alive).map(|(group, alive)| Service {
        replicas: group.replicas,
        demand: resources
            .iter()
            .map(|resource| {
                group
                    .template
                    .demand
                    .get(&resource.name)
                    .copied()
                    .unwrap_or(0)
            })
            .collect(),
        variance: Vec::new(),
        pinned: group.pinned,
        alive,
    });
    let mut services = Services::new(names, 1, rows);
    services.limits = match limits.build() {
        Ok(limits) => limits,
        Err(error) => {
            sink.push("F022", Place::File, || (error.to_string(), ""));
            return None;
        }
    };
    services.spread = spread;
    services.compatibility = compatibility(nodes, groups);
    services.placement = placement(groups);
    for entry in services.placement.counts() {
        if !services
            .compatibility
            .allows_node(entry.service, entry.node)
        {
            notes.add("N020", services.names.get(entry.service.index()));
        }
    }
    let objects = objects(listing, nodes, &index, groups);
    for workload in objects.workloads.iter().filter(|w| w.autoscaled) {
        notes.add("N033", &key(&workload.namespace, &workload.name));
    }
    Some((services, objects))
}

fn placement(groups: &[Group]) -> Placement {
    let entries = groups.iter().enumerate().flat_map(|(at, group)| {
        let places = group.places.iter();
        places.map(move |(node, count)| Count {
            service: ServiceId::from(at),
            node: NodeId(*node),
            count: *count,
        })
    });
    Placement::new(entries.collect())
}

/// Pods that stay may be where they are, whatever taints came later.
fn compatibility(nodes: &Nodes, groups: &[Group]) -> Compatibility {
    let mut known: BTreeMap<&Wish, Option<Reach>> = BTreeMap::new();
    let all = groups.iter().map(|group| {
        if group.pinned {
            return None;
        }
        let wish = &group.template.wish;
        known
            .entry(wish)
            .or_insert_with(|| reach(nodes, wish))
            .clone()
    });
    Compatibility::new(
        all.collect(),
        nodes.cluster.nodes.len(),
        nodes.cluster.pools.len(),
    )
}

/// `None` when every place is allowed.
fn reach(nodes: &Nodes, wish: &Wish) -> Option<Reach> {
    let cluster = &nodes.cluster;
    let mut reach = Reach {
        nodes: FixedBitSet::with_capacity(cluster.nodes.len()),
        pools: FixedBitSet::with_capacity(cluster.pools.len()),
    };
    for at in 0..cluster.pools.len() {
        let (labels, taints) = (&nodes.pool_labels[at], nodes.pool_taints[at].as_slice());
        reach.pools.set(
            at,
            wish.allows(&Target {
                name: None,
                labels,
                taints,
            }),
        );
    }
    // Nodes of a pool differ in name only, so most wishes need no second look.
    let by_name = wish.selector.contains_key(HOSTNAME)
        || wish
            .affinities
            .iter()
            .flat_map(|a| a.node_selector_terms.iter().flatten())
            .any(|term| {
                term.match_fields
                    .as_ref()
                    .is_some_and(|fields| !fields.is_empty())
                    || term
                        .match_expressions
                        .iter()
                        .flatten()
                        .any(|e| e.key == HOSTNAME)
            });
    for (at, node) in cluster.nodes.iter().enumerate() {
        let allowed = if by_name {
            let (labels, taints) = (&nodes.labels[at], nodes.taints[at].as_slice());
            wish.allows(&Target {
                name: Some(&node.name),
                labels,
                taints,
            })
        } else {
            reach.pools.contains(node.pool.index())
        };
        reach.nodes.set(at, allowed);
    }
    let everywhere = reach.nodes.is_full() && reach.pools.is_full();
    (!everywhere).then_some(reach)
}

/// Groups by a label, so that a selector looks at few.
pub(crate) struct Index {
    by_label: BTreeMap<(String, String), Vec<usize>>,
    count: usize,
}

impl Index {
    pub fn new(groups: &[Group]) -> Self {
        let mut by_label: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
        for (at, group) in groups.iter().enumerate() {
            for (key, value) in &group.template.labels {
                by_label
                    .entry((key.clone(), value.clone()))
                    .or_default()
                    .push(at);
            }
        }
        Self {
            by_label,
            count: groups.len(),
        }
    }

    /// Groups whose labels match, in the namespaces given; `None`: in all.
    pub fn matching(
        &self,
        groups: &[Group],
        selector: Option<&LabelSelector>,
        namespaces: Option<&[String]>,
    ) -> Vec<usize> {
        let Some(selector) = selector else {
            return Vec::new();
        };
        let exact = selector.match_labels.iter().flatten();
        let lists = exact.map(|(key, value)| {
            self.by_label
                .get(&(key.clone(), value.clone()))
                .map_or(&[][..], Vec::as_slice)
        });
        let fits = |at: &usize| {
            let group = &groups[*at];
            labels_match(selector, &group.template.labels)
                && namespaces.is_none_or(|names| names.contains(&group.namespace))
        };
        match lists.min_by_key(|list| list.len()) {
            Some(list) => list.iter().copied().filter(fits).collect(),
            None => (0..self.count).filter(fits).collect(),
        }
    }

    /// Groups of a term, and whether the term may mean fewer than found.
    fn of_term(&self, groups: &[Group], own: &str, term: &PodTerm) -> (Vec<usize>, bool) {
        let keys = [&term.match_label_keys, &term.mismatch_label_keys];
        let narrowed = keys
            .iter()
            .any(|keys| keys.as_ref().is_some_and(|keys| !keys.is_empty()));
        let loose = narrowed || term.namespace_selector.is_some();
        let own = [own.to_string()];
        let namespaces = match &term.namespaces {
            _ if term.namespace_selector.is_some() => None,
            Some(names) if !names.is_empty() => Some(names.as_slice()),
            _ => Some(own.as_slice()),
        };
        (
            self.matching(groups, term.label_selector.as_ref(), namespaces),
            loose,
        )
    }
}

/// On single nodes anti-affinity is a limit of zero, or a spread set of one
/// for a service with itself; in wider domains only the latter is.
fn anti_affinity(
    names: &Names,
    index: &Index,
    groups: &mut [Group],
    notes: &mut Notes,
    sink: &mut Sink,
) -> Option<(LimitsBuilder, Vec<SpreadSet>)> {
    let mut limits = LimitsBuilder::new(groups.len());
    let mut spread: Vec<SpreadSet> = Vec::new();
    let mut used = Unique::default();
    let mut pinned = Vec::new();
    for at in 0..groups.len() {
        for term in groups[at].template.anti_affinity.clone() {
            let (matching, loose) = index.of_term(groups, &groups[at].namespace, &term);
            let topology = term.topology_key.as_deref().unwrap_or(HOSTNAME);
            let on_node = topology == HOSTNAME;
            let others = matching.iter().any(|other| *other != at);
            if loose || (others && !on_node) {
                notes.add("N014", names.get(at));
            }
            if others && !on_node {
                pinned.push(at);
                pinned.extend(matching.iter().copied());
            }
            for other in matching {
                if other == at {
                    let level = if on_node {
                        Level::Node
                    } else {
                        Level::Label(topology.into())
                    };
                    let name = used.name(&format!("apart {}", names.get(at)));
                    let members = vec![ServiceId::from(at)];
                    spread.push(SpreadSet {
                        name,
                        members,
                        max: 1,
                        level,
                    });
                } else if on_node && !(loose && together(&groups[at], &groups[other])) {
                    let (of, on) = (ServiceId::from(at), ServiceId::from(other));
                    let _ = limits.push(Limit { of, on, max: 0 });
                }
            }
            if limits.len() > MAX_LIMITS {
                sink.push("F014", Place::File, || {
                    (
                        "anti-affinity between too many services",
                        "narrow the selectors",
                    )
                });
                return None;
            }
        }
    }
    for at in pinned {
        groups[at].pinned = true;
    }
    Some((limits, spread))
}

fn together(a: &Group, b: &Group) -> bool {
    a.places.keys().any(|node| b.places.contains_key(node))
}

fn affinity(names: &Names, index: &Index, groups: &mut [Group], notes: &mut Notes) {
    let mut pinned = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        for term in &group.template.affinity {
            notes.add("N013", names.get(at));
            pinned.push(at);
            pinned.extend(index.of_term(groups, &group.namespace, term).0);
        }
    }
    for at in pinned {
        groups[at].pinned = true;
    }
}

/// A port of a node serves one pod.
fn ports(groups: &[Group]) -> Vec<SpreadSet> {
    let mut users: BTreeMap<&(String, u32), Vec<ServiceId>> = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        for port in &group.template.ports {
            users.entry(port).or_default().push(ServiceId::from(at));
        }
    }
    users
        .into_iter()
        .map(|((protocol, port), members)| SpreadSet {
            name: format!("host port {port}/{protocol}"),
            members,
            max: 1,
            level: Level::Node,
        })
        .collect()
}

/// Replicas of each group that must be alive by the disruption budgets.
fn budgets(listing: &Listing, index: &Index, groups: &[Group], notes: &mut Notes) -> Vec<u32> {
    let mut alive = vec![0u32; groups.len()];
    for budget in &listing.budgets {
        let namespace = [budget.namespace.clone()];
        let selector = budget.spec.selector.as_ref();
        let members = index.matching(groups, selector, Some(&namespace));
        if members.is_empty() {
            continue;
        }
        let total: u64 = members
            .iter()
            .map(|at| u64::from(groups[*at].replicas))
            .sum();
        let number = |text: &str| match text.strip_suffix('%') {
            // Shares round up, as the disruption controller does.
            Some(percent) => percent
                .parse::<u64>()
                .ok()
                .map(|p| (total.saturating_mul(p)).div_ceil(100)),
            None => text.parse::<u64>().ok(),
        };
        let least = budget
            .spec
            .min_available
            .as_ref()
            .map(|text| number(&text.0));
        let most = budget
            .spec
            .max_unavailable
            .as_ref()
            .map(|text| number(&text.0));
        // A budget that cannot be read allows nothing: the safe side.
        let allowed = match (least, most) {
            (Some(least), _) => total.saturating_sub(least.unwrap_or(total)),
            (None, Some(most)) => most.unwrap_or(0),
            (None, None) => total,
        };
        if members.len() > 1 {
            notes.add("N018", &key(&budget.namespace, &budget.name));
        }
        let share = allowed / members.len() as u64;
        for at in members {
            let replicas = groups[at].replicas;
            let keep = u64::from(replicas).saturating_sub(share) as u32;
            alive[at] = alive[at].max(keep);
        }
    }
    alive
}
