//! The cluster's default scheduler, and a legal start: surplus dropped, rules
//! broken on arrival repaired where that is possible, missing replicas placed.

use std::cmp::Reverse;

use bayplan_model::{Reason, ServiceId, Unplaced};

use super::arrivals::{Real, arrive};
use super::state::State;
use super::view::{Spot, View};

/// A start for every search: everything that can be placed legally is.
pub fn start(view: &View) -> Vec<Spot> {
    let mut state = State::new(view, &without_surplus(view));
    repair(&mut state);
    place_missing(&mut state);
    state.spots()
}

/// The current placement, cut to the replicas each service has; what must stay
/// is not cut.
fn without_surplus(view: &View) -> Vec<Spot> {
    let mut left = view.replicas.clone();
    let kept = view.original.iter().filter_map(|spot| {
        let left = &mut left[spot.service as usize];
        if view.fixed[spot.service as usize] {
            return Some(*spot);
        }
        let count = spot.count.min(*left);
        *left -= count;
        (count > 0).then_some(Spot { count, ..*spot })
    });
    kept.collect()
}

/// Moves replicas off nodes where a rule is broken, as far as others have room.
fn repair(state: &mut State) {
    let view = state.view;
    for node in 0..view.nodes() as u32 {
        let mut present: Vec<u32> = state.shelf(node).present().map(|slot| slot.key).collect();
        present.retain(|key| (*key as usize) < view.services() && !view.fixed[*key as usize]);
        // The largest first: few moves free much room.
        present.sort_unstable_by_key(|s| (Reverse(view.need(*s).to_vec()), *s));
        for service in present {
            while state.count(service, node) > 0 && breaks(state, service, node) {
                let Some(to) = best_node(state, service) else {
                    break;
                };
                state.take(service, node, 1);
                state.add(service, to, 1);
            }
        }
    }
}

/// Whether taking one replica of a service off a node mends something there.
fn breaks(state: &State, service: u32, node: u32) -> bool {
    let view = state.view;
    let mut needs = view.need(service).iter().zip(state.free(node));
    let mut sets = view.sets_of(service).iter();
    !view.may_use(service, node)
        || needs.any(|(need, free)| *need > 0 && *free < 0)
        || state.count(service, node) > view.cap[service as usize]
        || sets.any(|set| state.in_set(*set, node) > view.sets[*set as usize].max)
        || !state.bears(service, node, 0)
}

/// Places what is missing, the largest demands first; returns how many
/// replicas of which service found no place.
pub fn place_missing(state: &mut State) -> Vec<(u32, u32)> {
    let view = state.view;
    let missing = |state: &State, s: u32| {
        view.replicas[s as usize].saturating_sub(state.range(s).len() as u32)
    };
    let mut order: Vec<u32> = (0..view.services() as u32)
        .filter(|s| missing(state, *s) > 0)
        .collect();
    let total = |dim: usize| -> f64 {
        let nodes = view.capacity.iter().skip(dim).step_by(view.dims);
        nodes.map(|units| *units as f64).sum::<f64>().max(1.0)
    };
    let totals: Vec<f64> = (0..view.dims).map(total).collect();
    let size = |s: u32| -> f64 {
        let shares = view.need(s).iter().zip(&totals);
        shares
            .map(|(need, total)| *need as f64 / total)
            .fold(0.0, f64::max)
    };
    let mut keyed: Vec<(f64, u32)> = order.drain(..).map(|s| (size(s), s)).collect();
    keyed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut failed = Vec::new();
    for (_, service) in keyed {
        let count = missing(state, service);
        let left = arrive(state, service, count, |state, node| {
            key_of_one_more(state, service, node)
        });
        if left > 0 {
            failed.push((service, left));
        }
    }
    failed
}

/// Places what found no room by moving one other replica out of the way for
/// each; returns what is still missing.
pub fn squeeze(state: &mut State, missing: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let mut failed = Vec::new();
    for (service, count) in missing {
        let left = (0..count).filter(|_| !squeeze_in(state, service)).count() as u32;
        if left > 0 {
            failed.push((service, left));
        }
    }
    failed
}

fn squeeze_in(state: &mut State, service: u32) -> bool {
    let view = state.view;
    for node in 0..view.nodes() as u32 {
        if !view.may_use(service, node) {
            continue;
        }
        let mut present: Vec<u32> = state.shelf(node).present().map(|slot| slot.key).collect();
        present.sort_unstable();
        for other in present {
            if other as usize >= view.services() || other == service || view.fixed[other as usize] {
                continue;
            }
            state.take(other, node, 1);
            let room = state.fits(service, node, 1);
            let elsewhere = if room {
                best_node_but(state, other, node)
            } else {
                None
            };
            match elsewhere {
                Some(to) => {
                    state.add(service, node, 1);
                    state.add(other, to, 1);
                    return true;
                }
                None => state.add(other, node, 1),
            }
        }
    }
    false
}

fn best_node_but(state: &State, service: u32, not: u32) -> Option<u32> {
    let nodes = 0..state.view.nodes() as u32;
    nodes
        .into_iter()
        .find(|node| *node != not && state.fits(service, *node, 1))
}

/// The node with room where one more replica gains most; among equals one
/// where it counts as no move, then the fullest in the first resource.
fn best_node(state: &State, service: u32) -> Option<u32> {
    let fitting = (0..state.view.nodes() as u32).filter(|node| state.fits(service, *node, 1));
    fitting.max_by_key(|node| (key_of_one_more(state, service, *node), Reverse(*node)))
}

fn key_of_one_more(state: &State, service: u32, node: u32) -> (Real, bool, i64) {
    let slot = state.shelf(node).get(service);
    let free = state.free(node).first().copied().unwrap_or(0);
    let gain = state.gain_of_one_more(service, node);
    (Real(gain), slot.now < slot.was, -free)
}

/// Why replicas that are missing from a placement have no place.
pub fn reasons(view: &View, spots: &[Spot]) -> Vec<Unplaced> {
    let state = State::new(view, spots);
    let mut unplaced = Vec::new();
    for service in 0..view.services() as u32 {
        let placed = state.range(service).len() as u32;
        let count = view.replicas[service as usize].saturating_sub(placed);
        if count == 0 {
            continue;
        }
        let nodes = 0..view.nodes() as u32;
        let allowed: Vec<u32> = nodes.filter(|n| view.may_use(service, *n)).collect();
        let holds = |node: &u32| {
            let mut pairs = view.need(service).iter().zip(view.room(*node));
            pairs.all(|(need, room)| need <= room)
        };
        let has_room = |node: &u32| {
            let mut pairs = view.need(service).iter().zip(state.free(*node));
            pairs.all(|(need, free)| i128::from(*need) <= i128::from(*free))
        };
        let reason = if allowed.is_empty() {
            Reason::NoCompatibleNode
        } else if !allowed.iter().any(holds) {
            Reason::TooLarge
        } else if allowed.iter().any(has_room) {
            Reason::Rules
        } else {
            Reason::NoRoom
        };
        unplaced.push(Unplaced {
            service: ServiceId(service),
            count,
            reason,
        });
    }
    unplaced
}
