//! Which nodes are solved together: those that hold the two sides of a pair
//! whose traffic is not local yet, and their partners'.

use rand::RngExt;

use super::super::super::state::State;
use super::super::super::view::View;
use crate::Random;

/// Nodes of a neighbourhood at least and at most.
const SIZES: (f64, f64) = (2.0, 8.0);

/// Draws neighbourhoods, larger ones while the solver proves them.
pub struct Chooser<'v> {
    view: &'v View,
    random: Random,
    size: f64,
}

impl<'v> Chooser<'v> {
    /// A chooser that begins with three nodes.
    pub fn new(view: &'v View, random: Random) -> Self {
        Self {
            view,
            random,
            size: 3.0,
        }
    }

    /// What is proven within the limits may grow, what is not must shrink.
    pub fn learn(&mut self, proven: bool, improved: bool) {
        let by = match (proven, improved) {
            (true, false) => 0.1,
            (true, true) => 0.0,
            (false, true) => -0.05,
            (false, false) => -0.25,
        };
        self.size = (self.size + by).clamp(SIZES.0, SIZES.1);
    }

    /// Some nodes that are not taken, ascending.
    fn draw(&mut self, state: &State, taken: &[u32]) -> Vec<u32> {
        let wanted = (self.size.round() as usize).min(self.view.nodes());
        let mut nodes: Vec<u32> = Vec::new();
        let mut services = self.lossy_pair(state);
        // Homes of the pair, then of partners of what was drawn, then any.
        for attempt in 0..8 * wanted {
            if nodes.len() >= wanted {
                break;
            }
            let service = services[self.random.random_range(0..services.len())];
            let homes = state.homes(service);
            let node = if homes.is_empty() || attempt > 6 * wanted {
                self.random.random_range(0..self.view.nodes() as u32)
            } else {
                homes[self.random.random_range(0..homes.len())]
            };
            if !nodes.contains(&node) && !taken.contains(&node) {
                nodes.push(node);
            }
            if attempt % 3 == 2 {
                let links = self.view.links(service);
                services.push(links[self.random.random_range(0..links.len())].to);
            }
        }
        nodes.sort_unstable();
        nodes
    }

    /// A pair of services drawn in proportion to its traffic that is not local.
    fn lossy_pair(&mut self, state: &State) -> Vec<u32> {
        let losses = self.view.edges.iter().map(|edge| {
            let d = |s: u32| f64::from(self.view.replicas[s as usize].max(1));
            let mut homes = state.homes(edge.a).to_vec();
            homes.sort_unstable();
            homes.dedup();
            let local = homes.iter().map(|node| {
                let share = |s: u32| f64::from(state.count(s, *node)) / d(s);
                share(edge.a).min(share(edge.b))
            });
            edge.weight * (1.0 - local.sum::<f64>()).max(1e-3)
        });
        let losses: Vec<f64> = losses.collect();
        let mut ticket = self.random.random::<f64>() * losses.iter().sum::<f64>();
        let drawn = losses.iter().position(|loss| {
            ticket -= loss;
            ticket <= 0.0
        });
        let edge = self.view.edges[drawn.unwrap_or(0)];
        vec![edge.a, edge.b]
    }
}

/// Up to `lanes` neighbourhoods without a common node: what is found for one
/// stays legal and true whatever is done with the others.
pub fn disjoint(chooser: &mut Chooser, state: &State, lanes: usize) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = Vec::new();
    for _ in 0..lanes {
        let nodes = chooser.draw(state, &all.concat());
        if nodes.len() >= 2 {
            all.push(nodes);
        }
    }
    all
}
