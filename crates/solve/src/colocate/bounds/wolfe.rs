//! Column generation: a linear program over patterns per kind of node, its
//! duals as prices of replicas, and new patterns by local search at them.

use bayplan_lp::{Model, Options, Row, Sense};

use super::super::patterns::{Pattern, gain_at};
use super::super::view::View;
use super::pricing::{Bin, search};
use super::proof::{Limits, Task, prove};
use super::star::star_bound;
use crate::Context;

/// Column generation over one view.
pub struct Wolfe<'v> {
    view: &'v View,
    /// Kinds of nodes, for the bound: room and services allowed.
    pub bins: Vec<Bin>,
    model: Model,
    services: Vec<Row>,
    kinds: Vec<Row>,
    /// The columns: kind and counts.
    pub columns: Vec<(u32, Vec<(u32, u32)>)>,
    seen: rustc_hash::FxHashSet<(u32, Vec<(u32, u32)>)>,
    /// Prices of replicas after the last solve.
    prices: Vec<f64>,
    /// The prices with the least estimate of the bound so far. Pricing looks
    /// between these and the last ones: duals alone swing too far.
    center: Vec<f64>,
    /// That estimate: the bound if the local search found the best patterns.
    pub estimate: f64,
    /// Reduced costs of the columns there were at the last solve.
    reduced: Vec<f64>,
    /// The linear program's value after the last solve.
    pub value: f64,
}

/// A column must be worth at least this much.
const WORTHWHILE: f64 = 1e-9;
/// How much of the centre's prices stays in those of the next pricing.
const INERTIA: f64 = 0.7;

/// Replicas beyond what a service has, in the master only: a little and
/// different for each, against the standstill of degenerate programs. The
/// bound does not use the master's value.
fn slack(service: usize) -> f64 {
    0.01 + 0.04 * ((service * 2_654_435_761) % 1024) as f64 / 1024.0
}

impl<'v> Wolfe<'v> {
    /// A master without columns. A place is a node; when traffic is local in
    /// groups of nodes, a place is a whole group, which only loosens the bound.
    pub fn new(view: &'v View) -> Self {
        let bins = bins(view);
        let mut model = Model::new(Sense::Maximise);
        let services = (view.replicas.iter().enumerate())
            .map(|(s, d)| model.add_row(..=f64::from(*d) + slack(s), &[]))
            .collect();
        let kinds = bins
            .iter()
            .map(|bin| model.add_row(..=bin.count as f64, &[]))
            .collect();
        Self {
            view,
            prices: vec![0.0; view.services()],
            center: Vec::new(),
            estimate: f64::INFINITY,
            bins,
            model,
            services,
            kinds,
            columns: Vec::new(),
            seen: Default::default(),
            reduced: Vec::new(),
            value: 0.0,
        }
    }

    /// Adds a pattern on every kind that can hold it.
    pub fn offer(&mut self, counts: &[(u32, u32)]) -> bool {
        let gain = gain_at(self.view, counts);
        if gain <= 0.0 {
            return false;
        }
        let mut new = false;
        for kind in 0..self.bins.len() {
            let key = (kind as u32, counts.to_vec());
            if self.bins[kind].holds(self.view, counts) && !self.seen.contains(&key) {
                let mut entries = vec![(self.kinds[kind], 1.0)];
                let rows = counts
                    .iter()
                    .map(|(s, c)| (self.services[*s as usize], f64::from(*c)));
                entries.extend(rows);
                self.model.add_col(gain, 0.0.., &entries);
                self.columns.push(key.clone());
                self.seen.insert(key);
                new = true;
            }
        }
        new
    }

    /// Adds patterns another search met.
    pub fn offer_all<'p>(&mut self, patterns: impl Iterator<Item = &'p Pattern>) {
        for pattern in patterns {
            self.offer(&pattern.counts);
        }
    }

    /// Solves the linear program over the columns so far; false when it failed.
    pub fn solve(&mut self, context: &Context) -> bool {
        let options = Options {
            seconds: context.deadline().map(|_| context.seconds_left().max(0.05)),
            stop: Some(context.stop_flag().clone()),
            ..Options::column_generation()
        };
        let solution = self.model.solve(&options);
        if solution.duals.is_empty() {
            return false;
        }
        self.value = solution.objective;
        self.reduced.clone_from(&solution.reduced_costs);
        // Duals of `<=` rows are not negative; the solver's may be by a hair.
        let dual = |row: &Row| solution.dual(*row).max(0.0);
        self.prices = self.services.iter().map(dual).collect();
        if self.center.is_empty() {
            self.center.clone_from(&self.prices);
        }
        true
    }

    /// One round of pricing by local search over all kinds; how many columns
    /// it added.
    pub fn generate(&mut self, round: u64, steps: u64, context: &Context) -> usize {
        const STARTS: usize = 3;
        let blended = self.center.iter().zip(&self.prices);
        let prices: Vec<f64> = blended
            .map(|(c, p)| INERTIA * c + (1.0 - INERTIA) * p)
            .collect();
        let worth = |counts: &[(u32, u32)]| {
            let paid = counts
                .iter()
                .map(|(s, c)| prices[*s as usize] * f64::from(*c));
            gain_at(self.view, counts) - paid.sum::<f64>()
        };
        // From the two columns worth most on each kind, and from nothing.
        let mut starts: Vec<Vec<(f64, usize)>> = vec![Vec::new(); self.bins.len()];
        for (at, (kind, counts)) in self.columns.iter().enumerate() {
            starts[*kind as usize].push((worth(counts), at));
        }
        for list in &mut starts {
            list.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        }
        let lanes = self.bins.len() * STARTS;
        let scale = 3500.0 / self.total_replicas();
        let (view, bins, columns) = (self.view, &self.bins, &self.columns);
        let found = context.lanes(lanes, |lane| {
            let (kind, start) = (lane / STARTS, lane % STARTS);
            let mut random = context.random(0x1000_0000 + round * 4096 + lane as u64);
            let from = match starts[kind].get((start + round as usize) % 7) {
                Some((_, at)) if start > 0 => columns[*at].1.as_slice(),
                _ => &[],
            };
            // Heat in the traffic a mean replica carries, as for the walks.
            let heat = [1e-3, 3e-4, 1e-4][start] * scale;
            search(
                view,
                &bins[kind],
                &prices,
                from,
                (steps, heat, 0.0),
                &mut random,
            )
        });
        let mut best = vec![0.0; self.bins.len()];
        let mut added = 0;
        for (lane, (counts, value)) in found.into_iter().enumerate() {
            let best: &mut f64 = &mut best[lane / STARTS];
            *best = best.max(value);
            added += usize::from(value > WORTHWHILE && self.offer(&counts));
        }
        let estimate = self.paid(&prices) + self.over_nodes(&best);
        if estimate < self.estimate {
            self.estimate = estimate;
            self.center = prices;
        }
        added
    }

    /// What all replicas cost at these prices.
    fn paid(&self, prices: &[f64]) -> f64 {
        let pairs = prices.iter().zip(&self.view.replicas);
        pairs.map(|(price, d)| price * f64::from(*d)).sum()
    }

    /// The worth of a best pattern of each kind, over all nodes.
    fn over_nodes(&self, worth: &[f64]) -> f64 {
        let pairs = self.bins.iter().zip(worth);
        pairs.map(|(bin, worth)| worth * bin.count as f64).sum()
    }

    /// What no placement can exceed, proven at the best prices so far within
    /// some limits. Patterns that the proof came by become columns.
    pub fn certified(&mut self, limits: Limits, context: &Context) -> f64 {
        let star = star_bound(self.view);
        if self.center.is_empty() {
            return star;
        }
        let task = Task {
            prices: &self.center,
            starts: &[],
            limits,
        };
        let (bound, patterns) = prove(self.view, &self.bins, task, context);
        for counts in patterns {
            self.offer(&counts);
        }
        bound.min(star)
    }

    /// The columns nearest to being used, at most so many: those an integer
    /// master should see. Columns not yet priced come first.
    pub fn promising(&self, most: usize) -> Vec<&(u32, Vec<(u32, u32)>)> {
        let cost = |at: usize| self.reduced.get(at).copied().unwrap_or(f64::INFINITY);
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.sort_by(|a, b| cost(*b).total_cmp(&cost(*a)).then(a.cmp(b)));
        order.truncate(most);
        order.into_iter().map(|at| &self.columns[at]).collect()
    }

    fn total_replicas(&self) -> f64 {
        self.view
            .replicas
            .iter()
            .map(|d| f64::from(*d))
            .sum::<f64>()
            .max(1.0)
    }
}

/// Places by room and services allowed.
pub(super) fn bins(view: &View) -> Vec<Bin> {
    let mut groups: Vec<Vec<u32>> = vec![Vec::new(); view.gain_groups()];
    for node in 0..view.nodes() as u32 {
        groups[view.gain_group(node) as usize].push(node);
    }
    let mut bins: std::collections::BTreeMap<(Vec<u64>, Vec<bool>, u64), usize> =
        Default::default();
    for nodes in groups.iter().filter(|nodes| !nodes.is_empty()) {
        let room: Vec<u64> = (0..view.dims)
            .map(|dim| nodes.iter().map(|n| view.room(*n)[dim]).sum())
            .collect();
        let classes = view
            .allowed
            .iter()
            .map(|may| nodes.iter().any(|n| may[*n as usize]));
        *bins
            .entry((room, classes.collect(), nodes.len() as u64))
            .or_default() += 1;
    }
    let most = |room: &[u64], classes: &[bool], nodes: u64, s: u32| -> u32 {
        let at = s as usize;
        if view.links(s).is_empty() || !classes[view.class_of[at] as usize] {
            return 0;
        }
        let fitting = view.need(s).iter().zip(room).filter(|(need, _)| **need > 0);
        let fitting = fitting
            .map(|(need, room)| room / need)
            .min()
            .unwrap_or(u64::MAX);
        let capped = u64::from(view.cap[at]).saturating_mul(nodes);
        u64::from(view.replicas[at]).min(fitting).min(capped) as u32
    };
    (bins.into_iter())
        .map(|((room, classes, nodes), count)| Bin {
            most: (0..view.services() as u32)
                .map(|s| most(&room, &classes, nodes, s))
                .collect(),
            room,
            count,
        })
        .collect()
}
