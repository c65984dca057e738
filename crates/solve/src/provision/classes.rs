//! Services with the same demand together: what depends on the demand alone
//! (room, scores) is worked out once for all of them.

use rustc_hash::FxHashMap;

use super::state::State;
use super::view::View;

/// Services by demand, in order of first appearance.
pub(super) struct DemandClasses {
    /// For each class its services that may still have replicas left, ascending.
    members: Vec<Vec<u32>>,
    class_of: Vec<u32>,
    /// Services of each class with replicas left.
    alive: Vec<u32>,
}

impl DemandClasses {
    pub fn new(state: &State) -> Self {
        let view: &View = state.view;
        let mut known: FxHashMap<&[u64], u32> = FxHashMap::default();
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut class_of = vec![0; view.len()];
        let mut alive = Vec::new();
        for (service, class_of) in class_of.iter_mut().enumerate() {
            let class = *known.entry(view.row(service)).or_insert_with(|| {
                members.push(Vec::new());
                alive.push(0);
                members.len() as u32 - 1
            });
            *class_of = class;
            if state.left[service] > 0 {
                members[class as usize].push(service as u32);
                alive[class as usize] += 1;
            }
        }
        Self {
            members,
            class_of,
            alive,
        }
    }

    pub fn len(&self) -> usize {
        self.members.len()
    }

    pub fn class(&self, service: usize) -> usize {
        self.class_of[service] as usize
    }

    pub fn has_any(&self, class: usize) -> bool {
        self.alive[class] > 0
    }

    /// A service whose demand is the class's.
    pub fn example(&self, class: usize) -> usize {
        self.members[class][0] as usize
    }

    pub fn members(&self, class: usize) -> &[u32] {
        &self.members[class]
    }

    /// A service has no replica left.
    pub fn note_finished(&mut self, state: &State, service: usize) {
        let class = self.class(service);
        self.alive[class] -= 1;
        if self.alive[class] > 0 && (self.alive[class] as usize) < self.members[class].len() / 2 {
            self.members[class].retain(|member| state.left[*member as usize] > 0);
        }
    }
}
