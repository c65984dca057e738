//! The default search where no label ties nodes: cycles of hot walks without
//! the sand, their machine patterns recombined by the integer master, cooler
//! walks from there; at last the best placements made exact.

use super::anneal::walk::Goal;
use super::anneal::{Cooling, Length, Task};
use super::evolve::{Effort, Found, Search, first_price, report};
use super::fluid::Pour;
use super::fluid::settle::{relabel, settle};
use super::fluid::state::Fluid;
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

/// With a limit on moves: what the exact walks at the end get of everything,
/// and how hot those begin.
const LIMIT_LAST: f64 = 0.25;
const LIMITED_REHEAT: f64 = 6.0;
/// Heats of the fresh walks with a limit on moves: few moves are found near
/// the start.
const LIMITED_HEATS: [f64; FRESH] = [0.03, 0.06, 0.1, 0.2, 0.4, 1.0];

/// A placement of the members, with its score for the goal and the price of a
/// move at which it was found.
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
        let limited = goal.max_moves < i64::MAX;
        let last = if limited { LIMIT_LAST } else { LAST };
        let mut price = first_price(self.view, goal);
        for cycle in 0..cycles {
            let share = (1.0 - last) / cycles as f64;
            let cooling = Cooling::of(self.view);
            let from = [self.start.clone()];
            let heats = if limited { LIMITED_HEATS } else { [1.0; FRESH] };
            let starts = heats.map(|heat| (heat, 0usize));
            let length = clock.walks(share * 0.6, FRESH, context);
            let tasks = |price: f64| Task {
                goal,
                cooling,
                length,
                first_price: price,
            };
            self.wave(pour, &from, &starts, tasks(price), &mut best, context);
            price = best[0].price;
            if cycle == 0
                && best
                    .iter()
                    .all(|b| settle(&pour.core, &b.members).is_none())
            {
                return None;
            }
            for _ in 0..2 {
                if context.must_stop() {
                    break;
                }
                let mut from = vec![best[0].members.clone()];
                let seconds = clock.seconds(share * 0.05);
                from.extend(self.patched(price, seconds, context));
                let starts = REFINING.map(|(heat, fresh)| (heat, usize::from(fresh)));
                let length = clock.walks(share * 0.15, REFINING.len(), context);
                let task = Task {
                    length,
                    ..tasks(price)
                };
                self.wave(pour, &from, &starts, task, &mut best, context);
                price = best[0].price;
            }
            if context.must_stop() {
                break;
            }
        }
        best.truncate(FINALISTS);
        let length = clock.walks(last, best.len().max(1), context);
        self.make_exact(pour, &best, goal, length, context)
    }

    /// Walks in lanes, each from one of some placements at some share of the
    /// task's heat.
    fn wave(
        &mut self,
        pour: &Pour,
        from: &[Vec<Spot>],
        starts: &[(f64, usize)],
        task: Task,
        best: &mut Vec<Candidate>,
        context: &Context,
    ) {
        let first = self.next_lanes(starts.len());
        let poured: Vec<(Fluid, f64)> = context.lanes(starts.len(), |lane| {
            let (heat, at) = starts[lane];
            let task = Task {
                cooling: task.cooling.reheated(heat),
                ..task
            };
            let random = context.random(first + lane as u64);
            pour.walk(&from[at % from.len()], task, random, context)
        });
        for (state, price) in poured {
            let members = relabel(&state, &self.kinds);
            self.pool
                .add_all(&State::new(self.view, &members), &self.kinds);
            let moves = Fluid::new(&pour.core, &members).moves;
            // With a limit, a move more or less than it is worth the price.
            let counted = match task.goal.max_moves {
                i64::MAX => moves,
                most => moves - most as f64,
            };
            best.push(Candidate {
                score: state.gain - price * counted,
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
    fn patched(&self, price: f64, seconds: Option<f64>, context: &Context) -> Option<Vec<Spot>> {
        let options = bayplan_lp::Options {
            seconds,
            nodes: Some(200),
            iterations: Some(200_000),
            gap: 1e-4,
            stop: Some(context.stop_flag().clone()),
            ..Default::default()
        };
        let picked = select(self.view, &self.kinds, &self.pool, price, &options)?;
        let mut state = rebuild_partly(self.view, &self.kinds, &self.pool, &picked);
        place_missing(&mut state).is_empty().then(|| state.spots())
    }

    /// The sand put back, and the last degrees on the exact problem.
    fn make_exact(
        &mut self,
        pour: &Pour,
        best: &[Candidate],
        goal: Goal,
        length: Length,
        context: &Context,
    ) -> Option<Found> {
        let first = self.next_lanes(best.len());
        let cold = Cooling::of(self.view).cold;
        let times = if goal.max_moves < i64::MAX {
            LIMITED_REHEAT
        } else {
            1.0
        };
        let cooling = Cooling {
            hot: cold * times,
            cold: cold / 5.0,
        };
        let states = context.lanes(best.len(), |lane| {
            let start = settle(&pour.core, &best[lane].members)?;
            let task = Task {
                goal,
                cooling,
                length,
                first_price: best[lane].price,
            };
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
