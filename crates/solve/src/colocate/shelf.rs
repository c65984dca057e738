//! How many replicas of which service a node holds now, and held at first: a
//! small open-addressing table per node, so that the memory follows the
//! replicas and a look-up touches one or two cache lines.

/// Marks a free slot.
const EMPTY: u32 = u32::MAX;

/// One counted thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// A service, or a spread set counted beyond the services.
    pub key: u32,
    /// Replicas here now.
    pub now: u16,
    /// Replicas here at first.
    pub was: u16,
}

/// The counts of one node.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    /// A power of two of slots, at most half of them used; empty at first.
    slots: Vec<Slot>,
    used: usize,
}

impl Shelf {
    /// The counts under a key; zeros when it was never here.
    #[inline]
    pub fn get(&self, key: u32) -> Slot {
        let none = Slot {
            key,
            now: 0,
            was: 0,
        };
        if self.slots.is_empty() {
            return none;
        }
        let mut at = self.home(key);
        loop {
            let slot = self.slots[at];
            if slot.key == key {
                return slot;
            }
            if slot.key == EMPTY {
                return none;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Replicas under a key now.
    #[inline]
    pub fn now(&self, key: u32) -> u32 {
        u32::from(self.get(key).now)
    }

    /// The slot of a key, made if need be.
    #[inline]
    pub fn slot(&mut self, key: u32) -> &mut Slot {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let mut at = self.home(key);
        while self.slots[at].key != key {
            if self.slots[at].key == EMPTY {
                self.slots[at].key = key;
                self.used += 1;
                break;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        &mut self.slots[at]
    }

    /// The slot at a position taken modulo the size, if something is there now.
    #[inline]
    pub fn at(&self, random: u32) -> Option<Slot> {
        let slot = self
            .slots
            .get(random as usize & (self.slots.len().wrapping_sub(1)))?;
        (slot.key != EMPTY && slot.now > 0).then_some(*slot)
    }

    /// Everything counted now, in table order.
    pub fn present(&self) -> impl Iterator<Item = Slot> {
        let slots = self.slots.iter().copied();
        slots.filter(|slot| slot.key != EMPTY && slot.now > 0)
    }

    #[inline]
    fn home(&self, key: u32) -> usize {
        // Multiplicative hashing: the high bits of the product are mixed best.
        let mixed = u64::from(key).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        mixed as usize & (self.slots.len() - 1)
    }

    /// Doubles the table, leaving out what neither is nor was here.
    fn grow(&mut self) {
        let kept: Vec<Slot> = self
            .slots
            .iter()
            .copied()
            .filter(|slot| slot.key != EMPTY && (slot.now > 0 || slot.was > 0))
            .collect();
        let size = (kept.len() * 4).next_power_of_two().max(16);
        let free = Slot {
            key: EMPTY,
            now: 0,
            was: 0,
        };
        self.slots.clear();
        self.slots.resize(size, free);
        self.used = 0;
        for slot in kept {
            *self.slot(slot.key) = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::Random;

    #[test]
    fn a_shelf_counts_like_a_map() {
        let mut random = Random::seed_from_u64(3);
        let (mut shelf, mut plain) = (Shelf::default(), BTreeMap::<u32, u16>::new());
        for _ in 0..20_000 {
            let key = random.random_range(0..300u32);
            let count = if random.random_bool(0.6) {
                0
            } else {
                random.random_range(0..9u16)
            };
            shelf.slot(key).now = count;
            plain.insert(key, count);
            let probe = random.random_range(0..300u32);
            assert_eq!(
                shelf.get(probe).now,
                plain.get(&probe).copied().unwrap_or(0)
            );
        }
        let mut present: Vec<(u32, u16)> = shelf.present().map(|s| (s.key, s.now)).collect();
        present.sort_unstable();
        let expected: Vec<(u32, u16)> = plain.into_iter().filter(|(_, count)| *count > 0).collect();
        assert_eq!(present, expected);
    }
}
