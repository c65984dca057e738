//! Large-neighbourhood search: empty a stretch of time on a few nodes, fill it
//! again in price order with some noise, keep what is not worse.

use rand::{Rng, RngExt};

use super::state::State;
use super::view::View;

/// Requests this much dearer than their weight are not worth trying.
const HOPELESS: f64 = 1.5;

/// The search's own index of the state.
pub struct Search<'s, 'v, 'a> {
    state: &'s mut State<'v, 'a>,
    /// Price over weight of each request.
    score: &'s [f64],
    /// All requests worth trying, by first slot.
    by_start: Vec<u32>,
    /// `by_start[first_at[slot]..]` start at or after the slot.
    first_at: Vec<u32>,
    /// The admitted requests of each node, in no order, and where each stands.
    on: Vec<Vec<u32>>,
    place_in_list: Vec<u32>,
    found: Vec<u32>,
}

impl<'s, 'v, 'a> Search<'s, 'v, 'a> {
    /// Indexes a state. `members` are the requests to work with, all
    /// admitted ones among them.
    pub fn new(state: &'s mut State<'v, 'a>, score: &'s [f64], members: &[u32]) -> Self {
        let view: &View = state.view;
        let mut by_start = members.to_vec();
        by_start.retain(|j| score[*j as usize] <= HOPELESS || state.has(*j));
        by_start.sort_by_key(|j| view.lo[*j as usize]);
        let slots = view.slot_start.len();
        let mut first_at = vec![by_start.len() as u32; slots + 1];
        for (at, j) in by_start.iter().enumerate().rev() {
            first_at[view.lo[*j as usize] as usize] = at as u32;
        }
        for slot in (0..slots).rev() {
            first_at[slot] = first_at[slot].min(first_at[slot + 1]);
        }
        let mut on = vec![Vec::new(); view.nodes];
        let mut place_in_list = vec![0; view.len()];
        for request in members.iter().copied().filter(|j| state.has(*j)) {
            let list: &mut Vec<u32> = &mut on[state.node_of()[request as usize] as usize];
            place_in_list[request as usize] = list.len() as u32;
            list.push(request);
        }
        Self {
            state,
            score,
            by_start,
            first_at,
            on,
            place_in_list,
            found: Vec::new(),
        }
    }

    fn place(&mut self, request: u32, node: usize) {
        self.state.place(request, node);
        self.place_in_list[request as usize] = self.on[node].len() as u32;
        self.on[node].push(request);
    }

    fn remove(&mut self, request: u32) -> usize {
        let node = self.state.remove(request);
        let at = self.place_in_list[request as usize] as usize;
        self.on[node].swap_remove(at);
        if let Some(moved) = self.on[node].get(at) {
            self.place_in_list[*moved as usize] = at as u32;
        }
        node
    }

    /// One step; returns whether the value rose.
    pub fn step(&mut self, random: &mut impl Rng) -> bool {
        let view = self.state.view;
        let slots = view.slot_start.len();
        let before = self.state.value();
        let count = 1 + random.random_range(0..2usize);
        let mut nodes: Vec<usize> = (0..count)
            .map(|_| random.random_range(0..view.nodes))
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        // A stretch with so many requests on a node that a step stays short.
        let wanted = 2f64.powf(random.random_range(3.0..9.0));
        let per_node = self.state.admitted() as f64 / view.nodes as f64;
        let share = (wanted / per_node.max(1.0)).min(0.5);
        let length = ((slots as f64 * share) as usize).max(1);
        let from = random.random_range(0..slots.max(length) - length + 1);
        let to = (from + length).min(slots);
        let inside =
            |j: u32| view.lo[j as usize] as usize >= from && view.hi[j as usize] as usize <= to;
        let mut out: Vec<(u32, u32)> = Vec::new();
        for node in &nodes {
            for j in &self.on[*node] {
                if inside(*j) {
                    out.push((*j, *node as u32));
                }
            }
        }
        let mut candidates: Vec<(f64, u32, bool)> = Vec::new();
        let noise = [0.0, 0.05, 0.15, 0.4][random.random_range(0..4usize)];
        let mut key =
            |j: u32| self.score[j as usize] * (1.0 + noise * random.random_range(-1.0..1.0));
        for (j, _) in &out {
            candidates.push((key(*j), *j, true));
        }
        let range = self.first_at[from] as usize..self.first_at[to] as usize;
        for j in &self.by_start[range] {
            if !self.state.has(*j) {
                candidates.push((key(*j), *j, false));
            }
        }
        for (j, _) in &out {
            self.remove(*j);
        }
        candidates.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut placed = Vec::new();
        for (_, j, was_in) in candidates {
            let node = if was_in {
                let mut found = std::mem::take(&mut self.found);
                self.state.fitting(j, &mut found);
                let elsewhere = found.iter().find(|n| !nodes.contains(&(**n as usize)));
                let node = elsewhere.or(found.first()).map(|n| *n as usize);
                self.found = found;
                node
            } else {
                nodes.iter().copied().find(|node| self.state.fits(j, *node))
            };
            if let Some(node) = node {
                self.place(j, node);
                placed.push(j);
            }
        }
        if self.state.value() >= before {
            return self.state.value() > before;
        }
        for j in placed {
            self.remove(j);
        }
        for (j, node) in out {
            self.place(j, node as usize);
        }
        false
    }

    /// The state's value.
    pub fn value(&self) -> u64 {
        self.state.value()
    }
}
