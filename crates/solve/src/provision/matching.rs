//! Multi-node with application-node matching (section 4.4, Algorithm 4): on a
//! given number of nodes, always the feasible pair with the highest score, one
//! replica at a time.
//!
//! The best pair is found through a queue with one entry per node, its best
//! demand class; a class is looked into for a service the node may take only
//! when its entry comes up.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::classes::DemandClasses;
use super::node_rules::NodeRules;
use super::score::{Score, Scorer};
use super::state::State;
use crate::Context;

struct Entry {
    score: f64,
    node: Reverse<u32>,
    class: u32,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then(self.node.cmp(&other.node))
    }
}

/// Places replicas until no pair is feasible; says whether all are placed.
pub(super) fn run(state: &mut State, score: Score, ctx: &Context) -> bool {
    let mut classes = DemandClasses::new(state);
    let mut rules = NodeRules::new(state.view.len());
    let mut scorer = Scorer::new(state, score);
    let mut exhausted: Vec<Vec<u32>> = vec![Vec::new(); state.nodes()];
    let mut queue = BinaryHeap::new();
    let mut left: u64 = state.left.iter().map(|left| u64::from(*left)).sum();
    for (node, exhausted) in exhausted.iter().enumerate() {
        queue.extend(best_class(state, &classes, &scorer, node, exhausted));
    }
    let mut turns = 0u32;
    while let Some(entry) = queue.pop() {
        turns = turns.wrapping_add(1);
        if turns.is_multiple_of(256) && ctx.must_stop() {
            return false;
        }
        let (node, class) = (entry.node.0 as usize, entry.class as usize);
        let service = if classes.has_any(class) {
            rules.load(state, node);
            let members = classes.members(class).iter().map(|member| *member as usize);
            let mut feasible = members.filter(|s| state.left[*s] > 0 && rules.more(state, *s) > 0);
            feasible.next()
        } else {
            None
        };
        match service {
            Some(service) => {
                state.place(node, service, 1);
                scorer.note_placed(state.view.row(service), 1);
                left -= 1;
                if state.left[service] == 0 {
                    classes.note_finished(state, service);
                }
            }
            // What the rules forbid here now stays forbidden: contents only grow.
            None => exhausted[node].push(class as u32),
        }
        queue.extend(best_class(state, &classes, &scorer, node, &exhausted[node]));
    }
    left == 0
}

fn best_class(
    state: &State,
    classes: &DemandClasses,
    scorer: &Scorer,
    node: usize,
    exhausted: &[u32],
) -> Option<Entry> {
    let residual = state.residual(node);
    let mut best: Option<(f64, usize)> = None;
    for class in 0..classes.len() {
        if !classes.has_any(class) {
            continue;
        }
        let example = classes.example(class);
        if !state.fits(node, example) || exhausted.contains(&(class as u32)) {
            continue;
        }
        let score = scorer.of(state.view.row(example), residual);
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, class));
        }
    }
    best.map(|(score, class)| Entry {
        score,
        node: Reverse(node as u32),
        class: class as u32,
    })
}
