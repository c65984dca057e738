//! Random streams and the distributions the generators need.

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The random source: portable, so a seed means the same everywhere.
pub(crate) type Random = Xoshiro256PlusPlus;

/// A stream of its own for each part of a generator, and within a part for
/// each row: what one draws does not shift what another draws.
pub(crate) fn stream(seed: u64, part: u64, row: u64) -> Random {
    let mixed = seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(part.wrapping_mul(0xbf58_476d_1ce4_e5b9))
        .wrapping_add(row.wrapping_mul(0x94d0_49bb_1331_11eb));
    Random::seed_from_u64(mixed ^ (mixed >> 29))
}

/// Uniform below `n`, by multiplication: the bias is below n / 2^64.
pub(crate) fn below(random: &mut Random, n: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(n)) >> 64) as u64
}

/// Normal with mean 0 and deviation 1 (Box and Muller).
pub(crate) fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.random::<f64>()).cos()
}

/// One of the values, by weight.
pub(crate) fn weighted<T: Copy>(random: &mut Random, table: &[(T, u32)]) -> T {
    let total: u64 = table.iter().map(|(_, weight)| u64::from(*weight)).sum();
    let mut at = below(random, total);
    for (value, weight) in table {
        match at.checked_sub(u64::from(*weight)) {
            Some(rest) => at = rest,
            None => return *value,
        }
    }
    unreachable!("a draw below the total falls into one of the weights")
}

/// A value by its quantiles, straight between them: (probability, value).
pub(crate) fn by_quantiles(random: &mut Random, quantiles: &[(f64, f64)]) -> f64 {
    let u: f64 = random.random();
    let next = quantiles
        .partition_point(|(p, _)| *p <= u)
        .clamp(1, quantiles.len() - 1);
    let ((p, low), (q, high)) = (quantiles[next - 1], quantiles[next]);
    low + (high - low) * (u - p) / (q - p)
}

/// An integer in low..=high, uniform in its logarithm.
pub(crate) fn log_uniform(random: &mut Random, low: u32, high: u32) -> u32 {
    let (from, to) = (f64::from(low).ln(), (f64::from(high) + 1.0).ln());
    let value = (from + (to - from) * random.random::<f64>()).exp();
    (value as u32).clamp(low, high)
}

/// Brings a list into random order.
pub(crate) fn shuffle<T>(random: &mut Random, list: &mut [T]) {
    for at in (1..list.len()).rev() {
        list.swap(at, below(random, at as u64 + 1) as usize);
    }
}
