//! Guided ejection search: a replica that finds no place takes one by force,
//! and what it pushes out looks for a place next.
//!
//! Each failure raises the penalty of the service that failed, so that over
//! time services that are hard to place are no longer the ones pushed out.

use bayplan_model::ServiceId;
use rand::RngExt;
use rustc_hash::FxHashMap;

use crate::provision::allowance::Allowance;
use crate::provision::grid::Grid;
use crate::provision::state::State;
use crate::provision::view::{UNLIMITED, View};
use crate::{Context, Random};

/// Nodes looked at when a replica must be forced in.
const SAMPLE: usize = 256;

/// The search; penalties survive from one number of nodes to the next.
pub(super) struct Ejector {
    allowance: Allowance,
    random: Random,
    penalty: Vec<f32>,
    /// Normalised size of a replica of each service.
    size: Vec<f32>,
    /// One entry per replica without a place; the last is placed next.
    pending: Vec<u32>,
    /// Limits of the service in hand: what others allow of it, and it of others.
    on: Vec<u32>,
    by: Vec<u32>,
    fixed: FxHashMap<(u32, u32), u32>,
    trial: Vec<(u32, u32)>,
    chosen: Vec<(u32, u32)>,
    short: Vec<i64>,
}

/// What a run of the search ended with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ended {
    AllPlaced,
    OutOfSteps,
    Stopped,
}

impl Ejector {
    pub fn new(view: &View, size: &[f64], random: Random) -> Self {
        let fixed = view
            .fixed
            .iter()
            .map(|e| ((e.node.0, e.service.0), e.count));
        Self {
            allowance: Allowance::default(),
            random,
            penalty: vec![1.0; view.len()],
            size: size.iter().map(|size| *size as f32).collect(),
            pending: Vec::new(),
            on: vec![UNLIMITED; view.len()],
            by: vec![UNLIMITED; view.len()],
            fixed: fixed.collect(),
            trial: Vec::new(),
            chosen: Vec::new(),
            short: vec![0; view.width],
        }
    }

    /// Places what is left, for at most `steps` steps; `steps` is lowered by
    /// the number made.
    pub fn run(
        &mut self,
        state: &mut State,
        grid: &mut Grid,
        steps: &mut u64,
        ctx: &Context,
        stop: &dyn Fn() -> bool,
    ) -> Ended {
        self.collect_pending(state);
        while let Some(service) = self.pending.pop() {
            if *steps == 0 {
                return Ended::OutOfSteps;
            }
            *steps -= 1;
            if (*steps).is_multiple_of(16) && (ctx.must_stop() || stop()) {
                return Ended::Stopped;
            }
            let service = service as usize;
            self.allowance.compute(state, service);
            if let Some(node) = self.best_fit(state, grid, service) {
                state.place(node, service, 1);
                grid.update(state, node);
            } else {
                self.force_in(state, grid, service);
            }
        }
        Ended::AllPlaced
    }

    /// Replicas without a place, small services first: the last goes first.
    fn collect_pending(&mut self, state: &State) {
        let mut services: Vec<u32> = (0..state.left.len() as u32).collect();
        services.retain(|s| state.left[*s as usize] > 0);
        services.sort_by(|a, b| self.size[*a as usize].total_cmp(&self.size[*b as usize]));
        self.pending.clear();
        for service in services {
            let count = state.left[service as usize] as usize;
            self.pending.extend(std::iter::repeat_n(service, count));
        }
    }

    /// The feasible node in the fullest class.
    fn best_fit(&self, state: &State, grid: &Grid, service: usize) -> Option<usize> {
        let needs = |r| state.view.least(service, r);
        grid.fullest(needs, |node| self.allowance.takes(state, node))
    }

    /// Puts a replica on the sampled node where it pushes out the least.
    fn force_in(&mut self, state: &mut State, grid: &mut Grid, service: usize) {
        self.penalty[service] += 1.0;
        self.spread_out_limits(state.view, service, true);
        let nodes = state.nodes();
        let mut best: Option<(f32, usize)> = None;
        for _ in 0..SAMPLE.min(nodes) {
            let node = self.random.random_range(0..nodes);
            let budget = best.map_or(f32::INFINITY, |(cost, _)| cost);
            if let Some(cost) = self.price(state, node, service, budget)
                && cost < budget
            {
                best = Some((cost, node));
                std::mem::swap(&mut self.trial, &mut self.chosen);
            }
        }
        self.spread_out_limits(state.view, service, false);
        let Some((_, node)) = best else {
            // No sampled node can ever take it: let others try first.
            self.pending.insert(0, service as u32);
            return;
        };
        for i in 0..self.chosen.len() {
            let (out, count) = self.chosen[i];
            state.remove(node, out as usize, count);
            self.pending
                .extend(std::iter::repeat_n(out, count as usize));
        }
        state.place(node, service, 1);
        grid.update(state, node);
    }

    fn spread_out_limits(&mut self, view: &View, service: usize, set: bool) {
        let limits = &view.services.limits;
        for (other, max) in limits.imposed_on(ServiceId::from(service)) {
            self.on[other.index()] = if set { max } else { UNLIMITED };
        }
        for (other, max) in limits.imposed_by(ServiceId::from(service)) {
            self.by[other.index()] = if set { max } else { UNLIMITED };
        }
    }

    /// What must leave the node for one replica, into `trial`, and its cost;
    /// `None` when leaving does not help or costs more than `budget`.
    fn price(&mut self, state: &State, node: usize, service: usize, budget: f32) -> Option<f32> {
        let here = state.count(node, service);
        if self.blocked_for_good(state, node, service, here) {
            return None;
        }
        let view = state.view;
        self.trial.clear();
        let mut cost = 0.0;
        let residual = state.residual(node);
        for (short, (need, free)) in self
            .short
            .iter_mut()
            .zip(view.row(service).iter().zip(residual))
        {
            *short = *need as i64 - *free;
        }
        for (other, count) in state.contents(node) {
            let id = *other as usize;
            let out = if self.on[id] < here + 1 {
                *count
            } else {
                count.saturating_sub(self.by[id])
            };
            if out == 0 || id == service {
                continue;
            }
            if out > count - self.staying(node, *other) {
                return None;
            }
            cost += self.weight(id) * out as f32;
            if cost >= budget {
                return None;
            }
            self.trial.push((*other, out));
            for (short, units) in self.short.iter_mut().zip(view.row(id)) {
                *short -= *units as i64 * i64::from(out);
            }
        }
        while self.short.iter().any(|short| *short > 0) {
            let (other, weight) = self.cheapest_relief(state, node, service)?;
            cost += weight;
            if cost >= budget {
                return None;
            }
            match self.trial.iter_mut().find(|(s, _)| *s == other) {
                Some((_, out)) => *out += 1,
                None => self.trial.push((other, 1)),
            }
            for (short, units) in self.short.iter_mut().zip(view.row(other as usize)) {
                *short -= *units as i64;
            }
        }
        Some(cost)
    }

    /// The replica whose leaving relieves the shortage at the least cost.
    fn cheapest_relief(&self, state: &State, node: usize, service: usize) -> Option<(u32, f32)> {
        let view = state.view;
        let capacity = &view.kinds[state.pool(node)].capacity;
        let mut best: Option<(f32, u32, f32)> = None;
        for (other, count) in state.contents(node) {
            let gone = self
                .trial
                .iter()
                .find(|(s, _)| s == other)
                .map_or(0, |(_, out)| *out);
            if *other as usize == service || count - gone <= self.staying(node, *other) {
                continue;
            }
            let row = view.row(*other as usize);
            let mut relief = 0.0;
            for (d, (short, units)) in self.short.iter().zip(row).enumerate() {
                if *short > 0 {
                    relief += (*short).min(*units as i64) as f32 / capacity[d / view.epochs] as f32;
                }
            }
            let weight = self.weight(*other as usize);
            let ratio = weight / relief;
            if relief > 0.0 && best.is_none_or(|(least, _, _)| ratio < least) {
                best = Some((ratio, *other, weight));
            }
        }
        best.map(|(_, other, weight)| (other, weight))
    }

    fn weight(&self, service: usize) -> f32 {
        self.penalty[service] * self.size[service]
    }

    fn staying(&self, node: usize, service: u32) -> u32 {
        if self.fixed.is_empty() {
            return 0;
        }
        self.fixed
            .get(&(node as u32, service))
            .copied()
            .unwrap_or(0)
    }

    /// Rules that pushing others out does not mend here: compatibility, own
    /// cap, full spread sets, and a node that is too small.
    fn blocked_for_good(&self, state: &State, node: usize, service: usize, here: u32) -> bool {
        let view = state.view;
        let full_set = view.node_sets_of[service].iter().any(|set| {
            let (members, max) = &view.node_sets[*set as usize];
            members
                .iter()
                .map(|m| state.count(node, *m as usize))
                .sum::<u32>()
                >= *max
        });
        here >= view.cap[service]
            || full_set
            || !view.allows(service, node, state.pool(node))
            || state.label_room(node, service) == 0
            || view.per_empty_node(service, state.pool(node)) == 0
    }
}
