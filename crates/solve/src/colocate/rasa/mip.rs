//! The integer program of Expressions (2) to (9), on a few nodes at a time:
//! what stands on them is taken off and placed again as well as possible. The
//! start is never made worse, and every solve proves its own neighbourhood.

use bayplan_lp::{Col, Model, Options, Sense};
use rand::RngExt;

use super::super::state::State;
use super::super::view::{Spot, View};
use crate::{Context, Random};

/// Nodes of one neighbourhood.
const NODES: usize = 3;

/// Improves a placement, for so many seconds or a fixed number of neighbourhoods.
pub fn improve(view: &View, start: Vec<Spot>, seconds: Option<f64>, context: &Context) -> Vec<Spot> {
    let mut state = State::new(view, &start);
    let mut random = context.random(1);
    let began = context.elapsed();
    for round in 0.. {
        let over = match seconds {
            Some(seconds) => context.elapsed() - began > seconds,
            None => round >= 60,
        };
        if over || context.must_stop() || view.nodes() < 2 || view.edges.is_empty() {
            break;
        }
        let nodes = neighbourhood(&state, &mut random);
        let options = Options {
            seconds: seconds.map(|seconds| (seconds / 10.0).clamp(0.05, 3.0)),
            nodes: Some(200),
            iterations: Some(50_000),
            gap: 1e-3,
            stop: Some(context.stop_flag().clone()),
            ..Options::default()
        };
        replace(&mut state, &nodes, &options);
    }
    state.spots()
}

/// Nodes that hold the two ends of a heavy pair, and a random one.
fn neighbourhood(state: &State, random: &mut Random) -> Vec<u32> {
    let view = state.view;
    let mut ticket = random.random::<f64>() * view.edges.iter().map(|e| e.weight).sum::<f64>();
    let edge = view.edges.iter().find(|edge| {
        ticket -= edge.weight;
        ticket <= 0.0
    });
    let mut nodes = Vec::new();
    for service in edge.into_iter().flat_map(|edge| [edge.a, edge.b]) {
        let homes = state.homes(service);
        if !homes.is_empty() {
            nodes.push(homes[random.random_range(0..homes.len())]);
        }
    }
    while nodes.len() < NODES.min(view.nodes()) || nodes.len() < 2 {
        nodes.push(random.random_range(0..view.nodes() as u32));
        nodes.sort_unstable();
        nodes.dedup();
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Solves the integer program of these nodes and takes what is better.
fn replace(state: &mut State, nodes: &[u32], options: &Options) {
    const SCALE: f64 = 1e4;
    let view = state.view;
    let services: Vec<u32> = (0..view.services() as u32)
        .filter(|s| !view.fixed[*s as usize] && nodes.iter().any(|n| state.count(*s, *n) > 0))
        .collect();
    let mut model = Model::new(Sense::Maximise);
    let mut start = Vec::new();
    let mut cols: Vec<Vec<Option<Col>>> = Vec::new();
    for &service in &services {
        let total: u32 = nodes.iter().map(|n| state.count(service, *n)).sum();
        let row = model.add_row(f64::from(total), &[]);
        let most = f64::from(total.min(view.cap[service as usize]));
        let of = nodes.iter().map(|node| {
            let now = f64::from(state.count(service, *node));
            let may = view.may_use(service, *node) || now > 0.0;
            may.then(|| {
                start.push(now);
                model.add_integer_col(0.0, 0.0..=most.max(now), &[(row, 1.0)])
            })
        });
        cols.push(of.collect());
    }
    for (at, node) in nodes.iter().enumerate() {
        for dim in 0..view.dims {
            let used: i128 = services.iter().map(|s| {
                i128::from(view.need(*s)[dim]) * i128::from(state.count(*s, *node))
            }).sum();
            let room = used + i128::from(state.free(*node)[dim].max(0));
            let unit = (room as f64).max(1.0);
            let entries: Vec<_> = (services.iter().zip(&cols))
                .filter_map(|(s, cols)| Some((cols[at]?, view.need(*s)[dim] as f64 / unit)))
                .filter(|(_, entry)| *entry > 0.0)
                .collect();
            model.add_row(..=1.0, &entries);
        }
        for set in view.sets.iter().filter(|set| set.domain.is_none()) {
            let members = (services.iter().zip(&cols)).filter(|(s, _)| set.members.contains(s));
            let entries: Vec<_> = members.filter_map(|(_, cols)| Some((cols[at]?, 1.0))).collect();
            if !entries.is_empty() {
                model.add_row(..=f64::from(set.max), &entries);
            }
        }
        let place = |s: u32| services.binary_search(&s).ok().and_then(|i| cols[i][at]);
        for edge in &view.edges {
            let (Some(a), Some(b)) = (place(edge.a), place(edge.b)) else { continue };
            let local = model.add_col(edge.weight * SCALE, 0.0..=1.0, &[]);
            let d = |s: u32| f64::from(view.replicas[s as usize].max(1));
            model.add_row(..=0.0, &[(local, d(edge.a)), (a, -1.0)]);
            model.add_row(..=0.0, &[(local, d(edge.b)), (b, -1.0)]);
            let share = |s: u32| f64::from(state.count(s, *node)) / d(s);
            start.push(share(edge.a).min(share(edge.b)));
        }
    }
    model.set_start(&start);
    let solution = model.solve(options);
    if solution.has_values() {
        take(state, nodes, &services, &cols, |col| solution.count(col).max(0) as u32);
    }
}

/// Carries a solution out, and takes it back when it is not better or, by the
/// solver's tolerances, not legal.
fn take(state: &mut State, nodes: &[u32], services: &[u32], cols: &[Vec<Option<Col>>], count: impl Fn(Col) -> u32) {
    let (before, gain) = (state.spots(), state.gain);
    for &service in services {
        for &node in nodes {
            let here = state.count(service, node);
            if here > 0 {
                state.take(service, node, here);
            }
        }
    }
    let mut legal = true;
    for (service, cols) in services.iter().zip(cols) {
        for (node, col) in nodes.iter().zip(cols) {
            let wanted = col.map_or(0, &count);
            for _ in 0..wanted {
                legal &= state.fits(*service, *node, 1) && state.range(*service).len() < state.seats(*service);
                if legal {
                    state.add(*service, *node, 1);
                }
            }
        }
    }
    let whole: u32 = before.iter().map(|spot| spot.count).sum();
    let placed: u32 = state.spots().iter().map(|spot| spot.count).sum();
    if !legal || placed != whole || state.gain < gain {
        *state = State::new(state.view, &before);
    }
}
