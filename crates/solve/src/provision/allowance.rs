//! How many more replicas of the service in hand each node may take by the
//! rules: limits both ways, own cap, spread sets, compatibility.
//!
//! The cost follows the limits of the service and the places of the services
//! they name, never nodes times contents.

use bayplan_model::ServiceId;

use super::state::State;
use super::view::UNLIMITED;

/// Scratch for one service at a time; made once, used again and again.
#[derive(Clone, Default)]
pub(super) struct Allowance {
    service: usize,
    most: Vec<u32>,
    touched: Vec<u32>,
    cap: u32,
    set_counts: Vec<u32>,
}

impl Allowance {
    /// Works out all nodes for a service.
    pub fn compute(&mut self, state: &State, service: usize) {
        self.reset(state, service);
        let view = state.view;
        let limits = &view.services.limits;
        for (other, max) in limits.imposed_on(ServiceId::from(service)) {
            for (node, _) in state.places(other.index()) {
                self.lower(*node, max);
            }
        }
        for (other, max) in limits.imposed_by(ServiceId::from(service)) {
            for (node, count) in state.places(other.index()) {
                if *count > max {
                    self.lower(*node, 0);
                }
            }
        }
        for (node, count) in state.places(service) {
            let most = self.most[*node as usize];
            self.lower(*node, most.saturating_sub(*count));
        }
        for set in &view.node_sets_of[service] {
            self.apply_set(state, *set as usize);
        }
        if !view.services.compatibility.is_everywhere() {
            self.apply_compatibility(state);
        }
    }

    /// How many more replicas by the rules; label-level sets are looked up
    /// when asked, because every placement changes them for other nodes.
    #[inline]
    pub fn more(&self, state: &State, node: usize) -> u32 {
        let most = self.most[node];
        if state.view.label_sets.is_empty() || most == 0 {
            return most;
        }
        most.min(state.label_room(node, self.service))
    }

    /// As `more`, and by capacity.
    #[inline]
    pub fn most(&self, state: &State, node: usize) -> u32 {
        match self.more(state, node) {
            0 => 0,
            more => more.min(state.room(node, self.service)),
        }
    }

    /// Whether one more replica may go to the node, by rules and capacity.
    #[inline]
    pub fn takes(&self, state: &State, node: usize) -> bool {
        self.more(state, node) > 0 && state.fits(node, self.service)
    }

    /// Keeps the scratch right after replicas of the service were placed.
    pub fn note_placed(&mut self, node: usize, count: u32) {
        let most = self.most[node];
        if most != UNLIMITED {
            self.lower(node as u32, most - count);
        }
    }

    /// A node was put into use since `compute`; only new ones change the scratch.
    pub fn note_opened(&mut self, state: &State, node: usize) {
        if node < self.most.len() {
            return;
        }
        let allowed = state.view.allows_pool(self.service, state.pool(node));
        self.most.push(self.cap);
        if !allowed {
            self.lower(node as u32, 0);
        }
    }

    fn reset(&mut self, state: &State, service: usize) {
        let cap = state.view.cap[service];
        if self.cap == cap {
            for node in self.touched.drain(..) {
                // Nodes may have been closed in between.
                if let Some(most) = self.most.get_mut(node as usize) {
                    *most = cap;
                }
            }
            self.most.resize(state.nodes(), cap);
        } else {
            self.touched.clear();
            self.most.clear();
            self.most.resize(state.nodes(), cap);
        }
        self.cap = cap;
        self.service = service;
    }

    #[inline]
    fn lower(&mut self, node: u32, max: u32) {
        let most = &mut self.most[node as usize];
        if max < *most {
            if *most == self.cap {
                self.touched.push(node);
            }
            *most = max;
        }
    }

    fn apply_set(&mut self, state: &State, set: usize) {
        let (members, max) = &state.view.node_sets[set];
        self.set_counts.resize(state.nodes(), 0);
        for member in members {
            for (node, count) in state.places(*member as usize) {
                self.set_counts[*node as usize] += count;
            }
        }
        for member in members {
            for (node, _) in state.places(*member as usize) {
                let count = std::mem::take(&mut self.set_counts[*node as usize]);
                if count > 0 {
                    self.lower(*node, max.saturating_sub(count));
                }
            }
        }
    }

    fn apply_compatibility(&mut self, state: &State) {
        let view = state.view;
        for node in 0..state.nodes() {
            if !view.allows(self.service, node, state.pool(node)) {
                self.lower(node as u32, 0);
            }
        }
    }
}
