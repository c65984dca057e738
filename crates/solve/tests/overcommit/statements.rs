//! The paper's statements, on thousands of random cases.

use bayplan_model::at_confidence;
use rand::RngExt;

use super::data;

/// Proposition 1: the same step under the root weighs less further out.
#[test]
fn roots_grow_ever_slower() {
    let mut random = data::random(1);
    for _ in 0..10_000 {
        let (x, further, step) = (
            random.random_range(0.0..100.0f64),
            random.random_range(1e-3..100.0),
            random.random_range(1e-3..50.0),
        );
        let near = (x + step).sqrt() - x.sqrt();
        let far = (x + further + step).sqrt() - (x + further).sqrt();
        assert!(near > far);
    }
}

/// Lemma 6: what does not fit has more than 3/4 of normalised mean and variance.
#[test]
fn what_does_not_fit_is_large() {
    let mut random = data::random(2);
    let mut infeasible = 0;
    for _ in 0..10_000 {
        let items = random.random_range(1..8);
        let (mut mean, mut variance) = (0.0, 0.0);
        for _ in 0..items {
            mean += random.random_range(0.0..0.4f64);
            variance += random.random_range(0.0..0.2f64);
        }
        if mean + f64::sqrt(variance) > 1.0 {
            infeasible += 1;
            assert!(mean + variance > 0.75);
        }
    }
    assert!(infeasible > 1000);
}

/// Theorem 4, its first half: with fractional replicas, two machines that are
/// not full always allow a move that lowers UCaC, so at the optimum at most
/// one is not full.
#[test]
fn two_machines_that_are_not_full_can_be_improved() {
    let mut random = data::random(3);
    for _ in 0..10_000 {
        let d = random.random_range(0.5..4.0f64);
        let services: Vec<(f64, f64)> = (0..3)
            .map(|_| {
                (
                    random.random_range(0.01..0.2),
                    random.random_range(0.001..0.02),
                )
            })
            .collect();
        let draw = |random: &mut rand_xoshiro::Xoshiro256PlusPlus| -> Vec<f64> {
            services
                .iter()
                .map(|_| random.random_range(0.01..1.0f64))
                .collect()
        };
        let (a, b) = (draw(&mut random), draw(&mut random));
        let loads = |x: &[f64]| {
            let mean: f64 = x.iter().zip(&services).map(|(n, s)| n * s.0).sum();
            let variance: f64 = x.iter().zip(&services).map(|(n, s)| n * s.1).sum();
            (mean, variance)
        };
        let used = |x: &[f64]| loads(x).0 + d * loads(x).1.sqrt();
        // Capacity leaves both machines some room.
        let capacity = used(&a).max(used(&b)) * 1.01;
        let (mut less, mut more) = if loads(&a).1 <= loads(&b).1 {
            (a, b)
        } else {
            (b, a)
        };
        let before = used(&less) + used(&more);
        let mut share = less[0];
        loop {
            let mut fuller = more.clone();
            fuller[0] += share;
            if used(&fuller) <= capacity {
                break;
            }
            share /= 2.0;
        }
        less[0] -= share;
        more[0] += share;
        assert!(used(&less) + used(&more) < before);
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
