//! The integer program of Expressions (2) to (9). A part that is small enough
//! is solved as a whole, and proven when the time allows; a larger one, or one
//! the time was too short for, is improved neighbourhood by neighbourhood:
//! what stands on a few nodes is taken off and placed again as well as
//! possible. The start is never made worse.

mod model;
mod neighbourhood;

use bayplan_lp::Options;

use super::super::evolve::Effort;
use super::super::kinds::Kinds;
use super::super::state::State;
use super::super::view::{Spot, View};
use super::{Answer, PoolMember};
use crate::Context;
use model::{Outcome, Program};
use neighbourhood::{Chooser, disjoint};

/// Integer columns up to which the part is tried as a whole.
const WHOLE: usize = 600;
/// Seconds for one neighbourhood at most: many short solves gain more than few
/// long ones.
const MOST_SECONDS: f64 = 0.3;
/// Neighbourhoods solved at the same time, on however many threads.
const LANES: usize = 2;
/// What a batch of neighbourhoods counts when steps are counted.
const BATCH: u64 = 1_500;

/// Improves a placement of a part, for so many seconds or steps.
pub fn improve(
    view: &View,
    start: Vec<Spot>,
    effort: Effort,
    lane: u64,
    context: &Context,
) -> Answer {
    let mut state = State::new(view, &start);
    let began = context.elapsed();
    let (seconds, batches) = effort.split(BATCH);
    let spent = || context.elapsed() - began;
    let program = Program::new(view, Kinds::new(view));
    let mut bound = None;
    if view.edges.is_empty() || view.nodes() < 2 {
        return answer(state, bound);
    }
    let limits = |share: f64, most: f64, nodes: u64, iterations: u64| Options {
        seconds: seconds.map(|seconds| {
            let left = (seconds - (context.elapsed() - began)).max(0.01);
            (seconds * share).min(most).min(left)
        }),
        nodes: Some(nodes),
        iterations: Some(iterations),
        gap: 1e-3,
        stop: Some(context.stop_flag().clone()),
        ..Options::default()
    };
    if view.services() * view.nodes() <= WHOLE {
        let all: Vec<u32> = (0..view.nodes() as u32).collect();
        let options = limits(0.4, f64::INFINITY, 2_000, 200_000);
        if let Some(outcome) = program.solve(&state, &all, &options) {
            let proven = outcome.proven;
            bound = Some(outcome.bound + program.light);
            apply(&mut state, &all, &outcome);
            if proven {
                return answer(state, bound);
            }
        }
    }
    let mut chooser = Chooser::new(view, context.random(lane + 1));
    for batch in 0.. {
        let over = match seconds {
            Some(seconds) => spent() > seconds,
            None => batch >= batches,
        };
        if over || context.must_stop() {
            break;
        }
        let places = disjoint(&mut chooser, &state, LANES);
        let options = limits(0.05, MOST_SECONDS, 500, 20_000);
        let solved = context.lanes(places.len(), |at| {
            program.solve(&state, &places[at], &options)
        });
        for (nodes, outcome) in places.iter().zip(solved) {
            let proven = outcome.as_ref().is_some_and(|outcome| outcome.proven);
            let improved = outcome.is_some_and(|outcome| apply(&mut state, nodes, &outcome));
            chooser.learn(proven, improved);
        }
    }
    answer(state, bound)
}

fn answer(state: State, bound: Option<f64>) -> Answer {
    Answer {
        spots: state.spots(),
        gain: state.gain,
        bound,
        by: PoolMember::Mip,
    }
}

/// Carries a solution out, and takes it back when it is not better or, by the
/// solver's tolerances, not legal. Says whether it stands.
fn apply(state: &mut State, nodes: &[u32], outcome: &Outcome) -> bool {
    let gain = state.gain;
    let mut before: Vec<Spot> = Vec::new();
    for &node in nodes {
        let here = state.shelf(node).present();
        let services = state.view.services();
        let here: Vec<_> = here.filter(|slot| (slot.key as usize) < services).collect();
        for slot in here {
            let count = u32::from(slot.now);
            before.push(Spot {
                service: slot.key,
                node,
                count,
            });
            state.take(slot.key, node, count);
        }
    }
    let mut placed: Vec<Spot> = Vec::new();
    for spot in &outcome.spots {
        let seats = state.seats(spot.service) - state.range(spot.service).len();
        if seats >= spot.count as usize && state.fits(spot.service, spot.node, spot.count) {
            state.add(spot.service, spot.node, spot.count);
            placed.push(*spot);
        }
    }
    let count = |spots: &[Spot]| spots.iter().map(|spot| spot.count).sum::<u32>();
    let better = count(&placed) == count(&before) && state.gain > gain + 1e-12;
    if !better {
        placed
            .iter()
            .for_each(|spot| state.take(spot.service, spot.node, spot.count));
        before
            .iter()
            .for_each(|spot| state.add(spot.service, spot.node, spot.count));
        state.gain = gain;
    }
    better
}
