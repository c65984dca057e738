//! Instances of "how many nodes?": a base set of services and a graph of
//! co-location limits over it, as the provisioning paper's section 6 makes them.

mod base;
mod graph;

use bayplan_model::{
    Cluster, Labels, Names, Pool, Problem, Resource, Service, ServiceId, Services, Workload,
};

use super::GenerateError;
use super::error::require;
use super::random::{below, stream};

pub use graph::Graph;

/// Units of a core and of a GB in generated instances, as in TClab files.
const SCALE: u64 = 1_000_000;

/// What to generate.
#[derive(Clone, PartialEq, Debug)]
pub struct ProvisionOptions {
    /// How many services. `None`: those of the base as they are (density
    /// scenario); a synthetic base then has 9,338.
    pub services: Option<usize>,
    /// The kind of graph.
    pub graph: Graph,
    /// Limits as a share of all ordered pairs of services.
    pub density: f64,
    /// Epochs of a synthetic base: 1 for constant demand, 98 as in the paper.
    pub epochs: usize,
    /// Limit values with their weights.
    pub values: Vec<(u32, u32)>,
    /// Cores of a node.
    pub cpu: u64,
    /// GB of a node.
    pub memory: u64,
}

impl Default for ProvisionOptions {
    fn default() -> Self {
        Self {
            services: None,
            graph: Graph::Arbitrary,
            density: 0.01,
            epochs: 1,
            values: vec![(0, 13144), (2, 6556), (1, 3992), (3, 361), (4, 25)],
            cpu: 64,
            memory: 128,
        }
    }
}

/// Generates an instance over a synthetic base, or over a given one: kept as
/// it is, or resampled to `services` services, whose sizes and replicas are
/// drawn independently of each other (large scenario).
pub fn provision(
    options: &ProvisionOptions,
    base: Option<&Problem>,
    seed: u64,
) -> Result<Problem, GenerateError> {
    require(
        (0.0..=1.0).contains(&options.density),
        "density",
        "a share between 0 and 1 is needed",
    )?;
    require(
        options.values.iter().any(|(_, weight)| *weight > 0),
        "values",
        "a weight above zero is needed",
    )?;
    require(options.epochs > 0, "epochs", "at least one is needed")?;
    let (cluster, mut services) = match base {
        None => {
            let count = options.services.unwrap_or(base::SERVICES);
            let node = cluster(options)?;
            (node, base::synthetic(count, options.epochs, seed))
        }
        Some(base) => {
            let Some(services) = base.services() else {
                return Err(GenerateError::option("base", "it holds no services"));
            };
            require(
                services.variance.is_empty(),
                "base",
                "its demand is random; constant or by epoch is needed",
            )?;
            require(
                options.epochs == 1 || options.epochs == services.epochs,
                "epochs",
                "the base has its own number of epochs",
            )?;
            let services = match options.services {
                None => kept(services),
                Some(count) => resampled(services, count, seed)?,
            };
            (base.cluster().clone(), services)
        }
    };
    services.limits = graph::limits(options, services.len(), seed)?;
    let mut cluster = cluster;
    cluster.nodes.clear();
    Ok(Problem::new(cluster, Workload::Services(services))?)
}

fn cluster(options: &ProvisionOptions) -> Result<Cluster, GenerateError> {
    let units = |option, amount: u64| {
        let units = amount.checked_mul(SCALE);
        units.ok_or_else(|| GenerateError::option(option, "too large"))
    };
    let resource = |name: &str, unit: &str| Resource {
        name: name.into(),
        unit: unit.into(),
        scale: SCALE,
    };
    Ok(Cluster {
        resources: vec![resource("cpu", "core"), resource("memory", "GB")],
        pools: vec![Pool {
            name: "node".into(),
            capacity: vec![units("cpu", options.cpu)?, units("memory", options.memory)?],
            price: 1_000_000,
            max_count: None,
            labels: Labels::new(),
        }],
        nodes: Vec::new(),
    })
}

/// The base's services, names included, without its rules.
fn kept(base: &Services) -> Services {
    let one = |s: ServiceId| Service {
        replicas: base.replicas[s.index()],
        demand: base.row(s).to_vec(),
        variance: Vec::new(),
        pinned: false,
        alive: 0,
    };
    Services::new(base.names.clone(), base.epochs, base.ids().map(one))
}

fn resampled(base: &Services, count: usize, seed: u64) -> Result<Services, GenerateError> {
    require(!base.is_empty(), "base", "it holds no services")?;
    let random = &mut stream(seed, 1, 0);
    let mut any = || ServiceId::from(below(random, base.len() as u64) as usize);
    let list = (0..count).map(|_| Service {
        replicas: base.replicas[any().index()],
        demand: base.row(any()).to_vec(),
        variance: Vec::new(),
        pinned: false,
        alive: 0,
    });
    let list: Vec<Service> = list.collect();
    Ok(Services::new(names(count), base.epochs, list))
}

/// Names 1, 2, ... as the published instances have them.
fn names(count: usize) -> Names {
    let mut names = Names::default();
    for number in 1..=count {
        names.add(&number.to_string()).expect("numbers differ");
    }
    names
}
