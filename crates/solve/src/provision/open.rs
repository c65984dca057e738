//! Which pool a new node comes from.

use super::measure::total_demand;
use super::state::State;
use super::view::View;

/// Pools by price per useful capacity, best first.
pub(super) struct Opener {
    ranked: Vec<usize>,
    /// New nodes that may still be opened; `None`: as many as the pools allow.
    pub allowed: Option<u32>,
}

impl Opener {
    pub fn new(view: &View, allowed: Option<u32>) -> Self {
        let demand = total_demand(view);
        let most: Vec<f64> = demand
            .chunks_exact(view.epochs)
            .map(|row| row.iter().copied().fold(0.0, f64::max))
            .collect();
        let usefulness = |pool: usize| -> f64 {
            let capacity = view.kinds[pool].capacity.iter().enumerate();
            let largest = |r: usize| view.kinds.iter().map(|k| k.capacity[r]).max().unwrap_or(1);
            let shares = capacity.map(|(r, c)| most[r] * *c as f64 / largest(r).max(1) as f64);
            shares.sum::<f64>().max(f64::MIN_POSITIVE)
        };
        let worth = |pool: &usize| view.kinds[*pool].price as f64 / usefulness(*pool);
        let mut ranked: Vec<usize> = (0..view.kinds.len()).collect();
        // Without prices the most useful node first.
        ranked.sort_by(|a, b| {
            let tie = usefulness(*b).total_cmp(&usefulness(*a));
            worth(a).total_cmp(&worth(b)).then(tie)
        });
        Self { ranked, allowed }
    }

    /// Puts a node into use for the service: one out of use, or a new one, of the
    /// best pool that can.
    pub fn open_for(&mut self, state: &mut State, service: usize) -> Option<usize> {
        self.ranked.iter().find_map(|pool| {
            let before = state.nodes();
            let one = open_in(state, *pool, service, self.allowed != Some(0));
            if state.nodes() > before {
                self.allowed = self.allowed.map(|allowed| allowed - 1);
            }
            one
        })
    }

    /// The pools, best first.
    pub fn ranked_pools(&self) -> Vec<usize> {
        self.ranked.clone()
    }

    /// Puts an empty node of a pool that could hold a replica of the service into
    /// use: one that was taken out of use, or a new one.
    pub fn open_spare(&mut self, state: &mut State, pool: usize, service: usize) -> Option<usize> {
        if self.allowed == Some(0) {
            return None;
        }
        let node = open_in(state, pool, service, true)?;
        self.allowed = self.allowed.map(|allowed| allowed - 1);
        Some(node)
    }

    /// Puts a node of a pool into use, whatever it is for.
    pub fn open_any(&mut self, state: &mut State, pool: usize) -> Option<usize> {
        let shut = state.shut_nodes().find(|node| state.pool(*node) == pool);
        if let Some(node) = shut {
            state.reopen(node);
            return Some(node);
        }
        if state.openable(pool) == 0 || self.allowed == Some(0) {
            return None;
        }
        self.allowed = self.allowed.map(|allowed| allowed - 1);
        Some(state.open(pool))
    }

    /// Puts a node of the best pool into use.
    pub fn open_best(&mut self, state: &mut State) -> Option<usize> {
        (0..self.ranked.len()).find_map(|at| self.open_any(state, self.ranked[at]))
    }
}

/// Puts a node of one pool into use for a service, if it can hold a replica.
pub(super) fn open_in(
    state: &mut State,
    pool: usize,
    service: usize,
    may_add: bool,
) -> Option<usize> {
    let view = state.view;
    if view.per_empty_node(service, pool) == 0 {
        return None;
    }
    let mut shut = state.shut_nodes();
    let usable = |node: &usize| state.pool(*node) == pool && view.allows(service, *node, pool);
    if let Some(node) = shut.find(usable) {
        drop(shut);
        state.reopen(node);
        return Some(node);
    }
    drop(shut);
    let add = may_add && state.openable(pool) > 0 && view.allows_pool(service, pool);
    add.then(|| state.open(pool))
}
