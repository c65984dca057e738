//! Survival against a search of all arrangements: what passes does survive,
//! and what is called certain to fail does.

mod common;

use bayplan_model::*;
use bayplan_verify::{Rule, check};
use common::small::{Small, Table, random};
use rand::RngExt;

/// Whether the lost replicas, given as services, fit on the nodes left.
fn rehomed(small: &Small, x: &mut Table, lost: &[usize], gone: &[bool]) -> bool {
    let Some((service, rest)) = lost.split_first() else {
        return small.state(x).is_empty();
    };
    (0..gone.len()).any(|n| {
        if gone[n] {
            return false;
        }
        x[*service][n] += 1;
        let fits = rehomed(small, x, rest, gone);
        x[*service][n] -= 1;
        fits
    })
}

/// The loss of node `n` (and of its zone) with all arrangements tried.
fn survives(small: &Small, table: &Table, n: usize, by_zone: bool) -> bool {
    let same = |m: usize| by_zone && small.zones[n].is_some() && small.zones[m] == small.zones[n];
    let gone: Vec<bool> = (0..small.pool.len()).map(|m| m == n || same(m)).collect();
    let mut x = table.clone();
    let mut lost = Vec::new();
    for (s, row) in x.iter_mut().enumerate() {
        for (m, count) in row.iter_mut().enumerate().filter(|(m, _)| gone[*m]) {
            let replicas = if small.pinned[s] { 0 } else { *count as usize };
            lost.extend(std::iter::repeat_n(s, replicas));
            *count = 0;
            debug_assert!(gone[m]);
        }
    }
    rehomed(small, &mut x, &lost, &gone)
}

#[test]
fn what_passes_survives_and_certain_failures_fail() {
    let (mut passed, mut failed, mut certain) = (0, 0, 0);
    for seed in 0..12_000 {
        let random = &mut random(seed + 5_000_000);
        let mut small = Small::new(random);
        let table = small.table(random, small.pool.len());
        if table.iter().flatten().sum::<u64>() > 7 || !small.state(&table).is_empty() {
            continue;
        }
        let by_zone = random.random_range(0..2) == 0;
        small.rules.complete = false;
        small.rules.survive = Some(by_zone.then(|| "zone".into()));
        let plan = Plan::Placement(PlacementPlan {
            opened: small.opened(),
            placement: Small::placement(&table),
            ..PlacementPlan::default()
        });
        let report = check(&small.problem(), &plan, &small.rules);
        let broken: Vec<_> = report
            .violations
            .iter()
            .filter(|v| v.rule == Rule::Survive)
            .collect();
        for n in 0..small.pool.len() {
            let name = match small.zones[n] {
                Some(zone) if by_zone => format!("zone={zone}"),
                _ => small.node_name(n),
            };
            let violation = broken.iter().find(|v| v.objects[0].1 == name);
            let truth = survives(&small, &table, n, by_zone);
            match violation {
                None => assert!(truth, "seed {seed}: {name} passed and does not survive"),
                Some(v) if v.object("short of").is_some() => {
                    assert!(!truth, "seed {seed}: {v}");
                    certain += 1;
                }
                Some(_) => {}
            }
            passed += usize::from(violation.is_none());
            failed += usize::from(violation.is_some());
        }
    }
    assert!(
        passed > 1_000 && failed > 300 && certain > 100,
        "{passed} {failed} {certain}"
    );
}
