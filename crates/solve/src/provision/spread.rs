//! Multi-node with replica spreading (section 4.4, Algorithm 3): on a given
//! number of nodes, one replica at a time to the emptiest feasible node.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Bound;

use super::allowance::Allowance;
use super::measure::{Measure, NodeMeasure};
use super::state::State;
use crate::Context;

/// Services between two re-orderings where the weights of a measure depend on
/// the residuals of all nodes; they change by a hair from service to service.
const REORDER: usize = 64;

/// Nodes by residual measure, most first.
struct Ranking {
    measure: NodeMeasure,
    keys: Vec<u64>,
    order: BTreeSet<(Reverse<u64>, u32)>,
}

impl Ranking {
    fn new(state: &State, measure: Measure, epsilon: f64) -> Self {
        let mut ranking = Self {
            measure: NodeMeasure::new(state, measure, epsilon),
            keys: Vec::new(),
            order: BTreeSet::new(),
        };
        ranking.rebuild(state);
        ranking
    }

    fn rebuild(&mut self, state: &State) {
        self.measure.refresh(state.nodes());
        self.keys = (0..state.nodes()).map(|n| key(self.measure.of(state.residual(n)))).collect();
        let keys = self.keys.iter().enumerate();
        self.order = keys.map(|(node, key)| (Reverse(*key), node as u32)).collect();
    }

    fn update(&mut self, state: &State, node: usize) {
        self.order.remove(&(Reverse(self.keys[node]), node as u32));
        self.keys[node] = key(self.measure.of(state.residual(node)));
        self.order.insert((Reverse(self.keys[node]), node as u32));
    }
}

/// Whole numbers in the order of the (finite) values.
fn key(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// Places all services, or stops at the first replica without a place when
/// `all_or_nothing`; says whether everything is placed.
pub(super) fn run(
    state: &mut State,
    order: &[u32],
    measure: Measure,
    epsilon: f64,
    all_or_nothing: bool,
    ctx: &Context,
) -> bool {
    let mut ranking = Ranking::new(state, measure, epsilon);
    let mut allowance = Allowance::default();
    let steady = matches!(measure, Measure::Average | Measure::Max);
    let mut complete = true;
    for (i, service) in order.iter().map(|s| *s as usize).enumerate() {
        if i % 64 == 0 && ctx.must_stop() {
            return false;
        }
        if state.left[service] == 0 {
            continue;
        }
        if !steady && i % REORDER == 0 {
            ranking.rebuild(state);
        }
        allowance.compute(state, service);
        spread_service(state, service, &mut ranking, &mut allowance);
        if state.left[service] > 0 {
            complete = false;
            if all_or_nothing {
                return false;
            }
        }
    }
    complete
}

/// A node that took a replica moves down the ranking and is met again further
/// down; a node that cannot take one now cannot later, so one walk is enough.
fn spread_service(
    state: &mut State,
    service: usize,
    ranking: &mut Ranking,
    allowance: &mut Allowance,
) {
    let mut from = Bound::Unbounded;
    while state.left[service] > 0 {
        let Some(next) = ranking.order.range((from, Bound::Unbounded)).next().copied() else {
            return;
        };
        from = Bound::Excluded(next);
        let node = next.1 as usize;
        while state.left[service] > 0 && allowance.takes(state, node) {
            state.place(node, service, 1);
            allowance.note_placed(node, 1);
            ranking.measure.note_placed(state.view.row(service), 1);
            ranking.update(state, node);
            if (Reverse(ranking.keys[node]), node as u32) > next {
                break;
            }
        }
    }
}
