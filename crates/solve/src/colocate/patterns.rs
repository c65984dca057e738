//! Patterns: what one node holds of the services with traffic, and how much
//! traffic is local in it.

use rustc_hash::FxHashSet;

use super::kinds::Kinds;
use super::state::State;
use super::view::{Spot, View};

/// Movable services with traffic on a node of a kind, and the gain there.
#[derive(Clone, PartialEq, Debug)]
pub struct Pattern {
    /// The kind of node.
    pub kind: u32,
    /// Services and counts, ascending, no zero.
    pub counts: Vec<(u32, u32)>,
    /// Gained affinity of the node, services that must stay included.
    pub gain: f64,
}

/// All patterns met so far, none twice.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    /// In the order met.
    pub patterns: Vec<Pattern>,
    seen: FxHashSet<(u32, Vec<(u32, u32)>)>,
}

impl Pool {
    /// Adds a pattern unless it is known or worth nothing; says whether it was new.
    pub fn add(&mut self, pattern: Pattern) -> bool {
        if pattern.gain <= 0.0 || !self.seen.insert((pattern.kind, pattern.counts.clone())) {
            return false;
        }
        self.patterns.push(pattern);
        true
    }

    /// Adds the patterns of all nodes of a placement, trimmed of replicas that
    /// gain nothing where they are.
    pub fn add_all(&mut self, state: &State, kinds: &Kinds) {
        for node in 0..state.view.nodes() as u32 {
            self.add(pattern_at(state, kinds, node));
        }
    }
}

/// The trimmed pattern of a node.
pub fn pattern_at(state: &State, kinds: &Kinds, node: u32) -> Pattern {
    let view = state.view;
    let held = state.shelf(node).present();
    let mut all: Vec<(u32, u32)> = held
        .filter(|slot| (slot.key as usize) < view.services() && !view.links(slot.key).is_empty())
        .map(|slot| (slot.key, u32::from(slot.now)))
        .collect();
    all.sort_unstable();
    trim(view, &mut all);
    let gain = gain_at(view, &all);
    all.retain(|(service, _)| !view.fixed[*service as usize]);
    Pattern {
        kind: kinds.of_node[node as usize],
        counts: all,
        gain,
    }
}

/// Gained affinity of one node that holds exactly these counts (ascending).
pub fn gain_at(view: &View, counts: &[(u32, u32)]) -> f64 {
    let mut gain = 0.0;
    for (service, x) in counts {
        for link in view.links(*service) {
            if link.to > *service
                && let Ok(at) = counts.binary_search_by_key(&link.to, |(other, _)| *other)
            {
                let y = counts[at].1;
                gain += (f64::from(*x) * link.own).min(f64::from(y) * link.other);
            }
        }
    }
    gain
}

/// Lowers each movable count to the least that keeps the gain, so that a
/// pattern takes no replica away from others for nothing.
pub fn trim(view: &View, counts: &mut Vec<(u32, u32)>) {
    let mut changed = true;
    while changed {
        changed = false;
        for at in 0..counts.len() {
            let (service, x) = counts[at];
            if view.fixed[service as usize] || x == 0 {
                continue;
            }
            let mut useful = 0u32;
            for link in view.links(service) {
                if let Ok(other) = counts.binary_search_by_key(&link.to, |(s, _)| *s) {
                    let there = f64::from(counts[other].1) * link.other;
                    // The count whose share reaches the other's, rounded up; the
                    // tolerance keeps exact quotients from being rounded up by one.
                    let wanted = (there / link.own - 1e-9).ceil().max(0.0);
                    useful = useful.max(wanted.min(f64::from(x)) as u32);
                }
            }
            if useful < x {
                counts[at].1 = useful;
                changed = true;
            }
        }
    }
    counts.retain(|(_, count)| *count > 0);
}

/// The spots of patterns put on nodes.
pub fn spots_of(placed: &[(u32, &Pattern)]) -> Vec<Spot> {
    let spots = placed.iter().flat_map(|(node, pattern)| {
        pattern.counts.iter().map(|(service, count)| Spot {
            service: *service,
            node: *node,
            count: *count,
        })
    });
    spots.collect()
}
