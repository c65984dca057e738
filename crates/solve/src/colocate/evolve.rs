//! The default solver. Small clusters: several walks in lanes, the best of all
//! their machine patterns recombined by the integer master, and again from
//! there with less heat. Large clusters: one walk with nodes dealt to threads.

use bayplan_lp::Options;

use super::anneal::walk::Goal;
use super::anneal::{Anneal, Cooling, Length, Task};
use super::fluid::Pour;
use super::fluid::core::Core;
use super::fluid::settle::settle;
use super::kinds::Kinds;
use super::patterns::Pool;
use super::recombine::{rebuild, select};
use super::state::State;
use super::view::{Spot, View};
use crate::{Context, Progress};

/// How long the search may take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Effort {
    /// Wall seconds from now.
    Seconds(f64),
    /// Proposals.
    Steps(u64),
}

impl Effort {
    /// The seconds, when time is what counts, and else how many units of so many
    /// steps there are, at least one.
    pub fn split(self, unit: u64) -> (Option<f64>, u64) {
        match self {
            Self::Seconds(seconds) => (Some(seconds), u64::MAX),
            Self::Steps(steps) => (None, (steps / unit).max(1)),
        }
    }

    /// What is left after so many seconds; steps are not spent by time.
    fn less(self, seconds: f64) -> Self {
        match self {
            Self::Seconds(all) => Self::Seconds((all - seconds).max(0.0)),
            steps @ Self::Steps(_) => steps,
        }
    }
}

impl From<Effort> for Length {
    fn from(effort: Effort) -> Self {
        match effort {
            Effort::Seconds(seconds) => Self::Seconds(seconds),
            Effort::Steps(steps) => Self::Steps(steps),
        }
    }
}

/// The price of a move to begin with: the goal's, or with a limit on moves
/// what the mean replica can gain, from where it finds its way.
pub(super) fn first_price(view: &View, goal: Goal) -> f64 {
    match goal.max_moves {
        i64::MAX => goal.price,
        _ => goal.price.max(Cooling::of(view).hot / 10.0),
    }
}

/// A placement with its two figures.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// Where everything stands.
    pub spots: Vec<Spot>,
    /// Gained affinity.
    pub gain: f64,
    /// Moves from the current placement.
    pub moves: i64,
}

impl Found {
    /// The figures of a state.
    pub fn of(state: &State) -> Self {
        Self {
            spots: state.spots(),
            gain: state.gain,
            moves: state.moves,
        }
    }

    /// Whether this beats another for a goal: fewer moves above the limit
    /// first, then gain less the price of the moves.
    pub fn beats(&self, other: &Self, goal: Goal) -> bool {
        let over = |found: &Self| found.moves.saturating_sub(goal.max_moves).max(0);
        let score = |found: &Self| found.gain - goal.price * found.moves as f64;
        over(self) < over(other) || (over(self) == over(other) && score(self) > score(other))
    }
}

/// Clusters with more replicas are walked once, dealt out to threads.
const MANY_REPLICAS: u64 = 12_000;
/// A search of more seconds than this begins with a short one, of that many.
const LONG: f64 = 40.0;
const SOON: f64 = 2.0;
/// Walks of the first round.
const FIRST_LANES: usize = 6;
/// Walks of every later round.
const LANES: usize = 4;
/// Heat of the walks of a later round, as a share of the first round's.
const REHEAT: [f64; LANES] = [0.05, 0.1, 0.2, 0.4];
/// All but the last round end at so many times the last temperature: below
/// it only moves are saved, and patterns do not change any more.
const EARLY_COLD: f64 = 16.0;
/// Later rounds.
const ROUNDS: usize = 5;

/// A search whose patterns live on between calls: a frontier asks many times.
pub struct Search<'v> {
    pub(super) view: &'v View,
    pub(super) anneal: Anneal<'v>,
    pub(super) pour: Option<Pour<'v>>,
    pub(super) kinds: Kinds,
    /// Every pattern met.
    pub pool: Pool,
    pub(super) start: Vec<Spot>,
    lane: u64,
}

impl<'v> Search<'v> {
    /// A search from a legal start.
    pub fn new(view: &'v View, start: Vec<Spot>) -> Self {
        Self {
            view,
            anneal: Anneal::new(view),
            pour: Core::suits(view).then(|| Pour::new(Core::new(view))),
            kinds: Kinds::new(view),
            pool: Pool::default(),
            start,
            lane: 1,
        }
    }

    /// The best placement found for a goal.
    pub fn run(&mut self, goal: Goal, effort: Effort, context: &Context) -> Found {
        let start = Found::of(&State::new(self.view, &self.start));
        if self.view.edges.is_empty() || self.view.nodes() < 2 {
            return start;
        }
        let replicas: u64 = self.view.replicas.iter().map(|d| u64::from(*d)).sum();
        let best = if replicas > MANY_REPLICAS {
            self.run_poured(goal, effort, context).unwrap_or_else(|| {
                self.run_dealt(
                    (&self.start.clone(), goal.price),
                    Cooling::of(self.view),
                    goal,
                    effort,
                    context,
                )
            })
        } else {
            let began = context.elapsed();
            // Whoever gives it an hour wants to see a plan at once all the same.
            let soon = matches!(effort, Effort::Seconds(all) if all > LONG)
                .then(|| self.run_small(goal, Effort::Seconds(SOON), context));
            let best = self.run_small(goal, effort.less(context.elapsed() - began), context);
            soon.filter(|soon| soon.beats(&best, goal)).unwrap_or(best)
        };
        if !start.beats(&best, goal) {
            return best;
        }
        // Too short a walk for its limit on moves: what a climb finds is more than nothing.
        let climbed = self.climbed(goal, effort, context);
        if climbed.beats(&start, goal) {
            climbed
        } else {
            start
        }
    }

    /// A cluster small enough for several walks.
    fn run_small(&mut self, goal: Goal, effort: Effort, context: &Context) -> Found {
        let began = context.elapsed();
        self.run_cycles(goal, effort, context).unwrap_or_else(|| {
            self.run_rounds(goal, effort.less(context.elapsed() - began), context)
        })
    }

    /// A climb from the start, for a fifth of the effort.
    fn climbed(&mut self, goal: Goal, effort: Effort, context: &Context) -> Found {
        let length = match effort {
            Effort::Seconds(all) => Length::Seconds((all / 5.0).min(context.seconds_left() / 2.0)),
            Effort::Steps(all) => Length::Steps(all / 5),
        };
        let random = context.random(self.next_lanes(1));
        let state = (self.anneal).climb(&self.start, goal, length, random, context);
        Found::of(&state)
    }

    /// One more round from the best so far and from the master's choice, when
    /// new patterns came from elsewhere.
    pub fn polish(&mut self, best: &Found, goal: Goal, effort: Effort, context: &Context) -> Found {
        let mut from = vec![best.spots.clone()];
        let seconds = match effort {
            Effort::Seconds(seconds) => Some(seconds * 0.4),
            Effort::Steps(_) => None,
        };
        from.extend(self.recombined(goal, seconds, context));
        let length = match effort {
            Effort::Seconds(seconds) => {
                Length::Seconds(seconds * 0.6 / LANES.div_ceil(context.threads()) as f64)
            }
            Effort::Steps(steps) => Length::Steps(steps / LANES as u64),
        };
        let first = self.next_lanes(LANES);
        let cooling = Cooling::of(self.view);
        let states = context.lanes(LANES, |lane| {
            let cooling = cooling.reheated(REHEAT[lane / 2]);
            let task = Task {
                goal,
                cooling,
                length,
                first_price: goal.price,
            };
            let random = context.random(first + lane as u64);
            self.anneal
                .alone(&from[(lane + 1) % from.len()], task, random, context)
        });
        let mut result = best.clone();
        for state in &states {
            let found = Found::of(state);
            if found.beats(&result, goal) {
                report(context, found.gain, "annealing");
                result = found;
            }
        }
        result
    }

    pub(super) fn next_lanes(&mut self, count: usize) -> u64 {
        let first = self.lane;
        self.lane += count as u64;
        first
    }

    /// A large cluster without its sand first, then exactly; `None` when the
    /// counts would take too much memory or the sand finds no place.
    fn run_poured(&mut self, goal: Goal, effort: Effort, context: &Context) -> Option<Found> {
        let pour = self.pour.take()?;
        let found = self.poured(&pour, goal, effort, context);
        self.pour = Some(pour);
        found
    }

    fn poured(
        &mut self,
        pour: &Pour,
        goal: Goal,
        effort: Effort,
        context: &Context,
    ) -> Option<Found> {
        const MOST_CELLS: usize = 40_000_000;
        let cells = self.view.nodes() * pour.core.columns;
        if cells > MOST_CELLS {
            return None;
        }
        let (main, last) = (0.75, 0.23);
        let share = |share: f64| match effort {
            Effort::Seconds(all) => Effort::Seconds(all * share),
            Effort::Steps(all) => Effort::Steps((all as f64 * share) as u64),
        };
        // Few moves are found near the start: less heat.
        let heat = match goal.max_moves {
            i64::MAX => 1.0,
            moves => (10.0 * moves as f64 / pour.core.replicas.max(1.0)).clamp(0.1, 1.0),
        };
        let cooling = Cooling::of(self.view).reheated(heat);
        let listen = |gain: f64| report(context, gain, "annealing");
        let task = Task {
            goal,
            cooling,
            length: share(main).into(),
            first_price: first_price(self.view, goal),
        };
        let random = context.random(self.next_lanes(1));
        let (state, price) = pour.dealt(&self.start, task, random, context, listen);
        let start = settle(&pour.core, &state.spots())?;
        let cold = Cooling {
            hot: cooling.cold,
            cold: cooling.cold / 5.0,
        };
        Some(self.run_dealt((&start, price), cold, goal, share(last), context))
    }

    fn run_dealt(
        &mut self,
        (start, first_price): (&[Spot], f64),
        cooling: Cooling,
        goal: Goal,
        effort: Effort,
        context: &Context,
    ) -> Found {
        let length = effort.into();
        let random = context.random(self.next_lanes(1));
        let task = Task {
            goal,
            cooling,
            length,
            first_price,
        };
        let listen = |state: &State| report(context, state.gain, "annealing");
        let state = self.anneal.dealt(start, task, random, context, listen);
        Found::of(&state)
    }

    fn run_rounds(&mut self, goal: Goal, effort: Effort, context: &Context) -> Found {
        let began = context.elapsed();
        // Sixths of the first round and quarters of the others: the first gets
        // about two fifths of all the work.
        let length = |lanes: usize, round: usize| match effort {
            Effort::Seconds(seconds) => {
                let waves = lanes.div_ceil(context.threads()) as f64;
                let left = (seconds - (context.elapsed() - began)).max(0.0);
                let share = if round == 0 {
                    0.4
                } else {
                    1.0 / (ROUNDS + 1 - round) as f64
                };
                Length::Seconds(left * share * 0.97 / waves)
            }
            Effort::Steps(steps) if round == 0 => Length::Steps(steps * 2 / 5 / lanes as u64),
            Effort::Steps(steps) => Length::Steps(steps * 3 / 5 / (ROUNDS * lanes) as u64),
        };
        let cooling = Cooling::of(self.view);
        let mut best: Option<Found> = None;
        let mut from: Vec<Vec<Spot>> = vec![self.start.clone()];
        for round in 0..=ROUNDS {
            if context.must_stop() && best.is_some() {
                break;
            }
            let lanes = if round == 0 { FIRST_LANES } else { LANES };
            let (first, length) = (self.next_lanes(lanes), length(lanes, round));
            let states = context.lanes(lanes, |lane| {
                let heat = if round == 0 { 1.0 } else { REHEAT[lane] };
                let cooling =
                    cooling
                        .reheated(heat)
                        .cooled(if round < ROUNDS { EARLY_COLD } else { 1.0 });
                let task = Task {
                    goal,
                    cooling,
                    length,
                    first_price: goal.price,
                };
                let random = context.random(first + lane as u64);
                self.anneal
                    .alone(&from[lane % from.len()], task, random, context)
            });
            for state in &states {
                self.pool.add_all(state, &self.kinds);
                let found = Found::of(state);
                if best.as_ref().is_none_or(|best| found.beats(best, goal)) {
                    report(context, found.gain, "annealing");
                    best = Some(found);
                }
            }
            from.clear();
            from.extend(best.iter().map(|best| best.spots.clone()));
            let seconds = match effort {
                Effort::Seconds(seconds) => Some((seconds * 0.05).min(context.seconds_left())),
                Effort::Steps(_) => None,
            };
            if round < ROUNDS
                && let Some(spots) = self.recombined(goal, seconds, context)
            {
                from.push(spots);
            }
        }
        best.expect("the first round ran")
    }

    /// The start of the next round: the master's choice among all patterns.
    fn recombined(&self, goal: Goal, seconds: Option<f64>, context: &Context) -> Option<Vec<Spot>> {
        let replicas: u64 = self.view.replicas.iter().map(|d| u64::from(*d)).sum();
        if replicas > MANY_REPLICAS {
            return None;
        }
        if self.view.gain_domain.is_some() || self.view.sets.iter().any(|set| set.domain.is_some())
        {
            // A node's pattern is not legal by itself when a label ties nodes.
            return None;
        }
        let options = Options {
            seconds,
            nodes: Some(200),
            iterations: Some(200_000),
            gap: 1e-4,
            stop: Some(context.stop_flag().clone()),
            ..Options::default()
        };
        let picked = select(self.view, &self.kinds, &self.pool, goal.price, &options)?;
        rebuild(self.view, &self.kinds, &self.pool, &picked)
    }
}

pub(super) fn report(context: &Context, gain: f64, phase: &'static str) {
    context.report(Progress {
        incumbent: Some(gain),
        bound: None,
        phase,
    });
}
