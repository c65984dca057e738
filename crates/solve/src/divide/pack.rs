//! The default solver of `pack`: heuristics, bounds, then ruin and recreate on
//! ever fewer (or cheaper) nodes, and the integer program where it is small.

use super::answer::Answer;
use super::lanes::{self, Goal};
use super::multi;
use super::search::Search;
use super::state::State;
use super::view::{Slot, View};
use super::{bounds, columns, fleet, mip};
use crate::{Context, Progress, Random};

/// Above this many applications only the most promising heuristic starts.
const MANY_APPS: usize = 20_000;
/// Steps to serve everything on the nodes that run now.
const STEPS_TO_KEEP: usize = 20_000;

/// Solves `pack` for any kinds of node, limits and layout.
pub fn solve(view: &View, ctx: &Context) -> Answer {
    let mut goal = Pack {
        view,
        bound: bounds::least_price(view),
    };
    let mut best = start(view, goal.bound, ctx);
    ctx.report(goal.progress(&best));
    // A little search before the relaxation: it often ends the matter.
    best = lanes::improve(view, &goal, best, 0.1, ctx);
    if goal.may_improve(&best) && !ctx.must_stop() {
        let enough = if best.left.is_empty() {
            best.price(view)
        } else {
            u64::MAX
        };
        goal.bound = columns::least_price(view, None, goal.bound, enough, ctx);
        ctx.report(goal.progress(&best));
    }
    if goal.may_improve(&best) && !ctx.must_stop() && mip::is_small(view, &best) {
        let (found, bound) = mip::pack(view, &best, ctx);
        goal.bound = goal.bound.max(bound);
        best = found
            .into_iter()
            .chain([best])
            .min_by_key(|a| a.rank(view))
            .expect("one");
        ctx.report(goal.progress(&best));
    }
    best = lanes::improve(view, &goal, best, 1.0, ctx);
    best.bound = goal.bound;
    best
}

struct Pack<'a> {
    view: &'a View,
    bound: u64,
}

impl<'a> Goal<'a> for Pack<'a> {
    fn may_improve(&self, best: &Answer) -> bool {
        !best.left.is_empty() || best.total(self.view) > self.bound
    }

    fn attempt(&self, best: &Answer, lane: usize, random: &mut Random) -> State<'a> {
        let dearest = self
            .view
            .kinds
            .iter()
            .map(|kind| kind.price)
            .max()
            .unwrap_or(1)
            .max(1);
        let division = if !best.left.is_empty() || (self.polishes() && lane % 2 == 1) {
            best.division.clone()
        } else if self.view.kinds.len() > 1 {
            fleet::cheaper(self.view, best, random)
        } else {
            // Large steps while the gap is large: every lane another size.
            let gap = best.price(self.view).saturating_sub(self.bound) / dearest;
            fleet::fewer(best, ((gap as usize) >> lane).max(1), random)
        };
        let mut state = State::new(self.view, division.slots, None);
        state.load(&division.pieces);
        state
    }

    fn answer(&self, state: State<'a>) -> Answer {
        let mut division = state.division();
        fleet::stay(self.view, &mut division);
        Answer::new(division, Vec::new())
    }

    fn rank(&self, answer: &Answer) -> (u64, u64) {
        answer.rank(self.view)
    }

    fn redraws(&self) -> bool {
        self.view.kinds.len() > 1 || self.polishes()
    }

    fn polishes(&self) -> bool {
        self.view.change_price > 0
    }

    fn progress(&self, best: &Answer) -> Progress {
        Progress {
            incumbent: best
                .left
                .is_empty()
                .then(|| best.price(self.view) as f64 / 1e6),
            bound: Some(self.bound as f64 / 1e6),
            phase: "search",
        }
    }
}

/// The best of the paper's heuristics, over every sequence of kinds that
/// starts with a different one, and of what runs now.
pub fn start(view: &View, bound: u64, ctx: &Context) -> Answer {
    let methods = if view.apps.len() > MANY_APPS {
        &multi::ALL[..1]
    } else {
        &multi::ALL
    };
    let fleets = fleet::sequences(view);
    // A cheaper kind may need more nodes, so only one kind can use the bound.
    let lowest = match view.kinds.as_slice() {
        [kind] => bound / kind.price.max(1),
        _ => 1,
    };
    let mut tried = ctx.lanes(methods.len() * fleets.len(), |lane| {
        let (orientation, fit) = methods[lane % methods.len()];
        let fleet = &fleets[lane / methods.len()];
        let (mut division, left) =
            multi::fewest(view, fleet, orientation, fit, lowest, &|| ctx.must_stop());
        fleet::stay(view, &mut division);
        Answer::new(division, left)
    });
    if view.change_price > 0 {
        tried.push(keep(view, &fleets, ctx));
    }
    let best = tried.into_iter().min_by_key(|answer| answer.rank(view));
    best.expect("there is a heuristic and a fleet")
}

/// What runs now, repaired: nodes are added until everything is served.
fn keep(view: &View, fleets: &[Vec<Slot>], ctx: &Context) -> Answer {
    let kind_of = fleet::kinds_of_nodes(view);
    let mut nodes: Vec<_> = (0..view.running.len())
        .filter(|node| !view.running[*node].is_empty())
        .map(|node| {
            let slot = Slot {
                kind: kind_of[node],
                node: Some(node as u32),
            };
            (slot, view.layout[node].clone())
        })
        .collect();
    let mut random = ctx.random(lanes::LANES as u64);
    let mut kinds: Vec<usize> = fleets[0].iter().map(|slot| slot.kind).collect();
    kinds.dedup();
    // Twice what one node per instance takes: then something else is wrong.
    let most = nodes.len() + 2 * fleets[0].len();
    let mut added = 1;
    loop {
        let (slots, pieces): (Vec<_>, Vec<_>) = nodes.iter().cloned().unzip();
        let mut state = State::new(view, slots, None);
        state.load(&pieces);
        let mut search = Search::new(view, state, rand::SeedableRng::from_rng(&mut random));
        for step in 0..STEPS_TO_KEEP {
            if search.done() || (step % 64 == 0 && ctx.must_stop()) {
                break;
            }
            search.step();
        }
        let before = nodes.len();
        while nodes.len() < before + added && nodes.len() < most {
            let next = kinds
                .iter()
                .find_map(|kind| fleet::unused(view, *kind, &nodes));
            let Some(slot) = next else { break };
            nodes.push((slot, Vec::new()));
        }
        if search.done() || nodes.len() == before || ctx.must_stop() {
            let left = search.state.open().iter();
            let left = left
                .map(|app| (*app, search.state.rest[*app as usize]))
                .collect();
            return Answer::new(search.state.division(), left);
        }
        added *= 2;
    }
}
