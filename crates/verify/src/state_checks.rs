//! The rules that hold for a placement at any moment: at rest, and after each
//! wave. Each function recomputes its rule from the contents of the nodes.

use std::collections::BTreeMap;

use bayplan_model::{Level, NodeId, SpreadSet, fits_at_confidence};

use crate::Rule;
use crate::findings::{Findings, Key, Numbers};
use crate::ground::{Ground, State};

/// A placement and the nodes of it to look at.
pub(crate) struct View<'a> {
    pub ground: &'a Ground<'a>,
    pub state: &'a State,
    pub nodes: &'a [NodeId],
    /// The wave that led here, counted from one.
    pub wave: Option<usize>,
}

type Objects = Vec<(&'static str, String)>;

impl View<'_> {
    fn objects(&self, mut objects: Objects) -> Objects {
        if let Some(wave) = self.wave {
            objects.push(("wave", wave.to_string()));
        }
        objects
    }

    fn node_and_resource(&self, key: Key) -> Objects {
        let (_, [node, resource, epoch]) = key;
        let cluster = self.ground.site.cluster;
        let mut objects = vec![
            ("node", self.ground.site.name(NodeId(node))),
            (
                "resource",
                cluster.resources[resource as usize].name.clone(),
            ),
        ];
        if self.ground.services.epochs > 1 {
            objects.push(("epoch", epoch.to_string()));
        }
        self.objects(objects)
    }
}

/// Certain demand against capacity, in every epoch. A resource that is random
/// on the node is the business of [`confidence`].
pub(crate) fn capacity(view: &View<'_>, findings: &mut Findings) {
    let ground = view.ground;
    let epochs = ground.services.epochs;
    let mut load = Vec::new();
    for node in view.nodes {
        let contents = view.state.on(*node);
        ground.load(contents, &mut load);
        let allowed = ground.site.allowed(*node);
        for (r, resource) in ground.site.cluster.resources.iter().enumerate() {
            let random = ground.rules.d_alpha != 0.0 && ground.variance(contents, r) > 0;
            let most = u128::from(allowed[r]);
            let by_epoch = load.iter().skip(r * epochs).take(epochs).enumerate();
            let over = by_epoch.filter(|(_, units)| !random && **units > most);
            let over = over.map(|(epoch, units)| {
                let key = (Rule::Capacity, [node.0, r as u32, epoch as u32]);
                (key, Numbers::of(resource, *units, most))
            });
            findings.add_worst(over, |key| view.node_and_resource(key));
        }
    }
}

/// Random demand against capacity: mean + D * deviation.
pub(crate) fn confidence(view: &View<'_>, findings: &mut Findings) {
    let ground = view.ground;
    let d_alpha = ground.rules.d_alpha;
    if ground.services.variance.is_empty() || d_alpha == 0.0 {
        return;
    }
    let mut load = Vec::new();
    for node in view.nodes {
        let contents = view.state.on(*node);
        ground.load(contents, &mut load);
        let allowed = ground.site.allowed(*node);
        for (r, resource) in ground.site.cluster.resources.iter().enumerate() {
            let variance = ground.variance(contents, r);
            let mean = u64::try_from(load[r]).unwrap_or(u64::MAX);
            if variance == 0 || fits_at_confidence(mean, variance, d_alpha, allowed[r]) {
                continue;
            }
            let used = ground.at_confidence(load[r], variance);
            let used = if used.is_finite() {
                used.ceil() as u128
            } else {
                u128::MAX
            };
            let key = (Rule::Confidence, [node.0, r as u32, 0]);
            let numbers = Numbers::of(resource, used, u128::from(allowed[r]));
            findings.add(key, numbers, || view.node_and_resource(key));
        }
    }
}

/// On a node with a replica of `of`, at most `max` of `on`; a cap of a service
/// on itself counts its own replicas.
pub(crate) fn limits(view: &View<'_>, findings: &mut Findings) {
    let ground = view.ground;
    let limits = &ground.services.limits;
    if limits.is_empty() {
        return;
    }
    // Counts of the node in hand, by service; zero again after each node.
    let mut here = vec![0u64; ground.services.len()];
    for node in view.nodes {
        let contents = view.state.on(*node);
        for (service, count) in contents {
            here[service.index()] = *count;
        }
        for (of, count) in contents {
            let cap = limits.cap(*of).map(|max| (*of, max));
            debug_assert!(*count > 0);
            for (on, max) in limits.imposed_by(*of).chain(cap) {
                let found = here[on.index()];
                if found > u64::from(max) {
                    let numbers = Numbers::counted(u128::from(found), u128::from(max), "replicas");
                    findings.add((Rule::Limit, [node.0, of.0, on.0]), numbers, || {
                        view.objects(vec![
                            ("node", ground.site.name(*node)),
                            ("service", ground.service_name(*of)),
                            ("limited", ground.service_name(on)),
                        ])
                    });
                }
            }
        }
        for (service, _) in contents {
            here[service.index()] = 0;
        }
    }
}

/// At most `max` replicas of a set together, on a node or on the nodes that
/// share a label's value. Groups are counted whole, also when only one of
/// their nodes is looked at.
pub(crate) fn spread(view: &View<'_>, findings: &mut Findings) {
    let ground = view.ground;
    let sets = &ground.services.spread;
    if sets.is_empty() {
        return;
    }
    let mut totals: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    let mut count = |node: NodeId, group: u32, counted: &dyn Fn(&SpreadSet) -> bool| {
        for (service, count) in view.state.on(node) {
            for set in &ground.sets_of[service.index()] {
                if counted(&sets[*set as usize]) {
                    let total = totals.entry((*set, group)).or_insert(0);
                    *total = total.saturating_add(*count);
                }
            }
        }
    };
    for node in view.nodes {
        count(*node, node.0, &|set| set.level == Level::Node);
    }
    for (key, groups) in &ground.groups {
        let mut touched = vec![false; groups.first.len()];
        for node in view.nodes {
            touched[groups.of[node.index()] as usize] = true;
        }
        for node in ground.site.ids() {
            let group = groups.of[node.index()];
            if touched[group as usize] {
                count(
                    node,
                    group,
                    &|set| matches!(&set.level, Level::Label(label) if label == key),
                );
            }
        }
    }
    for ((number, group), total) in totals {
        let set = &sets[number as usize];
        if total <= u64::from(set.max) {
            continue;
        }
        let numbers = Numbers::counted(u128::from(total), u128::from(set.max), "replicas");
        findings.add((Rule::Spread, [number, group, 0]), numbers, || {
            let place = match &set.level {
                Level::Node => ("node", ground.site.name(NodeId(group))),
                Level::Label(key) => {
                    let groups = &ground.groups[key.as_str()];
                    ground.site.group_name(groups, group, Some(key))
                }
            };
            view.objects(vec![place, ("spread set", set.name.clone())])
        });
    }
}

/// Services only on nodes they may use.
pub(crate) fn compatibility(view: &View<'_>, findings: &mut Findings) {
    let ground = view.ground;
    let compatibility = &ground.services.compatibility;
    if compatibility.is_everywhere() {
        return;
    }
    let existing = ground.site.cluster.nodes.len();
    for node in view.nodes {
        for (service, count) in view.state.on(*node) {
            if compatibility.allows(*service, *node, existing, ground.site.opened) {
                continue;
            }
            let key = (Rule::Compatibility, [service.0, node.0, 0]);
            let numbers = Numbers::counted(u128::from(*count), 0, "replicas");
            findings.add(key, numbers, || {
                view.objects(vec![
                    ("service", ground.service_name(*service)),
                    ("node", ground.site.name(*node)),
                ])
            });
        }
    }
}
