//! Instances of "how far may I overcommit?": services with random demand on a
//! cluster that runs already, as the overcommit paper's section 6.1 makes them.

mod layout;

use bayplan_model::{
    Cluster, Labels, Names, Node, Pool, PoolId, Problem, Resource, Service, Services, Workload,
};
use rand::RngExt;

use super::GenerateError;
use super::error::require;
use super::random::{Random, below, shuffle, stream};

/// Units of a core and of a GB.
const SCALE: f64 = 1e6;

/// The paper's services: mean and deviation in cores, containers, and the
/// share of them removed from the initial layout.
pub const SERVICES: [(f64, f64, u32, f64); 17] = [
    (6.18, 1.73, 270, 0.5),
    (2.47, 0.47, 55, 0.3),
    (1.07, 0.43, 1618, 0.8),
    (4.12, 2.69, 904, 0.5),
    (1.06, 0.85, 576, 0.8),
    (0.73, 0.19, 1085, 0.8),
    (1.94, 0.9, 1035, 0.5),
    (2.48, 0.82, 118, 0.5),
    (2.42, 0.97, 1450, 0.5),
    (2.49, 0.62, 313, 0.5),
    (0.97, 0.31, 44, 0.8),
    (2.46, 0.62, 544, 0.3),
    (2.52, 0.84, 697, 0.5),
    (1.06, 0.57, 427, 0.8),
    (2.59, 0.7, 363, 0.3),
    (1.96, 0.55, 360, 0.3),
    (3.33, 0.9, 701, 0.5),
];

/// Mean of all containers together, in cores, whatever the number of services.
const TOTAL_MEAN: f64 = 22_800.0;

/// Who packs the initial layout, before containers are removed from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LayoutBy {
    /// CSP-UCaC, as in the paper (section 6.1.1), for a fixed number of steps:
    /// the same seed gives the same layout, as long as the LP solver is the same.
    #[default]
    Csp,
    /// Containers in random order, each on the first machine that takes it:
    /// for sizes at which CSP-UCaC takes too long. Uses more machines.
    FirstFit,
}

/// What to generate.
#[derive(Clone, PartialEq, Debug)]
pub struct OvercommitOptions {
    /// How many services (the paper: 5, 10, 15, 20).
    pub services: usize,
    /// How many machines.
    pub machines: usize,
    /// Cores of a machine.
    pub capacity: f64,
    /// GB of a machine; `None`: memory is no resource.
    pub memory: Option<u64>,
    /// Wanted totals as a multiple of the base counts, over a layout of which
    /// part was removed (the paper: 0.85 down, 1.3 up). `None`: an empty
    /// cluster and the base counts.
    pub scale: Option<f64>,
    /// Standard deviations kept free when the initial layout is packed.
    pub d_alpha: f64,
    /// Who packs it.
    pub layout_by: LayoutBy,
    /// Containers in all, before `scale`; `None`: so many that their means add
    /// up to the paper's 22,800 cores.
    pub containers: Option<u32>,
}

impl Default for OvercommitOptions {
    fn default() -> Self {
        Self {
            services: 10,
            machines: 4000,
            capacity: 31.58,
            memory: None,
            scale: None,
            d_alpha: 3.0902,
            layout_by: LayoutBy::default(),
            containers: None,
        }
    }
}

/// One service as drawn.
struct Drawn {
    mean: u64,
    variance: u128,
    memory: u64,
    containers: u32,
    remove: f64,
}

/// Generates services whose replicas are the wanted totals, and with `scale`
/// a current placement: the base counts packed, then thinned out.
pub fn overcommit(options: &OvercommitOptions, seed: u64) -> Result<Problem, GenerateError> {
    require(options.services > 0, "services", "at least one is needed")?;
    let in_range = |value: f64| value.is_finite() && (0.0..=1e6).contains(&value);
    require(
        in_range(options.capacity) && options.capacity > 0.0,
        "capacity",
        "between 0 and a million cores are possible",
    )?;
    require(
        options.scale.is_none_or(in_range),
        "scale",
        "a factor between 0 and a million is possible",
    )?;
    require(
        in_range(options.d_alpha),
        "d-alpha",
        "it must not be negative",
    )?;
    require(
        options.memory.is_none_or(|gb| gb <= 1 << 32),
        "memory",
        "too large",
    )?;
    let drawn = draw(options, &mut stream(seed, 30, 0));
    let cluster = cluster(options);
    let width = cluster.resources.len();
    let services = |factor: f64| {
        let list = drawn.iter().map(|service| Service {
            replicas: (f64::from(service.containers) * factor).round() as u32,
            demand: demand(options, service),
            variance: [service.variance, 0][..width].to_vec(),
            pinned: false,
            alive: 0,
        });
        Services::new(Names::numbered("s", drawn.len()), 1, list)
    };
    let Some(scale) = options.scale else {
        return Ok(Problem::new(cluster, Workload::Services(services(1.0)))?);
    };
    let random = &mut stream(seed, 31, 0);
    let placed = match options.layout_by {
        LayoutBy::Csp => {
            let base = Problem::new(cluster.clone(), Workload::Services(services(1.0)))?;
            layout::cutting_stock(&base, options.d_alpha, seed)?
        }
        LayoutBy::FirstFit => layout::first_fit(options, &cluster, &drawn, random)?,
    };
    let mut services = services(scale);
    services.placement = layout::thinned(&drawn, placed, random);
    Ok(Problem::new(cluster, Workload::Services(services))?)
}

fn demand(options: &OvercommitOptions, service: &Drawn) -> Vec<u64> {
    let mut demand = vec![service.mean];
    demand.extend(options.memory.map(|_| service.memory));
    demand
}

/// Services from the table: a sample without repetition as long as there are
/// enough, then repeated ones; deviations varied by up to a tenth; counts
/// scaled to the constant total.
fn draw(options: &OvercommitOptions, random: &mut Random) -> Vec<Drawn> {
    let mut rows: Vec<usize> = (0..SERVICES.len()).collect();
    if options.services < rows.len() {
        shuffle(random, &mut rows);
    }
    rows.truncate(options.services);
    while rows.len() < options.services {
        rows.push(below(random, SERVICES.len() as u64) as usize);
    }
    let total: f64 = rows
        .iter()
        .map(|row| SERVICES[*row].0 * f64::from(SERVICES[*row].2))
        .sum();
    let listed: f64 = rows.iter().map(|row| f64::from(SERVICES[*row].2)).sum();
    let factor = match options.containers {
        Some(containers) => f64::from(containers) / listed,
        None => TOTAL_MEAN / total,
    };
    let one = |row: usize| {
        let (mean, deviation, containers, remove) = SERVICES[row];
        let deviation = deviation * random.random_range(0.9..1.1) * SCALE;
        // About two GB to a core, more or less.
        let memory = mean * 2.0 * random.random_range(0.5..1.5);
        Drawn {
            mean: (mean * SCALE).round() as u64,
            variance: (deviation * deviation).round() as u128,
            memory: (memory * 1e3).round() as u64 * 1000,
            containers: ((f64::from(containers) * factor).round() as u32).max(1),
            remove,
        }
    };
    let mut drawn: Vec<Drawn> = rows.into_iter().map(one).collect();
    if let Some(containers) = options.containers {
        make_sum(&mut drawn, containers);
    }
    drawn
}

/// Rounding leaves the sum a few off: the largest service makes up for it.
fn make_sum(drawn: &mut [Drawn], containers: u32) {
    let sum: i64 = drawn
        .iter()
        .map(|service| i64::from(service.containers))
        .sum();
    if let Some(largest) = drawn.iter_mut().max_by_key(|service| service.containers) {
        let exact = i64::from(largest.containers) + i64::from(containers) - sum;
        largest.containers = u32::try_from(exact).unwrap_or(1).max(1);
    }
}

fn cluster(options: &OvercommitOptions) -> Cluster {
    let resource = |name: &str, unit: &str| Resource {
        name: name.into(),
        unit: unit.into(),
        scale: SCALE as u64,
    };
    let mut resources = vec![resource("cpu", "core")];
    let mut capacity = vec![(options.capacity * SCALE).round() as u64];
    if let Some(memory) = options.memory {
        resources.push(resource("memory", "GB"));
        capacity.push(memory * SCALE as u64);
    }
    let node = |number: usize| Node {
        name: format!("n{number}"),
        pool: PoolId(0),
        labels: Labels::new(),
    };
    Cluster {
        resources,
        pools: vec![Pool {
            name: "node".into(),
            capacity,
            price: 1_000_000,
            max_count: Some(options.machines as u32),
            labels: Labels::new(),
        }],
        nodes: (0..options.machines).map(node).collect(),
    }
}
