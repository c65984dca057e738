//! Makes a whole plan of a state with replicas left: the incumbent of every
//! phase, and the answer when time is up.

use crate::Context;
use crate::provision::application_centric::{self, NodeRule};
use crate::provision::measure::Measure;
use crate::provision::open::Opener;
use crate::provision::plain;
use crate::provision::state::State;

/// New nodes tried before another is opened when time is up.
const RECENT: usize = 8;

/// Best fit decreasing on the open nodes, then on new ones.
pub(super) fn complete(state: &mut State, order: &[u32], opener: &mut Opener, ctx: &Context) {
    let rule = NodeRule::Best(Measure::Average);
    application_centric::run(state, order, rule, 0.01, opener, ctx);
    // Only when time is up is anything left that a new node would take.
    on_new_nodes(state, order, opener);
}

/// The quickest way to a whole plan: the last few new nodes, then one more. A
/// node put into use again may stand anywhere, not only at the end.
fn on_new_nodes(state: &mut State, order: &[u32], opener: &mut Opener) {
    for service in order.iter().map(|s| *s as usize) {
        let mut recent = state.nodes().saturating_sub(RECENT)..state.nodes();
        while state.left[service] > 0 {
            let node = match recent.next() {
                Some(node) if state.is_shut(node) => continue,
                Some(node) => node,
                None => match opener.open_for(state, service) {
                    Some(node) => node,
                    None => break,
                },
            };
            let count = plain::most(state, node, service).min(state.left[service]);
            if count > 0 {
                state.place(node, service, count);
            } else if state.contents(node).is_empty() {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::provision::Params;
    use crate::provision::tests::problem;
    use crate::provision::view::View;
    use crate::{Budget, Random};

    /// Time is up while nodes are out of use: they are put into use again,
    /// wherever they stand, and everything finds a place.
    #[test]
    fn nodes_out_of_use_are_used_again_when_time_is_up() {
        for seed in 0..200 {
            let problem = problem(&mut Random::seed_from_u64(seed), 12, 3);
            let params = Params::default();
            let view = View::new(&problem, &params).unwrap();
            let mut state = State::new(&view);
            for _ in 0..4 {
                let node = state.open(0);
                state.shut(node);
            }
            let order: Vec<u32> = (0..view.len() as u32).collect();
            let mut opener = Opener::new(&view, None);
            let late = Context::new(1, Budget::Seconds(0.0), 1);
            complete(&mut state, &order, &mut opener, &late);
            let impossible = |s: usize| view.per_empty_node(s, 0) == 0;
            assert!((0..view.len()).all(|s| state.left[s] == 0 || impossible(s)));
            assert_eq!(state.shut_nodes().count(), 0);
        }
    }
}
