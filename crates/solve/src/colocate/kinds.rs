//! Nodes that are the same to every rule: a pattern legal on one is legal on
//! all of its kind.

use std::collections::BTreeMap;

use super::view::View;

/// Nodes by kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kinds {
    /// The kind of each node.
    pub of_node: Vec<u32>,
    /// The nodes of each kind, ascending.
    pub nodes: Vec<Vec<u32>>,
}

impl Kinds {
    /// Same capacity, same services allowed, same replicas that must stay, same
    /// groups of every label that a rule or the gain refers to.
    pub fn new(view: &View) -> Self {
        let mut keys: Vec<Vec<u64>> = (0..view.nodes() as u32)
            .map(|node| {
                let mut key = view.room(node).to_vec();
                key.extend(view.allowed.iter().map(|may| u64::from(may[node as usize])));
                let groups = view
                    .domains
                    .iter()
                    .map(|d| u64::from(d.of_node[node as usize]));
                key.extend(groups);
                key
            })
            .collect();
        let mut stay = view.original.clone();
        stay.retain(|spot| view.fixed[spot.service as usize]);
        stay.sort_unstable();
        for spot in stay {
            let key = &mut keys[spot.node as usize];
            key.extend([u64::from(spot.service), u64::from(spot.count)]);
        }
        let mut kinds: BTreeMap<Vec<u64>, u32> = BTreeMap::new();
        let mut nodes: Vec<Vec<u32>> = Vec::new();
        let mut of_node = Vec::new();
        for (node, key) in keys.into_iter().enumerate() {
            let next = nodes.len() as u32;
            let kind = *kinds.entry(key).or_insert(next);
            if kind == next {
                nodes.push(Vec::new());
            }
            nodes[kind as usize].push(node as u32);
            of_node.push(kind);
        }
        Self { of_node, nodes }
    }
}
