//! What every check of a placement stands on: nodes, services, rules, and the
//! way from a service to its spread sets.

use std::collections::BTreeMap;

use bayplan_model::{Count, Level, NodeId, ServiceId, Services, at_confidence};

use crate::Rules;
use crate::site::{Groups, Site};

pub(crate) struct Ground<'a> {
    pub site: Site<'a>,
    pub services: &'a Services,
    pub rules: &'a Rules,
    /// For each service the spread sets it is a member of.
    pub sets_of: Vec<Vec<u32>>,
    /// Groups of nodes by label, for the labels that spread sets use.
    pub groups: BTreeMap<&'a str, Groups>,
}

impl<'a> Ground<'a> {
    pub fn new(site: Site<'a>, services: &'a Services, rules: &'a Rules) -> Self {
        let mut sets_of = vec![Vec::new(); services.len()];
        let mut groups = BTreeMap::new();
        for (number, set) in services.spread.iter().enumerate() {
            for member in &set.members {
                sets_of[member.index()].push(number as u32);
            }
            if let Level::Label(key) = &set.level {
                groups
                    .entry(key.as_str())
                    .or_insert_with(|| site.groups(Some(key)));
            }
        }
        Self {
            site,
            services,
            rules,
            sets_of,
            groups,
        }
    }

    /// Whether service and node exist.
    pub fn knows(&self, service: ServiceId, node: NodeId) -> bool {
        service.index() < self.services.len() && self.site.pool(node).is_some()
    }

    pub fn service_name(&self, service: ServiceId) -> String {
        self.services.names.get(service.index()).to_owned()
    }

    /// What the contents of a node ask for, `resource * epochs + epoch`.
    pub fn load(&self, contents: &[(ServiceId, u64)], load: &mut Vec<u128>) {
        load.clear();
        load.resize(self.services.width(), 0);
        for (service, count) in contents {
            for (sum, units) in load.iter_mut().zip(self.services.row(*service)) {
                *sum += u128::from(*units) * u128::from(*count);
            }
        }
    }

    /// The variance of a resource on a node, in units squared.
    pub fn variance(&self, contents: &[(ServiceId, u64)], resource: usize) -> u128 {
        if self.services.variance.is_empty() {
            return 0;
        }
        let width = self.services.width();
        contents.iter().fold(0u128, |sum, (service, count)| {
            let one = self.services.variance[service.index() * width + resource];
            sum.saturating_add(one.saturating_mul(u128::from(*count)))
        })
    }

    /// Used capacity at confidence, from a node's mean and variance.
    pub fn at_confidence(&self, mean: u128, variance: u128) -> f64 {
        let mean = u64::try_from(mean).unwrap_or(u64::MAX);
        if variance == 0 {
            return mean as f64;
        }
        at_confidence(mean, variance, self.rules.d_alpha)
    }
}

/// How many replicas of which service stand on each node; services ascending.
#[derive(Clone)]
pub(crate) struct State {
    pub by_node: Vec<Vec<(ServiceId, u64)>>,
}

impl State {
    /// From entries by ascending service, all known.
    pub fn new(nodes: usize, entries: impl Iterator<Item = Count>) -> Self {
        let mut by_node = vec![Vec::new(); nodes];
        for entry in entries {
            by_node[entry.node.index()].push((entry.service, u64::from(entry.count)));
        }
        Self { by_node }
    }

    /// What stands on a node.
    pub fn on(&self, node: NodeId) -> &[(ServiceId, u64)] {
        &self.by_node[node.index()]
    }

    /// How many replicas of a service stand on a node.
    pub fn count(&self, service: ServiceId, node: NodeId) -> u64 {
        let contents = self.on(node);
        contents
            .binary_search_by_key(&service, |entry| entry.0)
            .map_or(0, |at| contents[at].1)
    }

    /// Replicas of each service.
    pub fn totals(&self, services: usize) -> Vec<u64> {
        let mut totals = vec![0u64; services];
        for (service, count) in self.by_node.iter().flatten() {
            totals[service.index()] = totals[service.index()].saturating_add(*count);
        }
        totals
    }
}
