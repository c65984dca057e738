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

/// The quickest way to a whole plan: the last few new nodes, then one more.
fn on_new_nodes(state: &mut State, order: &[u32], opener: &mut Opener) {
    for service in order.iter().map(|s| *s as usize) {
        let mut from = state.nodes().saturating_sub(RECENT);
        while state.left[service] > 0 {
            if from == state.nodes() && opener.open_for(state, service).is_none() {
                break;
            }
            let count = plain::most(state, from, service).min(state.left[service]);
            if count > 0 {
                state.place(from, service, count);
            } else if state.contents(from).is_empty() {
                break;
            }
            from += 1;
        }
    }
}
