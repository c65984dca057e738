//! Small arbitrary problems against the integer program.

use bayplan_model::Application;
use bayplan_solve::Budget;
use bayplan_solve::divide::Objective::{Balance, Pack};
use bayplan_solve::divide::Params;
use rand::{RngExt, SeedableRng};

use crate::program;
use crate::support::{Random, app, pool, problem, solved};

fn draw(random: &mut Random) -> (Vec<Application>, u64, u64) {
    let (cpu, memory) = (random.random_range(10..30), random.random_range(6..20));
    let count = random.random_range(2..=7);
    let one = |random: &mut Random| {
        let mut one = app(
            random.random_range(1..=cpu * 5 / 4),
            random.random_range(1..=memory),
        );
        if random.random_range(0..5) == 0 {
            one.min_instances = 2;
            one.load = one.load.max(2);
        }
        one
    };
    ((0..count).map(|_| one(random)).collect(), cpu, memory)
}

/// The default solver, which has an integer program of its own for problems
/// this small, against the plain one.
#[test]
fn packs_as_the_integer_program() {
    let mut random = Random::seed_from_u64(7);
    let mut same = 0;
    for case in 0..200 {
        let (all, cpu, memory) = draw(&mut random);
        let given = problem(all.clone(), vec![pool(cpu, memory, 0, None)], &[], vec![]);
        let found = solved(&given, &Params::default(), Budget::Steps(4_000));
        let most = found.objective as usize;
        let best = program::fewest_nodes(&all, most, cpu, memory)
            .expect("feasible")
            .round();
        assert!(
            found.bound.is_some_and(|bound| bound <= best),
            "case {case}: {all:?} {cpu} {memory}"
        );
        same += u32::from(found.objective == best);
    }
    assert_eq!(same, 200);
}

#[test]
fn balances_as_the_integer_program() {
    let mut random = Random::seed_from_u64(8);
    let (mut same, mut cases) = (0, 0);
    while cases < 100 {
        let (all, _, memory) = draw(&mut random);
        let nodes = random.random_range(2..=4usize);
        let Some(best) = program::least_level(&all, nodes, memory) else {
            continue;
        };
        cases += 1;
        let roomy = pool(1_000, memory, 0, Some(nodes as u32));
        let given = problem(all.clone(), vec![roomy], &vec![0; nodes], vec![]);
        let params = Params {
            objective: Balance,
            ..Params::default()
        };
        let found = solved(&given, &params, Budget::Steps(4_000));
        // Loads are whole units.
        let best = (best - 1e-4).ceil();
        assert!(
            found.bound.is_some_and(|bound| bound <= best),
            "{all:?} {nodes} {memory}"
        );
        same += u32::from(found.objective == best);
    }
    assert_eq!(same, cases);
}

/// The same plan on any number of threads when the budget counts steps.
#[test]
fn steps_are_reproducible() {
    let given = crate::support::trace_like(60, 64, 3);
    for objective in [Pack, Balance] {
        let given = match objective {
            Pack => given.clone(),
            Balance => {
                let all = given.applications().expect("applications").all.clone();
                problem(
                    all,
                    vec![pool(64_000_000, 96, 0, Some(25))],
                    &[0; 25],
                    vec![],
                )
            }
        };
        let run = |threads| {
            let ctx = bayplan_solve::Context::new(5, Budget::Steps(20_000), threads);
            let params = Params {
                objective,
                ..Params::default()
            };
            bayplan_solve::divide::solve(&given, &params, &ctx).expect("an answer")
        };
        assert_eq!(run(1), run(3));
    }
}
