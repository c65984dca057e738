//! The programs the paper compares with (section V-A), rebuilt from their
//! descriptions: each starts from an empty cluster.

pub mod applsci19;
pub mod k8s_plus;
pub mod pop;

use super::evolve::Found;
use super::schedule::{place_missing, squeeze};
use super::state::State;
use super::view::View;

/// A cluster with only what must stay.
pub fn emptied(view: &View) -> State<'_> {
    let mut stay = view.original.clone();
    stay.retain(|spot| view.fixed[spot.service as usize]);
    State::new(view, &stay)
}

/// Hands what is left to the cluster's default scheduler.
pub fn completed(mut state: State) -> Found {
    let missing = place_missing(&mut state);
    squeeze(&mut state, missing);
    Found::of(&state)
}
