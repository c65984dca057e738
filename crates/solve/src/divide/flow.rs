//! Exact division of the load once the instances are fixed.
//!
//! Applications send their load to the nodes that host them: a transport
//! problem with integer capacities, so integer shares are as good as any. An
//! augmenting path leads from an open application over a node that hosts it,
//! an application there that can give way, another node of that one, ... to a
//! node with free CPU.

use std::collections::VecDeque;

use super::state::State;

/// Scratch space of the search for paths.
#[derive(Clone, Debug)]
pub struct Flow {
    /// A search that has looked at this many nodes is given up.
    horizon: usize,
    /// The step that reached each node: (from node, application that moves).
    reached: Vec<Option<(u32, u32)>>,
    queue: VecDeque<u32>,
    touched: Vec<u32>,
}

impl Flow {
    /// Gives a path up after this many nodes.
    pub fn within(horizon: usize) -> Self {
        Self {
            horizon,
            reached: Vec::new(),
            queue: VecDeque::new(),
            touched: Vec::new(),
        }
    }

    /// Finds every path there is, so that what stays open cannot be served by
    /// these instances.
    pub fn exhaustive() -> Self {
        Self::within(usize::MAX)
    }

    /// Serves as much open load of `app` as its instances can by moving load
    /// between instances; returns how much was served.
    ///
    /// Applications whose memory grows with the load neither give way nor are
    /// served here: a unit moved would change two nodes' memory.
    pub fn serve(&mut self, state: &mut State, app: u32) -> u64 {
        if state.apps[app as usize].slope > 0 {
            return 0;
        }
        let before = state.rest[app as usize];
        while state.rest[app as usize] > 0 && self.augment(state, app) {}
        before - state.rest[app as usize]
    }

    fn augment(&mut self, state: &mut State, app: u32) -> bool {
        self.reached.resize(state.slots.len(), None);
        for node in self.touched.drain(..) {
            self.reached[node as usize] = None;
        }
        self.queue.clear();
        for &host in &state.hosts[app as usize] {
            self.reach(host, host, app);
        }
        let mut looked = 0;
        while let Some(node) = self.queue.pop_front() {
            if state.cpu[node as usize] > 0 {
                self.push(state, node);
                return true;
            }
            looked += 1;
            if looked > self.horizon {
                return false;
            }
            for piece in &state.pieces[node as usize] {
                let given = &state.apps[piece.app as usize];
                if piece.app == app || given.slope > 0 || piece.load <= floor(state, piece.app) {
                    continue;
                }
                for &host in &state.hosts[piece.app as usize] {
                    self.reach(host, node, piece.app);
                }
            }
        }
        false
    }

    fn reach(&mut self, host: u32, from: u32, app: u32) {
        if self.reached[host as usize].is_none() {
            self.reached[host as usize] = Some((from, app));
            self.touched.push(host);
            self.queue.push_back(host);
        }
    }

    /// Moves as much load as the path to `end` allows.
    fn push(&self, state: &mut State, end: u32) {
        let mut amount = state.cpu[end as usize];
        let step = |node: u32| self.reached[node as usize].expect("on the path");
        let mut node = end;
        loop {
            let (from, app) = step(node);
            if from == node {
                amount = amount.min(state.rest[app as usize]);
                break;
            }
            let here = state
                .load_on(from as usize, app)
                .expect("it gives way here");
            amount = amount.min(here - floor(state, app));
            node = from;
        }
        // From the end, so that a node is relieved before it takes more.
        let mut node = end;
        loop {
            let (from, app) = step(node);
            let there = state
                .load_on(node as usize, app)
                .expect("it is hosted here");
            if from == node {
                state.shift(node as usize, app, there, there + amount);
                return;
            }
            let here = state
                .load_on(from as usize, app)
                .expect("it gives way here");
            state.shift(from as usize, app, here, here - amount);
            state.shift(node as usize, app, there, there + amount);
            node = from;
        }
    }
}

/// The least load an instance keeps: one unit where instances are demanded,
/// so that none of them stands idle.
fn floor(state: &State, app: u32) -> u64 {
    let given = &state.apps[app as usize];
    u64::from(given.min > 1 && state.hosts[app as usize].len() as u32 <= given.min)
}
