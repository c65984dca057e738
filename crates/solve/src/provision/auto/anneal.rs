//! Annealing of usable slack, for demand that varies over the epochs.
//!
//! A node's usable slack is its residual in the tightest epoch; what it has
//! beyond that in other epochs is lost to roughness. Swapping and relocating
//! replicas whose demand varies lets rises meet falls, and the slack won takes
//! the replicas that are still without a place.

use rand::RngExt;

use super::bins::{Bin, UNIT, Yard};
use crate::{Context, Random};

/// How willing the search is to lose slack, and how it values slack.
#[derive(Clone, Copy)]
pub(super) struct Heat {
    /// In slack units.
    pub temperature: f32,
    /// Weight of squared slack.
    pub curve: f32,
}

/// Seven of eight proposals swap, one relocates.
const SWAPS_OF_EIGHT: u32 = 7;

fn energy(low: i16, curve: f32) -> f32 {
    let slack = f32::from(low) * UNIT;
    slack + curve * slack * slack.max(0.0)
}

/// Proposals on the bins of one lane at one temperature.
pub(super) fn lane(
    yard: &Yard,
    bins: &mut [Bin],
    random: &mut Random,
    heat: Heat,
    proposals: u64,
    ctx: &Context,
) {
    if bins.len() < 2 {
        return;
    }
    for proposal in 0..proposals {
        if proposal % 8192 == 0 && ctx.must_stop() {
            return;
        }
        let x = random.random_range(0..bins.len());
        let mut y = random.random_range(0..bins.len() - 1);
        y += usize::from(y >= x);
        let [from, to] = bins.get_disjoint_mut([x, y]).expect("x and y differ");
        if from.movable.is_empty() {
            continue;
        }
        let at = random.random_range(0..from.movable.len());
        let swap = random.random_range(0..8) < SWAPS_OF_EIGHT && !to.movable.is_empty();
        if swap {
            let with = random.random_range(0..to.movable.len());
            try_swap(yard, from, at, to, with, random, heat);
        } else {
            try_relocate(yard, from, at, to, random, heat);
        }
    }
}

/// Metropolis' rule for slack that should grow and never fall below zero.
fn accepts(from: (i16, i16), to: (i16, i16), random: &mut Random, heat: Heat) -> bool {
    if from.1 < 0 || to.1 < 0 {
        return false;
    }
    let energy = |low| energy(low, heat.curve);
    let gain = energy(from.1) + energy(to.1) - energy(from.0) - energy(to.0);
    gain >= 0.0 || gain > heat.temperature * random.random::<f32>().ln()
}

fn try_swap(
    yard: &Yard,
    from: &mut Bin,
    at: usize,
    to: &mut Bin,
    with: usize,
    random: &mut Random,
    heat: Heat,
) {
    let (a, b) = (from.movable[at], to.movable[with]);
    if a == b {
        return;
    }
    let (mut low_from, mut low_to) = (i16::MAX, i16::MAX);
    let demands = yard.tight_row(a).iter().zip(yard.tight_row(b));
    for ((x, y), (a, b)) in from.row.iter().zip(&*to.row).zip(demands) {
        let change = a.wrapping_sub(*b);
        low_from = low_from.min(x.saturating_add(change));
        low_to = low_to.min(y.saturating_sub(change));
    }
    if accepts((from.low, low_from), (to.low, low_to), random, heat)
        && yard.may_join(from, b, Some(a))
        && yard.may_join(to, a, Some(b))
        && yard.holds(from, b, Some(a))
        && yard.holds(to, a, Some(b))
    {
        yard.leave(from, at);
        yard.leave(to, with);
        yard.join(from, b);
        yard.join(to, a);
    }
}

fn try_relocate(
    yard: &Yard,
    from: &mut Bin,
    at: usize,
    to: &mut Bin,
    random: &mut Random,
    heat: Heat,
) {
    let a = from.movable[at];
    let (mut low_from, mut low_to) = (i16::MAX, i16::MAX);
    for ((x, y), a) in from.row.iter().zip(&*to.row).zip(yard.tight_row(a)) {
        low_from = low_from.min(x.saturating_add(*a));
        low_to = low_to.min(y.saturating_sub(*a));
    }
    if accepts((from.low, low_from), (to.low, low_to), random, heat)
        && yard.holds(to, a, None)
        && yard.may_join(to, a, None)
    {
        yard.leave(from, at);
        yard.join(to, a);
    }
}

/// One round: the bins are dealt out to lanes anew and annealed side by side.
/// Lanes share nothing, so the answer depends on their number, not on threads.
pub(super) fn round(
    yard: &Yard,
    bins: &mut [Bin],
    lanes: usize,
    random: &mut Random,
    heat: Heat,
    proposals: u64,
    ctx: &Context,
) {
    for i in (1..bins.len()).rev() {
        bins.swap(i, random.random_range(0..=i));
    }
    let size = bins.len().div_ceil(lanes).max(2);
    let mut sources: Vec<Random> = (0..lanes)
        .map(|_| {
            let own = random.clone();
            random.jump();
            own
        })
        .collect();
    let mut dealt: Vec<(&mut [Bin], &mut Random)> =
        bins.chunks_mut(size).zip(&mut sources).collect();
    ctx.each(&mut dealt, |(bins, random)| {
        lane(yard, bins, random, heat, proposals / lanes as u64, ctx);
    });
}
