//! Clusters shaped like the co-location paper's M1 to M4: which services talk,
//! what they ask for, and a current placement that grew without regard to it.

mod placement;
mod traffic;
mod workload;

use bayplan_model::{
    Cluster, Labels, Names, Node, Pool, PoolId, Problem, Resource, Service, ServiceId, Services,
    SpreadSet, Workload,
};

use super::GenerateError;
use super::error::require;
use super::random::{Random, below, stream, weighted};

/// Units of a core and of a GB.
const SCALE: u64 = 1_000_000;

/// The paper's clusters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// 5,904 services, 25,640 containers, 977 machines, compatibility classes.
    M1,
    /// 10,180 services, 152,833 containers, 5,284 machines.
    M2,
    /// 547 services, 3,485 containers, 96 machines.
    M3,
    /// 10,682 services, 113,261 containers, 4,365 machines.
    M4,
}

/// What to generate.
#[derive(Clone, PartialEq, Debug)]
pub struct ColocateOptions {
    /// How many services.
    pub services: usize,
    /// How many containers of all services.
    pub containers: usize,
    /// How many machines.
    pub machines: usize,
    /// CPU asked for as a share of all CPU.
    pub cpu_use: f64,
    /// Memory asked for as a share of all memory.
    pub memory_use: f64,
    /// Compatibility classes: services of a class use machines of that class
    /// only, and services that talk mostly share one; 1: everybody everywhere.
    pub classes: usize,
    /// Services, as a share, whose replicas must not crowd on a machine.
    pub anti_affinity: f64,
}

impl Default for ColocateOptions {
    fn default() -> Self {
        Self::shaped(Shape::M3)
    }
}

impl ColocateOptions {
    /// The size of one of the paper's clusters.
    pub fn shaped(shape: Shape) -> Self {
        let (services, containers, machines, classes) = match shape {
            Shape::M1 => (5_904, 25_640, 977, 4),
            Shape::M2 => (10_180, 152_833, 5_284, 1),
            Shape::M3 => (547, 3_485, 96, 1),
            Shape::M4 => (10_682, 113_261, 4_365, 1),
        };
        Self {
            services,
            containers,
            machines,
            cpu_use: 0.88,
            memory_use: 0.28,
            classes,
            anti_affinity: 0.0,
        }
    }
}

/// Machine types: CPU of the largest, GB per core, machines per mille. Rounded
/// figures of our own in the manner of the published cluster.
const TYPES: [(f64, f64, u32); 10] = [
    (1.0, 2.4, 180),
    (0.99, 4.8, 10),
    (0.75, 5.6, 400),
    (0.75, 1.6, 115),
    (0.75, 3.2, 10),
    (0.51, 7.2, 10),
    (0.50, 4.8, 10),
    (0.40, 3.6, 150),
    (0.31, 3.4, 75),
    (0.28, 3.8, 40),
];

/// Tries with another order when the containers do not all fit.
const TRIES: u64 = 8;

/// Generates a cluster with traffic and a legal current placement.
pub fn colocate(options: &ColocateOptions, seed: u64) -> Result<Problem, GenerateError> {
    check(options)?;
    let random = &mut stream(seed, 40, 0);
    let replicas = workload::replicas(options, random);
    let mut requests = workload::requests(options.services, random);
    let kinds: Vec<usize> = machine_kinds(options, random);
    scale_requests(options, &replicas, &kinds, &mut requests);
    let cluster = cluster(&kinds);
    let list = replicas
        .iter()
        .zip(&requests)
        .map(|(replicas, demand)| Service {
            replicas: *replicas,
            demand: demand
                .map(|amount| (amount * SCALE as f64).ceil() as u64)
                .to_vec(),
            variance: Vec::new(),
            pinned: false,
            alive: 0,
        });
    let list: Vec<Service> = list.collect();
    let mut services = Services::new(Names::numbered("service", list.len()), 1, list);
    services.traffic = traffic::traffic(options.services, random);
    services.spread = crowding(options, &replicas, random);
    services.compatibility = placement::classes(options, &cluster, &services);
    services.placement = (0..TRIES)
        .find_map(|attempt| {
            let random = &mut stream(seed, 41, attempt);
            let placed = placement::current(&cluster, &services, random);
            (attempt + 1 == TRIES || placed.is_ok()).then_some(placed)
        })
        .expect("the last try ends the search")?;
    Ok(Problem::new(cluster, Workload::Services(services))?)
}

fn check(options: &ColocateOptions) -> Result<(), GenerateError> {
    require(options.services > 0, "services", "at least one is needed")?;
    require(
        options.containers >= options.services && options.containers <= u32::MAX as usize,
        "containers",
        "each service needs at least one",
    )?;
    require(
        options.classes > 0 && options.classes <= options.machines,
        "classes",
        "between one and as many as machines are possible",
    )?;
    for (option, share) in [
        ("cpu-use", options.cpu_use),
        ("memory-use", options.memory_use),
    ] {
        require(
            share > 0.0 && share < 1.0,
            option,
            "a share between 0 and 1 is needed",
        )?;
    }
    require(
        (0.0..=1.0).contains(&options.anti_affinity),
        "anti-affinity",
        "a share between 0 and 1 is needed",
    )
}

/// The type of each machine: of every ten thousand as many as the table says.
fn machine_kinds(options: &ColocateOptions, random: &mut Random) -> Vec<usize> {
    let table: Vec<(usize, u32)> = (TYPES.iter().enumerate())
        .map(|(kind, (_, _, weight))| (kind, *weight))
        .collect();
    (0..options.machines)
        .map(|_| weighted(random, &table))
        .collect()
}

/// Cores of the largest machine.
const LARGEST: f64 = 192.0;

/// Scales what services ask for so that the use of CPU and memory comes out.
fn scale_requests(
    options: &ColocateOptions,
    replicas: &[u32],
    kinds: &[usize],
    requests: &mut [[f64; 2]],
) {
    let capacity = |kind: usize| {
        let (cpu, ratio, _) = TYPES[kind];
        [cpu * LARGEST, cpu * LARGEST * ratio]
    };
    for (r, wanted) in [options.cpu_use, options.memory_use]
        .into_iter()
        .enumerate()
    {
        let room: f64 = kinds.iter().map(|kind| capacity(*kind)[r]).sum();
        let asked = replicas.iter().zip(&*requests);
        let asked: f64 = asked
            .map(|(count, request)| f64::from(*count) * request[r])
            .sum();
        let factor = wanted * room / asked;
        requests.iter_mut().for_each(|request| request[r] *= factor);
    }
}

fn cluster(kinds: &[usize]) -> Cluster {
    let resource = |name: &str, unit: &str| Resource {
        name: name.into(),
        unit: unit.into(),
        scale: SCALE,
    };
    let pool = |(kind, (cpu, ratio, _)): (usize, &(f64, f64, u32))| Pool {
        name: format!("type{kind}"),
        capacity: [cpu * LARGEST, cpu * LARGEST * ratio]
            .map(|amount| (amount * SCALE as f64) as u64)
            .to_vec(),
        price: (cpu * 1e6) as u64,
        max_count: Some(kinds.iter().filter(|k| **k == kind).count() as u32),
        labels: Labels::new(),
    };
    let node = |(number, kind): (usize, &usize)| Node {
        name: format!("machine{number}"),
        pool: PoolId::from(*kind),
        labels: Labels::new(),
    };
    Cluster {
        resources: vec![resource("cpu", "core"), resource("memory", "GB")],
        pools: TYPES.iter().enumerate().map(pool).collect(),
        nodes: kinds.iter().enumerate().map(node).collect(),
    }
}

/// One-service sets for some services with several replicas, never tighter
/// than twice an even spread.
fn crowding(options: &ColocateOptions, replicas: &[u32], random: &mut Random) -> Vec<SpreadSet> {
    let chosen = (replicas.iter().enumerate()).filter(|(_, count)| {
        let drawn = below(random, 1_000_000) as f64 / 1e6;
        **count > 1 && drawn < options.anti_affinity
    });
    let machines = (options.machines / options.classes).max(1) as u32;
    chosen
        .map(|(service, count)| SpreadSet {
            name: format!("apart{service}"),
            members: vec![ServiceId::from(service)],
            max: (count.div_ceil(machines) * 2).max(1),
            level: bayplan_model::Level::Node,
        })
        .collect()
}
