//! Accepted and rejected plans per rule. Every rejected plan breaks exactly
//! one rule, so that it is accepted when that rule is dropped.

mod common;

use bayplan_model::*;
use bayplan_verify::{Rule, Rules, check, check_without};
use common::*;
use fixedbitset::FixedBitSet;

struct Case {
    what: &'static str,
    problem: Problem,
    plan: Plan,
    rules: Rules,
}

fn case(what: &'static str, problem: Problem, plan: Plan) -> Case {
    Case {
        what,
        problem,
        plan,
        rules: Rules::default(),
    }
}

impl Case {
    fn with(mut self, change: impl FnOnce(&mut Rules)) -> Self {
        change(&mut self.rules);
        self
    }

    /// Opens new nodes.
    fn opening(mut self, pools: &[u32]) -> Self {
        let pools = pools.iter().map(|p| PoolId(*p)).collect();
        match &mut self.plan {
            Plan::Placement(plan) => plan.opened = pools,
            Plan::Division(plan) => plan.opened = pools,
            Plan::Admission(plan) => plan.opened = pools,
        }
        self
    }
}

/// Two services of one core on nodes of four, changed by the caller.
fn pair(change: impl FnOnce(&mut Services)) -> Problem {
    let mut all = services(&[(4, &[1]), (4, &[1])]);
    change(&mut all);
    problem(cluster(3, &[4]), all)
}

fn sized(max: u32) -> Cluster {
    let mut cluster = cluster(1, &[4, 4]);
    cluster.pools[0].max_count = Some(max);
    cluster
}

fn random_demand() -> Problem {
    let all = [(2u32, 3u64, 1u128), (1, 2, 0)].map(|(replicas, mean, variance)| Service {
        replicas,
        demand: vec![mean],
        variance: vec![variance],
        pinned: false,
        alive: 0,
    });
    problem(
        cluster(2, &[8]),
        Services::new(Names::numbered("s", 2), 1, all),
    )
}

fn two_epochs() -> Problem {
    let all = [[4u64, 1], [1, 4]].map(|demand| Service {
        replicas: 2,
        demand: demand.to_vec(),
        variance: Vec::new(),
        pinned: false,
        alive: 0,
    });
    problem(
        cluster(2, &[5]),
        Services::new(Names::numbered("s", 2), 2, all),
    )
}

fn only(nodes: &[usize], of: usize, pools: &[usize]) -> Option<Reach> {
    let mut reach = Reach {
        nodes: FixedBitSet::with_capacity(of),
        pools: FixedBitSet::with_capacity(1),
    };
    nodes.iter().for_each(|n| reach.nodes.insert(*n));
    pools.iter().for_each(|p| reach.pools.insert(*p));
    Some(reach)
}

/// One service of four replicas on node 0, with room to move.
fn movable(change: impl FnOnce(&mut Services)) -> Problem {
    let mut all = services(&[(4, &[1]), (2, &[1])]);
    all.placement = placement(&[(0, 0, 4), (1, 2, 2)]);
    change(&mut all);
    problem(cluster(3, &[4]), all)
}

use WaveKind::{Create, Delete};

fn good_waves() -> Vec<Wave> {
    vec![
        wave(Delete, &[(0, 0, 1)]),
        wave(Create, &[(0, 1, 1)]),
        wave(Delete, &[(0, 0, 1)]),
        wave(Create, &[(0, 1, 1)]),
    ]
}

const MOVED: &[(u32, u32, u32)] = &[(0, 0, 2), (0, 1, 2), (1, 2, 2)];

fn accepted() -> Vec<Case> {
    vec![
        case(
            "full to the brim",
            pair(|_| {}),
            plan(&[(0, 0, 4), (1, 1, 4)]),
        ),
        case("new node", pair(|_| {}), plan(&[(0, 3, 4), (1, 1, 4)])).opening(&[0]),
        case(
            "epochs whose peaks differ",
            two_epochs(),
            plan(&[(0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1)]),
        ),
        case("mean fits", random_demand(), plan(&[(0, 0, 2), (1, 0, 1)])),
        // 6 + 1.41 * sqrt(2) = 7.99 of 8.
        case("confidence", random_demand(), plan(&[(0, 0, 2), (1, 1, 1)]))
            .with(|rules| rules.d_alpha = 1.41),
        case(
            "limit reached; the other direction is free",
            pair(|s| s.limits = limits(2, &[(0, 1, 1), (0, 0, 3)])),
            plan(&[(0, 0, 3), (1, 0, 1), (1, 1, 3), (0, 2, 1)]),
        ),
        case(
            "limit of an absent service",
            pair(|s| s.limits = limits(2, &[(0, 1, 0)])),
            plan(&[(0, 0, 4), (1, 1, 4)]),
        ),
        case(
            "spread over nodes",
            spread(2, Level::Node),
            plan(&[(0, 0, 2), (1, 1, 2), (0, 2, 2)]),
        ),
        case(
            "spread over zones",
            spread(4, Level::Label("zone".into())),
            plan(&[(0, 0, 2), (0, 1, 2), (1, 2, 2)]),
        ),
        case(
            "compatible node and pool",
            pair(|s| {
                let reach = vec![only(&[1], 3, &[0]), None];
                s.compatibility = Compatibility::new(reach, 3, 1);
            }),
            plan(&[(0, 1, 2), (0, 3, 2), (1, 0, 4)]),
        )
        .opening(&[0]),
        case(
            "missing, but not asked for",
            pair(|_| {}),
            plan(&[(0, 0, 1)]),
        )
        .with(|rules| rules.complete = false),
        case(
            "pinned and grown",
            pair(|s| {
                s.pinned[0] = true;
                s.placement = placement(&[(0, 0, 3)]);
            }),
            plan(&[(0, 0, 3), (0, 1, 1), (1, 2, 4)]),
        ),
        case(
            "pool at its size",
            problem(sized(2), services(&[(1, &[1, 1])])),
            plan(&[(0, 1, 1)]),
        )
        .opening(&[0]),
        case("waves", movable(|_| {}), moving(MOVED, good_waves())),
        case(
            "one replica fewer where an outage of one is allowed",
            movable(|_| {}),
            moving(
                MOVED,
                vec![wave(Delete, &[(0, 0, 2)]), wave(Create, &[(0, 1, 2)])],
            ),
        )
        .with(|rules| rules.outage = true),
        case(
            "alive no more than at the start",
            movable(|s| {
                s.replicas[0] = 40;
                s.replicas[1] = 2;
            }),
            moving(
                &[(0, 0, 3), (0, 1, 1), (1, 2, 2)],
                vec![wave(Create, &[(0, 1, 1)]), wave(Delete, &[(0, 0, 1)])],
            ),
        )
        .with(|rules| rules.complete = false),
        case(
            "survives the loss of any node",
            problem(cluster(3, &[4]), services(&[(6, &[1])])),
            plan(&[(0, 0, 2), (0, 1, 2), (0, 2, 2)]),
        )
        .with(|rules| rules.survive = Some(None)),
        case(
            "survives the loss of any zone",
            problem(
                zoned(cluster(4, &[4]), &["a", "a", "b", "b"]),
                services(&[(8, &[1])]),
            ),
            plan(&[(0, 0, 2), (0, 1, 2), (0, 2, 2), (0, 3, 2)]),
        )
        .with(|rules| rules.survive = Some(Some("zone".into()))),
        case("divided load", divisible(&[]), division(&GOOD_SHARES)),
        case(
            "an application left out whole",
            divisible(&[]),
            division(&[share(0, 0, 10)]),
        )
        .with(|rules| rules.complete = false),
        case(
            "one ends when the next begins",
            timed(),
            admission(&[(0, 0), (1, 0), (2, 1)]),
        ),
        case("nobody admitted", timed(), admission(&[])),
    ]
}

/// Two services; at most `max` replicas of both together; two zones.
fn spread(max: u32, level: Level) -> Problem {
    let mut all = services(&[(4, &[1]), (2, &[1])]);
    all.spread = vec![SpreadSet {
        name: "apart".into(),
        members: vec![ServiceId(0), ServiceId(1)],
        max,
        level,
    }];
    problem(zoned(cluster(3, &[4]), &["a", "a", "b"]), all)
}

/// Memory grows by one per load of ten; the second wants two or three instances.
fn divisible(layout: &[Share]) -> Problem {
    let mut all = [application(10, 3), application(9, 2)];
    all[0].memory_per_load = 100_000;
    (all[1].min_instances, all[1].max_instances) = (2, Some(3));
    division_problem(cluster(4, &[10, 6]), &all, layout)
}

const GOOD_SHARES: [Share; 3] = [
    Share {
        application: ApplicationId(0),
        node: NodeId(0),
        load: 10,
    },
    Share {
        application: ApplicationId(1),
        node: NodeId(1),
        load: 8,
    },
    Share {
        application: ApplicationId(1),
        node: NodeId(2),
        load: 1,
    },
];

fn timed() -> Problem {
    requests(
        cluster(2, &[4, 4]),
        &[(0, 5, &[3, 1]), (5, 9, &[2, 4]), (4, 6, &[2, 1])],
    )
}

fn rejected() -> Vec<(Rule, Case)> {
    let all = [services_rejected(), waves_rejected(), others_rejected()];
    all.into_iter().flatten().collect()
}

fn services_rejected() -> Vec<(Rule, Case)> {
    let hidden_epoch = plan(&[(0, 0, 2), (1, 1, 2)]);
    vec![
        (
            Rule::Capacity,
            case(
                "one too many",
                pair(|_| {}),
                plan(&[(0, 0, 4), (1, 0, 1), (1, 1, 3)]),
            ),
        ),
        (
            Rule::Capacity,
            case("over in one epoch only", two_epochs(), hidden_epoch),
        ),
        (
            Rule::Capacity,
            case(
                "headroom",
                pair(|_| {}),
                plan(&[(0, 0, 4), (1, 1, 3), (1, 2, 1)]),
            )
            .with(|rules| rules.headroom = vec![1]),
        ),
        (
            Rule::Capacity,
            case(
                "second resource",
                problem(cluster(1, &[9, 1]), services(&[(2, &[1, 1])])),
                plan(&[(0, 0, 2)]),
            ),
        ),
        (
            Rule::Capacity,
            case(
                "mean",
                random_demand(),
                plan(&[(0, 0, 2), (1, 0, 1), (1, 1, 0)]),
            )
            .with(|rules| {
                rules.headroom = vec![100_000];
            }),
        ),
        (
            Rule::Confidence,
            // 6 + 1.42 * sqrt(2) = 8.008 of 8.
            case("confidence", random_demand(), plan(&[(0, 0, 2), (1, 1, 1)]))
                .with(|rules| rules.d_alpha = 1.42),
        ),
        (
            Rule::Limit,
            case(
                "beside the other",
                pair(|s| s.limits = limits(2, &[(0, 1, 1)])),
                plan(&[(0, 0, 1), (0, 1, 3), (1, 0, 2), (1, 2, 2)]),
            ),
        ),
        (
            Rule::Limit,
            case(
                "cap on itself",
                pair(|s| s.limits = limits(2, &[(0, 0, 3)])),
                plan(&[(0, 0, 4), (1, 1, 4)]),
            ),
        ),
        (
            Rule::Spread,
            case(
                "together on a node",
                spread(2, Level::Node),
                plan(&[(0, 0, 2), (1, 0, 1), (0, 1, 2), (1, 2, 1)]),
            ),
        ),
        (
            Rule::Spread,
            case(
                "together in a zone",
                spread(4, Level::Label("zone".into())),
                plan(&[(0, 0, 2), (0, 1, 2), (1, 1, 1), (1, 2, 1)]),
            ),
        ),
        (
            Rule::Compatibility,
            case(
                "existing node",
                pair(|s| {
                    s.compatibility = Compatibility::new(vec![only(&[1], 3, &[0]), None], 3, 1)
                }),
                plan(&[(0, 0, 1), (0, 1, 3), (1, 2, 4)]),
            ),
        ),
        (
            Rule::Compatibility,
            case(
                "new node of a pool",
                pair(|s| {
                    s.compatibility = Compatibility::new(vec![only(&[1], 3, &[]), None], 3, 1)
                }),
                plan(&[(0, 3, 1), (0, 1, 3), (1, 2, 4)]),
            )
            .opening(&[0]),
        ),
        (
            Rule::Unplaced,
            case("missing", pair(|_| {}), plan(&[(0, 0, 4), (1, 1, 3)])),
        ),
        (
            Rule::Unplaced,
            case("missing and listed", pair(|_| {}), {
                Plan::Placement(PlacementPlan {
                    placement: placement(&[(0, 0, 4), (1, 1, 3)]),
                    unplaced: vec![Unplaced {
                        service: ServiceId(1),
                        count: 1,
                        reason: Reason::NoRoom,
                    }],
                    ..PlacementPlan::default()
                })
            }),
        ),
        (
            Rule::Unplaced,
            // Everything is missing on arrival: no excuse.
            case("nothing placed", pair(|_| {}), plan(&[])),
        ),
        (
            Rule::Surplus,
            case(
                "too many",
                pair(|_| {}),
                plan(&[(0, 0, 4), (0, 2, 1), (1, 1, 4)]),
            ),
        ),
        (
            Rule::Pinned,
            case(
                "pinned moved",
                pair(|s| {
                    s.pinned[0] = true;
                    s.placement = placement(&[(0, 0, 4)]);
                }),
                plan(&[(0, 0, 3), (0, 2, 1), (1, 1, 4)]),
            ),
        ),
        (
            Rule::PoolSize,
            case(
                "one node too many",
                problem(sized(1), services(&[(1, &[1, 1])])),
                plan(&[(0, 1, 1)]),
            )
            .opening(&[0]),
        ),
        (
            Rule::UnknownObject,
            case(
                "node",
                pair(|_| {}),
                plan(&[(0, 0, 4), (1, 1, 4), (0, 7, 1)]),
            ),
        ),
        (
            Rule::UnknownObject,
            case(
                "service",
                pair(|_| {}),
                plan(&[(0, 0, 4), (1, 1, 4), (7, 0, 1)]),
            ),
        ),
        (
            Rule::UnknownObject,
            case("pool", pair(|_| {}), plan(&[(0, 0, 4), (1, 1, 4)])).opening(&[1]),
        ),
        (
            Rule::UnknownObject,
            case("another question", pair(|_| {}), admission(&[])),
        ),
        (
            Rule::Survive,
            case(
                "no room for the lost",
                problem(cluster(3, &[4]), services(&[(9, &[1])])),
                plan(&[(0, 0, 3), (0, 1, 3), (0, 2, 3)]),
            )
            .with(|rules| rules.survive = Some(None)),
        ),
        (
            Rule::Survive,
            case(
                "room, but a limit forbids it",
                problem(cluster(2, &[4]), {
                    let mut all = services(&[(1, &[1]), (1, &[1])]);
                    all.limits = limits(2, &[(0, 1, 0)]);
                    all
                }),
                plan(&[(0, 0, 1), (1, 1, 1)]),
            )
            .with(|rules| rules.survive = Some(None)),
        ),
        (
            Rule::Survive,
            case(
                "a zone",
                problem(
                    zoned(cluster(3, &[4]), &["a", "a", "b"]),
                    services(&[(6, &[1])]),
                ),
                plan(&[(0, 0, 2), (0, 1, 2), (0, 2, 2)]),
            )
            .with(|rules| rules.survive = Some(Some("zone".into()))),
        ),
    ]
}

fn waves_rejected() -> Vec<(Rule, Case)> {
    let swap = |first: Wave, second: Wave| vec![first, second];
    vec![
        (
            Rule::Alive,
            case(
                "two of four stopped at once",
                movable(|_| {}),
                moving(
                    MOVED,
                    swap(wave(Delete, &[(0, 0, 2)]), wave(Create, &[(0, 1, 2)])),
                ),
            ),
        ),
        (
            Rule::Alive,
            case(
                "three of four stopped where an outage of one is allowed",
                movable(|_| {}),
                moving(
                    &[(0, 0, 1), (0, 1, 3), (1, 2, 2)],
                    swap(wave(Delete, &[(0, 0, 3)]), wave(Create, &[(0, 1, 3)])),
                ),
            )
            .with(|rules| rules.outage = true),
        ),
        (
            Rule::Alive,
            case(
                "a disruption budget of four",
                movable(|s| s.alive[0] = 4),
                moving(MOVED, good_waves()),
            ),
        ),
        (
            Rule::Wave,
            case(
                "stops what is not there",
                movable(|_| {}),
                moving(
                    MOVED,
                    [good_waves(), vec![wave(Delete, &[(0, 2, 1)])]].concat(),
                ),
            ),
        ),
        (
            Rule::WaveEnd,
            case(
                "stops half way",
                movable(|_| {}),
                moving(MOVED, good_waves()[..2].to_vec()),
            ),
        ),
        (
            Rule::Pinned,
            case(
                "pinned stopped and started again",
                movable(|s| s.pinned[0] = true),
                moving(
                    &[(0, 0, 4), (1, 2, 2)],
                    swap(wave(Delete, &[(0, 0, 1)]), wave(Create, &[(0, 0, 1)])),
                ),
            ),
        ),
        (
            Rule::Capacity,
            case(
                "over on the way",
                movable(|_| {}),
                moving(
                    &[(0, 0, 4), (1, 1, 1), (1, 2, 1)],
                    vec![
                        wave(Create, &[(1, 0, 1)]),
                        wave(Delete, &[(1, 2, 1)]),
                        wave(Create, &[(1, 1, 1)]),
                        wave(Delete, &[(1, 0, 1)]),
                    ],
                ),
            ),
        ),
        (
            Rule::Limit,
            case(
                "beside the other on the way",
                movable(|s| s.limits = limits(2, &[(0, 1, 0)])),
                moving(
                    &[(0, 1, 4), (1, 2, 2)],
                    vec![
                        wave(Create, &[(0, 1, 1), (0, 2, 1)]),
                        wave(Delete, &[(0, 0, 2)]),
                        wave(Create, &[(0, 1, 2)]),
                        wave(Delete, &[(0, 0, 2)]),
                        wave(Create, &[(0, 1, 1)]),
                        wave(Delete, &[(0, 2, 1)]),
                    ],
                ),
            ),
        ),
        (
            Rule::UnknownObject,
            case(
                "a wave on a node that is not there",
                movable(|_| {}),
                moving(
                    MOVED,
                    [good_waves(), vec![wave(Create, &[(0, 9, 1)])]].concat(),
                ),
            ),
        ),
    ]
}

fn others_rejected() -> Vec<(Rule, Case)> {
    let with = |at: usize, share: Share| {
        let mut shares = GOOD_SHARES.to_vec();
        shares[at] = share;
        division(&shares)
    };
    let plus = |share: Share| division(&[&GOOD_SHARES[..], &[share]].concat());
    let small = || division_problem(sized(1), &[application(1, 1)], &[]);
    let admit = || requests(sized(1), &[(0, 1, &[1, 1])]);
    vec![
        (
            Rule::Capacity,
            // Memory 3 + 1 beside 2 + ... : 4 + 3 > 6 only with the growth.
            case(
                "memory that grows with the load",
                {
                    let mut all = [application(10, 5), application(1, 1)];
                    all[0].memory_per_load = 10_000;
                    division_problem(cluster(1, &[11, 6]), &all, &[])
                },
                division(&[share(0, 0, 10), share(1, 0, 1)]),
            ),
        ),
        (
            Rule::Capacity,
            case(
                "cpu",
                division_problem(cluster(1, &[10, 6]), &[application(11, 1)], &[]),
                division(&[share(0, 0, 11)]),
            ),
        ),
        (
            Rule::LoadShare,
            case("load unserved", divisible(&[]), with(1, share(1, 1, 7))),
        ),
        (
            Rule::LoadShare,
            case("load twice", divisible(&[]), with(1, share(1, 1, 9))),
        ),
        (
            Rule::Instance,
            case(
                "two on a node",
                divisible(&[]),
                division(&[
                    share(0, 0, 10),
                    share(1, 1, 4),
                    share(1, 1, 4),
                    share(1, 2, 1),
                ]),
            ),
        ),
        (
            Rule::InstanceCount,
            case(
                "too few instances",
                divisible(&[]),
                division(&[share(0, 0, 10), share(1, 1, 9)]),
            ),
        ),
        (
            Rule::InstanceCount,
            case(
                "too many instances",
                divisible(&[]),
                division(&[
                    share(0, 0, 10),
                    share(1, 0, 0),
                    share(1, 1, 7),
                    share(1, 2, 1),
                    share(1, 3, 1),
                ]),
            ),
        ),
        (
            Rule::UnknownObject,
            case("application", divisible(&[]), plus(share(2, 3, 0))),
        ),
        (
            Rule::UnknownObject,
            case("node of an instance", divisible(&[]), plus(share(1, 4, 0))),
        ),
        (
            Rule::PoolSize,
            case("pool of instances", small(), division(&[share(0, 1, 1)])).opening(&[0]),
        ),
        (
            Rule::Survive,
            case(
                "survival of divided load",
                divisible(&[]),
                division(&GOOD_SHARES),
            )
            .with(|rules| rules.survive = Some(None)),
        ),
        (
            Rule::Capacity,
            case("two at one time", timed(), admission(&[(0, 0), (2, 0)])),
        ),
        (
            Rule::Capacity,
            case(
                "second resource of a request",
                timed(),
                admission(&[(1, 1), (2, 1)]),
            ),
        ),
        (
            Rule::Twice,
            case("twice", timed(), admission(&[(0, 0), (0, 1)])),
        ),
        (
            Rule::UnknownObject,
            case("request", timed(), admission(&[(3, 0)])),
        ),
        (
            Rule::UnknownObject,
            case("node of a request", timed(), admission(&[(0, 2)])),
        ),
        (
            Rule::PoolSize,
            case("pool of requests", admit(), admission(&[(0, 1)])).opening(&[0]),
        ),
        (
            Rule::Survive,
            case("survival of requests", timed(), admission(&[(0, 0)]))
                .with(|rules| rules.survive = Some(None)),
        ),
    ]
}

#[test]
fn accepted_plans_break_nothing() {
    for case in accepted() {
        let report = check(&case.problem, &case.plan, &case.rules);
        assert_eq!(report.violations, [], "{}", case.what);
    }
}

#[test]
fn rejected_plans_break_exactly_their_rule() {
    for (rule, case) in rejected() {
        let report = check(&case.problem, &case.plan, &case.rules);
        assert!(!report.holds(), "{}", case.what);
        let shown: Vec<String> = report.violations.iter().map(ToString::to_string).collect();
        assert_eq!(broken(&report), [rule], "{}: {shown:?}", case.what);
    }
}

#[test]
fn every_rule_is_needed_to_reject_something() {
    let cases = rejected();
    for rule in Rule::ALL {
        let mut needed = 0;
        for (of, case) in &cases {
            let holds = check_without(rule, &case.problem, &case.plan, &case.rules).holds();
            assert_eq!(holds, *of == rule, "{} without {rule:?}", case.what);
            needed += usize::from(holds);
        }
        assert!(needed > 0, "no plan needs {rule:?}");
    }
}
