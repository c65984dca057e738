//! The default search where no label ties nodes: cycles of hot walks without
//! the sand, their machine patterns recombined by the integer master, cooler
//! walks from there; at last the best placements made exact.

use super::anneal::walk::Goal;
use super::anneal::{Cooling, Length, Task};
use super::evolve::{Effort, Found, Search, report};
use super::fluid::settle::{relabel, settle};
use super::fluid::state::Fluid;
use super::fluid::{Pour, Poured};
use super::recombine::{rebuild_partly, select};
use super::schedule::place_missing;
use super::state::State;
use super::view::Spot;
use crate::Context;

/// Walks from the start in a cycle, at full heat.
const FRESH: usize = 6;
/// Cooler walks after each of two recombinations: their heat, and whether
/// they leave from the recombined placement or from the best so far.
const REFINING: [(f64, bool); 4] = [(0.03, true), (0.1, true), (0.03, false), (0.1, false)];
/// Proposals of a fresh walk for each replica, when there is time for several
/// cycles.
const NATURAL: u64 = 1_500;
/// Cycles at most.
const CYCLES: u64 = 8;
/// Proposals a thread makes in a second, roughly: only the number of cycles
/// depends on it.
const PER_SECOND: f64 = 4e6;
/// Placements made exact at the end.
const FINALISTS: usize = 4;
/// What the exact walks at the end get of everything.
const LAST: f64 = 0.08;

/// A placement of the members, with its score for the goal.
struct Candidate {
    score: f64,
    price: f64,
    members: Vec<Spot>,
}

impl Search<'_> {
    /// The best placement of several cycles; `None` when the sand finds no
    /// place beside any of them.
    pub(super) fn run_cycles(
        &mut self,
        goal: Goal,
        effort: Effort,
        context: &Context,
    ) -> Option<Found> {
        let pour = self.pour.take()?;
        let found = self.cycles(&pour, goal, effort, context);
        self.pour = Some(pour);
        found
    }

    fn cycles(
        &mut self,
        pour: &Pour,
        goal: Goal,
        effort: Effort,
        context: &Context,
    ) -> Option<Found> {
        let replicas: u64 = self.view.replicas.iter().map(|d| u64::from(*d)).sum();
        let natural = (FRESH + REFINING.len()) as u64 * NATURAL * replicas.max(1);
        let proposals = match effort {
            Effort::Seconds(seconds) => (seconds * PER_SECOND) as u64 * context.threads() as u64,
            Effort::Steps(steps) => steps,
        };
        let cycles = (proposals / natural).clamp(1, CYCLES);
        let mut clock = Clock::new(effort, context);
        let mut best: Vec<Candidate> = Vec::new();
        for cycle in 0..cycles {
            let share = (1.0 - LAST) / cycles as f64;
            let cooling = Cooling::of(self.view);
            let from = [self.start.clone()];
            let starts = [(1.0, 0usize); FRESH];
            let length = clock.walks(share * 0.6, FRESH, context);
            self.wave(pour, &from, &starts, cooling, length, goal, &mut best, context);
            if cycle == 0 && best.iter().all(|b| settle(&pour.core, &b.members).is_none()) {
                return None;
            }
            for _ in 0..2 {
                if context.must_stop() {
                    break;
                }
                let top = &best[0];
                let mut from = vec![top.members.clone()];
                let seconds = clock.seconds(share * 0.05);
                let goal_now = Goal { price: top.price, ..goal };
                from.extend(self.patched(goal_now, seconds, context));
                let starts = REFINING.map(|(heat, fresh)| (heat, usize::from(fresh)));
                let length = clock.walks(share * 0.15, REFINING.len(), context);
                self.wave(pour, &from, &starts, cooling, length, goal, &mut best, context);
            }
            if context.must_stop() {
                break;
            }
        }
        best.truncate(FINALISTS);
        self.make_exact(pour, &best, goal, &mut clock, context)
    }

    /// Walks in lanes, each from one of some placements at some heat.
    #[allow(clippy::too_many_arguments)]
    fn wave(
        &mut self,
        pour: &Pour,
        from: &[Vec<Spot>],
        starts: &[(f64, usize)],
        cooling: Cooling,
        length: Length,
        goal: Goal,
        best: &mut Vec<Candidate>,
        context: &Context,
    ) {
        let first = self.next_lanes(starts.len());
        let poured: Vec<Poured> = context.lanes(starts.len(), |lane| {
            let (heat, at) = starts[lane];
            let cooling = cooling.reheated(heat);
            let task = Task { goal, cooling, length };
            let random = context.random(first + lane as u64);
            pour.walk(&from[at % from.len()], task, random, context)
        });
        for Poured { state, price } in poured {
            let members = relabel(&state, &self.kinds);
            self.pool.add_all(&State::new(self.view, &members), &self.kinds);
            let moves = Fluid::new(&pour.core, &members).moves;
            best.push(Candidate {
                score: state.gain - goal.price.max(price) * moves,
                price,
                members,
            });
        }
        best.sort_by(|a, b| b.score.total_cmp(&a.score));
        best.dedup_by(|a, b| a.members == b.members);
        best.truncate(2 * FINALISTS);
    }

    /// The master's choice among all patterns, members it left out put where
    /// there is room.
    fn patched(&self, goal: Goal, seconds: Option<f64>, context: &Context) -> Option<Vec<Spot>> {
        let options = bayplan_lp::Options {
            seconds,
            nodes: Some(200),
            iterations: Some(200_000),
            gap: 1e-4,
            stop: Some(context.stop_flag().clone()),
            ..Default::default()
        };
        let picked = select(self.view, &self.kinds, &self.pool, goal.price, &options)?;
        let mut state = rebuild_partly(self.view, &self.kinds, &self.pool, &picked);
        place_missing(&mut state).is_empty().then(|| state.spots())
    }

    /// The sand put back, and the last degrees on the exact problem.
    fn make_exact(
        &mut self,
        pour: &Pour,
        best: &[Candidate],
        goal: Goal,
        clock: &mut Clock,
        context: &Context,
    ) -> Option<Found> {
        let first = self.next_lanes(best.len());
        let length = clock.walks(LAST, best.len().max(1), context);
        let cold = Cooling::of(self.view).cold;
        let cooling = Cooling { hot: cold, cold: cold / 5.0 };
        let states = context.lanes(best.len(), |lane| {
            let start = settle(&pour.core, &best[lane].members)?;
            let task = Task { goal, cooling, length };
            let random = context.random(first + lane as u64);
            Some(self.anneal.alone(&start, task, random, context))
        });
        let mut result: Option<Found> = None;
        for state in states.iter().flatten() {
            self.pool.add_all(state, &self.kinds);
            let found = Found::of(state);
            if result.as_ref().is_none_or(|best| found.beats(best, goal)) {
                report(context, found.gain, "annealing");
                result = Some(found);
            }
        }
        result
    }
}

/// Shares out an effort: what was promised to earlier work and not used goes
/// to nobody, so that shares add up under steps as under time.
struct Clock {
    effort: Effort,
}

impl Clock {
    fn new(effort: Effort, _context: &Context) -> Self {
        Self { effort }
    }

    /// The length of each of some walks that together take a share.
    fn walks(&mut self, share: f64, walks: usize, context: &Context) -> Length {
        match self.effort {
            Effort::Seconds(seconds) => {
                let waves = walks.div_ceil(context.threads()) as f64;
                Length::Seconds(seconds * share / waves)
            }
            Effort::Steps(steps) => Length::Steps((steps as f64 * share) as u64 / walks as u64),
        }
    }

    /// A share in seconds, when time is what counts.
    fn seconds(&self, share: f64) -> Option<f64> {
        match self.effort {
            Effort::Seconds(seconds) => Some(seconds * share),
            Effort::Steps(_) => None,
        }
    }
}
