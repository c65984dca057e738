//! Free CPU and memory of many nodes, with fast answers to "which node next".

/// The three rules of section V for choosing a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fit {
    /// The first node with room.
    First,
    /// The next node with room, cyclically from the last one used.
    Next,
    /// The node with the most free memory.
    Worst,
}

/// A tree over the nodes that keeps the most free CPU and memory below each
/// of its places, so that whole ranges without room are skipped.
#[derive(Clone, Debug)]
pub struct NodeIndex {
    /// Leaves of the tree: a power of two.
    leaves: usize,
    nodes: usize,
    /// (free CPU, free memory), maxima per subtree; leaves from `leaves` on.
    most: Vec<(u64, u64)>,
    last: usize,
}

impl NodeIndex {
    /// No nodes yet, and room for `nodes` of them.
    pub fn with_room(nodes: usize) -> Self {
        let leaves = nodes.next_power_of_two().max(1);
        Self {
            leaves,
            nodes: 0,
            most: vec![(0, 0); 2 * leaves],
            last: 0,
        }
    }

    /// Nodes with this much free CPU and memory.
    pub fn of(free: &[(u64, u64)]) -> Self {
        let mut index = Self::with_room(free.len());
        index.nodes = free.len();
        index.most[index.leaves..][..free.len()].copy_from_slice(free);
        for at in (1..index.leaves).rev() {
            index.lift(at);
        }
        index
    }

    /// Opens one more node.
    pub fn open(&mut self, cpu: u64, memory: u64) -> usize {
        assert!(self.nodes < self.leaves, "more nodes than room was made for");
        self.nodes += 1;
        self.set(self.nodes - 1, cpu, memory);
        self.nodes - 1
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes
    }

    /// Free CPU and memory of a node.
    pub fn free(&self, node: usize) -> (u64, u64) {
        self.most[self.leaves + node]
    }

    /// Sets what is free on a node.
    pub fn set(&mut self, node: usize, cpu: u64, memory: u64) {
        let mut at = self.leaves + node;
        self.most[at] = (cpu, memory);
        while at > 1 {
            at /= 2;
            self.lift(at);
        }
    }

    fn lift(&mut self, at: usize) {
        let (a, b) = (self.most[2 * at], self.most[2 * at + 1]);
        self.most[at] = (a.0.max(b.0), a.1.max(b.1));
    }

    /// A node with at least this much free, by the rule; it counts as used.
    pub fn choose(&mut self, fit: Fit, cpu: u64, memory: u64) -> Option<usize> {
        let found = match fit {
            Fit::First => self.first(1, 0, cpu, memory),
            Fit::Next => self
                .first(1, self.last, cpu, memory)
                .or_else(|| self.first(1, 0, cpu, memory)),
            Fit::Worst => {
                let mut best = None;
                self.roomiest(1, cpu, memory, &mut best);
                best.map(|(_, node)| node)
            }
        }?;
        self.last = found;
        Some(found)
    }

    /// Marks a node as the last used one.
    pub fn used(&mut self, node: usize) -> usize {
        self.last = node;
        node
    }

    fn has(&self, at: usize, cpu: u64, memory: u64) -> bool {
        self.most[at].0 >= cpu && self.most[at].1 >= memory
    }

    /// The first node not before `from`, within the subtree `at`.
    fn first(&self, at: usize, from: usize, cpu: u64, memory: u64) -> Option<usize> {
        let depth = at.ilog2();
        let width = self.leaves >> depth;
        let start = (at - (1 << depth)) * width;
        if start + width <= from || start >= self.nodes || !self.has(at, cpu, memory) {
            return None;
        }
        if width == 1 {
            return Some(start);
        }
        self.first(2 * at, from, cpu, memory)
            .or_else(|| self.first(2 * at + 1, from, cpu, memory))
    }

    /// The node with the most free memory, the first of equals. Subtrees that
    /// cannot beat the best so far are skipped.
    fn roomiest(&self, at: usize, cpu: u64, memory: u64, best: &mut Option<(u64, usize)>) {
        let floor = best.map_or(memory, |(room, _)| room + 1);
        if !self.has(at, cpu, floor) {
            return;
        }
        if at >= self.leaves {
            if at - self.leaves < self.nodes {
                *best = Some((self.most[at].1, at - self.leaves));
            }
            return;
        }
        // The roomier side first, so that the other is more often skipped;
        // the left side on equality, so that the first of equals is found.
        let (left, right) = (2 * at, 2 * at + 1);
        if self.most[left].1 >= self.most[right].1 {
            self.roomiest(left, cpu, memory, best);
            self.roomiest(right, cpu, memory, best);
        } else {
            self.roomiest(right, cpu, memory, best);
            self.roomiest_or_equal(left, cpu, memory, best);
        }
    }

    /// Like `roomiest` for places before the best so far: equals win here.
    fn roomiest_or_equal(&self, at: usize, cpu: u64, memory: u64, best: &mut Option<(u64, usize)>) {
        let Some((room, node)) = *best else {
            return self.roomiest(at, cpu, memory, best);
        };
        let mut earlier = room.checked_sub(1).map(|room| (room, node));
        self.roomiest(at, cpu, memory, &mut earlier);
        match earlier {
            Some((better, node)) if better >= room => *best = Some((better, node)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::Random;

    #[test]
    fn chooses_as_a_plain_scan() {
        let mut random = Random::seed_from_u64(5);
        for _ in 0..300 {
            let nodes = random.random_range(1..20);
            let mut index = NodeIndex::of(&vec![(5, 5); nodes]);
            let mut free = vec![(5, 5); nodes];
            let mut last = 0;
            for _ in 0..30 {
                let (node, c, q) = (random.random_range(0..nodes), random.random_range(0..6), random.random_range(0..6));
                free[node] = (c, q);
                index.set(node, c, q);
                let (c, q) = (random.random_range(0..6), random.random_range(0..6));
                let fits = |n: &usize| free[*n].0 >= c && free[*n].1 >= q;
                let fit = [Fit::First, Fit::Next, Fit::Worst][random.random_range(0..3)];
                let expected = match fit {
                    Fit::First => (0..nodes).find(fits),
                    Fit::Next => (0..nodes).map(|n| (last + n) % nodes).find(fits),
                    Fit::Worst => (0..nodes).filter(fits).max_by_key(|n| (free[*n].1, nodes - n)),
                };
                assert_eq!(index.choose(fit, c, q), expected, "{fit:?} {free:?}");
                last = expected.unwrap_or(last);
            }
        }
    }
}
