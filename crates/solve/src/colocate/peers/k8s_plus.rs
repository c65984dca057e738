//! K8s+: replicas arrive one by one; nodes without room are filtered out, the
//! rest scored by the traffic with services already there (section V-A).

use rand::seq::SliceRandom;

use super::super::evolve::Found;
use super::super::state::State;
use super::super::view::View;
use super::{completed, emptied};
use crate::Context;

/// Places every replica where it scores best, in random order of arrival.
pub fn k8s_plus(view: &View, context: &Context) -> Found {
    let mut state = emptied(view);
    let mut arrivals: Vec<u32> = (0..view.services() as u32)
        .filter(|s| !view.fixed[*s as usize])
        .flat_map(|s| std::iter::repeat_n(s, view.replicas[s as usize] as usize))
        .collect();
    arrivals.shuffle(&mut context.random(0));
    for service in arrivals {
        let fitting = (0..view.nodes() as u32).filter(|node| state.fits(service, *node, 1));
        // Equal scores go to the node with most room, as Kubernetes spreads.
        let best = fitting.max_by(|a, b| {
            let key = |node: u32| (score(&state, service, node), state.free(node).first().copied());
            let ((x, free_x), (y, free_y)) = (key(*a), key(*b));
            x.total_cmp(&y).then(free_x.cmp(&free_y)).then(b.cmp(a))
        });
        if let Some(node) = best {
            state.add(service, node, 1);
        }
    }
    completed(state)
}

/// The sum over partners present of weight * (1 - own share / partner's share).
fn score(state: &State, service: u32, node: u32) -> f64 {
    let view = state.view;
    let replicas = f64::from(view.replicas[service as usize].max(1));
    let own = f64::from(state.together(service, node));
    let partners = view.links(service).iter().filter_map(|link| {
        let there = f64::from(state.together(link.to, node)) * link.other;
        let weight = link.own * replicas;
        (there > 0.0).then(|| weight * (1.0 - own * link.own / there))
    });
    partners.sum()
}
