//! Gained affinity and moves by their definitions, from scratch: what the
//! incremental state is tested against and what is reported in the end.

use std::collections::BTreeMap;

use bayplan_model::{Count, NodeId, Placement, ServiceId, gained_affinity};

use super::view::{Spot, View};

/// Gained affinity: the sum over pairs and groups of nodes of
/// `weight * min(x_a / d_a, x_b / d_b)` (Definition 1 of the paper).
pub fn gain_of(view: &View, spots: &[Spot]) -> f64 {
    let mut held: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); view.services()];
    for spot in spots {
        let group = view.gain_group(spot.node);
        *held[spot.service as usize].entry(group).or_default() += spot.count;
    }
    let local = |a: usize, b: usize| -> f64 {
        let shares = held[a].iter().filter_map(|(group, x)| {
            let y = held[b].get(group)?;
            Some(gained_affinity(*x, view.replicas[a], *y, view.replicas[b]))
        });
        shares.sum()
    };
    let pairs = view.edges.iter();
    pairs
        .map(|edge| edge.weight * local(edge.a as usize, edge.b as usize))
        .sum()
}

/// The placement of the model's words.
pub fn placement_of(spots: &[Spot]) -> Placement {
    let counts = spots.iter().map(|spot| Count {
        service: ServiceId(spot.service),
        node: NodeId(spot.node),
        count: spot.count,
    });
    Placement::new(counts.collect())
}

/// Replicas that stand where none of their service stood.
pub fn moves_of(view: &View, spots: &[Spot]) -> u64 {
    placement_of(spots).moves_from(&placement_of(&view.original))
}
