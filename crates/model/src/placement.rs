//! How many replicas of which service run on which node.

use crate::{NodeId, ServiceId};

/// `count` replicas of `service` on `node`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Count {
    /// The service.
    pub service: ServiceId,
    /// The node.
    pub node: NodeId,
    /// How many replicas, at least one.
    pub count: u32,
}

/// A placement: counts sorted by service, then node; no pair twice, no zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Placement {
    counts: Vec<Count>,
}

impl Placement {
    /// Sorts, adds up repeated pairs (saturating), drops zeros.
    pub fn new(mut counts: Vec<Count>) -> Self {
        counts.sort_unstable();
        counts.dedup_by(|next, kept| {
            let same = (next.service, next.node) == (kept.service, kept.node);
            if same {
                kept.count = kept.count.saturating_add(next.count);
            }
            same
        });
        counts.retain(|entry| entry.count > 0);
        Self { counts }
    }

    /// All entries, by service, then node.
    pub fn counts(&self) -> &[Count] {
        &self.counts
    }

    /// The entries of one service.
    pub fn of(&self, service: ServiceId) -> &[Count] {
        let start = self.counts.partition_point(|entry| entry.service < service);
        let end = start + self.counts[start..].partition_point(|entry| entry.service == service);
        &self.counts[start..end]
    }

    /// How many replicas of a service are on a node.
    pub fn count(&self, service: ServiceId, node: NodeId) -> u32 {
        let of = self.of(service);
        of.binary_search_by_key(&node, |entry| entry.node)
            .map_or(0, |at| of[at].count)
    }

    /// Whether nothing is placed.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Replicas placed, of all services.
    pub fn replicas(&self) -> u64 {
        self.counts.iter().map(|entry| u64::from(entry.count)).sum()
    }

    /// Replicas that stand where they did not stand in `old`: the sum over
    /// services and nodes of max(0, new - old).
    pub fn moves_from(&self, old: &Placement) -> u64 {
        let mut old_entries = old.counts.iter().peekable();
        let mut moves = 0;
        for new in &self.counts {
            let key = (new.service, new.node);
            while old_entries.next_if(|o| (o.service, o.node) < key).is_some() {}
            let before = old_entries
                .next_if(|o| (o.service, o.node) == key)
                .map_or(0, |o| o.count);
            moves += u64::from(new.count.saturating_sub(before));
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(service: u32, node: u32, count: u32) -> Count {
        Count {
            service: ServiceId(service),
            node: NodeId(node),
            count,
        }
    }

    #[test]
    fn repeated_pairs_add_up_and_moves_count_arrivals() {
        let old = Placement::new(vec![
            entry(0, 0, 2),
            entry(1, 3, 1),
            entry(0, 0, 1),
            entry(2, 2, 0),
        ]);
        assert_eq!(old.counts(), [entry(0, 0, 3), entry(1, 3, 1)]);
        let new = Placement::new(vec![entry(0, 0, 1), entry(0, 1, 2), entry(1, 3, 1)]);
        assert_eq!(new.moves_from(&old), 2);
        assert_eq!(old.moves_from(&new), 2);
        assert_eq!(new.count(ServiceId(0), NodeId(1)), 2);
        assert_eq!(new.count(ServiceId(1), NodeId(1)), 0);
    }
}
