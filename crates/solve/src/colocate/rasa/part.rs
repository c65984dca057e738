//! A part: some services with some nodes, what else runs there subtracted
//! (section IV-B5).

use super::super::evolve::Found;
use super::super::kinds::Kinds;
use super::super::limits::Limit;
use super::super::peers::applsci19::contracted_start;
use super::super::peers::completed;
use super::super::state::State;
use super::super::view::{Edge, Set, Spot, View};
use crate::Context;

/// Contractions tried for a start.
const TRIALS: usize = 8;

/// A subproblem with the way back to the whole.
pub struct Part {
    /// The subproblem.
    pub view: View,
    /// Ascending, both.
    services: Vec<u32>,
    nodes: Vec<u32>,
}

impl Part {
    /// A spot of the part in the numbers of the whole.
    pub fn outer(&self, spot: &Spot) -> Spot {
        Spot {
            service: self.services[spot.service as usize],
            node: self.nodes[spot.node as usize],
            count: spot.count,
        }
    }

    /// A spot of the whole in the numbers of the part, if it belongs there.
    pub fn inner(&self, spot: &Spot) -> Option<Spot> {
        Some(Spot {
            service: self.services.binary_search(&spot.service).ok()? as u32,
            node: self.nodes.binary_search(&spot.node).ok()? as u32,
            count: spot.count,
        })
    }

    /// Where the members of the pool begin: what of the part stands on its own
    /// nodes, completed by the default scheduler, or, when that has more local
    /// traffic, contracted pairs (the heuristic of APPLSCI19).
    pub fn start(&self, lane: u64, context: &Context) -> Vec<Spot> {
        let mut state = State::new(&self.view, &[]);
        for spot in &self.view.original {
            for _ in 0..spot.count {
                let left = state.range(spot.service).len() < state.seats(spot.service);
                if left && state.fits(spot.service, spot.node, 1) {
                    state.add(spot.service, spot.node, 1);
                }
            }
        }
        let current = completed(state);
        let placed = |found: &Found| -> u32 { found.spots.iter().map(|s| s.count).sum() };
        let contracted = contracted_start(&self.view, TRIALS, lane, context);
        match contracted {
            Some(new) if placed(&new) >= placed(&current) && new.gain > current.gain => new.spots,
            _ => current.spots,
        }
    }

    /// Some services on some nodes, as `rest` leaves them.
    pub fn new(view: &View, rest: &State, mut services: Vec<u32>, nodes: Vec<u32>) -> Self {
        services.sort_unstable();
        let mut inner = vec![u32::MAX; view.services()];
        for (at, service) in services.iter().enumerate() {
            inner[*service as usize] = at as u32;
        }
        let mut inner_node = vec![u32::MAX; view.nodes()];
        for (at, node) in nodes.iter().enumerate() {
            inner_node[*node as usize] = at as u32;
        }
        let of = |s: u32| Some(inner[s as usize]).filter(|s| *s != u32::MAX);
        let edges = view.edges.iter().filter_map(|edge| {
            Some(Edge {
                a: of(edge.a)?,
                b: of(edge.b)?,
                weight: edge.weight,
            })
        });
        let capacity = nodes
            .iter()
            .flat_map(|n| rest.free(*n).iter().map(|free| (*free).max(0) as u64));
        let pick =
            |values: &[u32]| -> Vec<u32> { services.iter().map(|s| values[*s as usize]).collect() };
        let demand = services.iter().flat_map(|s| view.need(*s).iter().copied());
        let mut part = View::plain(
            view.dims,
            pick(&view.replicas),
            demand.collect(),
            capacity.collect(),
            edges.collect(),
        );
        part.cap = pick(&view.cap);
        part.class_of = pick(&view.class_of);
        part.allowed = (view.allowed.iter())
            .map(|may| nodes.iter().map(|n| may[*n as usize]).collect())
            .collect();
        // Sets over labels, members outside and limits with them are looked after when the parts
        // are put together.
        let node_sets = view.sets.iter().filter(|set| set.domain.is_none());
        part.sets = node_sets
            .map(|set| Set {
                members: set.members.iter().filter_map(|s| of(*s)).collect(),
                max: set.max,
                domain: None,
            })
            .filter(|set| !set.members.is_empty())
            .collect();
        let limits = view.limits.iter().filter_map(|limit| {
            Some(Limit {
                of: of(limit.of)?,
                on: of(limit.on)?,
                max: limit.max,
            })
        });
        part.limits = limits.collect();
        let original = view.original.iter().filter_map(|spot| {
            let node = Some(inner_node[spot.node as usize]).filter(|n| *n != u32::MAX)?;
            Some(Spot {
                service: of(spot.service)?,
                node,
                count: spot.count,
            })
        });
        part.original = original.collect();
        Self {
            view: part.finish(),
            services,
            nodes,
        }
    }
}

/// Shares the nodes out: of each kind in proportion to the parts' demands.
pub fn share_nodes(view: &View, rest: &State, sets: &[Vec<u32>]) -> Vec<Part> {
    let total = |dim: usize| -> f64 {
        let rooms = (0..view.nodes() as u32).map(|n| view.room(n)[dim] as f64);
        rooms.sum::<f64>().max(1.0)
    };
    let totals: Vec<f64> = (0..view.dims).map(total).collect();
    let demand = |set: &[u32]| -> f64 {
        let services = set.iter().map(|s| {
            let shares = view
                .need(*s)
                .iter()
                .zip(&totals)
                .map(|(need, total)| *need as f64 / total);
            shares.fold(0.0, f64::max) * f64::from(view.replicas[*s as usize])
        });
        services.sum()
    };
    let demands: Vec<f64> = sets.iter().map(|set| demand(set)).collect();
    let sum: f64 = demands.iter().sum::<f64>().max(1e-12);
    let mut nodes: Vec<Vec<u32>> = vec![Vec::new(); sets.len()];
    let mut given = vec![0.0; sets.len()];
    for kind in Kinds::new(view).nodes {
        // The emptiest first, each to the part furthest below its due.
        let mut kind = kind;
        kind.sort_by_key(|node| (std::cmp::Reverse(rest.free(*node).to_vec()), *node));
        for node in kind {
            let free =
                rest.free(node).first().copied().unwrap_or(0).max(0) as f64 / totals[0].max(1.0);
            let due = |part: usize| given[part] / (demands[part] / sum).max(1e-12);
            let allowed = |part: &usize| sets[*part].iter().any(|s| view.may_use(*s, node));
            let next = (0..sets.len())
                .filter(allowed)
                .min_by(|a, b| due(*a).total_cmp(&due(*b)).then(a.cmp(b)));
            if let Some(part) = next {
                given[part] += free;
                nodes[part].push(node);
            }
        }
    }
    let pairs = sets.iter().zip(nodes);
    pairs
        .filter(|(_, nodes)| !nodes.is_empty())
        .map(|(set, mut nodes)| {
            nodes.sort_unstable();
            Part::new(view, rest, set.clone(), nodes)
        })
        .collect()
}
