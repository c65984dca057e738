//! The data of the UCaC paper's evaluation (table 5), generated from a seed.

use bayplan_model::*;
use bayplan_papers::generate::UCAC_SERVICES as TABLE;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Units per core.
pub const SCALE: u64 = 1_000_000;
/// Capacity of a machine in units: 31.58 cores.
pub const CAPACITY: u64 = 31_580_000;

/// Total mean of the services in cores, whatever their number.
const TOTAL_MEAN: f64 = 22_800.0;

/// A service of an instance.
#[derive(Clone, Debug)]
pub struct Draw {
    /// Mean in cores.
    pub mean: f64,
    /// Deviation in cores.
    pub sd: f64,
    /// Containers in the base layout.
    pub containers: u32,
    /// Share removed from the layout.
    pub remove: f64,
}

/// Draws `k` services: without repetition up to 17, resampled beyond.
pub fn draw_services(k: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Draw> {
    let mut rows: Vec<usize> = (0..TABLE.len()).collect();
    rows.shuffle(random);
    let mut drawn: Vec<usize> = rows.into_iter().take(k).collect();
    while drawn.len() < k {
        drawn.push(random.random_range(0..TABLE.len()));
    }
    let services: Vec<(f64, f64, u32, f64)> = drawn.iter().map(|row| TABLE[*row]).collect();
    let total: f64 = services.iter().map(|s| s.0 * f64::from(s.2)).sum();
    let draw = |(mean, sd, containers, remove): (f64, f64, u32, f64)| Draw {
        mean,
        sd: sd * random.random_range(0.9..1.1),
        containers: (f64::from(containers) * TOTAL_MEAN / total)
            .round()
            .max(1.0) as u32,
        remove,
    };
    services.into_iter().map(draw).collect()
}

/// A problem with these services on `nodes` existing machines.
pub fn problem(services: &[Draw], wanted: &[u32], nodes: usize, placement: Placement) -> Problem {
    let cluster = Cluster {
        resources: vec![Resource {
            name: "cpu".into(),
            unit: "core".into(),
            scale: SCALE,
        }],
        pools: vec![Pool {
            name: "machine".into(),
            capacity: vec![CAPACITY],
            price: 1_000_000,
            max_count: None,
            labels: Labels::new(),
        }],
        nodes: (0..nodes)
            .map(|n| Node {
                name: format!("n{n}"),
                pool: PoolId(0),
                labels: Labels::new(),
            })
            .collect(),
    };
    let each = services.iter().zip(wanted).map(|(draw, replicas)| {
        let sd = draw.sd * SCALE as f64;
        Service {
            replicas: *replicas,
            demand: vec![(draw.mean * SCALE as f64).ceil() as u64],
            variance: vec![(sd * sd).ceil() as u128],
            pinned: false,
            alive: 0,
        }
    });
    let mut all = Services::new(Names::numbered("s", services.len()), 1, each);
    all.placement = placement;
    Problem::new(cluster, Workload::Services(all)).expect("generated problems are sound")
}

/// Removes each service's share at random from a packed layout.
pub fn thin_out(
    services: &[Draw],
    packed: &Placement,
    random: &mut Xoshiro256PlusPlus,
) -> Placement {
    let mut counts = Vec::new();
    for (index, draw) in services.iter().enumerate() {
        let of = packed.of(ServiceId::from(index));
        let mut singles: Vec<NodeId> = of
            .iter()
            .flat_map(|c| std::iter::repeat_n(c.node, c.count as usize))
            .collect();
        singles.shuffle(random);
        let keep = singles.len() - (singles.len() as f64 * draw.remove).round() as usize;
        counts.extend(singles.into_iter().take(keep).map(|node| Count {
            service: ServiceId::from(index),
            node,
            count: 1,
        }));
    }
    Placement::new(counts)
}

/// The random source of an instance.
pub fn random(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}
