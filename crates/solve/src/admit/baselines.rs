//! What schedulers do today: Bin Packing and Spread (paper Section V), both
//! online, in order of start.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::view::{NOWHERE, View};
use crate::Context;

/// How Bin Packing looks for a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// The first node with room.
    FirstFit,
    /// One open node; when a request does not fit, on to the next for good
    /// (around the circle), and the request is tried there once.
    MovingPointer,
}

/// How Spread looks for a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spreading {
    /// From the next node on, the first with room.
    Probing,
    /// The next node or none.
    Strict,
}

/// Loads of the nodes at the present moment of an arrival order.
pub struct Present<'v, 'a> {
    view: &'v View<'a>,
    /// Free units, `node * resources + resource`.
    free: Vec<u64>,
    running: BinaryHeap<Reverse<(i64, u32)>>,
    /// The node of each request.
    pub node_of: Vec<u32>,
}

impl<'v, 'a> Present<'v, 'a> {
    /// Empty nodes.
    pub fn new(view: &'v View<'a>) -> Self {
        Self {
            view,
            free: view.capacity.clone(),
            running: BinaryHeap::new(),
            node_of: vec![NOWHERE; view.len()],
        }
    }

    /// Lets everything end that finishes at or before `time`.
    pub fn advance(&mut self, time: i64) {
        while let Some(Reverse((finish, request))) = self.running.peek().copied() {
            if finish > time {
                break;
            }
            self.running.pop();
            let node = self.node_of[request as usize] as usize;
            let free = &mut self.free[node * self.view.resources..];
            for (free, units) in free.iter_mut().zip(self.view.demand(request)) {
                *free += units;
            }
        }
    }

    /// Free units of a node now.
    pub fn free(&self, node: usize) -> &[u64] {
        &self.free[node * self.view.resources..][..self.view.resources]
    }

    /// Whether a request that starts now fits: all that runs was there
    /// before, so the present is its scarcest moment.
    pub fn fits(&self, request: u32, node: usize) -> bool {
        let pairs = self.view.demand(request).iter().zip(self.free(node));
        pairs.into_iter().all(|(need, free)| need <= free)
    }

    /// Starts a request on a node.
    pub fn start(&mut self, request: u32, node: usize) {
        let free = &mut self.free[node * self.view.resources..];
        for (free, units) in free.iter_mut().zip(self.view.demand(request)) {
            *free -= units;
        }
        self.node_of[request as usize] = node as u32;
        let finish = self.view.requests.finish[request as usize];
        self.running.push(Reverse((finish, request)));
    }
}

/// All requests by start; at equal starts in input order.
pub fn arrivals(view: &View) -> Vec<u32> {
    let mut order: Vec<u32> = (0..view.len() as u32).collect();
    order.sort_by_key(|request| view.requests.start[*request as usize]);
    order
}

fn run(
    view: &View,
    context: &Context,
    mut choose: impl FnMut(&Present, u32) -> Option<usize>,
) -> Vec<u32> {
    let mut present = Present::new(view);
    for (turn, request) in arrivals(view).into_iter().enumerate() {
        if turn % 256 == 0 && context.must_stop() {
            break;
        }
        present.advance(view.requests.start[request as usize]);
        if let Some(node) = choose(&present, request) {
            present.start(request, node);
        }
    }
    present.node_of
}

/// Bin Packing.
pub fn bin_packing(view: &View, packing: Packing, context: &Context) -> Vec<u32> {
    let nodes = view.nodes;
    let mut open = 0;
    run(view, context, |present, request| match packing {
        Packing::FirstFit => (0..nodes).find(|node| present.fits(request, *node)),
        Packing::MovingPointer => {
            if nodes == 0 {
                return None;
            }
            if !present.fits(request, open) {
                open = (open + 1) % nodes;
            }
            present.fits(request, open).then_some(open)
        }
    })
}

/// Spread.
pub fn spread(view: &View, spreading: Spreading, context: &Context) -> Vec<u32> {
    let nodes = view.nodes;
    let mut next = 0;
    run(view, context, |present, request| {
        let reach = match spreading {
            Spreading::Probing => nodes,
            Spreading::Strict => nodes.min(1),
        };
        let found = (0..reach)
            .map(|step| (next + step) % nodes)
            .find(|node| present.fits(request, *node));
        match (found, spreading) {
            (Some(node), _) => next = (node + 1) % nodes,
            (None, Spreading::Strict) if nodes > 0 => next = (next + 1) % nodes,
            (None, _) => (),
        }
        found
    })
}
