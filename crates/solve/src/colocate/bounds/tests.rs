//! Bounds against the best of all placements, on clusters small enough to try
//! them all.

use rand::{RngExt, SeedableRng};

use super::super::gain::gain_of;
use super::super::limits::Limit;
use super::super::patterns::Pool;
use super::super::view::{Edge, Spot, View};
use super::descent::Descent;
use super::proof::Limits;
use super::star::star_bound;
use super::{Work, pattern_bound};
use crate::{Budget, Context, Random};

pub(super) fn tiny(random: &mut Random) -> View {
    let n = random.random_range(2..4usize);
    let replicas: Vec<u32> = (0..n).map(|_| random.random_range(1..4u32)).collect();
    let demand: Vec<u64> = (0..n).map(|_| random.random_range(1..5u64)).collect();
    let total: u64 = replicas
        .iter()
        .zip(&demand)
        .map(|(d, need)| u64::from(*d) * need)
        .sum();
    let capacity: Vec<u64> = (0..3)
        .map(|_| total / 2 + random.random_range(0..3u64))
        .collect();
    let mut edges = Vec::new();
    for a in 0..n as u32 {
        for b in a + 1..n as u32 {
            edges.push(Edge {
                a,
                b,
                weight: random.random_range(1..10u32).into(),
            });
        }
    }
    let sum: f64 = edges.iter().map(|edge| edge.weight).sum();
    edges.iter_mut().for_each(|edge| edge.weight /= sum);
    View::plain(1, replicas, demand, capacity, edges)
}

/// The best gain over all legal placements, by trying them all.
pub(super) fn brute(view: &View, service: u32, left: u32, node: u32, spots: &mut Vec<Spot>) -> f64 {
    if service as usize == view.services() {
        return gain_of(view, spots);
    }
    if node + 1 == view.nodes() as u32 || left == 0 {
        return with(view, service, node, left, spots, |spots| {
            let next = view
                .replicas
                .get(service as usize + 1)
                .copied()
                .unwrap_or(0);
            brute(view, service + 1, next, 0, spots)
        });
    }
    let counts = 0..=left;
    counts
        .map(|count| {
            with(view, service, node, count, spots, |spots| {
                brute(view, service, left - count, node + 1, spots)
            })
        })
        .fold(f64::NEG_INFINITY, f64::max)
}

fn with(
    view: &View,
    service: u32,
    node: u32,
    count: u32,
    spots: &mut Vec<Spot>,
    then: impl FnOnce(&mut Vec<Spot>) -> f64,
) -> f64 {
    if count == 0 {
        return then(spots);
    }
    let here = spots.iter().filter(|spot| spot.node == node);
    let used: u64 = here
        .map(|s| view.need(s.service)[0] * u64::from(s.count))
        .sum();
    let there = |other: u32| {
        let spot = spots.iter().find(|s| (s.service, s.node) == (other, node));
        spot.map_or(0, |spot| spot.count)
    };
    if used + view.need(service)[0] * u64::from(count) > view.room(node)[0]
        || !view.bears(service, count, there)
    {
        return f64::NEG_INFINITY;
    }
    spots.push(Spot {
        service,
        node,
        count,
    });
    let best = then(spots);
    spots.pop();
    best
}

#[test]
fn no_placement_beats_a_bound_and_the_pattern_bound_is_close() {
    let mut random = Random::seed_from_u64(21);
    let context = Context::new(3, Budget::Steps(1000), 1);
    let (mut cases, mut tight) = (0, 0);
    for _ in 0..250 {
        let view = tiny(&mut random);
        let best = brute(&view, 0, view.replicas[0], 0, &mut Vec::new());
        if best == f64::NEG_INFINITY {
            continue;
        }
        cases += 1;
        assert!(
            star_bound(&view) >= best - 1e-9,
            "star {} below {best}",
            star_bound(&view)
        );
        let bound = pattern_bound(&view, &mut Pool::default(), 0.0, Work::Rounds(20), &context);
        assert!(bound >= best - 1e-9, "{bound} below {best}");
        tight += u32::from(bound <= best + 0.1);
    }
    assert!(
        cases > 120 && tight * 2 > cases,
        "{tight} of {cases} within 0.1"
    );
}

const LIMITS: Limits = Limits {
    seconds: None,
    nodes: Some(300),
};

/// The descent to its end: with limits between services, and the linear
/// program over patterns.
#[test]
fn the_settled_bound_is_valid_and_knows_limits() {
    let mut random = Random::seed_from_u64(22);
    let context = Context::new(3, Budget::Steps(1000), 1);
    let (mut cases, mut tight) = (0, 0);
    for _ in 0..30 {
        let mut view = tiny(&mut random);
        view.limits = vec![Limit {
            of: random.random_range(0..2),
            on: 2 % view.services() as u32,
            max: random.random_range(0..2),
        }];
        view.limits.retain(|limit| limit.of != limit.on);
        let view = view.finish();
        let best = brute(&view, 0, view.replicas[0], 0, &mut Vec::new());
        if best == f64::NEG_INFINITY {
            continue;
        }
        cases += 1;
        let mut descent = Descent::new(&view, std::iter::empty(), best);
        let mut bound = f64::INFINITY;
        for _ in 0..6 {
            for _ in 0..120 {
                descent.descend(500, &context);
            }
            bound = descent.certified(LIMITS, &context).min(bound);
        }
        assert!(bound >= best - 1e-9, "{bound} below {best}");
        assert!(star_bound(&view) >= best - 1e-9);
        tight += u32::from(bound <= best + 0.05);
    }
    assert!(
        cases > 15 && tight * 2 > cases,
        "{tight} of {cases} within 0.05"
    );
}
