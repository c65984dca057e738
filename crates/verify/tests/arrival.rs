//! Broken on arrival is told apart from broken by the plan.

mod common;

use bayplan_model::*;
use bayplan_verify::{Rule, Rules, check, check_current};
use common::*;

/// Six replicas of one core on a node of four.
fn overfull(entries: &[(u32, u32, u32)]) -> Problem {
    let mut all = services(&[(6, &[1]), (2, &[1])]);
    all.placement = placement(entries);
    problem(cluster(3, &[4]), all)
}

#[test]
fn a_plan_that_makes_it_no_worse_holds() {
    let problem = overfull(&[(0, 0, 6), (1, 1, 2)]);
    let same = check(&problem, &plan(&[(0, 0, 6), (1, 1, 2)]), &Rules::default());
    assert!(same.holds());
    assert_eq!(same.violations.len(), 1);
    assert!(same.violations[0].on_arrival);
    let better = check(
        &problem,
        &plan(&[(0, 0, 5), (0, 2, 1), (1, 1, 2)]),
        &Rules::default(),
    );
    assert!(better.holds() && better.violations.len() == 1);
    let repaired = check(
        &problem,
        &plan(&[(0, 0, 4), (0, 2, 2), (1, 1, 2)]),
        &Rules::default(),
    );
    assert_eq!(repaired.violations, []);
}

#[test]
fn a_plan_that_makes_it_worse_or_moves_it_does_not() {
    let problem = overfull(&[(0, 0, 5), (0, 2, 1), (1, 1, 2)]);
    for entries in [
        &[(0, 0, 6), (1, 1, 2)][..],
        &[(0, 2, 5), (0, 0, 1), (1, 1, 2)],
    ] {
        let report = check(&problem, &plan(entries), &Rules::default());
        assert_eq!(broken(&report), [Rule::Capacity]);
    }
}

#[test]
fn the_current_placement_itself_has_no_excuse() {
    let report = check_current(&overfull(&[(0, 0, 6), (1, 1, 2)]), &Rules::default());
    assert!(!report.holds());
    assert_eq!(
        report.violations[0].to_string(),
        "V001 node n0: cpu 6 core, 2 core (50.0 %) over the 4 core allowed"
    );
    let report = check_current(
        &overfull(&[(0, 0, 3), (0, 1, 3), (1, 2, 1)]),
        &Rules::default(),
    );
    assert_eq!(
        report.violations[0].to_string(),
        "V006 service s1: 1 of 2 replicas placed, 1 missing"
    );
}

#[test]
fn every_wave_of_a_repair_may_be_as_bad_as_the_start() {
    let problem = overfull(&[(0, 0, 6), (1, 1, 2)]);
    let waves = vec![
        wave(WaveKind::Create, &[(1, 2, 1)]),
        wave(WaveKind::Delete, &[(0, 0, 1)]),
        wave(WaveKind::Create, &[(0, 2, 1)]),
        wave(WaveKind::Delete, &[(1, 1, 1)]),
    ];
    let target = [(0, 0, 5), (0, 2, 1), (1, 1, 1), (1, 2, 1)];
    let report = check(&problem, &moving(&target, waves), &Rules::default());
    assert!(report.holds(), "{:?}", report.violations);
    let worse = vec![
        wave(WaveKind::Create, &[(0, 0, 1)]),
        wave(WaveKind::Delete, &[(0, 0, 2)]),
        wave(WaveKind::Create, &[(0, 2, 1)]),
    ];
    let target = [(0, 0, 5), (0, 2, 1), (1, 1, 2)];
    let report = check(&problem, &moving(&target, worse), &Rules::default());
    assert_eq!(broken(&report), [Rule::Capacity]);
    let blamed = report.violations.iter().find(|v| !v.on_arrival).unwrap();
    assert_eq!(blamed.object("wave"), Some("1"));
}

#[test]
fn of_many_epochs_the_one_to_blame_is_shown() {
    let service = |demand: [u64; 3]| Service {
        replicas: 1,
        demand: demand.to_vec(),
        variance: Vec::new(),
        pinned: false,
        alive: 0,
    };
    let list = [service([9, 2, 1]), service([0, 1, 4])];
    let mut all = Services::new(Names::numbered("s", 2), 3, list);
    all.placement = placement(&[(0, 0, 1), (1, 1, 1)]);
    let problem = problem(cluster(2, &[4]), all);
    // Epoch 0 is over by five on arrival; epoch 2 by one, and that is new.
    let report = check(&problem, &plan(&[(0, 0, 1), (1, 0, 1)]), &Rules::default());
    assert_eq!(report.violations.len(), 1);
    assert_eq!(
        report.violations[0].to_string(),
        "V001 node n0: cpu 5 core, 1 core (25.0 %) over the 4 core allowed in epoch 2"
    );
}

#[test]
fn a_layout_too_full_on_arrival_excuses_the_same_division() {
    let layout = [share(0, 0, 12)];
    let problem = division_problem(cluster(2, &[10, 9]), &[application(12, 1)], &layout);
    assert!(!check_current(&problem, &Rules::default()).holds());
    assert!(check(&problem, &division(&layout), &Rules::default()).holds());
    let elsewhere = check(&problem, &division(&[share(0, 1, 12)]), &Rules::default());
    assert!(!elsewhere.holds());
}
