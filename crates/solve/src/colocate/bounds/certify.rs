//! What no pattern of a node can be worth at given prices, proven by an
//! integer program.

use bayplan_lp::{Bounds, Col, Model, Options, Sense};

use super::super::view::{Edge, View};
use super::pricing::Bin;

/// Traffic is scaled so that the solver's absolute tolerances are far below
/// what matters.
const SCALE: f64 = 1e4;

/// What a proof is asked for.
pub struct Claim<'a> {
    /// Prices of replicas.
    pub prices: &'a [f64],
    /// Which pairs count; the caller accounts for the traffic of the others.
    pub heavy: &'a [bool],
    /// A proof this close to the best pattern is good enough.
    pub tolerance: f64,
    /// A good pattern, to begin with.
    pub start: &'a [(u32, u32)],
}

/// Proves what no pattern can exceed; also a pattern, when one was found.
pub fn certify(
    view: &View,
    bin: &Bin,
    claim: &Claim,
    options: &Options,
) -> (f64, Option<Vec<(u32, u32)>>) {
    let (most, edges) = worthwhile(view, bin, claim);
    let mut model = Model::new(Sense::Maximise);
    let rows: Vec<_> = (bin.room.iter())
        .map(|room| model.add_row(..=if *room > 0 { 1.0 } else { 0.0 }, &[]))
        .collect();
    let mut cols: Vec<Option<Col>> = vec![None; view.services()];
    for service in edges.iter().flat_map(|edge| [edge.a, edge.b]) {
        if cols[service as usize].is_none() {
            let entries: Vec<_> = (rows.iter().zip(&bin.room).zip(view.need(service)))
                .filter(|((_, room), need)| **room > 0 && **need > 0)
                .map(|((row, room), need)| (*row, *need as f64 / *room as f64))
                .collect();
            let bounds = 0.0..=f64::from(most[service as usize]);
            let cost = -claim.prices[service as usize] * SCALE;
            cols[service as usize] = Some(model.add_integer_col(cost, bounds, &entries));
        }
    }
    for edge in &edges {
        // The local share of a pair, in replicas of the service with more.
        let col = |s: u32| cols[s as usize].expect("made above");
        let local = model.add_col(edge.weight * SCALE, 0.0..=1.0, &[]);
        for (s, t) in [(edge.a, edge.b), (edge.b, edge.a)] {
            for (slope, level) in hull(&shares(view, bin, &most, s, t)) {
                // local <= level + slope * x, scaled to a slope of one.
                model.add_row(..=level / slope, &[(local, 1.0 / slope), (col(s), -1.0)]);
            }
        }
    }
    for set in view.sets.iter().filter(|set| set.domain.is_none()) {
        let members = set.members.iter();
        let members: Vec<_> = members
            .filter_map(|s| Some((cols[*s as usize]?, 1.0)))
            .collect();
        if !members.is_empty() {
            model.add_row(..=f64::from(set.max), &members);
        }
    }
    let mut start = start_values(view, claim, &cols, &edges);
    if view.gain_domain.is_none() {
        keep_limits(view, &mut model, &most, &cols, &mut start);
    }
    // A constant makes the relative gap of the solver an absolute one.
    let constant = 1.0;
    model.add_col(constant * SCALE, Bounds::from(1.0), &[]);
    let options = Options {
        gap: claim.tolerance / constant,
        ..options.clone()
    };
    start.push(1.0);
    model.set_start(&start);
    let solution = model.solve(&options);
    // An empty pattern is worth nothing: the bound is never below zero. The
    // slack covers the solver's tolerances.
    let bound = (solution.bound / SCALE - constant).max(0.0) + 1e-9;
    let counts = solution.has_values().then(|| {
        let present = (0..view.services() as u32).filter_map(|s| {
            let count = solution.count(cols[s as usize]?);
            (count > 0).then_some((s, count as u32))
        });
        present.collect()
    });
    (bound, counts)
}

/// Limits between two services: whether the one is present is a column of its
/// own.
fn keep_limits(
    view: &View,
    model: &mut Model,
    most: &[u32],
    cols: &[Option<Col>],
    start: &mut Vec<f64>,
) {
    for limit in &view.limits {
        let (of, on) = (limit.of as usize, limit.on as usize);
        let (Some(present), Some(limited)) = (cols[of], cols[on]) else {
            continue;
        };
        let (all, max) = (f64::from(most[on]), f64::from(limit.max));
        if max < all {
            let there = model.add_integer_col(0.0, 0.0..=1.0, &[]);
            start.push(start[present.index()].min(1.0));
            model.add_row(..=0.0, &[(present, 1.0), (there, -f64::from(most[of]))]);
            model.add_row(..=all, &[(limited, 1.0), (there, all - max)]);
        }
    }
}

/// The starting pattern as values of the columns, in the order they were added:
/// counts as their services come up, then shares.
fn start_values(view: &View, claim: &Claim, cols: &[Option<Col>], edges: &[Edge]) -> Vec<f64> {
    let count = |s: u32| -> f64 {
        let at = claim.start.binary_search_by_key(&s, |(s, _)| *s);
        at.map_or(0.0, |at| f64::from(claim.start[at].1))
    };
    let mut values = vec![0.0; cols.iter().flatten().count()];
    for (s, col) in cols.iter().enumerate() {
        if let Some(col) = col {
            values[col.index()] = count(s as u32);
        }
    }
    let share = |s: u32| count(s) / f64::from(view.replicas[s as usize].max(1));
    values.extend((edges.iter()).map(|edge| share(edge.a).min(share(edge.b))));
    values
}

/// Leaves out services that cost more than all their traffic could bring, and
/// then the pairs without them, until nothing changes.
fn worthwhile(view: &View, bin: &Bin, claim: &Claim) -> (Vec<u32>, Vec<Edge>) {
    let mut most = bin.most.clone();
    let mut edges: Vec<Edge> = (view.edges.iter().zip(claim.heavy))
        .filter(|(_, heavy)| **heavy)
        .map(|(edge, _)| *edge)
        .collect();
    loop {
        edges.retain(|edge| most[edge.a as usize] > 0 && most[edge.b as usize] > 0);
        let mut worth = vec![0.0; view.services()];
        for edge in &edges {
            for (s, t) in [(edge.a, edge.b), (edge.b, edge.a)] {
                let best = (shares(view, bin, &most, s, t).iter().enumerate().skip(1))
                    .map(|(x, share)| share / x as f64)
                    .fold(0.0, f64::max);
                worth[s as usize] += edge.weight * best;
            }
        }
        let before = edges.len();
        for (s, most) in most.iter_mut().enumerate() {
            // The margin keeps rounding from cutting anything off.
            if worth[s] < claim.prices[s] * (1.0 - 1e-9) || worth[s] == 0.0 {
                *most = 0;
            }
        }
        edges.retain(|edge| most[edge.a as usize] > 0 && most[edge.b as usize] > 0);
        if edges.len() == before {
            return (most, edges);
        }
    }
}

/// The largest local share of a pair with 0, 1, 2 ... replicas of `s`, as many
/// of `t` beside them as there is room for.
fn shares(view: &View, bin: &Bin, most: &[u32], s: u32, t: u32) -> Vec<f64> {
    let d = |s: u32| f64::from(view.replicas[s as usize].max(1));
    let beside = |x: u32| -> u32 {
        let needs = view.need(s).iter().zip(view.need(t)).zip(&bin.room);
        let room = needs.filter(|((_, need), _)| **need > 0);
        let fitting = room
            .map(|((own, need), room)| {
                let left = u128::from(*room).saturating_sub(u128::from(*own) * u128::from(x));
                left / u128::from(*need)
            })
            .min();
        let most = u128::from(most[t as usize]);
        fitting.map_or(most, |fitting| fitting.min(most)) as u32
    };
    (0..=most[s as usize])
        .map(|x| (f64::from(x) / d(s)).min(f64::from(beside(x)) / d(t)))
        .collect()
}

/// The lines (slope, level) of the least concave function above the points
/// that rise; where it would fall the top is a bound by itself.
fn hull(points: &[f64]) -> Vec<(f64, f64)> {
    let mut lines = Vec::new();
    let mut at = 0;
    while at + 1 < points.len() {
        let slope = |to: usize| (points[to] - points[at]) / (to - at) as f64;
        // The steepest next point; the farthest of equals.
        let next = (at + 1..points.len())
            .max_by(|a, b| slope(*a).total_cmp(&slope(*b)).then(a.cmp(b)))
            .expect("the range is not empty");
        let slope = slope(next);
        if slope <= 0.0 {
            break;
        }
        lines.push((slope, points[at] - slope * at as f64));
        at = next;
    }
    lines
}
