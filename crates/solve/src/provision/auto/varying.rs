//! Where demand varies over epochs: the replicas that vary are packed densely
//! and annealed first, steady ones fill up, then the slack is annealed again
//! while replicas without a place move in.

use super::anneal::{self, Heat};
use super::bins::{Bin, Yard};
use super::budget::Share;
use super::{Task, fill};
use crate::Context;
use crate::provision::allowance::Allowance;
use crate::provision::grid::Grid;
use crate::provision::measure::total_demand;
use crate::provision::state::State;
use crate::provision::view::View;

/// Lanes of the annealing; fixed, so that threads do not matter.
const LANES: usize = 4;
/// Proposals of a round, all lanes together; it counts as this many steps.
const ROUND: u64 = 1 << 17;
const ROUND_STEPS: u64 = 128;
/// Rounds between two attempts to place what is left.
const ROUNDS_PER_INSERT: u64 = 4;
/// First and last temperature, in slack units.
const HOT: f32 = 0.4;
const COLD: f32 = 0.012;
/// Weight of squared slack: it gathers slack on few nodes, where it is enough
/// for another replica.
const CURVE: f32 = 0.05;
/// Nodes for the varying replicas, over their area: dense, because the rises
/// and falls of many replicas cancel better than those of few.
const DENSITY: f64 = 1.3;
/// Shares of the budget: for the varying replicas alone, and with the rest.
const FIRST: f64 = 0.25;
const SECOND: f64 = 0.85;

/// Whether the demand of any service varies in the resource that runs out first.
pub(super) fn applies(view: &View) -> bool {
    let tight = tight_resource(view);
    view.epochs > 1 && (0..view.len()).any(|s| view.peak(s, tight) != view.least(s, tight))
}

/// The annealed state; what is left goes on to the ejection search.
pub(super) fn run<'v>(task: &Task<'v>, mix: &[u32], steps: &mut u64, ctx: &Context) -> State<'v> {
    let mut state = task.opened(mix);
    let yard = Yard::new(task.view, tight_resource(task.view));
    place_varying(task, &mut state, &yard, ctx);
    let phase = |state, part, whole: bool, steps: &mut u64| {
        let share = Share::of(part, *steps, ctx);
        let mut annealing = Annealing::new(task, state, &yard, whole);
        *steps -= annealing.run(&share, ctx).min(*steps);
        annealing.into_state(task.view)
    };
    state = phase(state, FIRST, false, steps);
    let mut grid = Grid::new(&state);
    fill(task, &mut state, &mut grid, ctx);
    if !task.is_whole(&state) {
        task.completed(&state, ctx);
        state = phase(state, SECOND, true, steps);
    }
    state
}

/// The resource that needs the most nodes.
fn tight_resource(view: &View) -> usize {
    let totals = total_demand(view);
    let most = |r: usize| {
        let row = &totals[r * view.epochs..][..view.epochs];
        row.iter().copied().fold(0.0, f64::max)
    };
    (0..view.resources)
        .max_by(|a, b| most(*a).total_cmp(&most(*b)))
        .unwrap_or(0)
}

/// Puts the replicas that vary where they add the least roughness (mean
/// residual less the least one), on as few nodes as their area asks for.
fn place_varying(task: &Task, state: &mut State, yard: &Yard, ctx: &Context) {
    let epochs = task.view.epochs;
    let mean = |row: &[i16]| row.iter().map(|x| i32::from(*x)).sum::<i32>() / row.len() as i32;
    let mut bins = yard.bins(state);
    let mut means: Vec<i32> = bins.iter().map(|bin| mean(&bin.row[..epochs])).collect();
    let movable = |s: &u32| yard.is_movable(*s as usize) && state.left[*s as usize] > 0;
    let services: Vec<u32> = task.order.iter().copied().filter(movable).collect();
    let area = |s: &u32| f64::from(mean(yard.tight_row(*s))) * f64::from(state.left[*s as usize]);
    let area: f64 = services.iter().map(area).sum();
    let full = bins.iter().map(|bin| bin.low).max().unwrap_or(1).max(1);
    let dense = ((area * DENSITY / f64::from(full)) as usize + 1).min(bins.len());
    let mut allowance = Allowance::default();
    let mut ranked: Vec<(i32, u32)> = Vec::new();
    for service in services {
        if ctx.must_stop() {
            return;
        }
        let s = service as usize;
        allowance.compute(state, s);
        let row = yard.tight_row(service);
        let own_mean = mean(row);
        ranked.clear();
        for (node, bin) in bins[..dense].iter().enumerate() {
            if allowance.more(state, node) == 0 {
                continue;
            }
            let after = bin
                .row
                .iter()
                .zip(row)
                .map(|(x, a)| x.wrapping_sub(*a))
                .min();
            let after = after.unwrap_or(0);
            if after >= 0 {
                let rougher = i32::from(bin.low) - own_mean - i32::from(after);
                // Among equals the emptier node.
                ranked.push((rougher * 64 - means[node], node as u32));
            }
        }
        // Few of many are needed: only those are put in order.
        let few = (state.left[s] as usize).saturating_mul(4);
        if few < ranked.len() {
            ranked.select_nth_unstable(few);
            ranked.truncate(few);
        }
        ranked.sort_unstable();
        // Once round, then again where there is room for more.
        let mut progress = true;
        while progress && state.left[s] > 0 {
            progress = false;
            for node in ranked.iter().map(|(_, node)| *node as usize) {
                if state.left[s] > 0 && allowance.takes(state, node) {
                    state.place(node, s, 1);
                    allowance.note_placed(node, 1);
                    yard.join(&mut bins[node], service);
                    means[node] -= own_mean;
                    progress = true;
                }
            }
        }
    }
}

/// A state taken apart for annealing.
struct Annealing<'a, 'v> {
    yard: &'a Yard<'v>,
    /// Nodes with replicas that may move, and those without.
    bins: Vec<Bin>,
    quiet: Vec<Bin>,
    opened: Vec<usize>,
    shut: Vec<usize>,
    left: Vec<u32>,
    /// Services with replicas left that should move in, largest first.
    waiting: Vec<u32>,
    /// Whether steady replicas take part, or only those that vary.
    whole: bool,
}

impl<'a, 'v> Annealing<'a, 'v> {
    fn new(task: &Task, state: State<'v>, yard: &'a Yard<'v>, whole: bool) -> Self {
        let (bins, quiet) = yard
            .bins(&state)
            .into_iter()
            .partition(|bin: &Bin| !bin.movable.is_empty());
        let left = state.left.clone();
        let joins = |s: &u32| {
            let s = *s as usize;
            left[s] > 0 && !task.view.is_bound(s) && (whole || yard.is_movable(s))
        };
        Self {
            yard,
            bins,
            quiet,
            opened: state
                .opened_pools()
                .iter()
                .map(|pool| pool.index())
                .collect(),
            shut: state.shut_nodes().collect(),
            waiting: task.order.iter().copied().filter(joins).collect(),
            left,
            whole,
        }
    }

    /// Anneals for its share of the budget; gives the steps made.
    fn run(&mut self, share: &Share, ctx: &Context) -> u64 {
        let started = ctx.elapsed();
        let mut random = ctx.random(u64::from(self.whole));
        let mut used = 0;
        for round in 1.. {
            let progress = share.progress(started, used, ctx);
            if progress >= 1.0 || ctx.must_stop() || (self.whole && self.waiting.is_empty()) {
                break;
            }
            let heat = Heat {
                temperature: HOT * (COLD / HOT).powf(progress),
                curve: if self.whole { CURVE } else { 0.0 },
            };
            anneal::round(
                self.yard,
                &mut self.bins,
                LANES,
                &mut random,
                heat,
                ROUND,
                ctx,
            );
            used += ROUND_STEPS;
            if round % ROUNDS_PER_INSERT == 0 {
                let (left, waiting) = (&mut self.left, &mut self.waiting);
                insert(self.yard, &mut self.bins, left, waiting);
                if self.whole {
                    insert(self.yard, &mut self.quiet, left, waiting);
                }
            }
        }
        used
    }

    fn into_state(self, view: &'v View<'v>) -> State<'v> {
        let mut state = State::without_fixed(view);
        for pool in self.opened {
            state.open(pool);
        }
        for node in self.shut {
            state.shut(node);
        }

        for bin in self.bins.iter().chain(&self.quiet) {
            for (service, count) in &bin.contents {
                state.place(bin.node as usize, *service as usize, *count);
            }
        }
        state
    }
}

/// Best fit by slack: each waiting replica to the fullest node that takes it.
fn insert(yard: &Yard, bins: &mut [Bin], left: &mut [u32], waiting: &mut Vec<u32>) {
    let mut by_slack: Vec<u32> = (0..bins.len() as u32).collect();
    by_slack.sort_unstable_by_key(|i| (bins[*i as usize].low, bins[*i as usize].node));
    waiting.retain(|service| {
        let row = yard.tight_row(*service);
        let need = row.iter().copied().min().unwrap_or(0);
        let left = &mut left[*service as usize];
        for at in by_slack.partition_point(|i| bins[*i as usize].low < need)..by_slack.len() {
            if *left == 0 {
                break;
            }
            let bin = &mut bins[by_slack[at] as usize];
            let low = bin
                .row
                .iter()
                .zip(row)
                .map(|(x, a)| x.saturating_sub(*a))
                .min();
            if low >= Some(0)
                && yard.holds(bin, *service, None)
                && yard.may_join(bin, *service, None)
            {
                yard.join(bin, *service);
                *left -= 1;
            }
        }
        *left > 0
    });
}
