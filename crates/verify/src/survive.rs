//! Survival of a loss, shown by a witness.
//!
//! For each node (or group of nodes sharing a label) in turn: its replicas,
//! pinned ones excepted, are put on the other nodes of the plan by first fit
//! decreasing, those bound to some nodes first, under every rule of a placement,
//! nothing else being moved. When that finds a place for each, the plan certainly
//! survives the loss. When it does not, another arrangement might exist: the check
//! refuses rather than promises. Where the free capacity of all other nodes
//! together is less than what was lost, the violation says so, and is certain.

use std::collections::BTreeMap;

use bayplan_model::{Level, NodeId, ServiceId, fits_at_confidence};

use crate::Rule;
use crate::findings::{Findings, Numbers};
use crate::ground::{Ground, State};
use crate::placement::PlacementSubject;

/// The check of a placement plan.
pub(crate) fn survives(subject: &PlacementSubject<'_>, findings: &mut Findings) {
    let ground = &subject.ground;
    let Some(level) = &ground.rules.survive else {
        return;
    };
    let level = level.as_deref();
    let groups = ground.site.groups(level);
    let mut members = vec![Vec::new(); groups.first.len()];
    for node in ground.site.ids().filter(|n| ground.site.pool(*n).is_some()) {
        members[groups.of[node.index()] as usize].push(node);
    }
    let mut rest = Rest::new(ground, subject.state.clone());
    for (group, nodes) in members.iter().enumerate() {
        let (homeless, short_of) = rest.lose(nodes);
        if homeless > 0 {
            let numbers = Numbers::counted(homeless, 0, "replicas");
            let key = (Rule::Survive, [group as u32, 0, 0]);
            findings.add(key, numbers, || {
                let mut objects = vec![ground.site.group_name(&groups, group as u32, level)];
                objects.extend(short_of.map(|resource| {
                    let name = ground.site.cluster.resources[resource].name.clone();
                    ("short of", name)
                }));
                objects
            });
        }
    }
}

/// The cluster as the losses find it, with what the checks need kept by node.
struct Rest<'a> {
    ground: &'a Ground<'a>,
    state: State,
    load: Vec<Vec<u128>>,
    /// Replicas of each spread set in each group of its level.
    together: BTreeMap<(u32, u32), u64>,
    /// Nodes by most free capacity: where first fit looks first.
    order: Vec<NodeId>,
    /// Replicas put on nodes, to be taken back.
    moved: Vec<(ServiceId, NodeId, u64)>,
}

impl<'a> Rest<'a> {
    fn new(ground: &'a Ground<'a>, state: State) -> Self {
        let known = |node: &NodeId| ground.site.pool(*node).is_some();
        let mut load = vec![Vec::new(); ground.site.len()];
        for node in ground.site.ids() {
            ground.load(state.on(node), &mut load[node.index()]);
        }
        let epochs = ground.services.epochs;
        let free = |node: &NodeId| {
            let shares = load[node.index()].iter().enumerate().map(|(at, units)| {
                let allowed = ground.site.allowed(*node)[at / epochs].max(1);
                1.0 - *units as f64 / allowed as f64
            });
            shares.fold(f64::INFINITY, f64::min)
        };
        let mut order: Vec<(f64, NodeId)> = ground
            .site
            .ids()
            .filter(known)
            .map(|node| (free(&node), node))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let order = order.into_iter().map(|(_, node)| node).collect();
        let mut rest = Self {
            ground,
            state: State {
                by_node: vec![Vec::new(); ground.site.len()],
            },
            load,
            together: BTreeMap::new(),
            order,
            moved: Vec::new(),
        };
        for node in ground.site.ids() {
            for (service, count) in state.on(node) {
                rest.count_together(*service, node, |total| total + count);
            }
        }
        rest.state = state;
        rest
    }

    /// Tries the loss of some nodes; afterwards everything is as before. Gives
    /// the replicas without a place, and a resource that is certainly short.
    fn lose(&mut self, nodes: &[NodeId]) -> (u128, Option<usize>) {
        let mut lost: BTreeMap<ServiceId, u64> = BTreeMap::new();
        for node in nodes {
            for (service, count) in self.state.on(*node) {
                if !self.ground.services.pinned[service.index()] {
                    *lost.entry(*service).or_insert(0) += *count;
                }
            }
        }
        if lost.is_empty() {
            return (0, None);
        }
        let taken: Vec<_> = nodes
            .iter()
            .map(|node| std::mem::take(&mut self.state.by_node[node.index()]))
            .collect();
        for (node, contents) in nodes.iter().zip(&taken) {
            for (service, count) in contents {
                self.count_together(*service, *node, |total| total - count);
            }
        }
        let mut gone = vec![false; self.ground.site.len()];
        for node in nodes {
            gone[node.index()] = true;
        }
        let mut homeless = 0;
        for (service, count) in self.decreasing(&lost) {
            homeless += u128::from(self.rehome(service, count, &gone));
        }
        for (service, node, count) in std::mem::take(&mut self.moved) {
            self.take_back(service, node, count);
        }
        for (node, contents) in nodes.iter().zip(taken) {
            for (service, count) in &contents {
                self.count_together(*service, *node, |total| total + count);
            }
            self.state.by_node[node.index()] = contents;
        }
        let short = (homeless > 0)
            .then(|| self.short_of(&lost, &gone))
            .flatten();
        (homeless, short)
    }

    /// Those that may not run everywhere first, then the largest, by the largest
    /// share of a node any replica takes.
    fn decreasing(&self, lost: &BTreeMap<ServiceId, u64>) -> Vec<(ServiceId, u64)> {
        let services = self.ground.services;
        let pools = &self.ground.site.cluster.pools;
        let largest: Vec<u64> = (0..self.ground.site.cluster.resources.len())
            .map(|r| pools.iter().map(|pool| pool.capacity[r]).max().unwrap_or(0))
            .collect();
        let size = |service: ServiceId| {
            let row = services.row(service).iter().enumerate();
            row.map(|(at, units)| *units as f64 / largest[at / services.epochs].max(1) as f64)
                .fold(0.0, f64::max)
        };
        let mut all: Vec<_> = lost.iter().map(|(s, count)| (*s, *count)).collect();
        let anywhere = |service: ServiceId| services.compatibility.reach(service).is_none();
        all.sort_by(|a, b| {
            let choosy = anywhere(a.0).cmp(&anywhere(b.0));
            choosy
                .then(size(b.0).total_cmp(&size(a.0)))
                .then(a.0.cmp(&b.0))
        });
        all
    }

    /// Puts replicas on the first nodes that take them; gives how many are left.
    fn rehome(&mut self, service: ServiceId, mut count: u64, gone: &[bool]) -> u64 {
        for at in 0..self.order.len() {
            let node = self.order[at];
            if gone[node.index()] {
                continue;
            }
            let most = self.most_that_fit(service, node, count);
            if most > 0 {
                self.put(service, node, most);
                self.moved.push((service, node, most));
                count -= most;
            }
            if count == 0 {
                break;
            }
        }
        count
    }

    /// The most replicas, up to `wanted`, that may join a node: fitting is
    /// monotone, so the search halves.
    fn most_that_fit(&self, service: ServiceId, node: NodeId, wanted: u64) -> u64 {
        let (mut fit, mut too_many) = (0, wanted + 1);
        let mut next = 1;
        while fit + 1 < too_many {
            if self.fits(service, node, next) {
                fit = next;
            } else {
                too_many = next;
            }
            next = (fit * 2).clamp(fit + 1, fit + (too_many - fit).div_ceil(2));
        }
        fit
    }

    fn put(&mut self, service: ServiceId, node: NodeId, count: u64) {
        let contents = &mut self.state.by_node[node.index()];
        match contents.binary_search_by_key(&service, |entry| entry.0) {
            Ok(at) => contents[at].1 += count,
            Err(at) => contents.insert(at, (service, count)),
        }
        let row = self.ground.services.row(service);
        for (sum, units) in self.load[node.index()].iter_mut().zip(row) {
            *sum += u128::from(*units) * u128::from(count);
        }
        self.count_together(service, node, |total| total + count);
    }

    fn take_back(&mut self, service: ServiceId, node: NodeId, count: u64) {
        let contents = &mut self.state.by_node[node.index()];
        let at = contents.binary_search_by_key(&service, |entry| entry.0);
        let at = at.expect("it was put there");
        contents[at].1 -= count;
        if contents[at].1 == 0 {
            contents.remove(at);
        }
        let row = self.ground.services.row(service);
        for (sum, units) in self.load[node.index()].iter_mut().zip(row) {
            *sum -= u128::from(*units) * u128::from(count);
        }
        self.count_together(service, node, |total| total - count);
    }

    fn count_together(&mut self, service: ServiceId, node: NodeId, change: impl Fn(u64) -> u64) {
        for set in &self.ground.sets_of[service.index()] {
            let total = self.together.entry((*set, self.place(*set, node)));
            let total = total.or_insert(0);
            *total = change(*total);
        }
    }

    /// The group of a node at the level of a spread set.
    fn place(&self, set: u32, node: NodeId) -> u32 {
        match &self.ground.services.spread[set as usize].level {
            Level::Node => node.0,
            Level::Label(key) => self.ground.groups[key.as_str()].of[node.index()],
        }
    }

    /// Whether `more` replicas of a service may join a node.
    fn fits(&self, service: ServiceId, node: NodeId, more: u64) -> bool {
        let ground = self.ground;
        let (services, site) = (ground.services, &ground.site);
        let existing = site.cluster.nodes.len();
        if !services
            .compatibility
            .allows(service, node, existing, site.opened)
        {
            return false;
        }
        let contents = self.state.on(node);
        let allowed = site.allowed(node);
        let row = services.row(service).iter().zip(&self.load[node.index()]);
        for (at, (units, load)) in row.enumerate() {
            let resource = at / services.epochs;
            let load = load + u128::from(*units) * u128::from(more);
            let mean = u64::try_from(load).unwrap_or(u64::MAX);
            let variance = ground
                .variance(contents, resource)
                .saturating_add(ground.variance(&[(service, more)], resource));
            if !fits_at_confidence(mean, variance, ground.rules.d_alpha, allowed[resource]) {
                return false;
            }
        }
        let here = self.state.count(service, node) + more;
        let within = |count: u64, max: Option<u32>| max.is_none_or(|max| count <= u64::from(max));
        let limits = &services.limits;
        within(here, limits.cap(service))
            && contents
                .iter()
                .filter(|(other, _)| *other != service)
                .all(|(other, count)| {
                    within(*count, limits.get(service, *other))
                        && within(here, limits.get(*other, service))
                })
            && ground.sets_of[service.index()].iter().all(|set| {
                let together = self.together.get(&(*set, self.place(*set, node)));
                within(
                    together.copied().unwrap_or(0) + more,
                    Some(services.spread[*set as usize].max),
                )
            })
    }

    /// A resource of which all other nodes together have less free than was lost.
    fn short_of(&self, lost: &BTreeMap<ServiceId, u64>, gone: &[bool]) -> Option<usize> {
        let services = self.ground.services;
        (0..services.width()).find_map(|at| {
            let resource = at / services.epochs;
            let needed: u128 = lost
                .iter()
                .map(|(s, count)| u128::from(services.row(*s)[at]) * u128::from(*count))
                .sum();
            let free: u128 = (self.order.iter())
                .filter(|node| !gone[node.index()])
                .map(|node| {
                    let allowed = u128::from(self.ground.site.allowed(*node)[resource]);
                    allowed.saturating_sub(self.load[node.index()][at])
                })
                .sum();
            (needed > free).then_some(resource)
        })
    }
}
