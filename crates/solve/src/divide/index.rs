//! Free CPU and memory of many nodes, with fast answers to "which node next".

use super::view::{App, gcd};

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

/// What is known of all memory demands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryStep {
    /// Divides all demands and sizes.
    pub divisor: u64,
    /// The smallest demand: nodes with less are full.
    pub least: u64,
}

impl MemoryStep {
    /// Of these applications and nodes.
    pub fn of(apps: &[App], nodes: &[(u64, u64)]) -> Self {
        let sizes = apps
            .iter()
            .map(|app| app.memory)
            .chain(nodes.iter().map(|size| size.1));
        let grows = apps.iter().any(|app| app.slope > 0);
        Self {
            divisor: if grows { 1 } else { sizes.fold(0, gcd).max(1) },
            least: apps
                .iter()
                .filter(|app| app.min > 0)
                .map(|app| app.memory)
                .min()
                .unwrap_or(0),
        }
    }
}

/// Nodes scanned one by one at the bottom of the tree.
const BLOCK: usize = 16;
/// Levels of free memory told apart.
const LEVELS: usize = 72;

/// A tree over blocks of nodes. Each place keeps, for every level of memory,
/// the most free CPU of the nodes below it with at least that much memory, so
/// that ranges without a node that has both are skipped.
#[derive(Clone, Debug)]
pub struct NodeIndex {
    /// Free CPU and memory of each node.
    free: Vec<(u64, u64)>,
    /// Blocks in the tree: a power of two.
    blocks: usize,
    /// `most[place * LEVELS + level]`: CPU in steps of `2^shift`, plus one; 0: no node.
    most: Vec<u32>,
    /// Memory of one level, and how far CPU is shifted to fit 31 bits.
    unit: u64,
    shift: u32,
    step: MemoryStep,
    last: usize,
}

impl NodeIndex {
    /// No nodes yet, and room for `nodes` of at most this size.
    pub fn with_room(nodes: usize, (cpu, memory): (u64, u64), step: MemoryStep) -> Self {
        let blocks = nodes.div_ceil(BLOCK).next_power_of_two();
        Self {
            free: Vec::with_capacity(nodes),
            blocks,
            most: vec![0; 2 * blocks * LEVELS],
            unit: (memory / LEVELS as u64)
                .max(1)
                .next_multiple_of(step.divisor),
            step,
            shift: (u64::BITS - cpu.leading_zeros()).saturating_sub(31),
            last: 0,
        }
    }

    /// Nodes with this much free CPU and memory.
    pub fn of(free: &[(u64, u64)], step: MemoryStep) -> Self {
        let most = |of: fn(&(u64, u64)) -> u64| free.iter().map(of).max().unwrap_or(0);
        let mut index = Self::with_room(free.len(), (most(|f| f.0), most(|f| f.1)), step);
        index.free.extend_from_slice(free);
        for block in 0..free.len().div_ceil(BLOCK) {
            index.gather(block);
        }
        for place in (1..index.blocks).rev() {
            index.lift(place);
        }
        index
    }

    /// Opens one more node.
    pub fn open(&mut self, cpu: u64, memory: u64) -> usize {
        let node = self.free.len();
        assert!(
            node < self.blocks * BLOCK,
            "more nodes than room was made for"
        );
        self.free.push((0, 0));
        self.set(node, cpu, memory);
        node
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.free.len()
    }

    /// Free CPU and memory of a node.
    pub fn free(&self, node: usize) -> (u64, u64) {
        self.free[node]
    }

    /// Sets what is free on a node.
    pub fn set(&mut self, node: usize, cpu: u64, memory: u64) {
        self.free[node] = (cpu, memory);
        self.gather(node / BLOCK);
        let mut place = (self.blocks + node / BLOCK) / 2;
        while place > 0 && self.lift(place) {
            place /= 2;
        }
    }

    fn level(&self, memory: u64) -> usize {
        ((memory / self.unit) as usize).min(LEVELS - 1)
    }

    /// Recomputes a block.
    fn gather(&mut self, block: usize) {
        let mut row = [0u32; LEVELS];
        for &(cpu, memory) in self.free.iter().skip(block * BLOCK).take(BLOCK) {
            if memory < self.step.least {
                continue;
            }
            let level = self.level(memory);
            row[level] = row[level].max((cpu >> self.shift) as u32 + 1);
        }
        for level in (1..LEVELS).rev() {
            row[level - 1] = row[level - 1].max(row[level]);
        }
        self.most[(self.blocks + block) * LEVELS..][..LEVELS].copy_from_slice(&row);
    }

    /// Recomputes a place from the two below; false when nothing changed.
    fn lift(&mut self, place: usize) -> bool {
        let (above, below) = self.most.split_at_mut(2 * place * LEVELS);
        let row = &mut above[place * LEVELS..][..LEVELS];
        let (left, right) = below[..2 * LEVELS].split_at(LEVELS);
        let mut changed = false;
        for level in 0..LEVELS {
            let most = left[level].max(right[level]);
            changed |= row[level] != most;
            row[level] = most;
        }
        changed
    }

    /// A node with at least this much free, by the rule; it counts as used.
    pub fn choose(&mut self, fit: Fit, cpu: u64, memory: u64) -> Option<usize> {
        let found = match fit {
            Fit::First => self.first(1, 0, cpu, memory),
            Fit::Next => self
                .first(1, self.last, cpu, memory)
                .or_else(|| self.first(1, 0, cpu, memory)),
            Fit::Worst => self.roomiest(cpu, memory),
        }?;
        Some(self.used(found))
    }

    /// Marks a node as the last used one.
    pub fn used(&mut self, node: usize) -> usize {
        self.last = node;
        node
    }

    /// Whether a place may have a node with this CPU at this level of memory.
    fn may_have(&self, place: usize, cpu: u64, level: usize) -> bool {
        u64::from(self.most[place * LEVELS + level]) > cpu >> self.shift
    }

    /// The nodes of a bottom place, from `from` on, with room.
    fn fitting(
        &self,
        place: usize,
        from: usize,
        cpu: u64,
        memory: u64,
    ) -> impl Iterator<Item = usize> + '_ {
        let start = (place - self.blocks) * BLOCK;
        let end = (start + BLOCK).min(self.free.len());
        let fits = move |node: &usize| self.free[*node].0 >= cpu && self.free[*node].1 >= memory;
        (start.max(from)..end).filter(fits)
    }

    /// The first node not before `from`, within the subtree of `place`.
    fn first(&self, place: usize, from: usize, cpu: u64, memory: u64) -> Option<usize> {
        let depth = place.ilog2();
        let width = (self.blocks >> depth) * BLOCK;
        let start = (place - (1 << depth)) * width;
        if start + width <= from || !self.may_have(place, cpu, self.level(memory)) {
            return None;
        }
        if place >= self.blocks {
            return self.fitting(place, from, cpu, memory).next();
        }
        self.first(2 * place, from, cpu, memory)
            .or_else(|| self.first(2 * place + 1, from, cpu, memory))
    }

    /// The node with the most free memory, the first of equals: the highest
    /// level that has a node with the CPU, and within it the roomiest.
    fn roomiest(&self, cpu: u64, memory: u64) -> Option<usize> {
        let lowest = self.level(memory);
        let levels = (lowest..LEVELS)
            .rev()
            .filter(|level| self.may_have(1, cpu, *level));
        for level in levels {
            let mut best = None;
            self.roomiest_at(1, level, cpu, memory, &mut best);
            if let Some((_, node)) = best {
                return Some(node);
            }
        }
        None
    }

    fn roomiest_at(
        &self,
        place: usize,
        level: usize,
        cpu: u64,
        memory: u64,
        best: &mut Option<(u64, usize)>,
    ) {
        if !self.may_have(place, cpu, level) {
            return;
        }
        if place >= self.blocks {
            let floor = memory.max(level as u64 * self.unit);
            for node in self.fitting(place, 0, cpu, floor) {
                if best.is_none_or(|(room, _)| self.free[node].1 > room) {
                    *best = Some((self.free[node].1, node));
                }
            }
            return;
        }
        for below in [2 * place, 2 * place + 1] {
            // Nothing in this level can be roomier than a full level less one unit.
            let top = best.is_some_and(|(room, _)| {
                level < LEVELS - 1 && room >= (level as u64 + 1) * self.unit - self.step.divisor
            });
            if top {
                return;
            }
            self.roomiest_at(below, level, cpu, memory, best);
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
            let nodes = random.random_range(1..60);
            // Few sizes, or more than there are levels.
            let most = [6, 300][random.random_range(0..2)];
            let mut free = vec![(5, most - 1); nodes];
            let mut index = NodeIndex::of(
                &free,
                MemoryStep {
                    divisor: 1,
                    least: 0,
                },
            );
            let mut last = 0;
            for _ in 0..30 {
                let (node, c, q) = (
                    random.random_range(0..nodes),
                    random.random_range(0..6),
                    random.random_range(0..most),
                );
                free[node] = (c, q);
                index.set(node, c, q);
                let (c, q) = (random.random_range(0..6), random.random_range(0..most));
                let fits = |n: &usize| free[*n].0 >= c && free[*n].1 >= q;
                let fit = [Fit::First, Fit::Next, Fit::Worst][random.random_range(0..3)];
                let expected = match fit {
                    Fit::First => (0..nodes).find(fits),
                    Fit::Next => (0..nodes).map(|n| (last + n) % nodes).find(fits),
                    Fit::Worst => (0..nodes)
                        .filter(fits)
                        .max_by_key(|n| (free[*n].1, nodes - n)),
                };
                assert_eq!(index.choose(fit, c, q), expected, "{fit:?} {free:?}");
                last = expected.unwrap_or(last);
            }
        }
    }
}
