//! Application-centric algorithms (section 4.2, Algorithm 1): services one by
//! one, as many replicas as possible on the chosen node, then the next node.

use super::allowance::Allowance;
use super::measure::{Measure, NodeMeasure};
use super::open::Opener;
use super::state::State;
use crate::Context;
use crate::shared::room::Room;

/// Which feasible node comes first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum NodeRule {
    /// In activation order.
    First,
    /// Least residual capacity first.
    Best(Measure),
    /// Most residual capacity first.
    Worst(Measure),
}

/// Places the services in this order, opening nodes when none takes a replica.
pub(super) fn run(
    state: &mut State,
    order: &[u32],
    rule: NodeRule,
    epsilon: f64,
    opener: &mut Opener,
    ctx: &Context,
) {
    let mut run = Run {
        room: room(state),
        allowance: Allowance::default(),
        need: Vec::new(),
        ranked: Vec::new(),
    };
    let mut measure = match rule {
        NodeRule::First => None,
        NodeRule::Best(m) | NodeRule::Worst(m) => Some(NodeMeasure::new(state, m, epsilon)),
    };
    for (i, service) in order.iter().map(|s| *s as usize).enumerate() {
        if i % 64 == 0 && ctx.must_stop() {
            return;
        }
        if state.left[service] == 0 {
            continue;
        }
        run.begin(state, service);
        match &mut measure {
            None => run.first_fit(state, service),
            Some(measure) => {
                let worst = matches!(rule, NodeRule::Worst(_));
                run.by_measure(state, service, measure, worst);
            }
        }
        run.on_new_nodes(state, service, opener, measure.as_mut());
    }
}

/// What the nodes have free, for the first with room.
pub(super) fn room(state: &State) -> Room<i64> {
    let free: Vec<i64> = (0..state.nodes())
        .flat_map(|node| state.free(node).iter().copied())
        .collect();
    Room::new(state.view.resources, i64::MIN, &free)
}

struct Run {
    room: Room<i64>,
    allowance: Allowance,
    need: Vec<i64>,
    ranked: Vec<(f64, u32)>,
}

impl Run {
    fn begin(&mut self, state: &State, service: usize) {
        self.allowance.compute(state, service);
        let resources = state.view.resources;
        self.need.clear();
        self.need
            .extend((0..resources).map(|r| state.view.least(service, r)));
    }

    fn first_fit(&mut self, state: &mut State, service: usize) {
        let mut from = 0;
        while state.left[service] > 0 {
            let Some(node) = self.room.first(from, &self.need) else {
                return;
            };
            self.fill(state, node, service);
            from = node + 1;
        }
    }

    fn by_measure(
        &mut self,
        state: &mut State,
        service: usize,
        measure: &mut NodeMeasure,
        worst: bool,
    ) {
        measure.refresh(state.nodes());
        self.ranked.clear();
        let mut from = 0;
        while let Some(node) = self.room.first(from, &self.need) {
            if self.allowance.takes(state, node) {
                self.ranked
                    .push((measure.of(state.residual(node)), node as u32));
            }
            from = node + 1;
        }
        let tie = |a: &(f64, u32), b: &(f64, u32)| a.1.cmp(&b.1);
        if worst {
            self.ranked
                .sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(tie(a, b)));
        } else {
            self.ranked
                .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(tie(a, b)));
        }
        for i in 0..self.ranked.len() {
            if state.left[service] == 0 {
                return;
            }
            let placed = self.fill(state, self.ranked[i].1 as usize, service);
            measure.note_placed(state.view.row(service), placed);
        }
    }

    fn on_new_nodes(
        &mut self,
        state: &mut State,
        service: usize,
        opener: &mut Opener,
        mut measure: Option<&mut NodeMeasure>,
    ) {
        while state.left[service] > 0 {
            let Some(node) = opener.open_for(state, service) else {
                return;
            };
            self.allowance.note_opened(state, node);
            self.room.set(node, state.free(node));
            if let Some(measure) = measure.as_deref_mut() {
                measure.note_opened(state, node);
            }
            let placed = self.fill(state, node, service);
            if let Some(measure) = measure.as_deref_mut() {
                measure.note_placed(state.view.row(service), placed);
            }
            if placed == 0 {
                // A label-level set is full there, and would be on the next one too.
                return;
            }
        }
    }

    fn fill(&mut self, state: &mut State, node: usize, service: usize) -> u32 {
        let count = self.allowance.most(state, node).min(state.left[service]);
        if count > 0 {
            state.place(node, service, count);
            self.allowance.note_placed(node, count);
            self.room.set(node, state.free(node));
        }
        count
    }
}
