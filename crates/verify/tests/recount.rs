//! The verifier against the plain recount, on thousands of random plans.

// Plain on purpose: indices as in the definitions.
#![allow(clippy::needless_range_loop)]

mod common;

use bayplan_model::*;
use bayplan_verify::{Rule, check};
use common::broken;
use common::plain::overshoot;
use common::small::{Small, Table, random};
use rand::RngExt;

#[test]
fn placements_agree_with_the_plain_recount() {
    let (mut accepted, mut rejected, mut excused) = (0, 0, 0);
    for seed in 0..20_000 {
        let random = &mut random(seed);
        let small = Small::new(random);
        let mut table = small.table(random, small.pool.len());
        if random.random_range(0..3) == 0 {
            table = small.current.clone();
        }
        let plan = Plan::Placement(PlacementPlan {
            opened: small.opened(),
            placement: Small::placement(&table),
            ..PlacementPlan::default()
        });
        let report = check(&small.problem(), &plan, &small.rules);
        let found: Vec<_> = (report.violations.iter())
            .map(|v| {
                let objects: Vec<String> = v.objects.iter().map(|(_, name)| name.clone()).collect();
                ((v.rule, objects), (v.found, v.allowed, v.on_arrival))
            })
            .collect();
        let expected = small.expected(&table);
        assert_eq!(
            found.len(),
            expected.len(),
            "seed {seed}: {found:?} {expected:?}"
        );
        assert_eq!(
            found
                .into_iter()
                .collect::<std::collections::BTreeMap<_, _>>(),
            expected,
            "seed {seed}"
        );
        accepted += usize::from(report.violations.is_empty());
        rejected += usize::from(!report.holds());
        excused += usize::from(report.holds() && !report.violations.is_empty());
        figures_agree(&small, &table, &report.figures, seed);
    }
    // The test means something only when all three happen.
    assert!(
        accepted > 500 && rejected > 5_000 && excused > 500,
        "{accepted} {rejected} {excused}"
    );
}

fn figures_agree(small: &Small, x: &Table, figures: &bayplan_verify::Figures, seed: u64) {
    let nodes = 0..small.pool.len();
    let used: Vec<usize> = nodes
        .clone()
        .filter(|n| x.iter().any(|row| row[*n] > 0))
        .collect();
    let peak = |n: usize| {
        (0..small.epochs)
            .map(|e| small.load(x, n, 0, e).0)
            .max()
            .unwrap()
    };
    let (mut placed, mut unplaced, mut moves) = (0, 0, 0);
    for s in 0..x.len() {
        placed += x[s].iter().sum::<u64>();
        unplaced += u64::from(small.replicas[s]).saturating_sub(x[s].iter().sum());
        for n in nodes.clone() {
            moves += x[s][n].saturating_sub(small.current[s][n]);
        }
    }
    assert_eq!(figures.nodes, used.len() as u64, "seed {seed}");
    let price: u128 = used.iter().map(|n| small.pool[*n] as u128 + 1).sum();
    assert_eq!(figures.cost, price, "seed {seed}");
    assert_eq!(
        (figures.placed, figures.unplaced),
        (Some(placed), Some(unplaced))
    );
    assert_eq!(figures.moves, Some(moves), "seed {seed}");
    assert_eq!(
        figures.max_load,
        Some(nodes.map(peak).max().unwrap()),
        "seed {seed}"
    );
    let ucac: f64 = (used.iter())
        .map(|n| {
            let deviation = (small.load(x, *n, 0, 0).1 as f64).sqrt();
            peak(*n) as f64 + small.rules.d_alpha * deviation
        })
        .sum();
    assert!((figures.ucac.unwrap() - ucac).abs() < 1e-9, "seed {seed}");
    match (figures.gained_affinity, small.gain(x)) {
        (Some(found), Some(plain)) => assert!((found - plain).abs() < 1e-9, "seed {seed}"),
        (found, plain) => assert_eq!(found, plain, "seed {seed}"),
    }
}

/// One replica stopped or started.
type Unit = (usize, usize);

/// All orders of a wave's units, each prefix looked at.
fn every_order(units: &mut Vec<Unit>, at: usize, look: &mut impl FnMut(&[Unit])) {
    if at == units.len() {
        return look(units);
    }
    for other in at..units.len() {
        units.swap(at, other);
        every_order(units, at + 1, look);
        units.swap(at, other);
    }
}

/// Rules broken by any prefix of any order of the waves, beyond arrival.
fn replayed(small: &Small, target: &Table, waves: &[(WaveKind, Vec<Unit>)]) -> Vec<Rule> {
    let before = small.state(&small.current);
    let mut x = small.current.clone();
    let mut broken = Vec::new();
    let at_start: Vec<u64> = x.iter().map(|row| row.iter().sum()).collect();
    for (kind, units) in waves {
        let start = x.clone();
        every_order(&mut units.clone(), 0, &mut |order| {
            x.clone_from(&start);
            for (s, n) in order {
                match kind {
                    WaveKind::Create => x[*s][*n] += 1,
                    WaveKind::Delete if x[*s][*n] == 0 => broken.push(Rule::Wave),
                    WaveKind::Delete => {
                        x[*s][*n] -= 1;
                        if small.pinned[*s] {
                            broken.push(Rule::Pinned);
                        }
                        let replicas = u64::from(small.replicas[*s]);
                        let share = (replicas as f64 * f64::from(small.rules.alive) / 1e6).ceil();
                        let needed = (share as u64).max(u64::from(small.alive[*s]));
                        let needed = needed.min(replicas).min(at_start[*s]);
                        if x[*s].iter().sum::<u64>() < needed {
                            broken.push(Rule::Alive);
                        }
                    }
                }
                for (key, (found, allowed)) in small.state(&x) {
                    if overshoot(&before, &key).is_none_or(|then| then < found - allowed) {
                        broken.push(key.0);
                    }
                }
            }
        });
    }
    if x != *target {
        broken.push(Rule::WaveEnd);
    }
    broken
}

#[test]
fn waves_agree_with_a_replay_of_every_order() {
    let mut legal = 0;
    for seed in 0..6_000 {
        let random = &mut random(seed + 1_000_000);
        let small = Small::new(random);
        let mut x = small.current.clone();
        let mut waves: Vec<(WaveKind, Vec<Unit>)> = Vec::new();
        for _ in 0..random.random_range(1..4) {
            let kind = [WaveKind::Create, WaveKind::Delete][random.random_range(0..2)];
            let mut units = Vec::new();
            for _ in 0..random.random_range(0..4) {
                let s = random.random_range(0..x.len());
                let n = random.random_range(0..small.pool.len());
                // Mostly what is there: else hardly a plan would be legal.
                if kind == WaveKind::Delete && x[s][n] == 0 && random.random_range(0..8) > 0 {
                    continue;
                }
                match kind {
                    WaveKind::Create => x[s][n] += 1,
                    WaveKind::Delete => x[s][n] = x[s][n].saturating_sub(1),
                }
                units.push((s, n));
            }
            waves.push((kind, units));
        }
        if random.random_range(0..8) == 0 {
            x[0][0] += 1;
        }
        let listed = waves.iter().map(|(kind, units)| {
            let moves: Vec<_> = units
                .iter()
                .map(|(s, n)| (*s as u32, *n as u32, 1))
                .collect();
            common::wave(*kind, &moves)
        });
        let plan = Plan::Placement(PlacementPlan {
            opened: small.opened(),
            placement: Small::placement(&x),
            waves: listed.collect(),
            ..PlacementPlan::default()
        });
        let report = check(&small.problem(), &plan, &small.rules);
        let at_rest = small.expected(&x).into_iter();
        // While a wave runs, certain and random demand come in any order, so
        // which of the two names too much of a resource is open.
        let one_name = |rule| match rule {
            Rule::Confidence => Rule::Capacity,
            _ => rule,
        };
        let mut expected: Vec<Rule> = at_rest
            .filter(|(_, (_, _, on_arrival))| !on_arrival)
            .map(|((rule, _), _)| rule)
            .chain(replayed(&small, &x, &waves))
            .map(one_name)
            .collect();
        expected.sort_unstable();
        expected.dedup();
        let mut found: Vec<Rule> = broken(&report).into_iter().map(one_name).collect();
        found.dedup();
        assert_eq!(found, expected, "seed {seed}");
        legal += usize::from(expected.is_empty());
    }
    assert!(legal > 100, "{legal}");
}

#[test]
fn admissions_agree_with_a_look_at_every_moment() {
    let mut legal = 0;
    for seed in 0..4_000 {
        let random = &mut random(seed);
        let capacity = [random.random_range(2..6), random.random_range(2..6)];
        let list: Vec<(i64, i64, [u64; 2])> = (0..random.random_range(1..8))
            .map(|_| {
                let start = random.random_range(-4..6);
                let demand = [random.random_range(0..3), random.random_range(0..3)];
                (start, start + random.random_range(1..5), demand)
            })
            .collect();
        let rows: Vec<_> = list.iter().map(|(s, f, d)| (*s, *f, &d[..])).collect();
        let problem = common::requests(common::cluster(2, &capacity), &rows);
        let accepted: Vec<(u32, u32)> = (0..random.random_range(0..10))
            .map(|_| {
                (
                    random.random_range(0..list.len() as u32),
                    random.random_range(0..2),
                )
            })
            .collect();
        let report = check(&problem, &common::admission(&accepted), &Default::default());
        let mut expected = std::collections::BTreeSet::new();
        // Between two whole times nothing changes: (s, f] holds t when s < t <= f.
        for time in -5..12 {
            for node in 0..2 {
                for (r, capacity) in capacity.iter().enumerate() {
                    let load: u64 = (accepted.iter())
                        .filter(|(_, n)| *n == node)
                        .map(|(j, _)| &list[*j as usize])
                        .filter(|(s, f, _)| *s < time && time <= *f)
                        .map(|(_, _, demand)| demand[r])
                        .sum();
                    if load > *capacity {
                        expected.insert(Rule::Capacity);
                    }
                }
            }
        }
        for j in 0..list.len() as u32 {
            if accepted.iter().filter(|(k, _)| *k == j).count() > 1 {
                expected.insert(Rule::Twice);
            }
        }
        let expected: Vec<Rule> = expected.into_iter().collect();
        assert_eq!(broken(&report), expected, "seed {seed}");
        legal += usize::from(expected.is_empty());
    }
    assert!(legal > 500, "{legal}");
}

#[test]
fn divisions_agree_with_plain_sums() {
    let mut legal = 0;
    for seed in 0..6_000 {
        let random = &mut random(seed);
        let capacity = [random.random_range(5..15), random.random_range(5..15)];
        let nodes = random.random_range(1..4);
        let all: Vec<Application> = (0..random.random_range(1..4))
            .map(|_| Application {
                load: random.random_range(0..8),
                memory: random.random_range(0..4),
                memory_per_load: [0, 300_000][random.random_range(0..2)],
                min_instances: random.random_range(0..3),
                max_instances: [None, Some(2)][random.random_range(0..2)],
            })
            .collect();
        let mut shares = Vec::new();
        for (i, application) in all.iter().enumerate() {
            let mut rest = application.load + u64::from(random.random_range(0..12) == 0);
            while rest > 0 || random.random_range(0..4) == 0 {
                let load = random.random_range(0..=rest);
                let node = random.random_range(0..nodes);
                shares.push(common::share(i as u32, node, load));
                rest -= load;
            }
        }
        let problem =
            common::division_problem(common::cluster(nodes as usize, &capacity), &all, &[]);
        let report = check(&problem, &common::division(&shares), &Default::default());
        let mut expected = std::collections::BTreeSet::new();
        for node in 0..nodes {
            let here = || shares.iter().filter(|s| s.node.0 == node);
            let cpu: u64 = here().map(|s| s.load).sum();
            let memory: u64 = here()
                .map(|s| {
                    let of = &all[s.application.index()];
                    of.memory + (of.memory_per_load * s.load).div_ceil(1_000_000)
                })
                .sum();
            if cpu > capacity[0] || memory > capacity[1] {
                expected.insert(Rule::Capacity);
            }
            for i in 0..all.len() {
                if here().filter(|s| s.application.index() == i).count() > 1 {
                    expected.insert(Rule::Instance);
                }
            }
        }
        for (i, application) in all.iter().enumerate() {
            let of = || shares.iter().filter(|s| s.application.index() == i);
            if of().map(|s| s.load).sum::<u64>() != application.load {
                expected.insert(Rule::LoadShare);
            }
            let on = (0..nodes).filter(|n| of().any(|s| s.node.0 == *n)).count() as u32;
            if on < application.min_instances || application.max_instances.is_some_and(|m| on > m) {
                expected.insert(Rule::InstanceCount);
            }
        }
        let expected: Vec<Rule> = expected.into_iter().collect();
        assert_eq!(broken(&report), expected, "seed {seed}");
        legal += usize::from(expected.is_empty());
    }
    assert!(legal > 300, "{legal}");
}
