//! What a plan risks: the share of machines over their capacity, by sampling
//! the usage of every replica.

use bayplan_model::{NodeId, PlacementPlan, Plan, Problem};
use rand::RngExt;

use super::Params;
use crate::{Context, Figure, Random, Solution};

/// What happens to usage outside (0, limit).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Truncate {
    /// Nothing: plain Gaussians. Only here the rate must stay below 1 - alpha.
    #[default]
    None,
    /// It becomes 0 or the limit.
    Clip {
        /// The limit of a service: its mean and this many deviations.
        limit: f64,
    },
    /// It is drawn again, which raises the mean.
    Resample {
        /// The limit of a service: its mean and this many deviations.
        limit: f64,
    },
}

/// The outcome of sampling.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Risk {
    /// Machines in use times rounds.
    pub samples: u64,
    /// Samples above the capacity of resource 0.
    pub over: u64,
}

/// Standard deviations of the confidence interval that is reported: 95 %.
const INTERVAL: f64 = 1.959963984540054;

impl Risk {
    /// The share of samples over capacity.
    pub fn rate(&self) -> f64 {
        if self.samples == 0 {
            return 0.0;
        }
        self.over as f64 / self.samples as f64
    }

    /// The 95 % confidence interval of the rate (Wilson's).
    pub fn interval(&self) -> (f64, f64) {
        if self.samples == 0 {
            return (0.0, 1.0);
        }
        let (n, p, z) = (self.samples as f64, self.rate(), INTERVAL);
        let centre = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
        let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        ((centre - half).max(0.0), (centre + half).min(1.0))
    }
}

/// Adds to an answer what it risks, if that was asked for.
pub fn assess(problem: &Problem, params: &Params, solution: &mut Solution, context: &Context) {
    let Plan::Placement(plan) = &solution.plan else {
        return;
    };
    if params.samples == 0 {
        return;
    }
    let risk = sample(problem, plan, params.truncate, params.samples, context);
    let (low, high) = risk.interval();
    solution.figures.extend([
        ("violation_rate", Figure::Number(risk.rate())),
        ("violation_rate_low", Figure::Number(low)),
        ("violation_rate_high", Figure::Number(high)),
        ("violation_samples", Figure::Count(risk.samples)),
    ]);
}

/// Rounds of sampling that keep the work near two million draws.
pub fn fitting_rounds(replicas: u64) -> u64 {
    (2_000_000 / replicas.max(1)).clamp(2, 1000)
}

/// Samples the usage of resource 0 of every replica in every round, and counts
/// the machines in use that exceed their capacity. Lanes are rounds, so the
/// result does not depend on the number of threads; it is cut short, by whole
/// rounds, only when somebody asks to stop.
pub fn sample(
    problem: &Problem,
    plan: &PlacementPlan,
    truncate: Truncate,
    rounds: u64,
    ctx: &Context,
) -> Risk {
    let machines = machines(problem, plan);
    let tallies = ctx.lanes(rounds as usize, |round| {
        if ctx.interrupted() {
            return None;
        }
        let mut random = ctx.random(RISK_LANES + round as u64);
        let over = machines
            .iter()
            .filter(|machine| machine.is_over(truncate, &mut random))
            .count();
        Some(over as u64)
    });
    let done: Vec<u64> = tallies.into_iter().flatten().collect();
    Risk {
        samples: done.len() as u64 * machines.len() as u64,
        over: done.iter().sum(),
    }
}

/// Lanes of the sampling, apart from those of any algorithm.
const RISK_LANES: u64 = 1 << 40;

/// A machine in use: its capacity and (mean, deviation, replicas) per service.
struct Machine {
    capacity: f64,
    held: Vec<(f64, f64, u32)>,
}

fn machines(problem: &Problem, plan: &PlacementPlan) -> Vec<Machine> {
    let Some(services) = problem.services() else {
        return Vec::new();
    };
    let (cluster, resources) = (problem.cluster(), problem.cluster().resources.len());
    let mut held: Vec<Vec<(f64, f64, u32)>> =
        vec![Vec::new(); cluster.nodes.len() + plan.opened.len()];
    for entry in plan.placement.counts() {
        let at = entry.service.index() * resources;
        let variance = services.variance.get(at).copied().unwrap_or(0);
        held[entry.node.index()].push((
            services.demand[at] as f64,
            (variance as f64).sqrt(),
            entry.count,
        ));
    }
    let machine = |(node, held): (usize, Vec<(f64, f64, u32)>)| {
        let pool = cluster.pool_of(NodeId::from(node), &plan.opened)?;
        (!held.is_empty()).then(|| Machine {
            capacity: cluster.capacity(pool)[0] as f64,
            held,
        })
    };
    held.into_iter().enumerate().filter_map(machine).collect()
}

impl Machine {
    fn is_over(&self, truncate: Truncate, random: &mut Random) -> bool {
        let mut sum = 0.0;
        for &(mean, deviation, count) in &self.held {
            for _ in 0..count {
                sum += usage(mean, deviation, truncate, random);
            }
        }
        sum > self.capacity
    }
}

fn usage(mean: f64, deviation: f64, truncate: Truncate, random: &mut Random) -> f64 {
    let value = mean + deviation * normal(random);
    match truncate {
        Truncate::None => value,
        Truncate::Clip { limit } => value.clamp(0.0, mean + limit * deviation),
        Truncate::Resample { limit } => {
            let mut value = value;
            // A service without deviation or room would be drawn for ever.
            let mut tries = 0;
            while !(0.0..=mean + limit * deviation).contains(&value) && tries < 1000 {
                value = mean + deviation * normal(random);
                tries += 1;
            }
            value.clamp(0.0, mean + limit * deviation)
        }
    }
}

/// A standard normal number (Marsaglia's polar method; the second is not kept,
/// so that each draw stands for itself).
fn normal(random: &mut Random) -> f64 {
    loop {
        let (x, y) = (
            random.random_range(-1.0..1.0f64),
            random.random_range(-1.0..1.0f64),
        );
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;

    #[test]
    fn normal_numbers_have_mean_zero_and_variance_one() {
        let mut random = Context::new(3, Budget::Steps(1), 1).random(0);
        let draws: Vec<f64> = (0..200_000).map(|_| normal(&mut random)).collect();
        let mean = draws.iter().sum::<f64>() / 2e5;
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 2e5;
        let beyond = draws.iter().filter(|x| **x > 2.3263).count() as f64 / 2e5;
        assert!(
            mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02,
            "{mean} {variance}"
        );
        assert!((beyond - 0.01).abs() < 0.001, "{beyond}");
    }

    #[test]
    fn truncated_usage_stays_inside_and_resampling_raises_the_mean() {
        let mut random = Context::new(4, Budget::Steps(1), 1).random(0);
        let mut mean = |truncate| {
            let draws: Vec<f64> = (0..50_000)
                .map(|_| usage(1.0, 1.0, truncate, &mut random))
                .collect();
            assert!(truncate == Truncate::None || draws.iter().all(|u| (0.0..=4.0).contains(u)));
            draws.iter().sum::<f64>() / 5e4
        };
        let plain = mean(Truncate::None);
        let resampled = mean(Truncate::Resample { limit: 3.0 });
        assert!(
            (plain - 1.0).abs() < 0.02 && resampled > 1.2,
            "{plain} {resampled}"
        );
    }

    #[test]
    fn the_interval_covers_the_rate() {
        let risk = Risk {
            samples: 1000,
            over: 10,
        };
        let (low, high) = risk.interval();
        assert!(low < 0.01 && 0.01 < high && low > 0.004 && high < 0.02);
        assert_eq!(
            Risk {
                samples: 10,
                over: 0
            }
            .interval()
            .0,
            0.0
        );
    }
}
