//! Nodes in activation order under a tree of largest residuals: the first
//! node with room is found without looking at the full ones before it.

use super::state::State;

/// A complete binary tree; each inner position holds the largest free amount
/// per resource below it.
pub(super) struct RoomTree {
    resources: usize,
    leaves: usize,
    nodes: usize,
    most: Vec<i64>,
}

impl RoomTree {
    pub fn new(state: &State) -> Self {
        let mut tree = Self {
            resources: state.view.resources,
            leaves: 0,
            nodes: 0,
            most: Vec::new(),
        };
        tree.rebuild(state);
        tree
    }

    /// The residual of a node changed, or it was opened.
    pub fn update(&mut self, state: &State, node: usize) {
        if node >= self.leaves {
            return self.rebuild(state);
        }
        self.nodes = self.nodes.max(node + 1);
        let width = self.resources;
        let mut at = self.leaves + node;
        self.most[at * width..][..width].copy_from_slice(state.free(node));
        while at > 1 {
            at /= 2;
            self.pull(at);
        }
    }

    /// The first node from `from` on whose free amounts reach `need`.
    pub fn first(&self, from: usize, need: &[i64]) -> Option<usize> {
        if from >= self.nodes {
            return None;
        }
        let mut at = self.leaves + from;
        loop {
            if self.reaches(at, need) {
                if at >= self.leaves {
                    return Some(at - self.leaves);
                }
                at *= 2;
                continue;
            }
            // To the next subtree on the right.
            while at % 2 == 1 {
                if at == 1 {
                    return None;
                }
                at /= 2;
            }
            at += 1;
        }
    }

    fn reaches(&self, at: usize, need: &[i64]) -> bool {
        let most = &self.most[at * self.resources..][..self.resources];
        most.iter().zip(need).all(|(most, need)| most >= need)
    }

    fn rebuild(&mut self, state: &State) {
        self.nodes = state.nodes();
        self.leaves = (self.nodes + 1).next_power_of_two().max(64);
        let width = self.resources;
        self.most = vec![i64::MIN; 2 * self.leaves * width];
        for node in 0..self.nodes {
            self.most[(self.leaves + node) * width..][..width].copy_from_slice(state.free(node));
        }
        for at in (1..self.leaves).rev() {
            self.pull(at);
        }
    }

    fn pull(&mut self, at: usize) {
        for r in 0..self.resources {
            let of = |child: usize| self.most[child * self.resources + r];
            self.most[at * self.resources + r] = of(2 * at).max(of(2 * at + 1));
        }
    }
}
