//! Exact answers when all applications are equal (sections III-A and IV-B).
//!
//! Algorithm 1 is corrected in two places: the wrapped rest of an application
//! goes over as many nodes as it needs (as printed it overflows the next node
//! when the level left is below half an application), and the uneven branch
//! reduces the rest of the application, not the level. All levels are integer
//! units, rounded up: the least level that whole units can reach.

use super::view::Piece;

/// `count` applications of equal load, nodes that hold `slots` instances each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Equal {
    /// Applications, n in the paper.
    pub count: u64,
    /// Load of each, p in the paper.
    pub load: u64,
    /// Instances a node's memory holds: Q div q.
    pub slots: u64,
}

impl Equal {
    /// The least possible load of the busiest of `nodes` nodes, in whole
    /// units; `None` when the memory does not hold all applications.
    pub fn level(&self, nodes: u64) -> Option<u64> {
        if u128::from(self.count) > u128::from(nodes) * u128::from(self.slots) {
            return None;
        }
        if self.count == 0 {
            return Some(0);
        }
        let extra = self.count % nodes;
        if extra == 0 || self.slots > self.count.div_ceil(nodes) {
            let total = u128::from(self.count) * u128::from(self.load);
            return u64::try_from(total.div_ceil(u128::from(nodes))).ok();
        }
        let whole = self.load * (self.count / nodes);
        Some(whole + self.load.div_ceil(nodes / extra))
    }

    /// The fewest nodes with at most `cpu` load each: Algorithm 2.
    pub fn fewest_nodes(&self, cpu: u64) -> u64 {
        if self.count == 0 {
            return 0;
        }
        let total = u128::from(self.count) * u128::from(self.load);
        let by_cpu = u64::try_from(total.div_ceil(u128::from(cpu))).unwrap_or(u64::MAX);
        let mut low = by_cpu.max(self.count.div_ceil(self.slots)).max(1);
        let mut high = low.max(self.count * self.load.div_ceil(cpu).max(1));
        while high > low {
            let middle = low + (high - low) / 2;
            if self.level(middle).is_some_and(|level| level <= cpu) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// Algorithm 1: the pieces of each node, reaching [`Equal::level`].
    ///
    /// `None` when the memory does not hold all applications.
    pub fn divide(&self, nodes: u64) -> Option<Vec<Vec<Piece>>> {
        let level = self.level(nodes)?;
        let mut apps = 0..u32::try_from(self.count).ok()?;
        let load = self.load;
        let mut pieces: Vec<Vec<Piece>> = (0..nodes)
            .map(|_| {
                let whole = apps.by_ref().take((self.count / nodes) as usize);
                whole.map(|app| Piece { app, load }).collect()
            })
            .collect();
        // What is left of the level above the whole applications of a node.
        let room = level - load * (self.count / nodes);
        let wraps = self.slots > self.count.div_ceil(nodes);
        let (mut node, mut free) = (0, room);
        for app in apps {
            let mut rest = load;
            loop {
                let part = rest.min(free);
                pieces[node].push(Piece { app, load: part });
                (rest, free) = (rest - part, free - part);
                // Without a second extra slot a node takes one extra application only.
                if free == 0 || !wraps {
                    (node, free) = (node + 1, room);
                }
                if rest == 0 {
                    break;
                }
            }
        }
        Some(pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recounts an answer from scratch: exact loads, slots, the level.
    fn recount(equal: Equal, nodes: u64) -> u64 {
        let pieces = equal.divide(nodes).expect("feasible");
        let mut served = vec![0; equal.count as usize];
        let mut level = 0;
        assert_eq!(pieces.len() as u64, nodes);
        for node in &pieces {
            assert!(
                node.len() as u64 <= equal.slots,
                "{equal:?} on {nodes}: {node:?}"
            );
            for (n, piece) in node.iter().enumerate() {
                assert!(piece.load > 0 && node[..n].iter().all(|p| p.app != piece.app));
                served[piece.app as usize] += piece.load;
            }
            level = level.max(node.iter().map(|piece| piece.load).sum());
        }
        assert!(served.iter().all(|load| *load == equal.load));
        level
    }

    #[test]
    fn example_1_and_2() {
        let one = Equal {
            count: 3,
            load: 10,
            slots: 2,
        };
        assert_eq!((one.level(2), recount(one, 2)), (Some(15), 15));
        let two = Equal {
            count: 3,
            load: 2,
            slots: 2,
        };
        assert_eq!(two.fewest_nodes(3), 2);
        assert_eq!(recount(two, 2), 3);
    }

    /// Lemma 2: when p divides P, as many nodes as without splitting.
    #[test]
    fn lemma_2() {
        for (count, slots, fit) in
            (1..40).flat_map(|n| (1..6).flat_map(move |s| (1..6).map(move |f| (n, s, f))))
        {
            let equal = Equal {
                count,
                load: 7,
                slots,
            };
            assert_eq!(equal.fewest_nodes(7 * fit), count.div_ceil(slots.min(fit)));
        }
    }

    /// Lemma 3: Q = 3, q = 1, p = n, P = 2n - 1 needs ceil(n^2 / (2n - 1)), not n.
    #[test]
    fn lemma_3() {
        for n in 3..=50 {
            let equal = Equal {
                count: n,
                load: n,
                slots: 3,
            };
            let nodes = equal.fewest_nodes(2 * n - 1);
            assert_eq!(nodes, (n * n).div_ceil(2 * n - 1));
            assert!(recount(equal, nodes) < 2 * n && n < 2 * nodes);
        }
    }

    #[test]
    fn the_closed_form_is_reached() {
        for count in 0..=60 {
            for nodes in 1..=60 {
                for slots in (1..=6).chain([10, 60]) {
                    for load in [1, 7, 60, 1_000_003] {
                        let equal = Equal { count, load, slots };
                        match equal.level(nodes) {
                            Some(level) => {
                                assert_eq!(recount(equal, nodes), level, "{equal:?} {nodes}")
                            }
                            None => assert!(count > nodes * slots && equal.divide(nodes).is_none()),
                        }
                    }
                }
            }
        }
    }

    /// Binary search finds what trying every number finds.
    #[test]
    fn fewest_nodes_is_the_first_that_fits() {
        for count in 1..=30 {
            for slots in 1..=5 {
                for (load, cpu) in [
                    (3, 2),
                    (2, 3),
                    (5, 5),
                    (7, 10),
                    (10, 7),
                    (4, 9),
                    (9, 4),
                    (1, 8),
                ] {
                    let equal = Equal { count, load, slots };
                    let first = (1..).find(|n| equal.level(*n).is_some_and(|l| l <= cpu));
                    assert_eq!(Some(equal.fewest_nodes(cpu)), first, "{equal:?} {cpu}");
                }
            }
        }
    }
}
