//! Graphs of co-location limits: arbitrary, normal, threshold.
//!
//! Rows are made independently, each from its own stream, so that the result
//! does not depend on the number of threads.

use bayplan_model::{Limits, LimitsBuilder, ServiceId};
use fixedbitset::FixedBitSet;
use rand::RngExt;
use rayon::prelude::*;

use super::ProvisionOptions;
use crate::generate::GenerateError;
use crate::generate::random::{Random, below, normal, stream, weighted};

/// Which services limit which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Graph {
    /// No limits.
    None,
    /// A uniform set of density * n * (n - 1) arcs.
    Arbitrary,
    /// Out-degrees normal with mean density * n and half of it as deviation,
    /// clipped; uniform targets.
    Normal,
    /// An arc u -> v where (out_u + in_v) / 2 stays below a threshold, with
    /// uniform values out and in.
    Threshold,
}

/// Rows made and appended at a time: bounds what is held twice.
const ROWS_AT_A_TIME: usize = 8192;
const ROWS_PER_TASK: usize = 256;

pub(super) fn limits(
    options: &ProvisionOptions,
    services: usize,
    seed: u64,
) -> Result<Limits, GenerateError> {
    if options.graph == Graph::None || services < 2 {
        return Ok(Limits::default());
    }
    let rows = Rows::new(options, services, seed);
    let mut all = LimitsBuilder::new(services);
    all.reserve(rows.total());
    for from in (0..services).step_by(ROWS_AT_A_TIME) {
        let to = (from + ROWS_AT_A_TIME).min(services);
        let pieces: Result<Vec<LimitsBuilder>, GenerateError> = (from..to)
            .into_par_iter()
            .step_by(ROWS_PER_TASK)
            .map(|first| rows.piece(first, (first + ROWS_PER_TASK).min(to), &options.values))
            .collect();
        for piece in pieces? {
            all.append(piece)?;
        }
    }
    Ok(all.build()?)
}

/// What is drawn for the graph as a whole, before its rows.
enum Rows {
    /// Out-degrees; targets are uniform.
    Degrees { seed: u64, degrees: Vec<u32> },
    /// Services by ascending value in, and how far each row reaches into that order.
    Prefixes {
        seed: u64,
        order: Vec<u32>,
        reach: Vec<u32>,
    },
}

impl Rows {
    fn new(options: &ProvisionOptions, services: usize, seed: u64) -> Self {
        let density = options.density;
        match options.graph {
            Graph::Threshold => threshold(services, density, seed),
            Graph::Normal => {
                let random = &mut stream(seed, 3, 0);
                let mean = density * services as f64;
                let most = (services - 1) as f64;
                let degrees = (0..services)
                    .map(|_| {
                        (mean + mean / 2.0 * normal(random))
                            .round()
                            .clamp(0.0, most) as u32
                    })
                    .collect();
                Self::Degrees { seed, degrees }
            }
            Graph::Arbitrary | Graph::None => Self::Degrees {
                seed,
                degrees: uniform_degrees(services, density, seed),
            },
        }
    }

    /// How many limits there will be, a threshold row's own place included.
    fn total(&self) -> usize {
        let lengths = match self {
            Self::Degrees { degrees, .. } => degrees,
            Self::Prefixes { reach, .. } => reach,
        };
        lengths.iter().map(|length| *length as usize).sum()
    }

    fn piece(
        &self,
        first: usize,
        last: usize,
        values: &[(u32, u32)],
    ) -> Result<LimitsBuilder, GenerateError> {
        let services = match self {
            Self::Degrees { degrees, .. } => degrees.len(),
            Self::Prefixes { order, .. } => order.len(),
        };
        let mut builder = LimitsBuilder::new(services);
        let mut targets = FixedBitSet::with_capacity(services);
        for row in first..last {
            let random = &mut match self {
                Self::Degrees { seed, degrees } => {
                    let random = &mut stream(*seed, 4, row as u64);
                    choose(random, row, degrees[row] as usize, &mut targets);
                    random.clone()
                }
                Self::Prefixes { seed, order, reach } => {
                    let reached = &order[..reach[row] as usize];
                    reached.iter().for_each(|t| targets.insert(*t as usize));
                    targets.set(row, false);
                    stream(*seed, 4, row as u64)
                }
            };
            let limits = targets
                .ones()
                .map(|on| (ServiceId(on as u32), weighted(random, values)));
            builder.extend(ServiceId::from(row), limits)?;
            targets.clear();
        }
        Ok(builder)
    }
}

/// A uniform set of `degree` targets other than the row itself.
fn choose(random: &mut Random, row: usize, degree: usize, targets: &mut FixedBitSet) {
    let services = targets.len();
    // Of a dense row the few missing targets are drawn instead.
    let dense = degree > services / 2;
    let drawn = if dense { services - 1 - degree } else { degree };
    let mut left = drawn;
    while left > 0 {
        let target = below(random, services as u64) as usize;
        if target != row && !targets.put(target) {
            left -= 1;
        }
    }
    if dense {
        targets.toggle_range(..);
        targets.set(row, false);
    }
}

/// Out-degrees of a uniform set of exactly round(density * n * (n - 1)) arcs:
/// those of independent arcs, then single arcs taken away or added, uniformly,
/// until the number is right.
fn uniform_degrees(services: usize, density: f64, seed: u64) -> Vec<u32> {
    let others = services - 1;
    let wanted = (density * services as f64 * others as f64).round() as i64;
    let mut degrees: Vec<u32> = (0..services)
        .into_par_iter()
        .map(|row| binomial(&mut stream(seed, 5, row as u64), others, density))
        .collect();
    let mut excess = degrees.iter().map(|d| i64::from(*d)).sum::<i64>() - wanted;
    let random = &mut stream(seed, 6, 0);
    while excess != 0 {
        // A row is hit as often as it has arcs to lose, or pairs to gain.
        let degree = &mut degrees[below(random, services as u64) as usize];
        let arcs = below(random, others as u64) < u64::from(*degree);
        match (excess > 0, arcs) {
            (true, true) => (*degree, excess) = (*degree - 1, excess - 1),
            (false, false) => (*degree, excess) = (*degree + 1, excess + 1),
            _ => {}
        }
    }
    degrees
}

/// How many of `trials` succeed, by jumping from success to success.
fn binomial(random: &mut Random, trials: usize, chance: f64) -> u32 {
    if chance > 0.5 {
        return trials as u32 - binomial(random, trials, 1.0 - chance);
    }
    if chance <= 0.0 {
        return 0;
    }
    let log_miss = (-chance).ln_1p();
    let (mut at, mut successes) = (0.0, 0);
    loop {
        at += ((1.0 - random.random::<f64>()).ln() / log_miss).floor() + 1.0;
        if at > trials as f64 {
            return successes;
        }
        successes += 1;
    }
}

/// The threshold that makes the density come out (section 6.1 of the paper).
fn threshold(services: usize, density: f64, seed: u64) -> Rows {
    let n = services as f64;
    let threshold = (1.0 + (1.0 + 8.0 * n * (n - 1.0) * density).sqrt()) / (4.0 * n);
    let random = &mut stream(seed, 7, 0);
    let mut values = || -> Vec<f64> { (0..services).map(|_| random.random()).collect() };
    let (into, out) = (values(), values());
    let mut order: Vec<u32> = (0..services as u32).collect();
    order.sort_unstable_by(|a, b| into[*a as usize].total_cmp(&into[*b as usize]));
    let reach = out.iter().map(|out| {
        let most = 2.0 * threshold - out;
        order.partition_point(|service| into[*service as usize] <= most) as u32
    });
    let reach = reach.collect();
    Rows::Prefixes { seed, order, reach }
}
