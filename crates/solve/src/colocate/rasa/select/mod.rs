//! Which member of the pool should solve a part (sections IV-D and V-C).

pub mod graph;
pub mod lab;
pub mod network;
pub mod train;

use super::super::kinds::Kinds;
use super::super::view::View;
use super::PoolMember;
use graph::FeatureGraph;
use network::Network;

/// The weights in the repository, made by `bayplan train`.
const WEIGHTS: &str = include_str!("weights.txt");

/// Who chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Selector {
    /// Nobody: both members run at the same time and the better answer counts.
    #[default]
    Race,
    /// The graph convolution network.
    Gcn,
    /// A network that sees only the mean of the features.
    Mlp,
    /// The rule of thumb: column generation when services have more replicas
    /// than kinds have nodes, on average.
    Heuristic,
}

impl Selector {
    /// The member for a part; `None`: both.
    pub fn choose(self, view: &View) -> Option<PoolMember> {
        match self {
            Self::Race => None,
            Self::Heuristic => Some(by_thumb(view)),
            Self::Gcn => Some(shipped(0).choose(&FeatureGraph::new(view))),
            Self::Mlp => Some(shipped(1).choose(&FeatureGraph::new(view).mean())),
        }
    }
}

/// The embedded networks: the graph convolution's, then the plain one's.
fn shipped(which: usize) -> Network {
    let mut all = train::read(WEIGHTS).expect("the embedded weights are well formed: tested");
    all.swap_remove(which)
}

/// HEURISTIC of section V-C.
pub fn by_thumb(view: &View) -> PoolMember {
    let kinds = Kinds::new(view);
    let replicas: f64 = view.replicas.iter().map(|d| f64::from(*d)).sum();
    let per_service = replicas / view.services().max(1) as f64;
    let per_kind = view.nodes() as f64 / kinds.nodes.len().max(1) as f64;
    if per_service > per_kind {
        PoolMember::Cg
    } else {
        PoolMember::Mip
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::view::Edge;
    use super::*;

    fn view(replicas: u32, nodes: usize) -> View {
        let edge = Edge {
            a: 0,
            b: 1,
            weight: 1.0,
        };
        View::plain(1, vec![replicas; 2], vec![1; 2], vec![50; nodes], vec![edge])
    }

    #[test]
    fn the_rule_of_thumb_compares_replicas_with_nodes_of_a_kind() {
        assert_eq!(by_thumb(&view(5, 4)), PoolMember::Cg);
        assert_eq!(by_thumb(&view(4, 4)), PoolMember::Mip);
    }

    #[test]
    fn the_shipped_networks_choose_for_any_part() {
        for selector in [Selector::Gcn, Selector::Mlp, Selector::Heuristic] {
            let chosen = selector.choose(&view(3, 2)).expect("a choice");
            assert_ne!(chosen, PoolMember::Auto);
        }
        assert_eq!(Selector::Race.choose(&view(3, 2)), None);
    }
}
