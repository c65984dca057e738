//! Generated instances of "how many nodes?": densities, values, marginals.

use std::collections::BTreeMap;

use bayplan_model::{Problem, ServiceId};
use bayplan_papers::generate::{Graph, ProvisionOptions, provision};

fn generated(graph: Graph, services: usize, density: f64, seed: u64) -> Problem {
    let options = ProvisionOptions {
        services: Some(services),
        graph,
        density,
        ..ProvisionOptions::default()
    };
    provision(&options, None, seed).unwrap()
}

#[test]
fn densities_come_out() {
    for density in [0.0, 0.003, 0.05, 0.5, 0.8, 1.0] {
        for services in [2usize, 10, 1500] {
            let pairs = (services * (services - 1)) as f64;
            let exact = generated(Graph::Arbitrary, services, density, 3);
            let limits = exact.services().unwrap().limits.len();
            assert_eq!(limits, (density * pairs).round() as usize);
        }
    }
    for (graph, density, tolerance) in [
        (Graph::Normal, 0.05, 0.08),
        (Graph::Threshold, 0.05, 0.08),
        (Graph::Threshold, 0.005, 0.1),
    ] {
        let problem = generated(graph, 4000, density, 5);
        let found = problem.services().unwrap().limits.len() as f64 / (4000.0 * 3999.0);
        assert!(
            (found / density - 1.0).abs() < tolerance,
            "{graph:?} {density}: {found}"
        );
    }
    let none = generated(Graph::None, 100, 0.5, 1);
    assert!(none.services().unwrap().limits.is_empty());
}

#[test]
fn degrees_tell_the_kinds_apart() {
    let out = |graph| {
        let problem = generated(graph, 3000, 0.02, 9);
        let limits = &problem.services().unwrap().limits;
        let degrees: Vec<f64> = (0..3000)
            .map(|s| limits.out_degree(ServiceId(s)) as f64)
            .collect();
        let mean = degrees.iter().sum::<f64>() / 3000.0;
        let variance = degrees.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 3000.0;
        let idle = degrees.iter().filter(|d| **d == 0.0).count() as f64 / 3000.0;
        (mean, variance.sqrt(), idle)
    };
    // Arbitrary: binomial, deviation about sqrt(60).
    let (mean, deviation, _) = out(Graph::Arbitrary);
    assert!(
        (mean - 60.0).abs() < 0.1 && (deviation - 7.7).abs() < 0.6,
        "{deviation}"
    );
    let (mean, deviation, _) = out(Graph::Normal);
    assert!(
        (mean - 60.0).abs() < 2.5 && (deviation - 29.0).abs() < 2.0,
        "{deviation}"
    );
    // Threshold: 2 r = 0.2 of the services impose anything.
    let (_, _, idle) = out(Graph::Threshold);
    assert!((idle - 0.8).abs() < 0.03, "{idle}");
}

#[test]
fn a_threshold_graph_has_nested_rows() {
    let problem = generated(Graph::Threshold, 300, 0.1, 2);
    let limits = &problem.services().unwrap().limits;
    let row = |s: u32| -> Vec<ServiceId> { limits.imposed_by(ServiceId(s)).map(|l| l.0).collect() };
    for a in 0..300 {
        for b in 0..300 {
            let (small, large) = (row(a), row(b));
            if small.len() + 1 < large.len() {
                let inside = small.iter().filter(|s| s.0 != b).all(|s| large.contains(s));
                assert!(inside, "{a} {b}");
            }
        }
    }
}

#[test]
fn values_have_their_shares() {
    let problem = generated(Graph::Arbitrary, 2000, 0.05, 7);
    let mut counts: BTreeMap<u32, f64> = BTreeMap::new();
    let limits = &problem.services().unwrap().limits;
    for limit in limits.iter() {
        *counts.entry(limit.max).or_default() += 1.0;
    }
    let all = limits.len() as f64;
    for (value, weight) in [
        (0, 13144.0),
        (2, 6556.0),
        (1, 3992.0),
        (3, 361.0),
        (4, 25.0),
    ] {
        let (found, wanted) = (counts[&value] / all, weight / 24078.0);
        let tolerance = 5.0 * (wanted / all).sqrt();
        assert!(
            (found - wanted).abs() < tolerance,
            "{value}: {found} {wanted}"
        );
    }
}

#[test]
fn the_same_seed_on_any_number_of_threads() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| generated(Graph::Normal, 1200, 0.02, 11))
    };
    assert_eq!(on(1), on(3));
    assert_ne!(on(1), generated(Graph::Normal, 1200, 0.02, 12));
}

#[test]
fn the_synthetic_base_resembles_the_data() {
    let problem = provision(
        &ProvisionOptions {
            graph: Graph::None,
            ..ProvisionOptions::default()
        },
        None,
        1,
    );
    let problem = problem.unwrap();
    let services = problem.services().unwrap();
    assert_eq!(services.len(), 9338);
    let replicas: f64 = services.replicas.iter().map(|r| f64::from(*r)).sum();
    assert!((replicas / 68_224.0 - 1.0).abs() < 0.1, "{replicas}");
    let total = |r: usize| -> f64 {
        let of = |s: ServiceId| services.row(s)[r] as f64 * f64::from(services.replicas[s.index()]);
        services.ids().map(of).sum::<f64>() / 1e6
    };
    assert!((total(0) / 295_724.0 - 1.0).abs() < 0.15, "{}", total(0));
    assert!((total(1) / 651_038.0 - 1.0).abs() < 0.15, "{}", total(1));
    let one_core = services
        .ids()
        .filter(|s| services.row(*s)[0] == 1_000_000)
        .count();
    assert!(
        (one_core as f64 / 9338.0 - 0.635).abs() < 0.03,
        "{one_core}"
    );
}

#[test]
fn demand_by_epoch_swings_below_its_peak() {
    let options = ProvisionOptions {
        services: Some(2000),
        graph: Graph::None,
        epochs: 98,
        ..ProvisionOptions::default()
    };
    let problem = provision(&options, None, 4).unwrap();
    let services = problem.services().unwrap();
    assert_eq!(services.epochs, 98);
    let (mut steady, mut ratio) = ([0, 0], [0.0, 0.0]);
    for s in services.ids() {
        for r in 0..2 {
            let row = &services.row(s)[r * 98..][..98];
            let peak = *row.iter().max().unwrap();
            assert!(row.iter().all(|units| *units > 0) && peak <= 128_000_000);
            steady[r] += usize::from(row.iter().all(|units| *units == row[0]));
            ratio[r] += row.iter().sum::<u64>() as f64 / 98.0 / peak as f64 / 2000.0;
        }
    }
    // The data: 41 and 56 % steady (small services at their least included),
    // mean over peak 0.80 and 0.94.
    assert!(
        (0.38..0.55).contains(&(steady[0] as f64 / 2000.0)),
        "{steady:?}"
    );
    assert!(
        (0.5..0.62).contains(&(steady[1] as f64 / 2000.0)),
        "{steady:?}"
    );
    assert!(
        (0.72..0.88).contains(&ratio[0]) && (0.9..0.98).contains(&ratio[1]),
        "{ratio:?}"
    );
}

#[test]
fn a_given_base_is_kept_or_resampled() {
    let base = generated(Graph::Arbitrary, 50, 0.1, 1);
    let mut options = ProvisionOptions {
        density: 0.2,
        ..ProvisionOptions::default()
    };
    let kept = provision(&options, Some(&base), 2).unwrap();
    let (old, new) = (base.services().unwrap(), kept.services().unwrap());
    assert_eq!(
        (&old.names, &old.replicas, &old.demand),
        (&new.names, &new.replicas, &new.demand)
    );
    assert_eq!(new.limits.len(), 490);
    options.services = Some(500);
    let large = provision(&options, Some(&base), 2).unwrap();
    let large = large.services().unwrap();
    assert_eq!(large.len(), 500);
    for s in large.ids() {
        assert!(old.replicas.contains(&large.replicas[s.index()]));
        assert!(old.ids().any(|o| old.row(o) == large.row(s)));
    }
}

#[test]
fn impossible_options_are_errors() {
    for options in [
        ProvisionOptions {
            density: 1.5,
            ..Default::default()
        },
        ProvisionOptions {
            density: f64::NAN,
            ..Default::default()
        },
        ProvisionOptions {
            epochs: 0,
            ..Default::default()
        },
        ProvisionOptions {
            values: vec![(1, 0)],
            ..Default::default()
        },
        ProvisionOptions {
            cpu: u64::MAX,
            ..Default::default()
        },
    ] {
        assert!(provision(&options, None, 1).is_err(), "{options:?}");
    }
}
