//! Finds the first node with room: a segment tree over nodes that keeps, per
//! resource, the most any node below has free.

/// Free capacity of nodes, per dimension.
pub struct Room {
    leaves: usize,
    dimensions: usize,
    free: Vec<u64>,
}

impl Room {
    /// `free[node * dimensions + dimension]` at the start.
    pub fn new(nodes: usize, dimensions: usize, free: &[u64]) -> Self {
        let leaves = nodes.next_power_of_two();
        let mut all = vec![0; 2 * leaves * dimensions];
        all[leaves * dimensions..][..free.len()].copy_from_slice(free);
        let mut room = Self {
            leaves,
            dimensions,
            free: all,
        };
        for at in (1..leaves).rev() {
            room.pull(at);
        }
        room
    }

    fn pull(&mut self, at: usize) {
        for dimension in 0..self.dimensions {
            let child = |side| self.free[(2 * at + side) * self.dimensions + dimension];
            self.free[at * self.dimensions + dimension] = child(0).max(child(1));
        }
    }

    fn holds(&self, at: usize, need: &[u64]) -> bool {
        let free = &self.free[at * self.dimensions..][..self.dimensions];
        need.iter().zip(free).all(|(need, free)| need <= free)
    }

    /// The lowest node with room in every dimension.
    pub fn first(&self, need: &[u64]) -> Option<usize> {
        let mut at = 1;
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

    /// Takes room on a node.
    pub fn take(&mut self, node: usize, need: &[u64]) {
        self.change(node, need, |free, need| free - need);
    }

    /// Gives room back.
    pub fn give(&mut self, node: usize, need: &[u64]) {
        self.change(node, need, |free, need| free + need);
    }

    fn change(&mut self, node: usize, need: &[u64], by: impl Fn(u64, u64) -> u64) {
        let mut at = node + self.leaves;
        for (dimension, need) in need.iter().enumerate() {
            let free = &mut self.free[at * self.dimensions + dimension];
            *free = by(*free, *need);
        }
        while at > 1 {
            at /= 2;
            self.pull(at);
        }
    }
}
