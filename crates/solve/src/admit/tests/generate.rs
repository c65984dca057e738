//! Test data: small random cases, and requests like those of a shared cluster.

use bayplan_model::{Cluster, Node, Pool, PoolId, Problem, Request, Requests, Resource, Workload};
use rand::{RngExt, SeedableRng};

use crate::Random;

/// Units of a whole node.
pub const SCALE: u64 = 100_000_000;

/// A problem of these requests on nodes with these capacities.
pub fn problem(capacities: &[Vec<u64>], requests: Vec<Request>) -> Problem {
    let resources = capacities[0].len();
    let resource = |r: usize| Resource {
        name: format!("r{r}"),
        unit: "node".into(),
        scale: SCALE,
    };
    let pool = |(p, capacity): (usize, &Vec<u64>)| Pool {
        name: format!("pool{p}"),
        capacity: capacity.clone(),
        price: 0,
        max_count: None,
        labels: Default::default(),
    };
    let node = |n: usize| Node {
        name: format!("node{n}"),
        pool: PoolId::from(n),
        labels: Default::default(),
    };
    let cluster = Cluster {
        resources: (0..resources).map(resource).collect(),
        pools: capacities.iter().enumerate().map(pool).collect(),
        nodes: (0..capacities.len()).map(node).collect(),
    };
    Problem::new(cluster, Workload::Requests(Requests::new(1, requests))).expect("a valid problem")
}

/// What a small case looks like.
#[derive(Clone, Copy)]
pub struct Shape {
    pub requests: usize,
    pub nodes: usize,
    pub resources: usize,
    pub horizon: i64,
    /// Sizes are multiples of a tenth of a node, up to this many.
    pub largest: u64,
    pub weighted: bool,
    pub identical: bool,
}

/// A small case: short times, so that starts and finishes often coincide.
pub fn small(shape: Shape, random: &mut Random) -> Problem {
    let capacities: Vec<Vec<u64>> = (0..shape.nodes)
        .map(|_| {
            let capacity = |random: &mut Random| match shape.identical {
                true => SCALE,
                false => SCALE / 10 * random.random_range(5..=10),
            };
            (0..shape.resources).map(|_| capacity(random)).collect()
        })
        .collect();
    let requests = (0..shape.requests)
        .map(|_| {
            let start = random.random_range(0..shape.horizon);
            let demand = (0..shape.resources)
                .map(|_| SCALE / 10 * random.random_range(0..=shape.largest))
                .collect();
            Request {
                start,
                finish: random.random_range(start + 1..=shape.horizon),
                demand,
                weight: match shape.weighted {
                    true => random.random_range(1..=9) * 500_000,
                    false => 1_000_000,
                },
            }
        })
        .collect();
    problem(&capacities, requests)
}

/// A standard normal number.
fn normal(random: &mut Random) -> f64 {
    let (u, v): (f64, f64) = (random.random_range(1e-12..1.0), random.random());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Requests like those of a shared cluster: sizes and durations log-normal,
/// most short and small, at the given load factor.
pub fn cluster_like(nodes: usize, load_factor: f64, median_duration: f64, seed: u64) -> Problem {
    const HORIZON: f64 = 2_592_000.0;
    let random = &mut Random::seed_from_u64(seed);
    let mut requests = Vec::new();
    let mut load = 0.0;
    while load < load_factor * nodes as f64 {
        let common = normal(random);
        let size = |random: &mut Random| {
            let spread = 0.6f64.sqrt() * common + 0.4f64.sqrt() * normal(random);
            (0.05 * spread.exp()).clamp(0.001, 1.0)
        };
        let (a, b) = (size(random), size(random));
        let duration = median_duration * (1.9 * normal(random)).exp();
        let start = random.random::<f64>();
        let finish = (start + duration).min(1.0);
        let (start, finish) = ((start * HORIZON) as i64, (finish * HORIZON) as i64);
        let finish = finish.max(start + 1);
        load += (a + b) / 2.0 * (finish - start) as f64 / HORIZON;
        requests.push(Request {
            start,
            finish,
            demand: [a, b].map(|share| (share * SCALE as f64) as u64).to_vec(),
            weight: 1_000_000,
        });
    }
    problem(&vec![vec![SCALE; 2]; nodes], requests)
}
