//! The feature graph of a part (section IV-D): what each service asks for and
//! how many replicas it has, and who talks to whom.

use super::super::super::view::View;

/// Features of a service.
pub const FEATURES: usize = 2;

/// Features by service, and the normalised adjacency
/// `D^-1/2 (A + I) D^-1/2` in rows.
#[derive(Clone, PartialEq, Debug)]
pub struct FeatureGraph {
    /// By service.
    pub features: Vec<[f64; FEATURES]>,
    /// For each service itself and its partners with their factor.
    pub neighbours: Vec<Vec<(usize, f64)>>,
}

impl FeatureGraph {
    /// Of a part. Both features are logarithms, brought near the unit range:
    /// demands and replicas spread over several orders of magnitude.
    pub fn new(view: &View) -> Self {
        let mean = |dim: usize| -> f64 {
            let rooms = (0..view.nodes() as u32).map(|n| view.room(n)[dim] as f64);
            (rooms.sum::<f64>() / view.nodes().max(1) as f64).max(1.0)
        };
        let means: Vec<f64> = (0..view.dims).map(mean).collect();
        let features = (0..view.services() as u32).map(|s| {
            let shares = view.need(s).iter().zip(&means).map(|(need, mean)| *need as f64 / mean);
            let demand = shares.fold(1e-6, f64::max);
            let replicas = f64::from(view.replicas[s as usize].max(1));
            [demand.ln() / 4.0 + 1.0, replicas.ln() / 3.0]
        });
        let partners = |s: usize| {
            let mut all: Vec<usize> = view.links(s as u32).iter().map(|l| l.to as usize).collect();
            all.push(s);
            all.sort_unstable();
            all.dedup();
            all
        };
        let partners: Vec<Vec<usize>> = (0..view.services()).map(partners).collect();
        let scale = |s: usize| (partners[s].len() as f64).sqrt();
        let row = |s: usize| {
            let row = partners[s].iter().map(|t| (*t, 1.0 / (scale(s) * scale(*t))));
            row.collect()
        };
        Self {
            features: features.collect(),
            neighbours: (0..view.services()).map(row).collect(),
        }
    }

    /// One vertex with the mean of all features: what is left without the
    /// topology, on which the same network is a plain perceptron.
    pub fn mean(&self) -> Self {
        let count = self.features.len().max(1) as f64;
        let mut mean = [0.0; FEATURES];
        for row in &self.features {
            mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x / count);
        }
        Self {
            features: vec![mean],
            neighbours: vec![vec![(0, 1.0)]],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::view::Edge;
    use super::*;

    /// A path of three: degrees with the loop are 2, 3, 2.
    #[test]
    fn adjacency_is_normalised_on_both_sides() {
        let edge = |a, b| Edge { a, b, weight: 0.5 };
        let view = View::plain(
            1,
            vec![1; 3],
            vec![4; 3],
            vec![4, 4],
            vec![edge(0, 1), edge(1, 2)],
        );
        let graph = FeatureGraph::new(&view);
        let expected = [
            vec![(0, 0.5), (1, 1.0 / 6f64.sqrt())],
            vec![(0, 1.0 / 6f64.sqrt()), (1, 1.0 / 3.0), (2, 1.0 / 6f64.sqrt())],
            vec![(1, 1.0 / 6f64.sqrt()), (2, 0.5)],
        ];
        for (row, expected) in graph.neighbours.iter().zip(&expected) {
            assert_eq!(row.len(), expected.len());
            for ((t, x), (u, y)) in row.iter().zip(expected) {
                assert!(t == u && (x - y).abs() < 1e-12);
            }
        }
        assert_eq!(graph.features[0], [1.0, 0.0]);
        assert_eq!(graph.mean().features, vec![[1.0, 0.0]]);
    }
}
