//! Column generation over patterns per kind of node, with a true reduced-cost
//! test, then the integer master over all columns, then greedy refill
//! (Algorithm 1 of the paper).

use super::super::bounds::proof::Limits;
use super::super::bounds::wolfe::Wolfe;
use super::super::evolve::Effort;
use super::super::kinds::Kinds;
use super::super::patterns::{Pattern, Pool, gain_at};
use super::super::recombine::select;
use super::super::schedule::{place_missing, squeeze};
use super::super::state::State;
use super::super::view::{Spot, View};
use super::{Answer, PoolMember};
use crate::Context;

/// Shares of the time for generating and for proving a bound; the rest is for
/// rounding.
const GENERATING: f64 = 0.55;
const PROVING: f64 = 0.1;
/// Branch-and-bound nodes of a proof when steps are counted.
const NODES: u64 = 20;
/// What a round counts when steps are counted.
const ROUND: u64 = 2_500;
/// Steps of the local search that prices a kind of node.
const STEPS: u64 = 4_000;
/// Columns the integer master chooses among at most.
const COLUMNS: usize = 1_500;

/// Solves a part from a start: its patterns are the first columns. The start
/// is never made worse.
pub fn column_generation(
    view: &View,
    start: Vec<Spot>,
    effort: Effort,
    context: &Context,
) -> Answer {
    let kinds = Kinds::new(view);
    let began = context.elapsed();
    let (seconds, rounds) = effort.split(ROUND);
    let state = State::new(view, &start);
    let mut pool = Pool::default();
    pool.add_all(&state, &kinds);
    let mut wolfe = Wolfe::new(view);
    wolfe.offer_all(pool.patterns.iter());
    for round in 0.. {
        let over = match seconds {
            Some(seconds) => context.elapsed() - began > seconds * GENERATING,
            None => round >= rounds,
        };
        if over || context.must_stop() || !wolfe.solve(context) {
            break;
        }
        // No column is worth more than its node: the linear program is solved.
        if wolfe.generate(round, STEPS, context) == 0 {
            break;
        }
    }
    let limits = Limits {
        seconds: seconds.map(|seconds| seconds * PROVING),
        nodes: Some(NODES).filter(|_| seconds.is_none()),
    };
    let bound = wolfe.certified(limits, context);
    offer(view, &kinds, &wolfe, &mut pool);
    let left = seconds.map(|seconds| (seconds - (context.elapsed() - began)).max(0.05));
    let options = bayplan_lp::Options {
        seconds: left,
        nodes: Some(5_000),
        iterations: Some(2_000_000).filter(|_| seconds.is_none()),
        gap: 1e-4,
        stop: Some(context.stop_flag().clone()),
        ..Default::default()
    };
    let picked = select(view, &kinds, &pool, 0.0, &options);
    let rounded = picked.map(|picked| refill(view, &kinds, &pool, &picked));
    let missing =
        |state: &State| view.replicas.iter().sum::<u32>() - state.placed.iter().sum::<u32>();
    let better = rounded.filter(|new| missing(new) <= missing(&state) && new.gain > state.gain);
    let (spots, gain) = match better {
        Some(better) => (better.spots(), better.gain),
        None => (start, state.gain),
    };
    Answer {
        spots,
        gain,
        bound: Some(bound),
        by: PoolMember::Cg,
    }
}

/// Makes the columns nearest to being used patterns of every kind of node
/// whose room is the column's.
fn offer(view: &View, kinds: &Kinds, wolfe: &Wolfe, pool: &mut Pool) {
    for (bin, counts) in wolfe.promising(COLUMNS) {
        let room = &wolfe.bins[*bin as usize].room;
        for (kind, nodes) in kinds.nodes.iter().enumerate() {
            let may = counts.iter().all(|(s, _)| view.may_use(*s, nodes[0]));
            if view.room(nodes[0]) == room.as_slice() && may {
                pool.add(Pattern {
                    kind: kind as u32,
                    counts: counts.clone(),
                    gain: gain_at(view, counts),
                });
            }
        }
    }
}

/// Puts the picked patterns on nodes of their kinds, each on the free node
/// where most of it stands already; then everything else by the default
/// scheduler, moving others out of the way if need be.
fn refill<'v>(view: &'v View, kinds: &Kinds, pool: &Pool, picked: &[usize]) -> State<'v> {
    let mut state = State::new(view, &[]);
    let mut free: Vec<Vec<u32>> = kinds.nodes.clone();
    let mut order: Vec<&Pattern> = picked.iter().map(|at| &pool.patterns[*at]).collect();
    order.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    for pattern in order {
        let nodes = &mut free[pattern.kind as usize];
        let standing = |node: u32| -> u32 {
            let here = state.shelf(node);
            let counts = pattern.counts.iter();
            counts
                .map(|(s, count)| (*count).min(u32::from(here.get(*s).was)))
                .sum()
        };
        let best = (0..nodes.len()).max_by_key(|at| (standing(nodes[*at]), std::cmp::Reverse(*at)));
        let Some(best) = best else { continue };
        let node = nodes.swap_remove(best);
        for (service, count) in &pattern.counts {
            let left = state.seats(*service) - state.range(*service).len();
            state.add(*service, node, (*count).min(left as u32));
        }
    }
    let missing = place_missing(&mut state);
    squeeze(&mut state, missing);
    state
}
