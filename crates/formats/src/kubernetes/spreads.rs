//! Topology spread constraints as spread sets.
//!
//! A constraint bounds the skew: the fullest domain may hold `s` pods more
//! than the emptiest of all `D` domains the pod may use. A spread set bounds
//! what a domain holds. With `N` pods and at most `h` in each domain the
//! emptiest holds at least `N - (D - 1) h`, so the skew is at most `D h - N`:
//! `h = (N + s) / D` rounded down keeps it. So does `h = s`, and where `N < D`
//! that says exactly the same, since some domain is empty then. Services for
//! which neither leaves room for all pods (`D h < N`) stay where they are.

use std::collections::BTreeSet;

use bayplan_model::{Level, Names, ServiceId, SpreadSet};

use super::groups::Group;
use super::nodes::{HOSTNAME, Nodes, Unique};
use super::notes::Notes;
use super::objects::{Expression, NodeSelector, NodeTerm, SpreadConstraint};
use super::pod::Spreading;
use super::rules::Index;
use super::selector::Target;

/// The hard constraints of a pod.
pub(crate) fn hard(constraints: Option<Vec<SpreadConstraint>>) -> Vec<Spreading> {
    let all = constraints.into_iter().flatten();
    // A constraint without `ScheduleAnyway` is a rule.
    let hard = all.filter(|rule| rule.when_unsatisfiable.as_deref() != Some("ScheduleAnyway"));
    hard.map(|rule| Spreading {
        skew: rule.max_skew.unwrap_or(1).max(1),
        key: rule.topology_key.unwrap_or_else(|| HOSTNAME.into()),
        selector: rule.label_selector.unwrap_or_default(),
        min_domains: rule.min_domains.unwrap_or(1),
        by_revision: rule.match_label_keys.is_some_and(|keys| !keys.is_empty()),
        ignores_affinity: rule.node_affinity_policy.as_deref() == Some("Ignore"),
        honours_taints: rule.node_taints_policy.as_deref() == Some("Honor"),
    })
    .collect()
}

/// Nodes without the label are no place for the pod at all.
pub(crate) fn needs_label(key: &str) -> NodeSelector {
    NodeSelector {
        node_selector_terms: Some(vec![NodeTerm {
            match_expressions: Some(vec![Expression {
                key: key.into(),
                operator: "Exists".into(),
                values: None,
            }]),
            match_fields: None,
        }]),
    }
}

/// The spread sets; services they cannot be made for are pinned.
pub(crate) fn sets(
    names: &Names,
    nodes: &Nodes,
    index: &Index,
    groups: &mut [Group],
    notes: &mut Notes,
) -> Vec<SpreadSet> {
    let mut sets: Vec<SpreadSet> = Vec::new();
    let mut used = Unique::default();
    for at in 0..groups.len() {
        let mut fits = true;
        for rule in groups[at].template.spreads.clone() {
            let Some((members, max, exact)) = bound(nodes, index, groups, at, &rule) else {
                fits = false;
                continue;
            };
            if !exact {
                notes.add("N029", names.get(at));
            }
            let level = if rule.key == HOSTNAME {
                Level::Node
            } else {
                Level::Label(rule.key.clone())
            };
            let known = sets
                .iter()
                .any(|set| set.members == members && set.level == level && set.max <= max);
            if !known {
                let name = used.name(&format!("spread {}", names.get(at)));
                sets.push(SpreadSet {
                    name,
                    members,
                    max,
                    level,
                });
            }
        }
        if !fits {
            notes.add("N015", names.get(at));
            groups[at].pinned |= !groups[at].places.is_empty();
        }
    }
    sets
}

/// Whom a constraint counts, how many may share a domain, and whether that
/// says exactly what the constraint says.
fn bound(
    nodes: &Nodes,
    index: &Index,
    groups: &[Group],
    at: usize,
    rule: &Spreading,
) -> Option<(Vec<ServiceId>, u32, bool)> {
    let own = &groups[at];
    let namespace = [own.namespace.clone()];
    let matching = index.matching(groups, Some(&rule.selector), Some(&namespace));
    if !matching.contains(&at) {
        return None;
    }
    let counted = if rule.by_revision { vec![at] } else { matching };
    // Others that are counted without having the rule may stand anywhere.
    if counted
        .iter()
        .any(|other| !groups[*other].template.spreads.contains(rule))
    {
        return None;
    }
    let pods: u64 = counted
        .iter()
        .map(|id| u64::from(groups[*id].replicas))
        .sum();
    let (here, possible) = domains(nodes, own, rule);
    let skew = u64::from(rule.skew);
    let (max, exact) = if here < u64::from(rule.min_domains) || pods < here {
        (skew, true)
    } else {
        let even = (pods + skew) / possible.max(1);
        (even.max(skew), false)
    };
    let members = counted.into_iter().map(ServiceId::from).collect();
    let max = u32::try_from(max).unwrap_or(u32::MAX);
    (here * u64::from(max) >= pods).then_some((members, max, exact))
}

/// Domains of the existing nodes, and those together with what new nodes could add.
fn domains(nodes: &Nodes, group: &Group, rule: &Spreading) -> (u64, u64) {
    let wish = &group.template.wish;
    let counts = |target: &Target<'_>| {
        (rule.ignores_affinity || wish.selects(target))
            && (!rule.honours_taints || wish.tolerates_all(target))
    };
    let mut values: BTreeSet<&str> = BTreeSet::new();
    for (at, labels) in nodes.labels.iter().enumerate() {
        let target = Target {
            name: Some(nodes.names.get(at)),
            labels,
            taints: &nodes.taints[at],
        };
        if let Some(value) = labels.get(&rule.key).filter(|_| counts(&target)) {
            values.insert(value);
        }
    }
    let here = values.len() as u64;
    for (labels, taints) in nodes.pool_labels.iter().zip(&nodes.pool_taints) {
        let target = Target {
            name: None,
            labels,
            taints,
        };
        if let Some(value) = labels.get(&rule.key).filter(|_| counts(&target)) {
            values.insert(value);
        }
    }
    (here, values.len() as u64)
}
