//! Where pods do not divide evenly over the domains of a spread constraint.
//!
//! With `N = D q + r` pods, `r > 0`, let `k = r + s - 1` domains hold up to
//! `q + 1` and the others up to `q`. Together that is `s - 1` places more than
//! pods, so the emptiest domain holds at least `q - (s - 1)` and the skew is
//! at most `s`. Which domains are the larger ones is decided by where the
//! pods are now.
//!
//! A spread set has one bound for all values of a label. So one set bounds
//! every domain by `q + 1`, and another the smaller ones by `q`, over a label
//! of our own that only these carry. Nodes without a label are domains of
//! their own: a single node of a larger domain takes `q` at most.

use std::collections::{BTreeMap, BTreeSet};

use super::groups::Group;
use super::nodes::Nodes;

/// The most labels of our own.
const MOST: usize = 64;

/// The larger domains, ascending; `None` where a single node would have to hold what only
/// a whole domain may.
pub(crate) fn uneven<'a>(
    pods: u64,
    skew: u64,
    domains: &BTreeMap<&str, Vec<u32>>,
    members: impl Iterator<Item = &'a Group> + Clone,
) -> Option<Vec<String>> {
    let count = domains.len() as u64;
    let (least, rest) = (pods / count, pods % count);
    let larger = usize::try_from(rest + skew - 1).ok()?;
    let on = |node: &u32| -> u64 {
        let here = members.clone().filter_map(|group| group.places.get(node));
        here.map(|count| u64::from(*count)).sum()
    };
    let mut order: Vec<(u64, &str, &[u32])> = domains
        .iter()
        .map(|(value, nodes)| (nodes.iter().map(on).sum(), *value, nodes.as_slice()))
        .collect();
    order.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    order.truncate(larger);
    let narrow = |nodes: &[u32]| nodes.len() < 2 || nodes.iter().any(|node| on(node) > least);
    if order.iter().any(|(_, _, nodes)| narrow(nodes)) {
        return None;
    }
    let mut larger: Vec<String> = order
        .into_iter()
        .map(|(_, value, _)| value.into())
        .collect();
    larger.sort_unstable();
    Some(larger)
}

/// Labels of our own: those of a key, without some of its values.
#[derive(Default)]
pub(crate) struct Labels(BTreeSet<String>);

impl Labels {
    /// The label that all nodes with `key` carry but those with one of
    /// `values`; `None` when there are too many already.
    pub fn of_all_but(
        &mut self,
        key: &str,
        values: &[String],
        nodes: &mut Nodes,
    ) -> Option<String> {
        let name = format!("{key} without {}", values.join(","));
        if self.0.contains(&name) {
            return Some(name);
        }
        if self.0.len() == MOST {
            return None;
        }
        for pool in &mut nodes.cluster.pools {
            let value = pool.labels.get(key).filter(|value| !values.contains(value));
            if let Some(value) = value.cloned() {
                pool.labels.insert(name.clone(), value);
            }
        }
        self.0.insert(name.clone());
        Some(name)
    }
}
