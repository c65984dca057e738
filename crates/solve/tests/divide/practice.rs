//! What practice needs: instances, kinds of node, thresholds, growth, layouts.

use bayplan_model::{Application, ApplicationId, NodeId, Plan, Share};
use bayplan_solve::divide::Objective::{Balance, Pack};
use bayplan_solve::divide::{Params, algorithms, solve, weights};
use bayplan_solve::{Budget, Context, Figure, SolveError};
use rand::{RngExt, SeedableRng};

use crate::support::{Random, app, params, pool, problem, solved};

fn counted(figures: &[(&'static str, Figure)], name: &str) -> Option<u64> {
    figures
        .iter()
        .find(|(n, _)| *n == name)
        .and_then(|(_, figure)| match figure {
            Figure::Count(count) => Some(*count),
            _ => None,
        })
}

/// Applications with limits on their instances and memory that grows with the load.
fn varied(random: &mut Random, count: usize) -> Vec<Application> {
    let one = |_| {
        let min_instances = random.random_range(0..4);
        let limited = random.random_range(0..4) == 0;
        Application {
            load: random.random_range(0..60),
            memory: random.random_range(1..30),
            memory_per_load: [0, 0, 100_000, 250_000][random.random_range(0..4)],
            min_instances,
            max_instances: limited.then(|| min_instances.max(4) + random.random_range(0..3)),
        }
    };
    (0..count).map(one).collect()
}

/// Everything at once, at random; the verifier in `solved` is the judge.
#[test]
fn all_rules_together() {
    let mut random = Random::seed_from_u64(11);
    for _ in 0..150 {
        let count = random.random_range(1..25);
        let all = varied(&mut random, count);
        let mut pools = vec![pool(40, 45, 3_000_000, None)];
        if random.random() {
            pools.push(pool(80, 60, 5_000_000, Some(3)));
            pools.push(pool(20, 60, 2_000_000, None));
        }
        let nodes = vec![0; random.random_range(0..6)];
        let mut layout = Vec::new();
        for (n, _) in nodes.iter().enumerate() {
            let application = ApplicationId(random.random_range(0..count as u32));
            layout.push(Share {
                application,
                node: NodeId::from(n),
                load: 3,
            });
        }
        let given = problem(all, pools, &nodes, layout);
        let params = Params {
            cpu_threshold: [1_000_000, 900_000][random.random_range(0..2)],
            memory_threshold: [1_000_000, 950_000][random.random_range(0..2)],
            change_price: [0, 0, 100_000][random.random_range(0..3)],
            ..Params::default()
        };
        solved(&given, &params, Budget::Steps(500));
    }
}

/// The same for the busiest node, on nodes of several kinds.
#[test]
fn all_rules_together_in_balance() {
    let mut random = Random::seed_from_u64(12);
    let ctx = Context::new(1, Budget::Steps(500), 1);
    let mut feasible = 0;
    for _ in 0..150 {
        let count = random.random_range(1..12);
        let all = varied(&mut random, count);
        let pools = vec![pool(90, 45, 0, None), pool(160, 80, 0, None)];
        let nodes: Vec<u32> = (0..random.random_range(4..12))
            .map(|_| random.random_range(0..2))
            .collect();
        let given = problem(all, pools, &nodes, vec![]);
        let params = Params {
            cpu_threshold: [1_000_000, 900_000][random.random_range(0..2)],
            memory_threshold: [1_000_000, 950_000][random.random_range(0..2)],
            ..params("auto", Balance)
        };
        match solve(&given, &params, &ctx) {
            Err(SolveError::Infeasible { .. }) => {}
            Ok(part) if part.bound.is_none() => assert_eq!(part.notes.len(), 1),
            _ => {
                solved(&given, &params, Budget::Steps(500));
                feasible += 1;
            }
        }
    }
    assert!(feasible >= 75, "only {feasible} of 150 say anything");
}

#[test]
fn every_algorithm_passes_the_verifier() {
    let given = crate::support::trace_like(80, 96, 2);
    for info in algorithms() {
        match info.name.as_str() {
            // Not equal applications; and an integer program of this size is slow.
            "equal" | "mip" => continue,
            name => {
                let found = solved(&given, &params(name, Pack), Budget::Steps(500));
                assert_eq!(found.algorithm, name);
            }
        }
    }
    let small: Vec<_> = (2..8).map(|n| app(n * 3, n % 3 + 1)).collect();
    let given = problem(small, vec![pool(50, 5, 0, Some(4))], &[0; 4], vec![]);
    for name in [
        "auto",
        "mip",
        "MEM-ORIENTED+WORST-FIT",
        "CPU-ORIENTED+FIRST-FIT",
    ] {
        let found = solved(&given, &params(name, Balance), Budget::Steps(2_000));
        assert!(name == "CPU-ORIENTED+FIRST-FIT" || found.objective >= 21.0);
    }
}

#[test]
fn cheaper_kinds_are_chosen() {
    // Two large nodes at 10 or eight small ones at 2: load fits either way.
    let all = vec![app(10, 1); 16];
    let pools = vec![
        pool(80, 100, 10_000_000, None),
        pool(20, 100, 2_000_000, None),
    ];
    let found = solved(
        &problem(all.clone(), pools, &[], vec![]),
        &Params::default(),
        Budget::Steps(2_000),
    );
    assert_eq!((found.objective, found.proven), (16.0, true));
    // Only three of the small ones: six tens of load stay for... one large one.
    let pools = vec![
        pool(80, 100, 10_000_000, None),
        pool(20, 100, 2_000_000, Some(4)),
    ];
    let found = solved(
        &problem(all, pools, &[], vec![]),
        &Params::default(),
        Budget::Steps(20_000),
    );
    assert_eq!(found.objective, 18.0);
}

#[test]
fn few_changes_when_changes_cost() {
    // Four nodes run two applications each, well divided; a fifth application comes.
    let share = |a: u32, n: u32, load| Share {
        application: ApplicationId(a),
        node: NodeId(n),
        load,
    };
    let layout = vec![
        share(0, 0, 30),
        share(1, 0, 30),
        share(1, 1, 30),
        share(2, 1, 30),
        share(2, 2, 30),
        share(3, 2, 30),
        share(3, 3, 30),
        share(0, 3, 30),
    ];
    let mut all = vec![app(60, 10); 4];
    all.push(app(40, 10));
    let given = problem(all, vec![pool(100, 30, 0, None)], &[0; 4], layout);
    let dear = Params {
        change_price: 10_000_000,
        ..Params::default()
    };
    let found = solved(&given, &dear, Budget::Steps(20_000));
    assert_eq!(
        (
            counted(&found.figures, "started"),
            counted(&found.figures, "stopped")
        ),
        (Some(1), Some(0))
    );
    assert_eq!(found.objective, 4.0);
    let free = solved(&given, &Params::default(), Budget::Steps(20_000));
    assert_eq!(free.objective, 3.0);
}

#[test]
fn what_cannot_be_served_is_refused_or_left_out() {
    let ctx = Context::new(1, Budget::Steps(1_000), 1);
    let ask = |all, pools, objective| {
        let given = problem(all, pools, &[], vec![]);
        solve(&given, &params("auto", objective), &ctx)
    };
    let refused =
        |result: Result<_, SolveError>| matches!(result, Err(SolveError::Infeasible { .. }));
    assert!(refused(ask(
        vec![app(5, 11)],
        vec![pool(10, 10, 0, None)],
        Pack
    )));
    assert!(refused(ask(
        vec![app(50, 5), app(9, 1)],
        vec![pool(10, 10, 0, Some(4))],
        Balance
    )));
    let two = Application {
        min_instances: 3,
        ..app(5, 5)
    };
    assert!(refused(ask(
        vec![two],
        vec![pool(10, 10, 0, Some(2))],
        Pack
    )));
    // Too much for the pool: what fits is served, the rest is named.
    let over = ask(
        vec![app(9, 5), app(8, 6), app(7, 7)],
        vec![pool(10, 10, 0, Some(2))],
        Pack,
    )
    .expect("a part");
    assert!(
        over.bound.is_none() && !over.proven && over.notes.len() == 1,
        "{over:?}"
    );
    assert!(matches!(over.plan, Plan::Division(_)));
    // Balance needs a number of nodes.
    let open = ask(
        vec![app(5, 5), app(6, 5)],
        vec![pool(10, 10, 0, None)],
        Balance,
    );
    assert!(matches!(open, Err(SolveError::Parameter { .. })));
    // A price per change cannot be weighed against a load.
    let given = problem(
        vec![app(5, 5), app(6, 5)],
        vec![pool(10, 10, 0, Some(2))],
        &[0, 0],
        vec![],
    );
    let priced = Params {
        change_price: 1,
        ..params("auto", Balance)
    };
    let refused = solve(&given, &priced, &ctx);
    assert!(matches!(refused, Err(SolveError::UnsupportedRule { .. })));
    // A baseline refuses what it does not honour.
    let given = problem(
        vec![app(50, 5), app(1, 1)],
        vec![pool(10, 10, 0, None)],
        &[],
        vec![],
    );
    let refused = solve(&given, &params("RANDOM+FIRST-FIT", Pack), &ctx);
    assert!(matches!(refused, Err(SolveError::UnsupportedRule { .. })));
}

#[test]
fn weights_for_load_balancers() {
    let given = problem(
        vec![app(90, 4), app(10, 4)],
        vec![pool(50, 8, 0, None)],
        &[],
        vec![],
    );
    let found = solved(&given, &Params::default(), Budget::Steps(1_000));
    let Plan::Division(plan) = &found.plan else {
        panic!("a division")
    };
    let all = weights::weights(&given, plan, 100);
    assert!(
        all.iter()
            .all(|one| one.weights.iter().map(|(_, w)| w).sum::<u32>() == 100)
    );
    assert_eq!(all[0].weights.len(), 2);
    let text = weights::as_kubernetes(&given, plan, &all);
    assert!(
        text.contains("replicas: 2") && text.contains("backendRefs:"),
        "{text}"
    );
    let json = weights::as_json(&given, plan, &all);
    assert!(
        json.contains("\"application\": \"app0\", \"instances\": 2"),
        "{json}"
    );
    assert!(weights::as_text(&given, plan, &all).contains("2 instances"));
}
