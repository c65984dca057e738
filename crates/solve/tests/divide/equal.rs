//! Equal requirements: the stated optima, the integer program, the closed form.

use bayplan_model::Plan;
use bayplan_solve::Budget;
use bayplan_solve::divide::Objective::{Balance, Pack};
use bayplan_solve::divide::{Params, solve};

use crate::program;
use crate::support::{app, params, pool, problem, solved};

/// Divisible by 1 to 6, so that every optimum of small cases is whole.
const LOAD: u64 = 60;

fn balance(count: usize, nodes: usize, slots: u64, load: u64) -> bayplan_model::Problem {
    let all = vec![app(load, 3); count];
    // One unit of memory more than the slots need: it must not matter.
    let size = pool(load * count as u64, 3 * slots + 1, 0, Some(nodes as u32));
    problem(all, vec![size], &vec![0; nodes], vec![])
}

#[test]
fn examples() {
    let budget = Budget::Steps(2_000);
    let one = problem(
        vec![app(2, 1); 3],
        vec![pool(100, 2, 0, Some(2))],
        &[0, 0],
        vec![],
    );
    assert_eq!(
        solved(&one, &params("equal", Balance), budget).objective,
        3.0
    );
    let two = problem(vec![app(2, 1); 3], vec![pool(3, 2, 0, None)], &[], vec![]);
    assert_eq!(solved(&two, &params("equal", Pack), budget).objective, 2.0);
    let three = vec![app(2, 2), app(2, 2), app(6, 1)];
    let three = problem(three, vec![pool(5, 3, 0, None)], &[], vec![]);
    let found = solved(&three, &Params::default(), budget);
    assert_eq!((found.objective, found.proven), (2.0, true));
}

#[test]
fn lemma_3_up_to_50() {
    for n in 3..=50 {
        let all = vec![app(n, 1); n as usize];
        let given = problem(all, vec![pool(2 * n - 1, 3, 0, None)], &[], vec![]);
        let found = solved(&given, &Params::default(), Budget::Steps(0));
        assert_eq!(found.objective, (n * n).div_ceil(2 * n - 1) as f64);
        let alone = solved(
            &given,
            &params("CPU-DECREASING+FIRST-FIT", Pack),
            Budget::Steps(0),
        );
        assert_eq!(alone.objective, n as f64);
    }
}

#[test]
fn equal_to_the_integer_program() {
    for (count, nodes, slots) in cases(7, 5, 4) {
        let given = balance(count, nodes, slots, LOAD);
        let all = vec![app(LOAD, 3); count];
        let best = program::least_level(&all, nodes, 3 * slots + 1);
        let ctx = bayplan_solve::Context::new(1, Budget::Steps(0), 1);
        match best {
            None => assert!(solve(&given, &params("equal", Balance), &ctx).is_err()),
            Some(best) => {
                let found = solved(&given, &params("equal", Balance), Budget::Steps(0));
                assert!(
                    (found.objective - best).abs() < 1e-3,
                    "{count} {nodes} {slots}: {best}"
                );
            }
        }
    }
}

/// Every number of applications up to 7 and of slots up to 4, on nodes from a
/// third of an application to all of them: the integer program, which is given
/// five nodes at most, agrees on how many are needed, or that five are too few.
#[test]
fn packs_as_the_integer_program() {
    for (count, slots) in (1..=7).flat_map(|n| (1..=4).map(move |s| (n, s))) {
        for thirds in [1, 2, 3, 4, 5, 6, 7, 9, 12, 21] {
            let cpu = thirds * LOAD / 3;
            let all = vec![app(LOAD, 1); count];
            let given = problem(all.clone(), vec![pool(cpu, slots, 0, None)], &[], vec![]);
            let found = solved(&given, &params("equal", Pack), Budget::Steps(0));
            assert!(found.proven);
            let most = (found.objective as usize).min(5);
            let best = program::fewest_nodes(&all, most, cpu, slots).map(f64::round);
            let expected = (found.objective <= 5.0).then_some(found.objective);
            assert_eq!(expected, best, "{count} {slots} {cpu}");
        }
    }
}

/// Up to 60 applications and nodes, the closed form in rational arithmetic,
/// reached by the algorithm and accepted by the verifier.
#[test]
fn the_closed_form() {
    for count in [1usize, 2, 3, 7, 12, 25, 41, 59, 60] {
        for nodes in [1, 2, 5, 8, 13, 30, 47, 60] {
            for slots in [1, 2, 3, 5, 9, 60] {
                if count > nodes * slots {
                    continue;
                }
                let load = 1_000_003;
                let (whole, extra) = (count / nodes, count % nodes);
                // The optimum as a fraction a / b of units.
                let (a, b) = if extra == 0 || slots > count.div_ceil(nodes) {
                    (load * count, nodes)
                } else {
                    let parts = nodes / extra;
                    (load * (whole * parts + 1), parts)
                };
                let given = balance(count, nodes, slots as u64, load as u64);
                let found = solved(
                    &given,
                    &Params {
                        objective: Balance,
                        ..Params::default()
                    },
                    Budget::Steps(0),
                );
                assert_eq!(
                    found.objective,
                    a.div_ceil(b) as f64,
                    "{count} {nodes} {slots}"
                );
                assert!(matches!(found.plan, Plan::Division(_)));
            }
        }
    }
}

fn cases(counts: usize, nodes: usize, slots: u64) -> impl Iterator<Item = (usize, usize, u64)> {
    (1..=counts)
        .flat_map(move |n| (1..=nodes).flat_map(move |m| (1..=slots).map(move |s| (n, m, s))))
}
