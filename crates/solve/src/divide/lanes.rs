//! Searches side by side: a fixed number of lanes, merged in lane order.

use std::sync::Mutex;

use super::answer::Answer;
use super::search::Search;
use super::state::State;
use super::view::View;
use crate::{Context, Progress, Random};

/// Lanes, whatever the number of threads.
pub const LANES: usize = 4;
/// Steps of a lane between two merges, at the least.
const ROUND: u64 = 4_096;
/// Steps from hot to cold.
const CYCLE: u64 = 65_536;
/// Hottest and coldest temperature, in nodes.
const HOT: f64 = 0.05;
const COLD: f64 = 0.002;

/// What a search is after.
pub trait Goal<'a>: Sync {
    /// Whether a better answer than this one may exist.
    fn may_improve(&self, best: &Answer) -> bool;

    /// A state from which a better answer may be reached.
    fn attempt(&self, best: &Answer, lane: usize, random: &mut Random) -> State<'a>;

    /// The answer of a state in which everything is served.
    fn answer(&self, state: State<'a>) -> Answer;

    /// What makes an answer better: the least rank wins.
    fn rank(&self, answer: &Answer) -> (u64, u64);

    /// Whether a lane draws a new attempt after a round without success.
    fn redraws(&self) -> bool;

    /// Whether served states can still become better.
    fn polishes(&self) -> bool;

    /// Incumbent and bound, for the listener.
    fn progress(&self, best: &Answer) -> Progress;
}

/// Looks for better answers until none may exist or the share of the budget
/// is used up; returns the best and the steps each lane made.
pub fn improve<'a>(
    view: &'a View,
    goal: &impl Goal<'a>,
    start: Answer,
    share: f64,
    ctx: &Context,
) -> Answer {
    let mut best = start;
    let steps = ctx
        .steps()
        .map(|steps| (steps as f64 * share) as u64 / LANES as u64);
    let until = ctx.elapsed() + ctx.seconds_left() * share;
    let out_of_time = || ctx.must_stop() || (steps.is_none() && ctx.elapsed() >= until);
    let mut randoms: Vec<Random> = (0..LANES as u64).map(|lane| ctx.random(lane)).collect();
    let mut searches: Vec<Option<Search<'a>>> = (0..LANES).map(|_| None).collect();
    let round = ROUND.max(view.apps.len() as u64 / 4);
    let mut used = 0;
    while goal.may_improve(&best) && !out_of_time() && steps.is_none_or(|steps| used < steps) {
        let now = steps.map_or(round, |steps| round.min(steps - used));
        let lanes: Vec<_> = searches
            .into_iter()
            .zip(randoms)
            .map(|lane| Mutex::new(Some(lane)))
            .collect();
        let current = &best;
        let ran = ctx.lanes(LANES, |lane| {
            let taken = lanes[lane].lock().expect("no lane panics").take();
            let (search, mut random) = taken.expect("every lane runs once");
            let mut search = search.unwrap_or_else(|| {
                let state = goal.attempt(current, lane, &mut random);
                let own = rand::SeedableRng::from_rng(&mut random);
                Search::new(view, state, own)
            });
            for step in 0..now {
                if (search.done() && !goal.polishes()) || (step % 64 == 0 && out_of_time()) {
                    break;
                }
                let phase = ((used + step) % CYCLE) as f64 / CYCLE as f64;
                search.temperature = HOT * (COLD / HOT).powf(phase);
                search.step();
            }
            let found = search.done().then(|| goal.answer(search.state.clone()));
            (search, random, found)
        });
        used += now;
        let mut improved = false;
        (searches, randoms) = (Vec::new(), Vec::new());
        for (search, random, found) in ran {
            if let Some(found) = found.filter(|found| goal.rank(found) < goal.rank(&best)) {
                best = found;
                improved = true;
            }
            searches.push((!goal.redraws()).then_some(search));
            randoms.push(random);
        }
        if improved {
            ctx.report(goal.progress(&best));
            searches = (0..LANES).map(|_| None).collect();
        }
    }
    best
}
