//! Topology spread constraints as spread sets.
//!
//! A constraint bounds the skew: the fullest domain may hold `s` pods more
//! than the emptiest of all `D` domains the pod may use. A spread set bounds
//! what a domain holds. With `N` pods and at most `h` in each domain the
//! emptiest holds at least `N - (D - 1) h`, so the skew is at most `D h - N`:
//! `h = (N + s) / D` rounded down keeps it. So does `h = s`, and where `N < D`
//! that says exactly the same, since some domain is empty then. Where neither
//! leaves room for all pods (`D h < N`), some domains get one place more than
//! the others ([`uneven`]); services for which that is no way out either stay
//! where they are.

use std::collections::BTreeMap;

use bayplan_model::{Level, Names, ServiceId, SpreadSet};

use super::groups::Group;
use super::nodes::{HOSTNAME, Nodes, Unique};
use super::notes::Notes;
use super::objects::{Expression, NodeSelector, NodeTerm, SpreadConstraint};
use super::pod::Spreading;
use super::rules::Index;
use super::selector::Target;
use super::uneven::{Labels, uneven};

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
    nodes: &mut Nodes,
    index: &Index,
    groups: &mut [Group],
    under_way: bool,
    notes: &mut Notes,
) -> Vec<SpreadSet> {
    let mut sets: Vec<SpreadSet> = Vec::new();
    let mut used = Unique::default();
    let mut labels = Labels::default();
    for at in 0..groups.len() {
        let mut fits = true;
        for rule in groups[at].template.spreads.clone() {
            let Some(bound) = bound(nodes, index, groups, at, &rule, under_way) else {
                fits = false;
                continue;
            };
            let level = if rule.key == HOSTNAME {
                Level::Node
            } else {
                Level::Label(rule.key.clone())
            };
            let mut levels = vec![(level, bound.max)];
            if let Some(larger) = &bound.larger {
                let Some(label) = labels.of_all_but(&rule.key, larger, nodes) else {
                    fits = false;
                    continue;
                };
                levels.push((Level::Label(label), bound.max - 1));
            }
            if !bound.exact {
                notes.add("N029", names.get(at));
            }
            let members = bound.members;
            for (level, max) in levels {
                let known = sets
                    .iter()
                    .any(|set| set.members == members && set.level == level && set.max <= max);
                if !known {
                    let name = used.name(&format!("spread {}", names.get(at)));
                    let members = members.clone();
                    sets.push(SpreadSet {
                        name,
                        members,
                        max,
                        level,
                    });
                }
            }
        }
        if !fits {
            notes.add("N015", names.get(at));
            groups[at].pinned |= !groups[at].places.is_empty();
        }
    }
    sets
}

/// What stands for a constraint.
struct Bound {
    /// Whom the constraint counts.
    members: Vec<ServiceId>,
    /// How many may share a domain.
    max: u32,
    /// The domains of which that is true, when the others hold one less.
    larger: Option<Vec<String>>,
    /// Whether that says exactly what the constraint says.
    exact: bool,
}

fn bound(
    nodes: &Nodes,
    index: &Index,
    groups: &[Group],
    at: usize,
    rule: &Spreading,
    under_way: bool,
) -> Option<Bound> {
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
    let (domains, possible) = domains(nodes, own, rule);
    let here = domains.len() as u64;
    let skew = u64::from(rule.skew);
    let (max, exact) = if here < u64::from(rule.min_domains) || pods < here {
        (skew, true)
    } else {
        let even = (pods + skew) / possible.max(1);
        // All domains equally full, and no other way, is what the constraint says as well.
        let exact = here == possible && skew == 1 && here * even < pods + 2;
        (even.max(skew), exact)
    };
    let members = counted.iter().map(|at| &groups[*at]);
    let (max, larger, exact) = if here * max >= pods {
        (max, None, exact)
    } else if here != possible || rule.key == HOSTNAME {
        return None;
    } else if under_way {
        (pods / here + 1, None, false)
    } else {
        let larger = uneven(pods, skew, &domains, members)?;
        (pods / here + 1, Some(larger), false)
    };
    let members = counted.into_iter().map(ServiceId::from).collect();
    let max = u32::try_from(max).unwrap_or(u32::MAX);
    Some(Bound {
        members,
        max,
        larger,
        exact,
    })
}

/// Domains of the existing nodes with these, and how many there are together
/// with what new nodes could add.
fn domains<'a>(
    nodes: &'a Nodes,
    group: &Group,
    rule: &Spreading,
) -> (BTreeMap<&'a str, Vec<u32>>, u64) {
    let wish = &group.template.wish;
    let counts = |target: &Target<'_>| {
        (rule.ignores_affinity || wish.selects(target))
            && (!rule.honours_taints || wish.tolerates_all(target))
    };
    let mut here: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (at, labels) in nodes.labels.iter().enumerate() {
        let target = Target {
            name: Some(nodes.names.get(at)),
            labels,
            taints: &nodes.taints[at],
        };
        if let Some(value) = labels.get(&rule.key).filter(|_| counts(&target)) {
            here.entry(value).or_default().push(at as u32);
        }
    }
    let mut new: Vec<&str> = Vec::new();
    for (labels, taints) in nodes.pool_labels.iter().zip(&nodes.pool_taints) {
        let target = Target {
            name: None,
            labels,
            taints,
        };
        if let Some(value) = labels.get(&rule.key).filter(|_| counts(&target)) {
            new.extend((!here.contains_key(value.as_str())).then_some(value.as_str()));
        }
    }
    new.sort_unstable();
    new.dedup();
    let possible = (here.len() + new.len()) as u64;
    (here, possible)
}
