//! RASA: partition the services, solve each part by the integer program or by
//! column generation, combine (section IV of the paper).

pub mod mip;
pub mod partition;
mod part;
mod split;

use super::bounds::wolfe::Wolfe;
use super::evolve::Found;
use super::kinds::Kinds;
use super::patterns::{Pattern, Pool, gain_at};
use super::peers::completed;
use super::recombine::{rebuild, select};
use super::state::State;
use super::view::{Spot, View};
use crate::Context;
use part::{Part, share_nodes};

/// How services are put into parts (sections IV-B and V-B).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Partition {
    /// Non-affinity out, master services, compatibility blocks, balanced split.
    #[default]
    MultiStage,
    /// One part.
    None,
    /// Equal parts at random.
    Random,
    /// Equal parts with little traffic between them, by a multilevel cut.
    MinCut,
}

/// Which member of the pool solves a part (section IV-C).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PoolMember {
    /// By the paper's rule of thumb: column generation when services have more
    /// replicas than kinds have nodes, on average.
    #[default]
    Auto,
    /// The integer program.
    Mip,
    /// Column generation.
    Cg,
}

/// What can be chosen in RASA.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    /// How services are put into parts.
    pub partition: Partition,
    /// Who solves a part.
    pub pool: PoolMember,
}

/// An answer of RASA with what its partition gave away.
#[derive(Clone, PartialEq, Debug)]
pub struct Combined {
    /// The placement.
    pub found: Found,
    /// How many parts.
    pub parts: usize,
    /// Share of the traffic between different parts or outside of all.
    pub lost: f64,
}

/// Runs RASA until a second of the run's clock, or, when steps are counted,
/// for a fixed number of rounds.
pub fn rasa_with(view: &View, choices: Choices, until: Option<f64>, context: &Context) -> Combined {
    let sets = partition::partition(view, choices.partition, &mut context.random(0));
    let crucial = sets.concat();
    let lost = partition::lost(view, &sets);
    let mut trivial = view.original.clone();
    trivial.retain(|spot| view.fixed[spot.service as usize] || !crucial.contains(&spot.service));
    let rest = State::new(view, &trivial);
    let parts = share_nodes(view, &rest, &sets);
    let weight = |part: &Part| part.view.edges.iter().map(|edge| edge.weight).sum::<f64>() + 0.01;
    let mut left: f64 = parts.iter().map(weight).sum();
    let mut state = rest;
    for part in &parts {
        let seconds = until.map(|until| (until - context.elapsed()).max(0.0) * weight(part) / left);
        left -= weight(part);
        let spots = solve_part(part, choices.pool, seconds, context);
        for spot in spots.iter().map(|spot| part.outer(spot)) {
            for _ in 0..spot.count {
                if state.fits(spot.service, spot.node, 1) {
                    state.add(spot.service, spot.node, 1);
                }
            }
        }
    }
    Combined {
        found: completed(state),
        parts: parts.len(),
        lost,
    }
}

fn solve_part(part: &Part, pool: PoolMember, seconds: Option<f64>, context: &Context) -> Vec<Spot> {
    let kinds = Kinds::new(&part.view);
    let member = match pool {
        PoolMember::Auto => by_thumb(&part.view, &kinds),
        member => member,
    };
    match member {
        PoolMember::Mip => mip::improve(&part.view, part.start(), seconds, context),
        _ => column_generation(&part.view, &kinds, part.start(), seconds, context),
    }
}

/// HEURISTIC of section V-C.
fn by_thumb(view: &View, kinds: &Kinds) -> PoolMember {
    let replicas: f64 = view.replicas.iter().map(|d| f64::from(*d)).sum();
    let per_service = replicas / view.services().max(1) as f64;
    let per_kind = view.nodes() as f64 / kinds.nodes.len().max(1) as f64;
    if per_service > per_kind { PoolMember::Cg } else { PoolMember::Mip }
}

/// Column generation with a true reduced-cost test, then the integer master
/// over all columns, then greedy refill (Algorithm 1).
fn column_generation(
    view: &View,
    kinds: &Kinds,
    start: Vec<Spot>,
    seconds: Option<f64>,
    context: &Context,
) -> Vec<Spot> {
    let began = context.elapsed();
    let state = State::new(view, &start);
    let mut pool = Pool::default();
    pool.add_all(&state, kinds);
    let mut wolfe = Wolfe::new(view);
    wolfe.offer_all(pool.patterns.iter());
    for round in 0.. {
        let over = match seconds {
            Some(seconds) => context.elapsed() - began > seconds * 0.7,
            None => round >= 20,
        };
        if over || context.must_stop() || !wolfe.solve(context) {
            break;
        }
        if wolfe.generate(round, 4_000, context) == 0 {
            break;
        }
    }
    for (bin, counts) in &wolfe.columns {
        let room = &wolfe.bins[*bin as usize].room;
        for (kind, nodes) in kinds.nodes.iter().enumerate() {
            let may = counts.iter().all(|(s, _)| view.may_use(*s, nodes[0]));
            if view.room(nodes[0]) == room.as_slice() && may {
                let gain = gain_at(view, counts);
                pool.add(Pattern { kind: kind as u32, counts: counts.clone(), gain });
            }
        }
    }
    let options = bayplan_lp::Options {
        seconds: seconds.map(|seconds| (seconds * 0.3).max(0.1)),
        nodes: Some(500),
        iterations: Some(500_000),
        gap: 1e-4,
        stop: Some(context.stop_flag().clone()),
        ..Default::default()
    };
    let picked = select(view, kinds, &pool, 0.0, &options);
    let rebuilt = picked.and_then(|picked| rebuild(view, kinds, &pool, &picked));
    let better = |spots: &Vec<Spot>| State::new(view, spots).gain > state.gain;
    rebuilt.filter(better).unwrap_or(start)
}
