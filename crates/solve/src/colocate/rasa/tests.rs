//! RASA on random clusters: its members against brute force, its combination
//! against the start.

use rand::{RngExt, SeedableRng};

use super::super::evolve::Effort;
use super::super::gain::gain_of;
use super::super::schedule::start;
use super::super::state::State;
use super::super::tests::random_problem;
use super::super::view::{Edge, Spot, View};
use super::select::Selector;
use super::*;
use crate::{Budget, Context, Random};

fn context() -> Context {
    Context::new(5, Budget::Steps(1), 2)
}

/// The most that can be gained, over all legal placements.
fn brute_force(view: &View) -> f64 {
    fn place(state: &mut State, service: u32, left: u32, node: u32, best: &mut f64) {
        if service as usize == state.view.services() {
            *best = best.max(state.gain);
            return;
        }
        if left == 0 {
            let next = service + 1;
            let count = state.view.replicas.get(next as usize).copied().unwrap_or(0);
            return place(state, next, count, 0, best);
        }
        if node as usize == state.view.nodes() {
            return;
        }
        place(state, service, left, node + 1, best);
        for count in 1..=left {
            if state.fits(service, node, count) {
                state.add(service, node, count);
                place(state, service, left - count, node + 1, best);
                state.take(service, node, count);
            }
        }
    }
    let mut best = 0.0;
    let mut state = State::new(view, &[]);
    place(&mut state, 0, view.replicas[0], 0, &mut best);
    best
}

fn tiny(random: &mut Random) -> View {
    let n = random.random_range(2..5usize);
    let replicas: Vec<u32> = (0..n).map(|_| random.random_range(1..4)).collect();
    let demand: Vec<u64> = (0..n).map(|_| random.random_range(1..4)).collect();
    let total: u64 = replicas
        .iter()
        .zip(&demand)
        .map(|(d, r)| u64::from(*d) * r)
        .sum();
    let edges = (1..n as u32).map(|b| Edge {
        a: random.random_range(0..b),
        b,
        weight: 1.0 / (n - 1) as f64,
    });
    let edges = edges.collect();
    let capacity = vec![total / 3 + 3, total / 3 + 3, total / 3 + 4];
    View::plain(1, replicas, demand, capacity, edges)
}

/// A part as small as this is solved as a whole: the integer program finds
/// the optimum and proves it; column generation never exceeds it.
#[test]
fn the_members_against_brute_force() {
    let mut random = Random::seed_from_u64(31);
    let (mut best_of_cg, mut best_of_all) = (0.0, 0.0);
    for _ in 0..40 {
        let view = tiny(&mut random);
        let from = start(&view);
        let placed: u32 = from.iter().map(|spot| spot.count).sum();
        if placed < view.replicas.iter().sum() {
            continue;
        }
        let best = brute_force(&view);
        let mip = mip::improve(&view, from.clone(), Effort::Steps(45_000), 1, &context());
        // The program may stop a thousandth below the bound.
        assert!(mip.gain >= best * 0.998 - 1e-9 && mip.gain <= best + 1e-9);
        assert!(mip.bound.is_none_or(|bound| bound >= best - 1e-6));
        let cg = cg::column_generation(&view, from, Effort::Steps(50_000), &context());
        assert!(cg.gain <= best + 1e-9);
        assert!(cg.bound.is_some_and(|bound| bound >= best - 1e-6));
        assert!((gain_of(&view, &cg.spots) - cg.gain).abs() < 1e-9);
        best_of_cg += cg.gain;
        best_of_all += best;
    }
    assert!(
        best_of_cg >= 0.9 * best_of_all,
        "{best_of_cg} of {best_of_all}"
    );
}

fn placed(spots: &[Spot]) -> u64 {
    spots.iter().map(|spot| u64::from(spot.count)).sum()
}

#[test]
fn a_combination_is_never_worse_than_its_start() {
    let mut random = Random::seed_from_u64(33);
    for case in 0..24 {
        let problem = random_problem(&mut random, 8, 5);
        let view = View::new(&problem, None, &[]).expect("supported");
        let from = start(&view);
        let choices = Choices {
            partition: [
                Partition::MultiStage,
                Partition::None,
                Partition::Random,
                Partition::MinCut,
            ][case % 4],
            masters: [100, 10, 300][case % 3],
            pool: [PoolMember::Mip, PoolMember::Cg, PoolMember::Auto][case % 3],
            selector: [
                Selector::Race,
                Selector::Gcn,
                Selector::Mlp,
                Selector::Heuristic,
            ][case % 4],
            trivial: [Trivial::Yield, Trivial::Stay][case % 2],
        };
        let combined = rasa_with(&view, &from, choices, None, &context());
        assert!(combined.found.gain >= gain_of(&view, &from) - 1e-9);
        assert!(placed(&combined.found.spots) >= placed(&from));
        assert!((0.0..=1.0 + 1e-9).contains(&combined.lost));
    }
}

/// Answers that are of no use, or not legal together: the start is kept.
#[test]
fn useless_answers_leave_the_start() {
    let edge = Edge {
        a: 0,
        b: 1,
        weight: 1.0,
    };
    let spot = |service, node| Spot {
        service,
        node,
        count: 1,
    };
    let mut view = View::plain(1, vec![1, 1], vec![1, 1], vec![2, 2], vec![edge]);
    view.original = vec![spot(0, 0), spot(1, 0)];
    let view = view.finish();
    let sets = vec![vec![0, 1]];
    let rest = combine::around(&view, &view.original, &sets, Trivial::Yield);
    let parts = part::share_nodes(&view, &rest, &sets);
    let apart = Answer {
        spots: vec![spot(0, 0), spot(1, 1)],
        gain: 0.0,
        bound: None,
        by: PoolMember::Mip,
    };
    let (found, kept) = combine::combine(&view, &view.original, &sets, rest, &parts, &[apart]);
    assert!(kept && (found.gain - 1.0).abs() < 1e-12 && found.moves == 0);
}
