//! No plan, however wrong, may panic or fill the memory.

mod common;

use bayplan_model::*;
use bayplan_verify::{Rule, Rules, check};
use common::*;

#[test]
fn the_largest_numbers_are_counted() {
    let huge = u64::from(u32::MAX);
    let mut all = services(&[(1, &[1 << 40]), (1, &[0])]);
    all.limits = limits(2, &[(0, 1, 0), (0, 0, 1)]);
    all.spread = vec![SpreadSet {
        name: "apart".into(),
        members: vec![ServiceId(0), ServiceId(1)],
        max: 1,
        level: Level::Label("zone".into()),
    }];
    all.traffic = vec![Traffic {
        a: ServiceId(0),
        b: ServiceId(1),
        weight: 1.0,
    }];
    let problem = problem(zoned(cluster(2, &[1 << 41]), &["a", "a"]), all);
    let everywhere: Vec<(u32, u32, u32)> = (0..5)
        .flat_map(|s| [0, 1, 2, 4, u32::MAX].map(|n| (s, n, u32::MAX)))
        .collect();
    let mut hostile = PlacementPlan {
        opened: vec![PoolId(7), PoolId(u32::MAX), PoolId(0)],
        placement: placement(&everywhere),
        unplaced: vec![Unplaced {
            service: ServiceId(u32::MAX),
            count: u32::MAX,
            reason: Reason::NoRoom,
        }],
        waves: Vec::new(),
    };
    for kind in [WaveKind::Delete, WaveKind::Create, WaveKind::Delete] {
        hostile.waves.push(wave(kind, &everywhere));
    }
    let rules = Rules {
        headroom: vec![u32::MAX, 5],
        alive: u32::MAX,
        outage: false,
        d_alpha: f64::NAN,
        gain_level: Some("zone".into()),
        survive: Some(Some("zone".into())),
        complete: true,
    };
    let report = check(&problem, &Plan::Placement(hostile), &rules);
    assert_eq!(report.figures.placed, Some(huge * 6));
    for rule in [
        Rule::Capacity,
        Rule::Limit,
        Rule::Spread,
        Rule::Surplus,
        Rule::UnknownObject,
    ] {
        assert!(broken(&report).contains(&rule), "{rule:?}");
    }
    for violation in &report.violations {
        assert!(!violation.to_string().contains('?'), "{violation}");
    }
}

#[test]
fn violations_are_kept_to_a_bound_and_the_rest_is_counted() {
    let list = vec![(1u32, &[2u64][..]); 5_000];
    let problem = problem(cluster(5_000, &[1]), services(&list));
    let entries: Vec<(u32, u32, u32)> = (0..5_000).map(|s| (s, s, 1)).collect();
    let report = check(&problem, &plan(&entries), &Rules::default());
    assert_eq!(report.violations.len(), 1_000);
    assert_eq!(report.further, 4_000);
    assert!(!report.holds());
}

#[test]
fn an_empty_problem_is_no_trap() {
    let empty = problem(Cluster::default(), Services::default());
    let report = check(&empty, &plan(&[(0, 0, 1)]), &Rules::default());
    assert_eq!(broken(&report), [Rule::UnknownObject]);
    let rules = Rules {
        survive: Some(None),
        d_alpha: 2.0,
        ..Rules::default()
    };
    assert!(check(&empty, &plan(&[]), &rules).holds());
    let nothing = requests(cluster(0, &[1]), &[]);
    let report = check(&nothing, &admission(&[(0, 0)]), &Rules::default());
    assert_eq!(broken(&report), [Rule::UnknownObject]);
    let loads = division_problem(cluster(1, &[9, 9]), &[application(1, 1)], &[]);
    let shares = [
        share(0, 0, u64::MAX),
        share(0, 0, u64::MAX),
        share(u32::MAX, 9, 1),
    ];
    assert!(!check(&loads, &division(&shares), &Rules::default()).holds());
}
