//! Node-centric algorithms (section 4.3, Algorithm 2): nodes one by one, each
//! filled with the feasible service of the highest score until none fits.

use super::classes::DemandClasses;
use super::node_rules::NodeRules;
use super::open::Opener;
use super::score::{Score, Scorer};
use super::state::State;
use crate::Context;

/// Fills existing nodes in order, then new ones.
pub(super) fn run(state: &mut State, score: Score, opener: &mut Opener, ctx: &Context) {
    let mut run = Run {
        classes: DemandClasses::new(state),
        rules: NodeRules::new(state.view.len()),
        scorer: Scorer::new(state, score),
        scores: Vec::new(),
    };
    for node in 0..state.view.existing.len() {
        if !state.is_shut(node) {
            run.fill(state, node);
        }
    }
    let mut first = 0;
    while !ctx.must_stop() {
        while first < state.left.len() && state.left[first] == 0 {
            first += 1;
        }
        // The next node is one that takes a service nobody has placed yet.
        let mut waiting = first..state.left.len();
        let opened = waiting.find_map(|s| {
            if state.left[s] > 0 {
                opener.open_for(state, s)
            } else {
                None
            }
        });
        let Some(node) = opened else { return };
        run.scorer.note_opened(state, node);
        if !run.fill(state, node) {
            // Rules leave nothing for an empty node: the rest has no place.
            return;
        }
    }
}

struct Run {
    classes: DemandClasses,
    rules: NodeRules,
    scorer: Scorer,
    scores: Vec<f64>,
}

impl Run {
    /// Fills one node; says whether anything was placed.
    fn fill(&mut self, state: &mut State, node: usize) -> bool {
        self.rules.load(state, node);
        let mut placed_any = false;
        loop {
            self.score_all(state, node);
            let Some((service, count)) = self.best(state, node) else {
                return placed_any;
            };
            state.place(node, service, count);
            placed_any = true;
            self.rules.note(state, service);
            self.scorer.note_placed(state.view.row(service), count);
            if state.left[service] == 0 {
                self.classes.note_finished(state, service);
            }
        }
    }

    fn score_all(&mut self, state: &State, node: usize) {
        let residual = state.residual(node);
        self.scores.clear();
        for class in 0..self.classes.len() {
            let score = if self.classes.has_any(class) {
                let example = self.classes.example(class);
                let fits = state.fits(node, example);
                if fits {
                    self.scorer.of(state.view.row(example), residual)
                } else {
                    f64::NAN
                }
            } else {
                f64::NAN
            };
            self.scores.push(score);
        }
    }

    /// The feasible service with the highest score and its replicas here.
    fn best(&mut self, state: &State, node: usize) -> Option<(usize, u32)> {
        loop {
            let scored = self
                .scores
                .iter()
                .enumerate()
                .filter(|(_, score)| !score.is_nan());
            // The first of equals: `max_by` would take the last.
            let class = scored.rev().max_by(|a, b| a.1.total_cmp(b.1))?.0;
            for member in self.classes.members(class) {
                let service = *member as usize;
                if state.left[service] == 0 {
                    continue;
                }
                let more = self.rules.more(state, service);
                if more > 0 {
                    let count = more.min(state.room(node, service)).min(state.left[service]);
                    return Some((service, count));
                }
            }
            self.scores[class] = f64::NAN;
        }
    }
}
