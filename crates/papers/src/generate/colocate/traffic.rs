//! Who talks to whom: few services carry most of the traffic.

use std::collections::BTreeSet;

use bayplan_model::{ServiceId, Traffic};
use rand::RngExt;

use crate::generate::random::{Random, normal, shuffle};

/// Share of services that talk at all.
const TALKING: f64 = 0.29;

/// Mean number of neighbours of those, and the most in the published cluster.
const DEGREE: (f64, f64) = (4.3, 34.0);

/// How far the traffic of single pairs strays, in its logarithm, before the
/// totals of the services are set.
const STRAY: f64 = 2.2;

/// Rounds of setting the totals: the sums are close after a few.
const ROUNDS: usize = 12;

/// Traffic whose totals by rank fall like 1 / rank to a knee (30 in the
/// published cluster of 158 talking services), then exponentially.
pub(super) fn traffic(services: usize, random: &mut Random) -> Vec<Traffic> {
    let count = (services as f64 * TALKING).round() as usize;
    if count < 2 {
        return Vec::new();
    }
    let mut ids: Vec<u32> = (0..services as u32).collect();
    shuffle(random, &mut ids);
    let edges = edges(count, random);
    let knee = (30.0 * (count as f64 / 158.0).sqrt()).max(1.0);
    let wanted = |rank: usize| {
        let rank = rank as f64 + 1.0;
        if rank <= knee {
            1.0 / rank
        } else {
            (-(rank - knee) / (knee * 0.67)).exp() / knee
        }
    };
    let mut weights: Vec<f64> = (edges.iter())
        .map(|(a, b)| wanted(*a) * wanted(*b) * (STRAY * normal(random)).exp())
        .collect();
    for _ in 0..ROUNDS {
        let mut totals = vec![0.0; count];
        for ((a, b), weight) in edges.iter().zip(&weights) {
            totals[*a] += weight;
            totals[*b] += weight;
        }
        for ((a, b), weight) in edges.iter().zip(&mut weights) {
            *weight *= (wanted(*a) / totals[*a] * wanted(*b) / totals[*b]).sqrt();
        }
    }
    let total: f64 = weights.iter().sum();
    let pairs = edges.iter().zip(&weights).map(|((a, b), weight)| Traffic {
        a: ServiceId(ids[*a]),
        b: ServiceId(ids[*b]),
        weight: weight / total,
    });
    pairs.collect()
}

/// Pairs of ranks, each rank in at least one; higher ranks have more.
fn edges(count: usize, random: &mut Random) -> BTreeSet<(usize, usize)> {
    let wanted = ((count as f64 * DEGREE.0 / 2.0).round() as usize).min(count * (count - 1) / 2);
    let mut edges = BTreeSet::new();
    let mut degrees = vec![0usize; count];
    // The density of ranks falls like rank^-0.4: the first has about 34
    // neighbours in the published size.
    let any = |random: &mut Random| {
        let u: f64 = random.random();
        ((u.powf(1.0 / 0.6) * count as f64) as usize).min(count - 1)
    };
    let most = (DEGREE.1 * (count as f64 / 158.0).powf(0.25)) as usize;
    let mut add = |a: usize, b: usize, edges: &mut BTreeSet<_>, full: bool| {
        let free = full || (degrees[a] < most && degrees[b] < most);
        if a != b && free && edges.insert((a.min(b), a.max(b))) {
            degrees[a] += 1;
            degrees[b] += 1;
            return true;
        }
        false
    };
    for rank in 0..count {
        let mut other = any(random);
        while other == rank {
            other = any(random);
        }
        add(rank, other, &mut edges, true);
    }
    let mut misses = 0;
    while edges.len() < wanted && misses < 100 * wanted {
        let (a, b) = (any(random), any(random));
        misses += usize::from(!add(a, b, &mut edges, false));
    }
    edges
}
