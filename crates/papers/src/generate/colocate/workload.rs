//! How many containers services have and what each asks for.

use super::ColocateOptions;
use crate::generate::random::{Random, below, log_uniform, normal, weighted};
use rand::RngExt;

/// Share of services with at least 2, 4, 8 ... containers in the published
/// cluster; others follow the same curve to another power.
const TAIL: [(u32, f64); 8] = [
    (1, 1.0),
    (2, 0.65),
    (4, 0.32),
    (8, 0.18),
    (16, 0.079),
    (32, 0.035),
    (64, 0.011),
    (128, 0.004),
];

/// Cores asked for, with weights as in the published cluster.
const CORES: [(f64, u32); 8] = [
    (0.5, 42),
    (1.0, 90),
    (2.0, 254),
    (3.0, 33),
    (4.0, 72),
    (5.0, 12),
    (6.0, 14),
    (8.0, 13),
];

/// Correlation of CPU and memory in their logarithms.
const CORRELATION: f64 = 0.7;

/// Deviation of the logarithm of memory.
const MEMORY_DEVIATION: f64 = 0.9;

/// Containers of each service; they add up to the number wanted.
pub(super) fn replicas(options: &ColocateOptions, random: &mut Random) -> Vec<u32> {
    let mean = options.containers as f64 / options.services as f64;
    // The largest service holds up to a sixtieth of all containers.
    let most = ((options.containers / 60) as u32).clamp(256, 2520);
    let power = power_for(mean, most);
    let mut all: Vec<u32> = (0..options.services)
        .map(|_| one(random, power, most))
        .collect();
    let mut excess = all.iter().map(|d| i64::from(*d)).sum::<i64>() - options.containers as i64;
    // A few percent off by chance: containers are added to or taken from
    // services in proportion to what they have.
    let mut owners: Vec<u32> = Vec::new();
    for (service, count) in all.iter().enumerate() {
        owners.extend(std::iter::repeat_n(service as u32, *count as usize));
    }
    while excess != 0 {
        let owner = owners[below(random, owners.len() as u64) as usize] as usize;
        if excess < 0 {
            (all[owner], excess) = (all[owner] + 1, excess + 1);
        } else if all[owner] > 1 {
            (all[owner], excess) = (all[owner] - 1, excess - 1);
        }
    }
    all
}

fn bucket(at: usize, most: u32) -> (u32, u32) {
    let next = TAIL.get(at + 1).map_or(most, |(from, _)| from - 1);
    (TAIL[at].0, next)
}

fn one(random: &mut Random, power: f64, most: u32) -> u32 {
    let u: f64 = random.random();
    let at = TAIL.partition_point(|(_, tail)| tail.powf(power) > u);
    let (low, high) = bucket(at.max(1) - 1, most);
    log_uniform(random, low, high)
}

/// The power of the tail at which the expected number of containers is `mean`.
fn power_for(mean: f64, most: u32) -> f64 {
    let expected = |power: f64| -> f64 {
        (0..TAIL.len())
            .map(|at| {
                let tail = |at: usize| TAIL.get(at).map_or(0.0, |(_, tail)| tail.powf(power));
                let (low, high) = bucket(at, most);
                let (low, high) = (f64::from(low), f64::from(high) + 1.0);
                // Mean of a log-uniform value, rounded down.
                let inside = (high - low) / (high / low).ln() - 0.5;
                (tail(at) - tail(at + 1)) * inside.max(low)
            })
            .sum()
    };
    // Higher powers thin the tail out: the mean falls.
    let (mut heavy, mut light) = (0.05, 20.0);
    for _ in 0..60 {
        let middle = (heavy + light) / 2.0;
        if expected(middle) > mean {
            heavy = middle;
        } else {
            light = middle;
        }
    }
    heavy
}

/// CPU and memory of a container of each service, before scaling.
pub(super) fn requests(services: usize, random: &mut Random) -> Vec<[f64; 2]> {
    // Mean and deviation of the logarithm of CPU, for the correlation.
    let total: f64 = CORES.iter().map(|(_, weight)| f64::from(*weight)).sum();
    let moment = |of: fn(f64) -> f64| -> f64 {
        let sum: f64 = CORES
            .iter()
            .map(|(cores, weight)| of(cores.ln()) * f64::from(*weight))
            .sum();
        sum / total
    };
    let mean = moment(|log| log);
    let deviation = (moment(|log| log * log) - mean * mean).sqrt();
    let own = (1.0 - CORRELATION * CORRELATION).sqrt();
    let one = |_| {
        let cores = weighted(random, &CORES);
        let score = (cores.ln() - mean) / deviation;
        let log = CORRELATION * score + own * normal(random);
        [cores, (MEMORY_DEVIATION * log).exp()]
    };
    (0..services).map(one).collect()
}
