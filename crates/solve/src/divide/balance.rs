//! `balance`: the least load of the busiest node.
//!
//! The paper leaves arbitrary requirements open. A level is tried by filling
//! nodes up to it with the two phases of section V-B; the least level that
//! works is found by bisection, divided exactly by flow, and then lowered by
//! ruin and recreate at ever lower levels.

use std::ops::RangeInclusive;

use super::answer::Answer;
use super::flow::Flow;
use super::index::Fit;
use super::lanes::{self, Goal};
use super::multi::{self, Orientation};
use super::state::State;
use super::view::{Division, Slot, View};
use super::{bounds, columns, fleet, mip};
use crate::{Context, Progress, Random, SolveError};

/// Above this many applications fewer heuristics start and loads stay as placed.
const MANY_APPS: usize = 5_000;
/// Applications times nodes up to which the integer program is tried.
const SMALL: usize = 80;

/// The nodes to balance over: those that exist, or as many as pools allow.
pub fn nodes(view: &View) -> Result<Vec<Slot>, SolveError> {
    let exist = view.kinds.iter().any(|kind| !kind.existing.is_empty());
    let mut slots = Vec::new();
    for (k, kind) in view.kinds.iter().enumerate() {
        let count = if exist {
            kind.existing.len() as u32
        } else {
            kind.most
        };
        if count == u32::MAX {
            return Err(SolveError::Parameter {
                name: "--machines",
                problem: "balance needs a number of nodes: give --machines, nodes, or the size of every pool".into(),
            });
        }
        slots.extend(view.slots(k, count as usize));
    }
    Ok(slots)
}

/// A level below which no division can be, without solving a program.
pub fn bound(view: &View, slots: &[Slot]) -> Result<u64, SolveError> {
    let kinds: Vec<&super::view::Kind> = slots.iter().map(|slot| &view.kinds[slot.kind]).collect();
    let memory = kinds.iter().map(|kind| kind.memory).max().unwrap_or(0);
    let largest = kinds.iter().map(|kind| kind.cpu).max().unwrap_or(0);
    let short = |what: &str| SolveError::Infeasible {
        why: format!(
            "{what} of all applications exceeds that of the {} nodes",
            slots.len()
        ),
    };
    // All nodes as roomy as the roomiest: a relaxation when kinds differ.
    let level = bounds::least_level(&view.apps, memory, slots.len() as u64);
    let level = level.ok_or_else(|| short("the memory"))?;
    // Nodes with less CPU than the level leave more to the others.
    let total: u128 = view.apps.iter().map(|app| u128::from(app.load)).sum();
    let holds = |level: u64| {
        kinds
            .iter()
            .map(|kind| u128::from(kind.cpu.min(level)))
            .sum::<u128>()
    };
    if holds(largest) < total || level > largest {
        return Err(short("the load"));
    }
    let (mut low, mut high) = (level, largest);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) >= total {
            high = middle
        } else {
            low = middle + 1
        }
    }
    Ok(low)
}

/// Solves `balance` on the nodes given.
pub fn solve(view: &View, ctx: &Context) -> Result<Answer, SolveError> {
    let slots = nodes(view)?;
    let mut goal = Balance {
        view,
        bound: bound(view, &slots)?,
        slots: slots.clone(),
    };
    let methods = if view.apps.len() > MANY_APPS {
        &multi::ALL[..1]
    } else {
        ALL
    };
    let mut best = start(view, &slots, goal.bound, methods, ctx);
    ctx.report(goal.progress(&best));
    best = lanes::improve(view, &goal, best, 0.15, ctx);
    let one_kind = slots.iter().all(|slot| slot.kind == slots[0].kind);
    if goal.may_improve(&best) && one_kind && best.left.is_empty() {
        goal.bound = relaxed(view, &slots, goal.bound, best.level(), ctx);
        ctx.report(goal.progress(&best));
    }
    if goal.may_improve(&best) && !ctx.must_stop() && view.apps.len() * slots.len() <= SMALL {
        let (found, bound) = mip::balance(view, slots, ctx);
        if bound != u64::MAX {
            goal.bound = goal.bound.max(bound);
        }
        best = found
            .into_iter()
            .chain([best])
            .min_by_key(|answer| goal.rank(answer))
            .expect("one");
    }
    best = lanes::improve(view, &goal, best, 1.0, ctx);
    best.bound = goal.bound;
    Ok(best)
}

/// Raises the bound by the relaxation over filled nodes: a level at which more
/// nodes would be needed than there are is too low.
fn relaxed(view: &View, slots: &[Slot], low: u64, high: u64, ctx: &Context) -> u64 {
    if view.apps.len() > columns::MOST_APPS / 4 {
        return low;
    }
    let mut only = view.clone();
    only.kinds = vec![view.kinds[slots[0].kind].clone()];
    only.kinds[0].most = u32::MAX;
    only.kinds[0].price = 1;
    let (mut low, mut high) = (low, high);
    let nodes = slots.len() as u64;
    // A dozen halvings place the bound within a four-thousandth of the gap.
    for _ in 0..12 {
        if low >= high || ctx.must_stop() {
            break;
        }
        let middle = low + (high - low) / 2;
        let level = Some(middle.max(1));
        if columns::least_price(&only, level, 0, nodes + 1, ctx) > nodes {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// The least value of a range for which `attempt` has an answer, by bisection;
/// `None` when even the last has none.
pub fn least<T>(
    range: RangeInclusive<u64>,
    mut attempt: impl FnMut(u64) -> Option<T>,
) -> Option<T> {
    let (mut low, mut high) = range.into_inner();
    let mut best = attempt(high)?;
    while low < high {
        let middle = low + (high - low) / 2;
        match attempt(middle) {
            Some(found) => (best, high) = (found, middle),
            None => low = middle + 1,
        }
    }
    Some(best)
}

/// All heuristics.
pub const ALL: &[(Orientation, Fit)] = &multi::ALL;

/// The best of some heuristics alone, with the plain bound.
pub fn by_heuristics(
    view: &View,
    methods: &[(Orientation, Fit)],
    ctx: &Context,
) -> Result<Answer, SolveError> {
    let slots = nodes(view)?;
    let bound = bound(view, &slots)?;
    Ok(Answer {
        bound,
        ..start(view, &slots, bound, methods, ctx)
    })
}

/// The best of the heuristics at the least level each reaches.
fn start(
    view: &View,
    slots: &[Slot],
    bound: u64,
    methods: &[(Orientation, Fit)],
    ctx: &Context,
) -> Answer {
    let largest = slots
        .iter()
        .map(|slot| view.kinds[slot.kind].cpu)
        .max()
        .unwrap_or(0);
    let tried = ctx.lanes(methods.len(), |lane| {
        let (orientation, fit) = methods[lane];
        let order = orientation.order(&view.apps);
        let mut left = Vec::new();
        let found = least(bound..=largest, |level| {
            let size = |slot: &Slot| {
                (
                    view.kinds[slot.kind].cpu.min(level),
                    view.kinds[slot.kind].memory,
                )
            };
            let sizes: Vec<(u64, u64)> = slots.iter().map(size).collect();
            // The first attempt is never stopped: there must be some answer.
            let stop = || level < largest && ctx.must_stop();
            let tried = multi::attempt(&view.apps, &sizes, &order, fit, &stop);
            if level == largest && !tried.left.is_empty() {
                left = vec![tried.clone()];
            }
            tried.left.is_empty().then_some(tried)
        });
        let slots = slots.to_vec();
        match found.or_else(|| left.pop()) {
            Some(tried) => Answer::new(
                Division {
                    slots,
                    pieces: tried.pieces,
                },
                tried.left,
            ),
            None => unreachable!("the attempt at the largest level is kept"),
        }
    });
    let best = tried
        .into_iter()
        .min_by_key(|answer| (answer.left.len(), answer.level()));
    let mut best = best.expect("there is a heuristic");
    if best.left.is_empty() && view.apps.len() <= MANY_APPS {
        best = level_out(view, best, bound);
    }
    fleet::stay(view, &mut best.division);
    best
}

/// The same instances with the least level: exact, by flow.
fn level_out(view: &View, answer: Answer, bound: u64) -> Answer {
    let instances: Vec<Vec<(u32, u64)>> = (answer.division.pieces.iter())
        .map(|pieces| pieces.iter().map(|piece| (piece.app, piece.load)).collect())
        .collect();
    let found = least(bound..=answer.level(), |level| {
        let mut state = State::new(view, answer.division.slots.clone(), Some(level));
        state.host(&instances);
        let mut flow = Flow::exhaustive();
        for app in state.open().to_vec() {
            flow.serve(&mut state, app);
        }
        state.drop_idle();
        state
            .open()
            .is_empty()
            .then(|| Answer::new(state.division(), Vec::new()))
    });
    found.unwrap_or(answer)
}

struct Balance<'a> {
    view: &'a View,
    slots: Vec<Slot>,
    bound: u64,
}

impl<'a> Goal<'a> for Balance<'a> {
    fn may_improve(&self, best: &Answer) -> bool {
        !best.left.is_empty() || best.level() > self.bound
    }

    fn attempt(&self, best: &Answer, lane: usize, _: &mut Random) -> State<'a> {
        let level = best.left.is_empty().then(|| {
            // Every lane another part of the gap: the bound itself, a half, ...
            let gap = best.level() - self.bound;
            best.level() - (gap >> (2 * lane)).max(1)
        });
        let mut state = State::new(self.view, best.division.slots.clone(), level);
        state.load(&best.division.pieces);
        state
    }

    fn answer(&self, state: State<'a>) -> Answer {
        let answer = Answer::new(state.division(), Vec::new());
        let mut answer = if self.view.apps.len() <= MANY_APPS {
            level_out(self.view, answer, self.bound)
        } else {
            answer
        };
        fleet::stay(self.view, &mut answer.division);
        debug_assert_eq!(answer.division.slots.len(), self.slots.len());
        answer
    }

    fn rank(&self, answer: &Answer) -> (u64, u64) {
        let (left, _) = answer.rank(self.view);
        (left, answer.level())
    }

    fn redraws(&self) -> bool {
        false
    }

    fn polishes(&self) -> bool {
        false
    }

    fn progress(&self, best: &Answer) -> Progress {
        Progress {
            incumbent: best.left.is_empty().then(|| best.level() as f64),
            bound: Some(self.bound as f64),
            phase: "search",
        }
    }
}
