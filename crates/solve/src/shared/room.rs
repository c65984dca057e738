//! Nodes in order under a tree of most free: the first node with room is found
//! without looking at the full ones before it.

/// Free amounts of nodes, per dimension; each inner position of a complete
/// binary tree holds the most that any node below it has.
pub struct Room<T> {
    dimensions: usize,
    leaves: usize,
    nodes: usize,
    /// What a node that does not exist has: less than anybody needs.
    none: T,
    most: Vec<T>,
}

impl<T: Copy + Ord> Room<T> {
    /// `free[node * dimensions + dimension]` at the start.
    pub fn new(dimensions: usize, none: T, free: &[T]) -> Self {
        let mut room = Self {
            dimensions,
            leaves: 0,
            nodes: free.len() / dimensions.max(1),
            none,
            most: Vec::new(),
        };
        room.rebuild(free);
        room
    }

    /// The first node from `from` on with room in every dimension.
    pub fn first(&self, from: usize, need: &[T]) -> Option<usize> {
        if from >= self.nodes {
            return None;
        }
        let mut at = self.leaves + from;
        loop {
            if self.holds(at, need) {
                if at >= self.leaves {
                    return Some(at - self.leaves);
                }
                at *= 2;
                continue;
            }
            // Nothing below: on to the next subtree to the right.
            while at % 2 == 1 {
                if at == 1 {
                    return None;
                }
                at /= 2;
            }
            at += 1;
        }
    }

    /// Sets what a node has free; it may be a new one.
    pub fn set(&mut self, node: usize, free: &[T]) {
        self.change(node, |dimension, amount| *amount = free[dimension]);
    }

    /// Changes what a node has free in each dimension; it may be a new one.
    pub fn change(&mut self, node: usize, mut by: impl FnMut(usize, &mut T)) {
        if node >= self.leaves {
            let mut free = self.most[self.leaves * self.dimensions..].to_vec();
            free.resize((node + 1) * self.dimensions, self.none);
            self.rebuild(&free);
        }
        self.nodes = self.nodes.max(node + 1);
        let mut at = self.leaves + node;
        for dimension in 0..self.dimensions {
            by(dimension, &mut self.most[at * self.dimensions + dimension]);
        }
        while at > 1 {
            at /= 2;
            self.pull(at);
        }
    }

    fn rebuild(&mut self, free: &[T]) {
        let width = self.dimensions;
        self.leaves = (free.len() / width.max(1) + 1).next_power_of_two();
        self.most.clear();
        self.most.resize(2 * self.leaves * width, self.none);
        self.most[self.leaves * width..][..free.len()].copy_from_slice(free);
        for at in (1..self.leaves).rev() {
            self.pull(at);
        }
    }

    fn pull(&mut self, at: usize) {
        for dimension in 0..self.dimensions {
            let child = |side| self.most[(2 * at + side) * self.dimensions + dimension];
            self.most[at * self.dimensions + dimension] = child(0).max(child(1));
        }
    }

    fn holds(&self, at: usize, need: &[T]) -> bool {
        let most = &self.most[at * self.dimensions..][..self.dimensions];
        need.iter().zip(most).all(|(need, most)| need <= most)
    }
}
