//! The default solver where demand varies over epochs: construct, anneal the
//! slack, place what is left, open nodes for the rest.

use super::anneal;
use super::bins::{Bin, Yard};
use crate::provision::allowance::Allowance;
use crate::provision::measure::total_demand;
use crate::provision::order;
use crate::provision::state::State;
use crate::provision::view::View;
use crate::Context;

/// Lanes of the annealing; fixed, so that threads do not matter.
const LANES: usize = 4;
/// Proposals of a round, all lanes together.
pub(super) const ROUND: u64 = 1 << 17;
/// First and last temperature, in slack units.
const HOT: f32 = 0.4;
const COLD: f32 = 0.012;

/// The resource that needs the most nodes.
pub(super) fn tight_resource(view: &View) -> usize {
    let totals = total_demand(view);
    let most = |r: usize| {
        let row = &totals[r * view.epochs..][..view.epochs];
        row.iter().copied().fold(0.0, f64::max)
    };
    (0..view.resources).max_by(|a, b| most(*a).total_cmp(&most(*b))).unwrap_or(0)
}

/// Puts the replicas whose demand varies where they add the least roughness.
pub(super) fn place_varying(state: &mut State, yard: &Yard, sizes: &[f64], ctx: &Context) {
    let view = state.view;
    let mut bins = yard.bins(state);
    let mean = |row: &[i16]| row.iter().map(|x| i32::from(*x)).sum::<i32>() / row.len() as i32;
    let epochs = view.epochs;
    let mut means: Vec<i32> = bins.iter().map(|bin| mean(&bin.row[..epochs])).collect();
    let mut allowance = Allowance::default();
    let mut ranked: Vec<(i32, u32)> = Vec::new();
    let services: Vec<u32> = order::decreasing(sizes)
        .into_iter()
        .filter(|s| yard.is_movable(*s as usize) && state.left[*s as usize] > 0)
        .collect();
    let area: i64 = services
        .iter()
        .map(|s| i64::from(mean(yard.tight_row(*s))) * i64::from(state.left[*s as usize]))
        .sum();
    let full = bins.iter().map(|bin| i64::from(bin.low)).max().unwrap_or(1).max(1);
    let slack: f64 = std::env::var("DENSE").map_or(1.02, |d| d.parse().unwrap());
    let dense = ((area as f64 * slack / full as f64) as usize + 1).min(bins.len());
    for (i, service) in services.into_iter().enumerate() {
        let s = service as usize;
        if i % 16 == 0 && ctx.must_stop() {
            return;
        }
        allowance.compute(state, s);
        let row = yard.tight_row(service);
        let own_mean = mean(row);
        ranked.clear();
        for (node, bin) in bins[..dense].iter().enumerate() {
            if allowance.more(state, node) == 0 {
                continue;
            }
            let low = bin.row.iter().zip(row).map(|(x, a)| x.wrapping_sub(*a)).min().unwrap_or(0);
            if low < 0 {
                continue;
            }
            let before = means[node] - i32::from(bin.low);
            let after = means[node] - own_mean - i32::from(low);
            // Among equals the emptier node.
            ranked.push(((after - before) * 64 - means[node], node as u32));
        }
        ranked.sort_unstable();
        // Once round, then again where there is room for more.
        let mut progress = true;
        while progress && state.left[s] > 0 {
            progress = false;
            for (_, node) in &ranked {
                let node = *node as usize;
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
    debug_assert_eq!(view.len(), sizes.len());
}

/// Anneals until the share of the budget is used; `progress` gives that share.
pub(super) fn improve<'v>(
    state: State<'v>,
    yard: &Yard,
    sizes: &[f64],
    progress: &dyn Fn(u64) -> f32,
    curve: f32,
    insert: bool,
    ctx: &Context,
) -> State<'v> {
    let view = state.view;
    let bins = yard.bins(&state);
    let (mut bins, mut quiet): (Vec<Bin>, Vec<Bin>) =
        bins.into_iter().partition(|bin| !bin.movable.is_empty());
    let pools = state.opened_pools();
    let mut left = state.left.clone();
    drop(state);
    let mut waiting: Vec<u32> = order::decreasing(sizes);
    waiting.retain(|s| left[*s as usize] > 0 && (insert || yard.is_movable(*s as usize)));
    let mut random = ctx.random(0);
    let mut rounds = 0;
    loop {
        let share = progress(rounds);
        if share >= 1.0 || ctx.must_stop() {
            break;
        }
        let e = |k: &str, d: f32| std::env::var(k).map_or(d, |v| v.parse().unwrap());
        let (hot, cold) = if insert {(e("HOT", HOT), e("COLD", COLD))} else {(e("HOTA", HOT), e("COLDA", COLD))};
        let temperature = hot * (cold / hot).powf(share);
        anneal::round(yard, &mut bins, LANES, &mut random, temperature, curve, ROUND, ctx);
        rounds += 1;
        if rounds % 4 == 0 {
            insert_waiting(yard, &mut bins, &mut left, &mut waiting);
            if insert {insert_waiting(yard, &mut quiet, &mut left, &mut waiting);}
        }
        if rounds % 16 == 0 { let ep=view.epochs; let ro: f32 = bins.iter().map(|b| { let m: i32 = b.row[..ep].iter().map(|x| i32::from(*x)).sum::<i32>()/ep as i32; (m - i32::from(b.low)) as f32 * super::bins::UNIT/128.0}).sum(); eprintln!("round {rounds} wait {} T {temperature:.4} left {} bins {} lows {:.1} rough {ro:.1} quiet {:.1}", waiting.iter().map(|s| left[*s as usize]).sum::<u32>(), left.iter().sum::<u32>(), bins.len(), bins.iter().map(|b| f32::from(b.low)*super::bins::UNIT).sum::<f32>()/128.0, quiet.iter().map(|b| f32::from(b.low)*super::bins::UNIT).sum::<f32>()/128.0); }
        if insert && waiting.is_empty() {
            break;
        }
    }
    let mut state = State::new(view);
    for entry in &view.fixed {
        state.remove(entry.node.index(), entry.service.index(), entry.count);
    }
    for pool in pools {
        state.open(pool.index());
    }
    for bin in bins.iter().chain(&quiet) {
        for (service, count) in &bin.contents {
            state.place(bin.node as usize, *service as usize, *count);
        }
    }
    state
}

/// Best fit by slack: the fullest node that takes a replica.
fn insert_waiting(
    yard: &Yard,
    bins: &mut [Bin],
    left: &mut [u32],
    waiting: &mut Vec<u32>,
) {
    let mut by_slack: Vec<u32> = (0..bins.len() as u32).collect();
    by_slack.sort_unstable_by_key(|i| (bins[*i as usize].low, bins[*i as usize].node));
    waiting.retain(|service| {
        let s = *service as usize;
        if yard.view.is_bound(s) {
            return true;
        }
        let row = yard.tight_row(*service);
        let need = row.iter().copied().min().unwrap_or(0);
        let start = by_slack.partition_point(|i| bins[*i as usize].low < need);
        let mut at = start;
        while left[s] > 0 && at < by_slack.len() {
            let bin = &mut bins[by_slack[at] as usize];
            let low = bin.row.iter().zip(row).map(|(x, a)| x.saturating_sub(*a)).min();
            if low >= Some(0)
                && yard.holds(bin, *service, None)
                && yard.may_join(bin, *service, None)
            {
                yard.join(bin, *service);
                left[s] -= 1;
            }
            at += 1;
        }
        left[s] > 0
    });
}
