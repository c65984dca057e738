//! From the parts' answers to a placement of the whole (section IV-A): what
//! found no place is handed to the default scheduler, and a combination that
//! is worse than the start is dropped.

use super::super::evolve::Found;
use super::super::schedule::{place_missing, squeeze};
use super::super::state::State;
use super::super::view::{Spot, View};
use super::part::Part;
use super::{Answer, Trivial};

/// The cluster as the parts find it: with what must stay, and with the
/// services of no part when these keep their places.
pub fn around<'v>(
    view: &'v View,
    from: &[Spot],
    sets: &[Vec<u32>],
    trivial: Trivial,
) -> State<'v> {
    let mut stays = match trivial {
        Trivial::Stay => vec![true; view.services()],
        Trivial::Yield => view.fixed.clone(),
    };
    for service in sets.iter().flatten() {
        stays[*service as usize] = false;
    }
    let kept: Vec<Spot> = (from.iter())
        .filter(|spot| stays[spot.service as usize])
        .copied()
        .collect();
    State::new(view, &kept)
}

/// Puts the parts' answers together. Three placements are compared: parts
/// first and the others around them, the others first and the parts where
/// they still fit, and the start; the one with the fewest replicas missing
/// wins, then the one with the most local traffic. So the answer is never
/// worse than the start, whatever the parts say. Says whether it is the start.
pub fn combine(
    view: &View,
    from: &[Spot],
    sets: &[Vec<u32>],
    rest: State,
    parts: &[Part],
    answers: &[Answer],
) -> (Found, bool) {
    let spots = parts.iter().zip(answers);
    let spots: Vec<Spot> = spots
        .flat_map(|(part, answer)| answer.spots.iter().map(|spot| part.outer(spot)))
        .collect();
    let mut best = (State::new(view, from), true);
    let firsts = [rest, around(view, from, sets, Trivial::Stay)];
    for mut state in firsts {
        put(&mut state, &spots);
        put(&mut state, from);
        let missing = place_missing(&mut state);
        squeeze(&mut state, missing);
        let rank = |state: &State| (missing_in(state), -state.gain);
        if rank(&state) < rank(&best.0) {
            best = (state, false);
        }
        if !best.1 && missing_in(&best.0) == 0 {
            break;
        }
    }
    (Found::of(&best.0), best.1)
}

/// Places replicas where they fit, as far as their service has some left.
fn put(state: &mut State, spots: &[Spot]) {
    for spot in spots {
        let wanted = spot.count.saturating_sub(state.count(spot.service, spot.node));
        for _ in 0..wanted {
            let left = state.range(spot.service).len() < state.seats(spot.service);
            if !left || !state.fits(spot.service, spot.node, 1) {
                break;
            }
            state.add(spot.service, spot.node, 1);
        }
    }
}

fn missing_in(state: &State) -> u64 {
    let replicas = state.view.replicas.iter().zip(&state.placed);
    let missing = replicas.map(|(replicas, placed)| u64::from(replicas.saturating_sub(*placed)));
    missing.sum()
}
