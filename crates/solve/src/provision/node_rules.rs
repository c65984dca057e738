//! What the rules still allow of every service on one node: the counterpart
//! of `allowance` for algorithms that look at one node and many services.

use bayplan_model::ServiceId;

use super::state::State;
use super::view::UNLIMITED;

/// Scratch for one node at a time.
pub(super) struct NodeRules {
    node: usize,
    most: Vec<u32>,
    touched: Vec<u32>,
}

impl NodeRules {
    pub fn new(services: usize) -> Self {
        Self {
            node: 0,
            most: vec![UNLIMITED; services],
            touched: Vec::new(),
        }
    }

    /// Works out all services for a node from its contents.
    pub fn load(&mut self, state: &State, node: usize) {
        for service in self.touched.drain(..) {
            self.most[service as usize] = UNLIMITED;
        }
        self.node = node;
        for (service, _) in state.contents(node) {
            self.note(state, *service as usize);
        }
    }

    /// The count of a service on the node changed.
    pub fn note(&mut self, state: &State, service: usize) {
        let count = state.count(self.node, service);
        let limits = &state.view.services.limits;
        for (other, max) in limits.imposed_by(ServiceId::from(service)) {
            self.lower(other.0, max);
        }
        for (other, max) in limits.imposed_on(ServiceId::from(service)) {
            if count > max {
                self.lower(other.0, 0);
            }
        }
    }

    /// How many more replicas of a service may come, by all rules.
    pub fn more(&self, state: &State, service: usize) -> u32 {
        let most = self.most[service];
        if most == 0 {
            return 0;
        }
        let view = state.view;
        let pool = state.pool(self.node);
        if !view.allows(service, self.node, pool) {
            return 0;
        }
        let most = most.min(view.cap[service]);
        let mut more = most.saturating_sub(state.count(self.node, service));
        for set in &view.node_sets_of[service] {
            let (members, max) = &view.node_sets[*set as usize];
            let there: u32 = members
                .iter()
                .map(|m| state.count(self.node, *m as usize))
                .sum();
            more = more.min(max.saturating_sub(there));
        }
        more.min(state.label_room(self.node, service))
    }

    fn lower(&mut self, service: u32, max: u32) {
        let most = &mut self.most[service as usize];
        if max < *most {
            if *most == UNLIMITED {
                self.touched.push(service);
            }
            *most = max;
        }
    }
}
