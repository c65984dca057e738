//! The paper's statements, on thousands of random cases.

use bayplan_model::{at_confidence, fits_at_confidence};
use rand::RngExt;

use super::data;

/// Proposition 1: a replica adds less U to a machine with more variance.
#[test]
fn a_replica_costs_less_where_there_is_more_variance() {
    let mut random = data::random(1);
    for _ in 0..10_000 {
        let mean = random.random_range(0..1_000_000u64);
        let mut variance = || u128::from(random.random_range(1..1u64 << 40));
        let (less, more, b) = (variance(), variance(), variance());
        let (less, more) = (less.min(more), less.max(more) + 1);
        let d = random.random_range(0.1..5.0f64);
        let mu = random.random_range(1..1000u64);
        let added =
            |held: u128| at_confidence(mean + mu, held + b, d) - at_confidence(mean, held, d);
        // Rounding in the last place of numbers around a million.
        assert!(added(less) >= added(more) - 1e-8, "{less} {more} {b} {d}");
    }
}

/// Lemma 6: what does not fit has, in shares of the capacity, a mean and a
/// variance (times D squared) of more than 3/4 together.
#[test]
fn what_does_not_fit_is_large() {
    let mut random = data::random(2);
    let (mut infeasible, mut near) = (0, f64::INFINITY);
    for _ in 0..40_000 {
        let (capacity, d) = (1_000_000u64, random.random_range(0.1..5.0f64));
        let (mut mean, mut variance) = (0u64, 0u128);
        for _ in 0..random.random_range(1..8) {
            mean += random.random_range(0..300_000u64);
            let deviation = random.random_range(0..400_000u64) as f64 / d;
            variance += (deviation * deviation) as u128;
        }
        if !fits_at_confidence(mean, variance, d, capacity) {
            infeasible += 1;
            let share = mean as f64 / 1e6 + d * d * variance as f64 / 1e12;
            assert!(share > 0.75, "{mean} {variance} {d}");
            near = near.min(share);
        }
    }
    assert!(infeasible > 1000 && near < 0.8, "{infeasible} {near}");
}

/// Theorem 4: of the relaxed problem, where replicas may be divided, an optimum
/// has at most one machine in use that is not full. Two services on three
/// machines: every division on a grid against those with that property.
#[test]
fn the_relaxed_optimum_leaves_at_most_one_machine_not_full() {
    let mut random = data::random(5);
    let mut binding = 0;
    for case in 0..40 {
        let relaxed = Relaxed::draw(&mut random);
        let (mut least, mut least_of_two) = (f64::INFINITY, f64::INFINITY);
        for first in grid_pairs([1.0, 1.0]) {
            for second in grid_pairs([1.0 - first[0], 1.0 - first[1]]) {
                let third = [1.0 - first[0] - second[0], 1.0 - first[1] - second[1]];
                let used = [first, second, third].map(|x| relaxed.used(x));
                if used.iter().any(|u| *u > 1.0 + 1e-12) {
                    continue;
                }
                let sum: f64 = used.iter().sum();
                least = least.min(sum);
                let not_full = used.iter().filter(|u| **u > 1e-9 && **u < 1.0 - 1e-9);
                if not_full.count() >= 2 {
                    least_of_two = least_of_two.min(sum);
                }
            }
        }
        let structured = relaxed.best_with_one_not_full();
        assert!(
            structured <= least + 1e-9,
            "case {case}: {structured} with one machine not full, {least} in all"
        );
        assert!(
            least_of_two > structured,
            "case {case}: two machines not full reach {least_of_two}"
        );
        binding += u32::from(relaxed.used([1.0, 1.0]) > 1.0);
    }
    assert!(binding > 10, "one machine was enough in nearly all cases");
}

/// Steps of the grid of divisions.
const STEPS: u32 = 16;

/// Shares of both services, up to what is left of each; what is left included.
fn grid_pairs(left: [f64; 2]) -> impl Iterator<Item = [f64; 2]> {
    let shares = move |of: usize| {
        let whole = (0..=STEPS).map(|step| f64::from(step) / f64::from(STEPS));
        let below = whole.filter(move |share| *share < left[of] - 1e-9);
        below.chain([left[of]]).collect::<Vec<f64>>()
    };
    let second = shares(1);
    shares(0)
        .into_iter()
        .flat_map(move |a| second.clone().into_iter().map(move |b| [a, b]))
}

/// Two services in shares of their totals on machines of capacity 1.
struct Relaxed {
    mean: [f64; 2],
    variance: [f64; 2],
    d: f64,
}

impl Relaxed {
    fn draw(random: &mut rand_xoshiro::Xoshiro256PlusPlus) -> Self {
        let mut draw = |low: f64, high: f64| random.random_range(low..high);
        Self {
            mean: [draw(0.1, 0.9), draw(0.1, 0.9)],
            variance: [draw(0.001, 0.05), draw(0.001, 0.05)],
            d: draw(0.5, 3.0),
        }
    }

    fn used(&self, share: [f64; 2]) -> f64 {
        let mean: f64 = self.mean.iter().zip(share).map(|(m, x)| m * x).sum();
        let variance: f64 = self.variance.iter().zip(share).map(|(b, x)| b * x).sum();
        mean + self.d * variance.max(0.0).sqrt()
    }

    /// The least UCaC over divisions into full machines and a last one.
    fn best_with_one_not_full(&self) -> f64 {
        let mut best = f64::INFINITY;
        let mut try_last = |full: f64, rest: [f64; 2]| {
            if self.used(rest) <= 1.0 + 1e-12 {
                best = best.min(full + self.used(rest));
            }
        };
        try_last(0.0, [1.0, 1.0]);
        for first in self.full_machines([1.0, 1.0]) {
            let rest = [1.0 - first[0], 1.0 - first[1]];
            try_last(1.0, rest);
            for second in self.full_machines(rest) {
                try_last(2.0, [rest[0] - second[0], rest[1] - second[1]]);
            }
        }
        best
    }

    /// Divisions of what is left that fill a machine: one share on the grid,
    /// the other by bisection.
    fn full_machines(&self, left: [f64; 2]) -> Vec<[f64; 2]> {
        let mut found = Vec::new();
        for [a, b] in grid_pairs(left) {
            for (fixed, solved) in [(0, 1), (1, 0)] {
                let mut share = [0.0; 2];
                share[fixed] = [a, b][fixed];
                let with = |x: f64| {
                    let mut all = share;
                    all[solved] = x;
                    all
                };
                if self.used(with(0.0)) > 1.0 || self.used(with(left[solved])) < 1.0 {
                    continue;
                }
                let (mut low, mut high) = (0.0, left[solved]);
                for _ in 0..60 {
                    let middle = f64::midpoint(low, high);
                    if self.used(with(middle)) <= 1.0 {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                found.push(with(low));
            }
        }
        found.sort_by(|x, y| x[0].total_cmp(&y[0]).then(x[1].total_cmp(&y[1])));
        found.dedup();
        found
    }
}

/// U grows with every replica, and with D.
#[test]
fn used_capacity_is_monotone() {
    let mut random = data::random(4);
    for _ in 0..10_000 {
        let (mean, variance) = (
            random.random_range(0..1_000_000u64),
            u128::from(random.random_range(0..1u64 << 40)),
        );
        let (mu, b) = (
            random.random_range(1..1000u64),
            u128::from(random.random_range(0..1u64 << 30)),
        );
        let d = random.random_range(0.0..5.0f64);
        let now = at_confidence(mean, variance, d);
        assert!(at_confidence(mean + mu, variance + b, d) > now);
        assert!(at_confidence(mean, variance + b, d) >= now);
        assert!(at_confidence(mean, variance, d + 0.1) >= now);
    }
}
