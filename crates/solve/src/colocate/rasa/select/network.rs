//! Two graph convolutions with ReLU, the mean over all services, a linear
//! layer and softmax (section IV-D), with their gradient.

use rand::RngExt;

use super::super::PoolMember;
use super::graph::{FEATURES, FeatureGraph};
use crate::Random;

/// Width of the hidden layers.
pub const HIDDEN: usize = 16;
/// The members: column generation is class 0, the integer program class 1.
const CLASSES: usize = 2;

/// Where the layers' weights begin: for each a matrix by rows, then its offsets.
const FIRST: usize = 0;
const SECOND: usize = FIRST + FEATURES * HIDDEN + HIDDEN;
const LAST: usize = SECOND + HIDDEN * HIDDEN + HIDDEN;
/// How many weights there are.
pub const WEIGHTS: usize = LAST + HIDDEN * CLASSES + CLASSES;

/// The classifier.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    /// All weights.
    pub weights: Vec<f64>,
}

/// Values of a layer, a row for each service.
type Rows = Vec<Vec<f64>>;

/// Everything a gradient needs.
struct Pass {
    /// Inputs of the layers after mixing with the neighbours.
    mixed: [Rows; 2],
    /// Outputs after ReLU.
    hidden: [Rows; 2],
    read_out: Vec<f64>,
    chances: [f64; CLASSES],
}

impl Network {
    /// Random weights of a size that keeps values near one.
    pub fn random(random: &mut Random) -> Self {
        let mut weights = vec![0.0; WEIGHTS];
        let layers = [(FIRST, FEATURES, HIDDEN), (SECOND, HIDDEN, HIDDEN), (LAST, HIDDEN, CLASSES)];
        for (begin, from, to) in layers {
            let reach = (6.0 / (from + to) as f64).sqrt();
            for weight in &mut weights[begin..begin + from * to] {
                *weight = (2.0 * random.random::<f64>() - 1.0) * reach;
            }
        }
        Self { weights }
    }

    /// The more likely member.
    pub fn choose(&self, graph: &FeatureGraph) -> PoolMember {
        let [cg, mip] = self.pass(graph).chances;
        if cg > mip { PoolMember::Cg } else { PoolMember::Mip }
    }

    /// Cross entropy of the true member, its gradient added to `slope`.
    pub fn learn(&self, graph: &FeatureGraph, truth: PoolMember, slope: &mut [f64]) -> f64 {
        let pass = self.pass(graph);
        let class = usize::from(truth == PoolMember::Mip);
        let mut wrong = pass.chances;
        wrong[class] -= 1.0;
        let mut back = vec![0.0; HIDDEN];
        for (i, value) in pass.read_out.iter().enumerate() {
            for (j, wrong) in wrong.iter().enumerate() {
                slope[LAST + i * CLASSES + j] += value * wrong;
                back[i] += self.weights[LAST + i * CLASSES + j] * wrong;
            }
        }
        for (j, wrong) in wrong.iter().enumerate() {
            slope[LAST + HIDDEN * CLASSES + j] += wrong;
        }
        let count = graph.features.len().max(1) as f64;
        let mean: Vec<f64> = back.iter().map(|b| b / count).collect();
        let mut behind: Rows = vec![mean; graph.features.len()];
        for (layer, begin) in [(1, SECOND), (0, FIRST)] {
            behind = self.layer_back(graph, &pass, layer, begin, behind, slope);
        }
        -pass.chances[class].max(1e-300).ln()
    }

    /// From the slope behind a layer to the slope before it.
    fn layer_back(
        &self,
        graph: &FeatureGraph,
        pass: &Pass,
        layer: usize,
        begin: usize,
        mut behind: Rows,
        slope: &mut [f64],
    ) -> Rows {
        let width = pass.mixed[layer].first().map_or(0, Vec::len);
        let mut before: Rows = vec![vec![0.0; width]; behind.len()];
        for (at, row) in behind.iter_mut().enumerate() {
            // ReLU lets through where its output is positive.
            let outputs = row.iter_mut().zip(&pass.hidden[layer][at]);
            outputs.for_each(|(slope, out)| *slope *= f64::from(u8::from(*out > 0.0)));
            let mut mixed = vec![0.0; width];
            for (i, input) in pass.mixed[layer][at].iter().enumerate() {
                for (j, out) in row.iter().enumerate() {
                    slope[begin + i * HIDDEN + j] += input * out;
                    mixed[i] += self.weights[begin + i * HIDDEN + j] * out;
                }
            }
            for (j, out) in row.iter().enumerate() {
                slope[begin + width * HIDDEN + j] += out;
            }
            for (other, factor) in &graph.neighbours[at] {
                let target = before[*other].iter_mut().zip(&mixed);
                target.for_each(|(sum, value)| *sum += factor * value);
            }
        }
        before
    }

    fn pass(&self, graph: &FeatureGraph) -> Pass {
        let features: Rows = graph.features.iter().map(|row| row.to_vec()).collect();
        let first = mix(graph, &features);
        let hidden = self.layer(&first, FIRST);
        let second = mix(graph, &hidden);
        let last = self.layer(&second, SECOND);
        let count = last.len().max(1) as f64;
        let mut read_out = vec![0.0; HIDDEN];
        for row in &last {
            read_out.iter_mut().zip(row).for_each(|(sum, x)| *sum += x / count);
        }
        let mut scores = [0.0; CLASSES];
        for (j, score) in scores.iter_mut().enumerate() {
            let weighted = read_out.iter().enumerate();
            *score = self.weights[LAST + HIDDEN * CLASSES + j]
                + weighted.map(|(i, x)| x * self.weights[LAST + i * CLASSES + j]).sum::<f64>();
        }
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers = scores.map(|score| (score - top).exp());
        let sum: f64 = powers.iter().sum();
        Pass {
            mixed: [first, second],
            hidden: [hidden, last],
            read_out,
            chances: powers.map(|power| power / sum),
        }
    }

    /// Weights, offsets, ReLU.
    fn layer(&self, input: &Rows, begin: usize) -> Rows {
        let row = |row: &Vec<f64>| {
            let offsets = begin + row.len() * HIDDEN;
            let output = (0..HIDDEN).map(|j| {
                let weighted = row.iter().enumerate();
                let sum = weighted.map(|(i, x)| x * self.weights[begin + i * HIDDEN + j]);
                (sum.sum::<f64>() + self.weights[offsets + j]).max(0.0)
            });
            output.collect()
        };
        input.iter().map(row).collect()
    }
}

/// Each service's values with its neighbours' mixed in.
fn mix(graph: &FeatureGraph, rows: &Rows) -> Rows {
    let row = |neighbours: &Vec<(usize, f64)>| {
        let mut sum = vec![0.0; rows.first().map_or(0, Vec::len)];
        for (other, factor) in neighbours {
            sum.iter_mut().zip(&rows[*other]).for_each(|(sum, x)| *sum += factor * x);
        }
        sum
    };
    graph.neighbours.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::super::super::super::view::{Edge, View};
    use super::*;

    fn graph(random: &mut Random) -> FeatureGraph {
        let n = random.random_range(1..9u32);
        let edges = (1..n).map(|b| Edge {
            a: random.random_range(0..b),
            b,
            weight: 0.1,
        });
        let edges = edges.collect();
        let replicas = (0..n).map(|_| random.random_range(1..40)).collect();
        let demand = (0..n).map(|_| random.random_range(1..30)).collect();
        FeatureGraph::new(&View::plain(1, replicas, demand, vec![40; 4], edges))
    }

    #[test]
    fn the_gradient_agrees_with_finite_differences() {
        let mut random = Random::seed_from_u64(2);
        for case in 0..20 {
            let graph = graph(&mut random);
            let network = Network::random(&mut random);
            let truth = [PoolMember::Cg, PoolMember::Mip][case % 2];
            let mut slope = vec![0.0; WEIGHTS];
            network.learn(&graph, truth, &mut slope);
            for (at, slope) in slope.iter().enumerate() {
                let loss = |by: f64| {
                    let mut moved = network.clone();
                    moved.weights[at] += by;
                    moved.learn(&graph, truth, &mut [0.0; WEIGHTS])
                };
                let wanted = (loss(1e-5) - loss(-1e-5)) / 2e-5;
                assert!((slope - wanted).abs() < 1e-5, "weight {at}: {slope} {wanted}");
            }
        }
    }

    /// With zero weights both members are equally likely: the loss is ln 2.
    #[test]
    fn a_network_without_weights_knows_nothing() {
        let graph = graph(&mut Random::seed_from_u64(1));
        let network = Network {
            weights: vec![0.0; WEIGHTS],
        };
        let loss = network.learn(&graph, PoolMember::Cg, &mut [0.0; WEIGHTS]);
        assert!((loss - 2f64.ln()).abs() < 1e-12);
    }
}
