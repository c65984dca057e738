//! A synthetic base set. Its marginals (rounded tables of our own) resemble
//! those of the TClab data: two thirds of the services have one or two
//! replicas, services with many replicas are larger, most replicas ask for one
//! core and 8 GB.

use bayplan_model::{Service, Services};
use rand::RngExt;

use super::{SCALE, names};
use crate::generate::random::{Random, log_uniform, normal, stream, weighted};

/// Services of the base set.
pub(super) const SERVICES: usize = 9338;

/// Services by how many replicas they have, per mille.
const REPLICAS: [((u32, u32), u32); 7] = [
    ((1, 1), 292),
    ((2, 2), 323),
    ((3, 4), 149),
    ((5, 9), 111),
    ((10, 39), 92),
    ((40, 120), 25),
    ((121, 600), 8),
];

/// Cores of a replica, per mille, for services of up to 2, 9, 39 and more replicas.
const CORES: [&[(u64, u32)]; 4] = [
    &[
        (1, 746),
        (2, 78),
        (3, 22),
        (4, 122),
        (6, 14),
        (8, 10),
        (12, 4),
        (16, 4),
    ],
    &[
        (1, 600),
        (2, 190),
        (3, 72),
        (4, 54),
        (5, 24),
        (6, 52),
        (12, 8),
    ],
    &[
        (1, 230),
        (2, 262),
        (3, 160),
        (4, 92),
        (5, 56),
        (6, 152),
        (8, 18),
        (12, 30),
    ],
    &[
        (1, 55),
        (2, 110),
        (3, 145),
        (4, 115),
        (5, 95),
        (6, 290),
        (8, 50),
        (12, 120),
        (24, 20),
    ],
];

/// GB of a replica, per mille, for up to one core, up to six and more.
const MEMORY: [&[(u64, u32)]; 3] = [
    &[
        (1, 67),
        (2, 102),
        (3, 17),
        (4, 15),
        (5, 12),
        (6, 15),
        (7, 21),
        (8, 727),
        (16, 22),
        (32, 2),
    ],
    &[
        (2, 30),
        (3, 8),
        (4, 10),
        (6, 6),
        (8, 856),
        (10, 8),
        (16, 70),
        (32, 12),
    ],
    &[
        (2, 50),
        (8, 80),
        (12, 20),
        (16, 595),
        (24, 30),
        (32, 118),
        (48, 57),
        (64, 35),
        (96, 15),
    ],
];

/// Services whose CPU and whose memory never change, per mille.
const STEADY: (f64, f64) = (0.41, 0.56);

/// What a time-varying service asks for at least, in cores.
const LEAST_CPU: f64 = 0.5;

pub(super) fn synthetic(count: usize, epochs: usize, seed: u64) -> Services {
    let list = (0..count).map(|row| {
        let random = &mut stream(seed, 2, row as u64);
        let (low, high) = weighted(random, &REPLICAS);
        let replicas = log_uniform(random, low, high);
        let scale = [3, 10, 40]
            .iter()
            .filter(|bound| replicas >= **bound)
            .count();
        let cores = weighted(random, CORES[scale]);
        let size = [2, 7].iter().filter(|bound| cores >= **bound).count();
        let memory = weighted(random, MEMORY[size]);
        let demand = if epochs == 1 {
            vec![cores * SCALE, memory * SCALE]
        } else {
            let mut rows = cpu_by_epoch(random, cores as f64, epochs);
            rows.extend(memory_by_epoch(random, memory as f64, epochs));
            rows
        };
        Service {
            replicas,
            demand,
            variance: Vec::new(),
            pinned: false,
            alive: 0,
        }
    });
    let list: Vec<Service> = list.collect();
    Services::new(names(count), epochs, list)
}

/// How busy the day is, from 0 at night to 1: a late morning peak and a lower
/// one in the afternoon.
fn day(epoch: usize, epochs: usize) -> f64 {
    let hour = 24.0 * epoch as f64 / epochs as f64;
    let bump = |at: f64, width: f64| (-((hour - at) / width).powi(2)).exp();
    (bump(10.5, 2.2) + 0.8 * bump(15.5, 2.5) + 0.4 * bump(0.0, 2.0)).min(1.0)
}

/// Smooth noise around one: each epoch keeps most of the last one's.
fn wander(random: &mut Random, last: f64, deviation: f64) -> f64 {
    0.8 * last + 0.6 * deviation * normal(random)
}

/// Whole cores are peaks rounded up: the true peak lies below.
fn cpu_by_epoch(random: &mut Random, cores: f64, epochs: usize) -> Vec<u64> {
    let spare = if random.random::<f64>() < 0.35 {
        0.0
    } else {
        random.random::<f64>()
    };
    let peak = (cores - spare).max(LEAST_CPU);
    let swing = if random.random::<f64>() < STEADY.0 {
        0.0
    } else {
        0.2 + 0.7 * random.random::<f64>()
    };
    let mut noise = 0.0;
    let shape: Vec<f64> = (0..epochs)
        .map(|epoch| {
            noise = wander(random, noise, 0.25);
            (1.0 - swing * (1.0 - day(epoch, epochs)) + swing * noise).max(0.05)
        })
        .collect();
    let highest = shape.iter().copied().fold(0.0, f64::max);
    let units = shape.iter().map(|at| (peak * at / highest).max(LEAST_CPU));
    units.map(in_units).collect()
}

fn memory_by_epoch(random: &mut Random, memory: f64, epochs: usize) -> Vec<u64> {
    let swing = if random.random::<f64>() < STEADY.1 {
        0.0
    } else {
        0.02 + 0.5 * random.random::<f64>().powi(2)
    };
    let mut noise = 0.0;
    let shape = (0..epochs).map(|_| {
        noise = wander(random, noise, 1.0);
        // Requests are full most of the time and dip below now and then.
        memory * (1.0 - swing * noise.clamp(0.0, 1.5)).max(0.1)
    });
    shape.map(in_units).collect()
}

/// Four decimals, as such tables are written.
fn in_units(amount: f64) -> u64 {
    (amount * 1e4).ceil() as u64 * (SCALE / 10_000)
}
