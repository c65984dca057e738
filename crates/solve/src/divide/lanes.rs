//! Searches side by side: a fixed number of lanes, merged in lane order.

use rand::RngExt;

use super::answer::Answer;
use super::search::Search;
use super::state::State;
use super::view::{Division, Slot, View};
use crate::{Context, Progress, Random};

/// Lanes, whatever the number of threads.
const LANES: usize = 4;
/// Steps of a lane between two merges, at the least.
const ROUND: u64 = 4_096;
/// Steps from hot to cold.
const CYCLE: u64 = 65_536;
/// Hottest and coldest temperature, in nodes.
const HOT: f64 = 0.05;
const COLD: f64 = 0.002;

/// How much of the budget may be used.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Target {
    /// Share of the steps or seconds left.
    pub share: f64,
}

/// Looks for answers with fewer or cheaper nodes until the price is `bound`
/// or the share of the budget is used up.
pub fn improve(view: &View, start: Answer, bound: u64, target: Target, ctx: &Context) -> Answer {
    let mut best = start;
    let steps = ctx.steps().map(|steps| (steps as f64 * target.share) as u64 / LANES as u64);
    let until = ctx.elapsed() + ctx.seconds_left() * target.share;
    let out_of_time = || ctx.must_stop() || (steps.is_none() && ctx.elapsed() >= until);
    let mut lanes: Vec<Option<Search>> = (0..LANES).map(|_| None).collect();
    let mut randoms: Vec<Random> = (0..LANES as u64).map(|lane| ctx.random(lane)).collect();
    let mut used = 0;
    // How many nodes to give up at once: many while it works.
    let gap = |best: &Answer| {
        let dearest = view.kinds.iter().map(|kind| kind.price).max().unwrap_or(1).max(1);
        (best.price(view).saturating_sub(bound) / dearest) as usize
    };
    let mut drop = (gap(&best) / 2).max(1);
    while (!best.left.is_empty() || best.price(view) > bound) && !out_of_time() {
        if steps.is_some_and(|steps| used >= steps) {
            break;
        }
        let round = ROUND.max(view.apps.len() as u64 / 4);
        let round = steps.map_or(round, |steps| round.min(steps - used));
        let (current, stop) = (&best, &out_of_time);
        let given: Vec<_> = lanes.into_iter().zip(randoms).collect();
        let given: Vec<_> = given.into_iter().map(|lane| std::sync::Mutex::new(Some(lane))).collect();
        let ran = ctx.lanes(LANES, |lane| {
            let (search, mut random) = given[lane].lock().expect("no lane panics").take().expect("once");
            let mut search = search.unwrap_or_else(|| {
                let slots = fewer(view, current, drop, &mut random);
                let mut state = State::new(view, slots.slots, None);
                state.load(&slots.pieces);
                Search::new(view, state, Random::clone(&random))
            });
            for step in 0..round {
                if search.done() || (step % 64 == 0 && stop()) {
                    break;
                }
                let phase = ((used + step) % CYCLE) as f64 / CYCLE as f64;
                search.temperature = HOT * (COLD / HOT).powf(phase);
                search.step();
            }
            let _ = random.random::<u64>();
            (search, random)
        });
        used += round;
        let mut improved = false;
        for (search, _) in &ran {
            if search.done() {
                let found = Answer::new(search.state.division(), Vec::new());
                if found.rank(view) < best.rank(view) {
                    best = found;
                    improved = true;
                }
            }
        }
        let (searches, kept): (Vec<_>, Vec<_>) = ran.into_iter().unzip();
        randoms = kept;
        lanes = if improved {
            drop = drop.min((gap(&best) / 2).max(1));
            ctx.report(Progress {
                incumbent: Some(best.price(view) as f64 / 1e6),
                bound: Some(bound as f64 / 1e6),
                phase: "search",
            });
            (0..LANES).map(|_| None).collect()
        } else {
            searches.into_iter().map(Some).collect()
        };
    }
    best
}

/// The answer without its `drop` emptiest nodes (ties at random).
fn fewer(view: &View, answer: &Answer, drop: usize, random: &mut Random) -> Division {
    let mut used: Vec<(u64, u32, usize)> = (0..answer.division.slots.len())
        .filter(|n| !answer.division.pieces[*n].is_empty())
        .map(|n| {
            let load = answer.division.pieces[n].iter().map(|piece| piece.load).sum();
            (load, random.random(), n)
        })
        .collect();
    used.sort_unstable();
    let _ = view;
    let kept = &used[drop.min(used.len())..];
    let slots: Vec<Slot> = kept.iter().map(|(_, _, n)| answer.division.slots[*n]).collect();
    let pieces = kept.iter().map(|(_, _, n)| answer.division.pieces[*n].clone()).collect();
    Division { slots, pieces }
}
