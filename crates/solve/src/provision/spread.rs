//! Multi-node with replica spreading (section 4.4, Algorithm 3): on a given
//! number of nodes, one replica at a time to the emptiest feasible node.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

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
    /// Nodes that took replicas of the service in hand.
    moved: Vec<u32>,
}

impl Ranking {
    fn new(state: &State, measure: Measure, epsilon: f64) -> Self {
        let mut ranking = Self {
            measure: NodeMeasure::new(state, measure, epsilon),
            keys: Vec::new(),
            order: BTreeSet::new(),
            moved: Vec::new(),
        };
        ranking.rebuild(state);
        ranking
    }

    fn rebuild(&mut self, state: &State) {
        self.measure.refresh(state.nodes());
        self.keys = (0..state.nodes())
            .map(|n| key(self.measure.of(state.residual(n))))
            .collect();
        let keys = self.keys.iter().enumerate();
        self.order = keys
            .map(|(node, key)| (Reverse(*key), node as u32))
            .collect();
    }

    /// Ranks the nodes that took replicas anew.
    fn settle(&mut self, state: &State) {
        for node in self.moved.drain(..) {
            let key_now = key(self.measure.of(state.residual(node as usize)));
            let known = std::mem::replace(&mut self.keys[node as usize], key_now);
            self.order.remove(&(Reverse(known), node));
            self.order.insert((Reverse(key_now), node));
        }
    }
}

/// Whole numbers in the order of the (finite) values.
fn key(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    }
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
        ranking.settle(state);
        if state.left[service] > 0 {
            complete = false;
            if all_or_nothing {
                return false;
            }
        }
    }
    complete
}

/// One walk down the ranking: a node that cannot take a replica now cannot
/// later, and a node that took one is met again further down, through the queue.
fn spread_service(
    state: &mut State,
    service: usize,
    ranking: &mut Ranking,
    allowance: &mut Allowance,
) {
    let Ranking {
        measure,
        order,
        moved,
        ..
    } = ranking;
    let mut queue: BinaryHeap<(u64, Reverse<u32>)> = BinaryHeap::new();
    moved.clear();
    let mut walk = order.iter().peekable();
    while state.left[service] > 0 {
        let from_queue = match (queue.peek(), walk.peek()) {
            (None, None) => break,
            (Some(again), Some(next)) => (Reverse(again.0), again.1.0) < **next,
            (again, _) => again.is_some(),
        };
        let node = if from_queue {
            queue.pop().expect("it was seen").1.0
        } else {
            let (_, node) = walk.next().expect("it was seen");
            if !allowance.takes(state, *node as usize) {
                continue;
            }
            moved.push(*node);
            *node
        };
        state.place(node as usize, service, 1);
        allowance.note_placed(node as usize, 1);
        measure.note_placed(state.view.row(service), 1);
        if allowance.takes(state, node as usize) {
            queue.push((
                key(measure.of(state.residual(node as usize))),
                Reverse(node),
            ));
        }
    }
}
