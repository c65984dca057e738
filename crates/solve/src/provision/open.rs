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

    /// The pool a node for this service would come from.
    pub fn pool_for(&self, state: &State, service: usize) -> Option<usize> {
        if self.allowed == Some(0) {
            return None;
        }
        let view = state.view;
        let usable = |pool: &&usize| {
            state.openable(**pool) > 0
                && view.allows_pool(service, **pool)
                && view.per_empty_node(service, **pool) > 0
        };
        self.ranked.iter().find(usable).copied()
    }

    /// Opens a node for the service, if any pool can.
    pub fn open_for(&mut self, state: &mut State, service: usize) -> Option<usize> {
        let pool = self.pool_for(state, service)?;
        Some(self.open(state, pool))
    }

    /// Opens a node of a pool.
    pub fn open(&mut self, state: &mut State, pool: usize) -> usize {
        self.allowed = self.allowed.map(|allowed| allowed - 1);
        state.open(pool)
    }

    /// The best pool of which a node may still be opened.
    pub fn any_pool(&self, state: &State) -> Option<usize> {
        let usable = |pool: &&usize| state.openable(**pool) > 0;
        self.ranked.iter().find(usable).copied()
    }
}
