//! The constructive rule: largest services first, each replica to the class
//! of nodes that stays balanced and is emptiest.
//!
//! Score of a node: half the sum of its residuals before placing, less their
//! imbalance after placing, in shares of the largest node. Spreading
//! over balanced, empty nodes keeps replicas of a service apart, so limits bind
//! late.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::Context;
use crate::provision::allowance::Allowance;
use crate::provision::grid::Grid;
use crate::provision::state::State;

/// Scratch of the constructive rule.
#[derive(Default)]
pub(super) struct Builder {
    allowance: Allowance,
    heap: BinaryHeap<Entry>,
}

#[derive(Clone, Copy)]
enum Target {
    Class(u32),
    Node(u32),
}

struct Entry {
    score: f32,
    /// Ties go to the lower number, so that the answer does not depend on history.
    id: u32,
    target: Target,
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
            .then(other.id.cmp(&self.id))
    }
}

/// How much emptiness counts against balance.
#[derive(Clone, Copy)]
pub(super) struct Weights {
    pub emptiness: f32,
}

impl Builder {
    /// Places as many replicas as the open nodes take, services in this order.
    pub fn fill(
        &mut self,
        state: &mut State,
        grid: &mut Grid,
        order: &[u32],
        weights: Weights,
        ctx: &Context,
    ) {
        for (i, service) in order.iter().enumerate() {
            if i % 64 == 0 && ctx.must_stop() {
                return;
            }
            if state.left[*service as usize] > 0 {
                self.fill_service(state, grid, *service as usize, weights);
            }
        }
    }

    fn fill_service(
        &mut self,
        state: &mut State,
        grid: &mut Grid,
        service: usize,
        weights: Weights,
    ) {
        self.allowance.compute(state, service);
        let need = grid.levels_for(|r| state.view.least(service, r));
        let resources = grid.resources();
        let score = |grid: &Grid, levels: [u32; 4]| -> Option<f32> {
            let (mut sum, mut low, mut high) = (0.0, f32::MAX, f32::MIN);
            for r in 0..resources {
                let after = levels[r].checked_sub(need[r])?;
                let share = grid.share(after);
                sum += grid.share(levels[r]);
                low = low.min(share);
                high = high.max(share);
            }
            Some(low - high + weights.emptiness * sum)
        };
        let mut entries = std::mem::take(&mut self.heap).into_vec();
        entries.clear();
        entries.extend(grid.occupied().iter().filter_map(|class| {
            let score = score(grid, grid.levels_of(*class as usize))?;
            let target = Target::Class(*class);
            Some(Entry {
                score,
                id: *class,
                target,
            })
        }));
        self.heap = BinaryHeap::from(entries);
        while state.left[service] > 0 {
            let Some(entry) = self.heap.pop() else { return };
            match entry.target {
                Target::Node(node) => self.put(state, grid, node as usize, service, &score),
                Target::Class(class) => {
                    let mut at = 0;
                    while let Some(node) = grid.nodes(class as usize).get(at).copied() {
                        if state.left[service] == 0 {
                            return;
                        }
                        let before = grid.nodes(class as usize).len();
                        self.put(state, grid, node as usize, service, &score);
                        // A node that left was replaced by the last of its class.
                        at += usize::from(grid.nodes(class as usize).len() == before);
                    }
                }
            }
        }
    }

    /// Places one replica if the node takes it, and queues the node again.
    fn put(
        &mut self,
        state: &mut State,
        grid: &mut Grid,
        node: usize,
        service: usize,
        score: &impl Fn(&Grid, [u32; 4]) -> Option<f32>,
    ) {
        if !self.allowance.takes(state, node) {
            return;
        }
        state.place(node, service, 1);
        self.allowance.note_placed(node, 1);
        grid.update(state, node);
        if self.allowance.takes(state, node) {
            let levels = grid.levels_at(node);
            if let Some(score) = score(grid, levels) {
                let target = Target::Node(node as u32);
                self.heap.push(Entry {
                    score,
                    id: node as u32,
                    target,
                });
            }
        }
    }
}
