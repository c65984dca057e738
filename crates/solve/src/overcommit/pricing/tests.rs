//! Pricing against brute force.

use rand::RngExt;

use super::super::fleet::Fleet;
use super::super::kinds::Kinds;
use super::super::testing::{all_patterns, random_problem};
use super::super::view::View;
use super::*;
use crate::{Budget, Context, Random};

fn duals(view: &View, pricer: &Pricer, random: &mut Random) -> Vec<f64> {
    let factor = match pricer.objective {
        Objective::Ucac => 1.0..2.0,
        Objective::Machines => 0.5..4.0,
    };
    (0..view.count())
        .map(|s| {
            let size = pricer.service_mean(s) + view.d * pricer.service_variance(s).sqrt();
            size * random.random_range(factor.clone())
                * f64::from(random.random_range(0..5u8).min(1))
        })
        .collect()
}

/// Best gain of a kind by trying every pattern.
fn plain_best(view: &View, pricer: &Pricer, kind: usize, pi: &[f64], left: &[u32]) -> f64 {
    let mut best = 0.0f64;
    for pattern in all_patterns(view, &pricer.kinds.kinds[kind], left) {
        let earned: f64 = pattern
            .iter()
            .map(|(s, n)| pi[*s as usize] * f64::from(*n))
            .sum();
        best = best.max(earned - pricer.cost(kind, &pattern));
    }
    best
}

#[test]
fn pricing_finds_what_brute_force_finds() {
    let ctx = Context::new(11, Budget::Steps(1), 1);
    for case in 0..400 {
        let mut random = ctx.random(case);
        let problem = random_problem(&mut random, case % 2 == 1);
        let d = [0.0, 0.7, 2.326, 3.09][random.random_range(0..4)];
        let view = View::new(&problem, d).unwrap();
        let current = Fleet::current(&view);
        let kinds = Kinds::new(&view, &current);
        let objective = if case % 3 == 0 {
            Objective::Machines
        } else {
            Objective::Ucac
        };
        let pricer = Pricer::new(&view, &kinds, objective);
        let pi = duals(&view, &pricer, &mut random);
        let open = vec![true; kinds.rows.len()];
        let many = case % 5 == 0;
        let round = pricer
            .round(&pi, &kinds.wanted, &open, (many, NODES), &|| false)
            .unwrap();
        for (kind, about) in kinds.kinds.iter().enumerate() {
            let plain = plain_best(&view, &pricer, kind, &pi, &kinds.wanted);
            let found = round.patterns.iter().filter(|p| p.kind == kind);
            let found = found.map(|p| p.gain).fold(0.0, f64::max);
            assert!(
                (found - plain).abs() < 1e-8,
                "case {case} kind {kind}: found {found}, plain {plain}"
            );
            assert!(
                round.most_gain[about.row] >= plain - 1e-8,
                "case {case}: the bound is below the best"
            );
        }
        for priced in &round.patterns {
            let kind = &kinds.kinds[priced.kind];
            assert!(pricer.holds(kind, &priced.pattern));
            assert!(
                priced
                    .pattern
                    .iter()
                    .all(|(s, n)| *n <= kind.most[*s as usize])
            );
        }
    }
}

#[test]
fn near_patterns_are_all_those_within_the_slack() {
    let ctx = Context::new(12, Budget::Steps(1), 1);
    for case in 0..100 {
        let mut random = ctx.random(case);
        let problem = random_problem(&mut random, false);
        let view = View::new(&problem, 2.0).unwrap();
        let current = Fleet::current(&view);
        let kinds = Kinds::new(&view, &current);
        let pricer = Pricer::new(&view, &kinds, Objective::Ucac);
        let pi = duals(&view, &pricer, &mut random);
        let open = vec![true; kinds.rows.len()];
        for priced in pricer.near(&pi, &kinds.wanted, &open, 0.02, 10_000, &|| false) {
            let earned: f64 = priced
                .pattern
                .iter()
                .map(|(s, n)| pi[*s as usize] * f64::from(*n))
                .sum();
            let gain = earned - pricer.cost(priced.kind, &priced.pattern);
            assert!((gain - priced.gain).abs() < 1e-12 && gain > -0.02);
            assert!(pricer.holds(&kinds.kinds[priced.kind], &priced.pattern));
        }
    }
}

#[test]
fn chords_lie_below_the_root() {
    let interval = Interval {
        low: 0.3,
        high: 0.8,
        slope: 1.0 / 1.1,
    };
    for step in 0..=100 {
        let s = 0.3 + 0.005 * f64::from(step);
        assert!(table::chord(interval, s * s) <= s + 1e-15);
    }
    assert!((table::chord(interval, 0.09) - 0.3).abs() < 1e-15);
}
