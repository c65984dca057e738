//! The integer program of some nodes and all that stands on them.

use bayplan_lp::{Col, Model, Options, Row, Sense, Status};

use super::super::super::kinds::Kinds;
use super::super::super::state::State;
use super::super::super::view::{Edge, Spot, View};

/// Traffic is scaled so that the solver's absolute tolerances are far below
/// what matters.
const SCALE: f64 = 1e4;
/// The lightest pairs, together less than this share of the part's traffic,
/// are left out of the program: they would double it and decide nothing.
const LIGHT: f64 = 1e-3;
/// What the solver says about some nodes.
pub struct Outcome {
    /// What shall stand on them.
    pub spots: Vec<Spot>,
    /// Whether nothing else on these nodes gains more, light pairs aside.
    pub proven: bool,
    /// What no placement on these nodes gains, light pairs aside.
    pub bound: f64,
}

/// A part prepared for programs.
pub struct Program<'v> {
    view: &'v View,
    kinds: Kinds,
    heavy: Vec<Edge>,
    /// Traffic of the pairs left out.
    pub light: f64,
}

impl<'v> Program<'v> {
    /// Of a part.
    pub fn new(view: &'v View, kinds: Kinds) -> Self {
        let mut heavy = view.edges.clone();
        heavy.sort_by(|x, y| y.weight.total_cmp(&x.weight).then((x.a, x.b).cmp(&(y.a, y.b))));
        let all: f64 = heavy.iter().map(|edge| edge.weight).sum();
        let mut light = 0.0;
        while let Some(last) = heavy.last().filter(|last| light + last.weight <= LIGHT * all) {
            light += last.weight;
            heavy.pop();
        }
        Self {
            view,
            kinds,
            heavy,
            light,
        }
    }

    /// Solves the program of these nodes from what stands on them; `None` when
    /// the limits were too tight for any answer.
    ///
    /// Nodes of one kind are the same to every rule, so any answer has as many
    /// twins as there are orders of them: they are put in the order of their
    /// replicas of the service with most of the kind's traffic, and the program
    /// keeps that order.
    pub fn solve(&self, state: &State, nodes: &[u32], options: &Options) -> Option<Outcome> {
        let view = self.view;
        let services: Vec<u32> = (0..view.services() as u32)
            .filter(|s| nodes.iter().any(|n| state.count(*s, *n) > 0))
            .collect();
        let lead = services.iter().copied().max_by(|a, b| {
            let affinity = |s: u32| view.total_affinity(s);
            affinity(*a).total_cmp(&affinity(*b)).then(b.cmp(a))
        })?;
        let mut nodes = nodes.to_vec();
        nodes.sort_by_key(|node| {
            let kind = self.kinds.of_node[*node as usize];
            (kind, std::cmp::Reverse(state.count(lead, *node)), *node)
        });
        let mut draft = Draft::new(state, &services, &nodes);
        for at in 0..nodes.len() {
            draft.rules(at);
            draft.traffic(at, &self.heavy);
        }
        for at in 1..nodes.len() {
            let kind = |at: usize| self.kinds.of_node[nodes[at] as usize];
            if kind(at - 1) == kind(at) {
                draft.keep_order(lead, at - 1, at);
            }
        }
        draft.solve(options)
    }
}

/// A program being written.
struct Draft<'a> {
    state: &'a State<'a>,
    services: &'a [u32],
    nodes: &'a [u32],
    model: Model,
    /// By service, then node.
    cols: Vec<Vec<Option<Col>>>,
    start: Vec<f64>,
}

impl<'a> Draft<'a> {
    /// Columns for how many replicas stand where; each service keeps its number.
    fn new(state: &'a State, services: &'a [u32], nodes: &'a [u32]) -> Self {
        let view = state.view;
        let mut model = Model::new(Sense::Maximise);
        let mut start = Vec::new();
        let mut cols = Vec::new();
        for &service in services {
            let total: u32 = nodes.iter().map(|n| state.count(service, *n)).sum();
            let row: Row = model.add_row(f64::from(total), &[]);
            let most = f64::from(total.min(view.cap[service as usize]));
            let of_service = nodes.iter().map(|node| {
                let now = f64::from(state.count(service, *node));
                let may = view.may_use(service, *node) || now > 0.0;
                may.then(|| {
                    start.push(now);
                    model.add_integer_col(0.0, 0.0..=most.max(now), &[(row, 1.0)])
                })
            });
            cols.push(of_service.collect());
        }
        Self {
            state,
            services,
            nodes,
            model,
            cols,
            start,
        }
    }

    fn col(&self, service: u32, at: usize) -> Option<Col> {
        let found = self.services.binary_search(&service).ok()?;
        self.cols[found][at]
    }

    /// Resources and spread sets of a node.
    fn rules(&mut self, at: usize) {
        let (view, state, node) = (self.state.view, self.state, self.nodes[at]);
        for dim in 0..view.dims {
            let used = self.services.iter().map(|s| {
                i128::from(view.need(*s)[dim]) * i128::from(state.count(*s, node))
            });
            let room = used.sum::<i128>() + i128::from(state.free(node)[dim].max(0));
            let unit = (room as f64).max(1.0);
            let entries = (self.services.iter().zip(&self.cols))
                .filter_map(|(s, cols)| Some((cols[at]?, view.need(*s)[dim] as f64 / unit)));
            let entries: Vec<_> = entries.filter(|(_, entry)| *entry > 0.0).collect();
            self.model.add_row(..=1.0, &entries);
        }
        for set in view.sets.iter().filter(|set| set.domain.is_none()) {
            let members = set.members.iter().filter_map(|s| Some((self.col(*s, at)?, 1.0)));
            let members: Vec<_> = members.collect();
            let now: u32 = set.members.iter().map(|s| state.count(*s, node)).sum();
            if !members.is_empty() {
                self.model.add_row(..=f64::from(set.max.max(now)), &members);
            }
        }
    }

    /// Local traffic of a node: at most each side's share.
    fn traffic(&mut self, at: usize, edges: &[Edge]) {
        let (state, node) = (self.state, self.nodes[at]);
        let d = |s: u32| f64::from(state.view.replicas[s as usize].max(1));
        for edge in edges {
            let (Some(a), Some(b)) = (self.col(edge.a, at), self.col(edge.b, at)) else {
                continue;
            };
            let local = self.model.add_col(edge.weight * SCALE, 0.0..=1.0, &[]);
            self.model.add_row(..=0.0, &[(local, d(edge.a)), (a, -1.0)]);
            self.model.add_row(..=0.0, &[(local, d(edge.b)), (b, -1.0)]);
            let share = |s: u32| f64::from(state.count(s, node)) / d(s);
            self.start.push(share(edge.a).min(share(edge.b)));
        }
    }

    /// Of two nodes of a kind the first has no fewer replicas of a service.
    fn keep_order(&mut self, service: u32, first: usize, second: usize) {
        if let (Some(a), Some(b)) = (self.col(service, first), self.col(service, second)) {
            self.model.add_row(0.0.., &[(a, 1.0), (b, -1.0)]);
        }
    }

    fn solve(mut self, options: &Options) -> Option<Outcome> {
        self.model.set_start(&self.start);
        let solution = self.model.solve(options);
        if !solution.has_values() {
            return None;
        }
        let mut spots = Vec::new();
        for (service, cols) in self.services.iter().zip(&self.cols) {
            for (node, col) in self.nodes.iter().zip(cols) {
                let count = col.map_or(0, |col| solution.count(col).max(0) as u32);
                if count > 0 {
                    spots.push(Spot {
                        service: *service,
                        node: *node,
                        count,
                    });
                }
            }
        }
        Some(Outcome {
            spots,
            proven: solution.status == Status::Optimal
                || solution.stopped_by == Some(bayplan_lp::Stop::Gap),
            bound: solution.bound / SCALE,
        })
    }
}
