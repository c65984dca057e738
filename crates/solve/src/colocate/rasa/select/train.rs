//! Training by full-batch Adam, and the file of the weights.

use rand::SeedableRng;

use super::super::PoolMember;
use super::graph::FeatureGraph;
use super::network::{Network, WEIGHTS};
use crate::Random;

/// Passes over all samples.
const EPOCHS: i32 = 600;
/// Length of a step.
const RATE: f64 = 0.01;
/// Pull of every weight towards zero: few samples, many weights.
const DECAY: f64 = 1e-3;

/// A network fitted to feature graphs and the members that solved them better.
/// The same seed and samples give the same weights.
pub fn train(samples: &[(FeatureGraph, PoolMember)], seed: u64) -> Network {
    let mut network = Network::random(&mut Random::seed_from_u64(seed));
    let (mut first, mut second) = (vec![0.0; WEIGHTS], vec![0.0; WEIGHTS]);
    let count = samples.len().max(1) as f64;
    for epoch in 1..=EPOCHS {
        let mut slope = vec![0.0; WEIGHTS];
        for (graph, truth) in samples {
            network.learn(graph, *truth, &mut slope);
        }
        let fade = |rate: f64| 1.0 - rate.powi(epoch);
        for at in 0..WEIGHTS {
            let slope = slope[at] / count + DECAY * network.weights[at];
            first[at] = 0.9 * first[at] + 0.1 * slope;
            second[at] = 0.999 * second[at] + 0.001 * slope * slope;
            let (mean, square) = (first[at] / fade(0.9), second[at] / fade(0.999));
            network.weights[at] -= RATE * mean / (square.sqrt() + 1e-8);
        }
    }
    network
}

/// Networks as text: a line of numbers for each.
pub fn write(networks: &[&Network]) -> String {
    let line = |network: &&Network| {
        let numbers = network.weights.iter().map(|weight| format!("{weight:.5}"));
        numbers.collect::<Vec<_>>().join(" ") + "\n"
    };
    networks.iter().map(line).collect()
}

/// Networks from text; lines that begin with `#` are remarks. The error says
/// which line is wrong.
pub fn read(text: &str) -> Result<Vec<Network>, String> {
    let lines = text.lines().enumerate();
    let kept = lines.filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    let network = |(at, line): (usize, &str)| {
        let numbers: Result<Vec<f64>, _> = line.split_whitespace().map(str::parse).collect();
        match numbers {
            Ok(weights) if weights.len() == WEIGHTS && weights.iter().all(|w| w.is_finite()) => {
                Ok(Network { weights })
            }
            _ => Err(format!("line {}: {WEIGHTS} numbers expected", at + 1)),
        }
    };
    kept.map(network).collect()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::super::super::super::view::{Edge, View};
    use super::*;

    /// Stars are for column generation, paths of the same services for the
    /// integer program: only the topology tells them apart.
    fn samples(count: usize, random: &mut Random) -> Vec<(FeatureGraph, PoolMember)> {
        let sample = |at: usize, random: &mut Random| {
            let n = random.random_range(8..20u32);
            let star = at.is_multiple_of(2);
            let edge = |b: u32| Edge {
                a: if star { 0 } else { b - 1 },
                b,
                weight: 0.1,
            };
            let edges = (1..n).map(edge).collect();
            let replicas = (0..n).map(|_| random.random_range(1..20)).collect();
            let demand = (0..n).map(|_| random.random_range(1..20)).collect();
            let view = View::plain(1, replicas, demand, vec![60; 4], edges);
            let member = if star { PoolMember::Cg } else { PoolMember::Mip };
            (FeatureGraph::new(&view), member)
        };
        (0..count).map(|at| sample(at, random)).collect()
    }

    #[test]
    fn topology_is_learned_where_means_cannot_tell() {
        let mut random = Random::seed_from_u64(6);
        let (seen, unseen) = (samples(60, &mut random), samples(60, &mut random));
        let network = train(&seen, 1);
        assert_eq!(network, train(&seen, 1), "the same seed, the same weights");
        let right = unseen.iter().filter(|(graph, member)| network.choose(graph) == *member);
        assert!(right.count() >= 57);
        let means: Vec<_> = seen.iter().map(|(g, m)| (g.mean(), *m)).collect();
        let plain = train(&means, 1);
        let right = unseen.iter().filter(|(g, member)| plain.choose(&g.mean()) == *member);
        assert!(right.count() < 50);
    }

    #[test]
    fn weights_survive_the_file() {
        let network = Network::random(&mut Random::seed_from_u64(3));
        let back = read(&format!("# two\n{}", write(&[&network, &network]))).expect("readable");
        assert_eq!(back.len(), 2);
        for (a, b) in network.weights.iter().zip(&back[1].weights) {
            assert!((a - b).abs() < 1e-5);
        }
        assert_eq!(read("1 2 x"), Err(format!("line 1: {WEIGHTS} numbers expected")));
    }
}
