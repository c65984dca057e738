//! Traffic between services, and how much of it stays on a node.

use crate::ServiceId;

/// Weighted, undirected traffic between two different services; `a < b`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Traffic {
    /// The service with the lower id.
    pub a: ServiceId,
    /// The service with the higher id.
    pub b: ServiceId,
    /// Volume, in any unit: finite and not negative.
    pub weight: f64,
}

/// The share of one pair's traffic that stays local when `x_a` of `d_a`
/// replicas of one and `x_b` of `d_b` of the other stand together.
pub fn gained_affinity(x_a: u32, d_a: u32, x_b: u32, d_b: u32) -> f64 {
    if d_a == 0 || d_b == 0 {
        return 0.0;
    }
    (f64::from(x_a) / f64::from(d_a)).min(f64::from(x_b) / f64::from(d_b))
}

/// Sorts pairs, adds up repeated ones, drops weights of zero.
pub(crate) fn merged(mut traffic: Vec<Traffic>) -> Vec<Traffic> {
    for pair in &mut traffic {
        if pair.a > pair.b {
            std::mem::swap(&mut pair.a, &mut pair.b);
        }
    }
    // Stable, so that repeated pairs are added in the order given.
    traffic.sort_by_key(|pair| (pair.a, pair.b));
    traffic.dedup_by(|next, kept| {
        let same = (next.a, next.b) == (kept.a, kept.b);
        if same {
            kept.weight += next.weight;
        }
        same
    });
    traffic.retain(|pair| pair.weight > 0.0);
    traffic
}

/// Checks a pair's own numbers; `Some` says what is wrong.
pub(crate) fn fault(pair: &Traffic) -> Option<&'static str> {
    if pair.a == pair.b {
        return Some("traffic of a service with itself");
    }
    (!pair.weight.is_finite() || pair.weight < 0.0)
        .then_some("a weight must be finite and not negative")
}
