//! The search for the fewest nodes around a multi-node algorithm (section
//! 4.4): binary search, or decreasing in steps.

use super::state::State;

/// How the number of nodes is searched for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Search {
    /// Binary search between the bound and the first-fit answer.
    Binary,
    /// From the best number found, down by this percentage of the bound.
    Decreasing(u32),
}

/// The best state found. `trial` tries a number of nodes; `first` is the
/// first-fit answer, the fall-back and upper bound.
pub(super) fn run<'v>(
    search: Search,
    bound: u64,
    first: (u64, State<'v>),
    mut trial: impl FnMut(u64) -> Option<State<'v>>,
) -> State<'v> {
    let (mut best, mut state) = first;
    let mut attempt = |nodes: u64, best: &mut u64, state: &mut State<'v>| match trial(nodes) {
        Some(found) => {
            *best = nodes;
            *state = found;
            true
        }
        None => false,
    };
    match search {
        Search::Binary => {
            let mut low = bound;
            while low < best {
                let target = low + (best - low) / 2;
                if !attempt(target, &mut best, &mut state) {
                    low = target + 1;
                }
            }
        }
        Search::Decreasing(percent) => {
            let step = (bound * u64::from(percent)).div_ceil(100).max(1);
            while best > bound {
                let target = best.saturating_sub(step).max(bound);
                if !attempt(target, &mut best, &mut state) {
                    break;
                }
            }
        }
    }
    state
}
