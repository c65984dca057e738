//! Instances of "how should load be split?", as the divide paper's section 6
//! makes them: load in [1, 32] with median 5.0 and mean 8.4, memory 2 to 64 GB
//! with median 8 and mean 14.

use bayplan_model::{
    Application, Applications, Cluster, Labels, Names, Pool, Problem, Resource, Workload,
};

use super::GenerateError;
use super::error::require;
use super::random::{by_quantiles, stream, weighted};

/// Units of a core.
const SCALE: u64 = 1000;

/// Load by quantile, of our own fit to the published median and mean.
const LOAD: [(f64, f64); 6] = [
    (0.0, 1.0),
    (0.25, 2.6),
    (0.5, 5.0),
    (0.75, 11.2),
    (0.9, 20.0),
    (1.0, 32.0),
];

/// GB of an instance, per mille.
const MEMORY: [(u64, u32); 5] = [(2, 100), (4, 170), (8, 476), (32, 217), (64, 37)];

/// What to generate.
#[derive(Clone, PartialEq, Debug)]
pub struct DivideOptions {
    /// How many applications.
    pub applications: usize,
    /// Cores of a node.
    pub cpu: u64,
    /// GB of a node.
    pub memory: u64,
    /// The fewest instances of each application.
    pub min_instances: u32,
    /// All applications alike: (cores, GB).
    pub equal: Option<(u64, u64)>,
}

impl Default for DivideOptions {
    fn default() -> Self {
        Self {
            applications: 100,
            cpu: 32,
            memory: 64,
            min_instances: 0,
            equal: None,
        }
    }
}

/// Generates applications and one pool of nodes to open.
pub fn divide(options: &DivideOptions, seed: u64) -> Result<Problem, GenerateError> {
    let largest = u64::MAX >> 20;
    require(options.cpu <= largest, "cpu", "too large")?;
    require(options.memory <= largest, "memory", "too large")?;
    let random = &mut stream(seed, 10, 0);
    let all = (0..options.applications).map(|_| {
        let (load, memory) = match options.equal {
            Some((cores, memory)) => (cores.saturating_mul(SCALE), memory),
            None => {
                let load = by_quantiles(random, &LOAD);
                (
                    (load * SCALE as f64).round() as u64,
                    weighted(random, &MEMORY),
                )
            }
        };
        Application {
            load,
            memory: memory.saturating_mul(SCALE),
            min_instances: options.min_instances,
            ..Application::default()
        }
    });
    let applications = Applications {
        names: Names::numbered("a", options.applications),
        all: all.collect(),
        layout: Vec::new(),
    };
    let resource = |name: &str, unit: &str| Resource {
        name: name.into(),
        unit: unit.into(),
        scale: SCALE,
    };
    let cluster = Cluster {
        resources: vec![resource("cpu", "core"), resource("memory", "GB")],
        pools: vec![Pool {
            name: "node".into(),
            capacity: vec![options.cpu * SCALE, options.memory * SCALE],
            price: 1_000_000,
            max_count: None,
            labels: Labels::new(),
        }],
        nodes: Vec::new(),
    };
    Ok(Problem::new(cluster, Workload::Applications(applications))?)
}
