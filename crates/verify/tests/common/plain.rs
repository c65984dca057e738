//! The plain recount: triple loops, no index, no shortcut.

// Plain on purpose: indices as in the definitions.
#![allow(clippy::needless_range_loop)]

use std::collections::BTreeMap;

use bayplan_verify::Rule;

use super::small::{Broken, Small, Table};

/// How far a rule was broken, where certain and random demand for a resource
/// are one matter.
pub fn overshoot(broken: &Broken, (rule, objects): &(Rule, Vec<String>)) -> Option<f64> {
    let same: &[Rule] = match rule {
        Rule::Capacity | Rule::Confidence => &[Rule::Capacity, Rule::Confidence],
        _ => &[*rule],
    };
    let mut found = same
        .iter()
        .filter_map(|r| broken.get(&(*r, objects.clone())));
    found.next().map(|(found, allowed)| found - allowed)
}

impl Small {
    pub fn node_name(&self, n: usize) -> String {
        if n < self.existing {
            return format!("n{n}");
        }
        let nth = (self.existing..=n)
            .filter(|m| self.pool[*m] == self.pool[n])
            .count();
        format!("pool{}/{nth}", self.pool[n])
    }

    fn allowed(&self, n: usize, r: usize) -> u64 {
        let kept_free = self.rules.headroom.get(r).copied().unwrap_or(0);
        self.capacity[self.pool[n]][r] * (1_000_000 - u64::from(kept_free)) / 1_000_000
    }

    /// Whether nodes count together for a rule by zone.
    fn together(&self, n: usize, m: usize) -> bool {
        n == m || (self.zones[n].is_some() && self.zones[n] == self.zones[m])
    }

    /// (load, variance) of a node's resource in an epoch.
    pub fn load(&self, x: &Table, n: usize, r: usize, e: usize) -> (u64, u128) {
        let (mut load, mut variance) = (0, 0);
        for s in 0..x.len() {
            load += x[s][n] * self.demand[s][r][e];
            variance += self.variance.as_ref().map_or(0, |v| v[s][r]) * u128::from(x[s][n]);
        }
        (load, variance)
    }

    /// Every rule of a placement at any moment, epochs kept apart.
    pub fn state(&self, x: &Table) -> Broken {
        let mut broken = Broken::new();
        let names = ["cpu", "memory"];
        for n in 0..self.pool.len() {
            for r in 0..self.capacity[0].len() {
                for e in 0..self.epochs {
                    let (load, variance) = self.load(x, n, r, e);
                    let allowed = self.allowed(n, r) as f64;
                    let mut objects = vec![self.node_name(n), names[r].into()];
                    if self.epochs > 1 {
                        objects.push(e.to_string());
                    }
                    let deviation = self.rules.d_alpha * (variance as f64).sqrt();
                    let used = load as f64 + deviation;
                    if deviation > 0.0 && used > allowed * (1.0 + 1e-9) {
                        broken.insert((Rule::Confidence, objects), (used.ceil(), allowed));
                    } else if deviation == 0.0 && used > allowed {
                        broken.insert((Rule::Capacity, objects), (used, allowed));
                    }
                }
            }
            for ((i, j), a) in &self.limit {
                if x[*i][n] > 0 && x[*j][n] > u64::from(*a) {
                    let objects = vec![self.node_name(n), format!("s{i}"), format!("s{j}")];
                    broken.insert((Rule::Limit, objects), (x[*j][n] as f64, f64::from(*a)));
                }
            }
            for (k, (members, max, by_zone)) in self.sets.iter().enumerate() {
                let mut total = 0;
                for s in members {
                    for m in 0..self.pool.len() {
                        if n == m || (*by_zone && self.together(n, m)) {
                            total += x[*s][m];
                        }
                    }
                }
                if total > u64::from(*max) {
                    let place = match self.zones[n] {
                        Some(zone) if *by_zone => format!("zone={zone}"),
                        _ => self.node_name(n),
                    };
                    let objects = vec![place, format!("set{k}")];
                    broken.insert((Rule::Spread, objects), (total as f64, f64::from(*max)));
                }
            }
            for s in 0..x.len() {
                let Some(reach) = &self.reach else { continue };
                let allowed = match n < self.existing {
                    true => reach[s].0[n],
                    false => reach[s].1[self.pool[n]],
                };
                if !allowed && x[s][n] > 0 {
                    let objects = vec![format!("s{s}"), self.node_name(n)];
                    broken.insert((Rule::Compatibility, objects), (x[s][n] as f64, 0.0));
                }
            }
        }
        broken
    }

    /// Every rule of a placement plan at rest. `opened`: whether the nodes
    /// beyond the existing ones are there.
    pub fn plan(&self, x: &Table, opened: bool) -> Broken {
        let mut broken = self.state(x);
        for s in 0..x.len() {
            let (placed, wanted) = (x[s].iter().sum::<u64>(), u64::from(self.replicas[s]));
            let rule = match placed < wanted {
                true if self.rules.complete => Rule::Unplaced,
                false if placed > wanted => Rule::Surplus,
                _ => continue,
            };
            broken.insert(
                (rule, vec![format!("s{s}")]),
                (placed as f64, wanted as f64),
            );
        }
        for s in (0..x.len()).filter(|s| self.pinned[*s]) {
            for n in 0..self.existing {
                if x[s][n] < self.current[s][n] {
                    let objects = vec![format!("s{s}"), self.node_name(n)];
                    let numbers = (x[s][n] as f64, self.current[s][n] as f64);
                    broken.insert((Rule::Pinned, objects), numbers);
                }
            }
        }
        let nodes = if opened {
            self.pool.len()
        } else {
            self.existing
        };
        for (p, max) in self.max_count.iter().enumerate() {
            let count = self.pool[..nodes].iter().filter(|q| **q == p).count();
            if max.is_some_and(|max| count > max as usize) {
                let numbers = (count as f64, f64::from(max.unwrap()));
                broken.insert((Rule::PoolSize, vec![format!("pool{p}")]), numbers);
            }
        }
        broken
    }

    /// What the verifier should list of a plan at rest, each with whether it
    /// was there on arrival.
    pub fn expected(&self, x: &Table) -> BTreeMap<(Rule, Vec<String>), (f64, f64, bool)> {
        let before = self.plan(&self.current, false);
        let arrived = |key: &(Rule, Vec<String>), over: f64| {
            let comparable = !matches!(key.0, Rule::Unplaced | Rule::Pinned);
            comparable && overshoot(&before, key).is_some_and(|then| then >= over)
        };
        let mut listed = BTreeMap::new();
        // Of a node's epochs only the one most to blame is listed.
        let mut worst: BTreeMap<(Rule, Vec<String>), (bool, f64, String)> = BTreeMap::new();
        for (key, (found, allowed)) in self.plan(x, true) {
            let on_arrival = arrived(&key, found - allowed);
            if key.1.len() == 3 && key.0 == Rule::Capacity {
                let place = (key.0, key.1[..2].to_vec());
                let blame = (!on_arrival, found - allowed);
                let entry = worst.entry(place).or_insert((false, -1.0, String::new()));
                if blame > (entry.0, entry.1) {
                    *entry = (blame.0, blame.1, key.1[2].clone());
                }
            }
            listed.insert(key, (found, allowed, on_arrival));
        }
        listed.retain(|key, _| {
            let place = (key.0, key.1[..key.1.len().min(2)].to_vec());
            worst
                .get(&place)
                .is_none_or(|(_, _, epoch)| *epoch == key.1[2])
        });
        listed
    }

    /// Gained affinity, by zone when the rules say so.
    pub fn gain(&self, x: &Table) -> Option<f64> {
        let by_zone = self.rules.gain_level.is_some();
        let total: f64 = self.traffic.iter().map(|(_, _, w)| w).sum();
        let mut gained = 0.0;
        for (a, b, weight) in &self.traffic {
            let mut seen: Vec<usize> = Vec::new();
            for n in 0..self.pool.len() {
                let same = |m: usize| m == n || (by_zone && self.together(n, m));
                if seen.iter().any(|m| same(*m)) {
                    continue;
                }
                seen.push(n);
                let count = |s: usize| {
                    (0..self.pool.len())
                        .filter(|m| same(*m))
                        .map(move |m| x[s][m])
                };
                let share = |s: usize| match self.replicas[s] {
                    0 => 0.0,
                    d => count(s).sum::<u64>() as f64 / f64::from(d),
                };
                if self.replicas[*a] > 0 && self.replicas[*b] > 0 {
                    gained += weight * share(*a).min(share(*b));
                }
            }
        }
        (total > 0.0).then(|| gained / total)
    }
}
