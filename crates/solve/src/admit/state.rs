//! The placement a search works on: loads of every node over time, with
//! exact answers to "which nodes have room for this request from its start to
//! its finish?".
//!
//! Slots are grouped into buckets. A tree over the buckets keeps the highest
//! load of each node below each tree node, all nodes side by side, so that one
//! pass over a few rows rules out most nodes at once. Inside a bucket a node's
//! own events decide; there are only a handful.

use super::view::{NOWHERE, View};
use crate::Context;

/// Most cells (bucket and node) of the table: bounds memory, and keeps the
/// buckets a long request covers to about a hundred at any size.
const CELLS: usize = 1 << 19;

/// A change of load inside a bucket.
#[derive(Clone, Copy)]
struct Event {
    slot: u32,
    request: u32,
    starts: bool,
}

/// Requests on nodes, and the loads that follow.
pub struct State<'v, 'a> {
    /// The problem.
    pub view: &'v View<'a>,
    node_of: Vec<u32>,
    value: u64,
    admitted: usize,
    /// A bucket is `1 << shift` slots.
    shift: u32,
    buckets: usize,
    leaves: usize,
    /// `highest[(tree node * resources + resource) * nodes + node]`.
    highest: Vec<u64>,
    /// Load in the first slot: `first[(node * buckets + bucket) * resources + resource]`.
    first: Vec<u64>,
    /// Changes after the first slot of a bucket, by slot; `node * buckets + bucket`.
    events: Vec<Vec<Event>>,
}

impl<'v, 'a> State<'v, 'a> {
    /// Nothing admitted yet.
    pub fn new(view: &'v View<'a>) -> Self {
        Self::with_cells(view, CELLS)
    }

    /// Nothing admitted yet; at most about this many cells.
    pub fn with_cells(view: &'v View<'a>, cells: usize) -> Self {
        let most = cells;
        let slots = view.slot_start.len().max(1);
        let mut shift = 0;
        while (slots.div_ceil(1 << shift)).saturating_mul(view.nodes) > most && shift < 31 {
            shift += 1;
        }
        let buckets = slots.div_ceil(1 << shift);
        let leaves = buckets.next_power_of_two();
        let cells = buckets * view.nodes;
        Self {
            view,
            node_of: vec![NOWHERE; view.len()],
            value: 0,
            admitted: 0,
            shift,
            buckets,
            leaves,
            highest: vec![0; 2 * leaves * view.resources * view.nodes],
            first: vec![0; cells * view.resources],
            events: vec![Vec::new(); if shift == 0 { 0 } else { cells }],
        }
    }

    /// With these requests placed, which must fit; `None` when the run is
    /// stopped meanwhile.
    pub fn with(view: &'v View<'a>, node_of: &[u32], context: &Context) -> Option<Self> {
        let mut state = Self::new(view);
        for (request, node) in node_of.iter().enumerate() {
            if request % 4096 == 0 && context.must_stop() {
                return None;
            }
            if *node != NOWHERE {
                state.place(request as u32, *node as usize);
            }
        }
        Some(state)
    }

    /// The node of each request, or [`NOWHERE`].
    pub fn node_of(&self) -> &[u32] {
        &self.node_of
    }

    /// Weight of what is admitted, in millionths.
    pub fn value(&self) -> u64 {
        self.value
    }

    /// How many are admitted.
    pub fn admitted(&self) -> usize {
        self.admitted
    }

    /// Whether the request is admitted.
    pub fn has(&self, request: u32) -> bool {
        self.node_of[request as usize] != NOWHERE
    }

    /// Admits a request on a node where it fits.
    pub fn place(&mut self, request: u32, node: usize) {
        debug_assert!(!self.has(request));
        debug_assert!(self.fits(request, node));
        self.node_of[request as usize] = node as u32;
        self.value += self.view.weight(request);
        self.admitted += 1;
        self.change(request, node, true);
    }

    /// Takes an admitted request out; returns its node.
    pub fn remove(&mut self, request: u32) -> usize {
        let node = std::mem::replace(&mut self.node_of[request as usize], NOWHERE) as usize;
        self.value -= self.view.weight(request);
        self.admitted -= 1;
        self.change(request, node, false);
        node
    }

    fn range(&self, request: u32) -> (usize, usize) {
        let (lo, hi) = (
            self.view.lo[request as usize],
            self.view.hi[request as usize],
        );
        (
            (lo >> self.shift) as usize,
            ((hi - 1) >> self.shift) as usize,
        )
    }

    /// The buckets a request covers from their first to their last slot.
    fn covered(&self, request: u32) -> (usize, usize) {
        let (lo, hi) = (
            self.view.lo[request as usize] as usize,
            self.view.hi[request as usize] as usize,
        );
        let from = lo.div_ceil(1 << self.shift);
        let to = if hi == self.view.slot_start.len() {
            self.buckets
        } else {
            hi >> self.shift
        };
        (from, to.max(from))
    }

    fn change(&mut self, request: u32, node: usize, add: bool) {
        let view = self.view;
        let (resources, nodes) = (view.resources, view.nodes);
        let demand = view.demand(request);
        let apply = |load: &mut u64, units: u64| {
            *load = if add { *load + units } else { *load - units };
        };
        let (from, to) = self.range(request);
        let (covered_from, covered_to) = self.covered(request);
        // The first slots of all buckets but one that starts before the request.
        let row = node * self.buckets;
        let inside = if covered_from > from { from + 1 } else { from };
        for bucket in inside..=to {
            for (r, units) in demand.iter().enumerate() {
                apply(&mut self.first[(row + bucket) * resources + r], *units);
            }
        }
        if covered_from > from {
            self.event(row + from, request, view.lo[request as usize], true, add);
        }
        let end = view.hi[request as usize];
        // A request that ends with its bucket, or with the last slot, needs no event.
        if (end >> self.shift) as usize == to && (end as usize) < view.slot_start.len() {
            self.event(row + to, request, end, false, add);
        }
        // Leaves, then their ancestors: wholly covered ones shift by the
        // demand, the others look at their children.
        for bucket in [from, to] {
            if !(covered_from..covered_to).contains(&bucket) {
                for r in 0..resources {
                    let load = self.highest_inside(node, bucket, r);
                    self.highest[((self.leaves + bucket) * resources + r) * nodes + node] = load;
                }
            }
        }
        let (mut low, mut high) = (self.leaves + from, self.leaves + to);
        let (mut in_low, mut in_high) = (self.leaves + covered_from, self.leaves + covered_to);
        let mut leaf = true;
        loop {
            for at in low..=high {
                if (in_low..in_high).contains(&at) {
                    for (r, units) in demand.iter().enumerate() {
                        let load = &mut self.highest[(at * resources + r) * nodes + node];
                        apply(load, *units);
                    }
                } else if !leaf {
                    for r in 0..resources {
                        let child =
                            |side| self.highest[((2 * at + side) * resources + r) * nodes + node];
                        self.highest[(at * resources + r) * nodes + node] = child(0).max(child(1));
                    }
                }
            }
            if low == 1 {
                break;
            }
            (low, high) = (low / 2, high / 2);
            (in_low, in_high) = (in_low.div_ceil(2), in_high / 2);
            leaf = false;
        }
    }

    fn event(&mut self, cell: usize, request: u32, slot: u32, starts: bool, add: bool) {
        let events = &mut self.events[cell];
        if add {
            let at = events.partition_point(|event| event.slot <= slot);
            events.insert(
                at,
                Event {
                    slot,
                    request,
                    starts,
                },
            );
        } else {
            let at = events
                .iter()
                .position(|event| event.request == request && event.starts == starts)
                .expect("every placed request has its events");
            events.remove(at);
        }
    }

    /// The highest load of a node in a whole bucket.
    fn highest_inside(&self, node: usize, bucket: usize, resource: usize) -> u64 {
        let start = (bucket as u32) << self.shift;
        self.highest_between(node, bucket, resource, start, u32::MAX)
    }

    /// The highest load of a node in the slots `lo..hi` of one bucket.
    fn highest_between(
        &self,
        node: usize,
        bucket: usize,
        resource: usize,
        lo: u32,
        hi: u32,
    ) -> u64 {
        let cell = node * self.buckets + bucket;
        let mut load = self.first[cell * self.view.resources + resource];
        let Some(events) = self.events.get(cell) else {
            return load;
        };
        let mut highest = 0;
        for (at, event) in events.iter().enumerate() {
            if event.slot >= hi {
                break;
            }
            // All changes of one slot count before the slot does.
            if event.slot > lo && (at == 0 || events[at - 1].slot < event.slot) {
                highest = highest.max(load);
            }
            let units = self.view.demand(event.request)[resource];
            // Starts may come after ends of the same slot: the sum is what
            // counts, and it is never negative, so wrapping cancels out.
            load = if event.starts {
                load.wrapping_add(units)
            } else {
                load.wrapping_sub(units)
            };
        }
        highest.max(load)
    }

    /// Whether a node has room for the request during its whole interval.
    pub fn fits(&self, request: u32, node: usize) -> bool {
        let (from, to) = self.covered(request);
        let mut rows = [0usize; 2 * usize::BITS as usize];
        let count = decompose(self.leaves + from, self.leaves + to, &mut rows);
        rows[..count]
            .iter()
            .all(|at| self.row_fits(*at, request, node))
            && self.ends_fit(request, node)
    }

    fn row_fits(&self, at: usize, request: u32, node: usize) -> bool {
        let (resources, nodes) = (self.view.resources, self.view.nodes);
        let capacity = self.view.capacity(node);
        let demand = self.view.demand(request);
        (0..resources)
            .all(|r| self.highest[(at * resources + r) * nodes + node] + demand[r] <= capacity[r])
    }

    /// Whether it fits in the buckets it covers only in part.
    fn ends_fit(&self, request: u32, node: usize) -> bool {
        let (from, to) = self.range(request);
        let (covered_from, covered_to) = self.covered(request);
        let (lo, hi) = (
            self.view.lo[request as usize],
            self.view.hi[request as usize],
        );
        let partial = |bucket: usize| {
            if (covered_from..covered_to).contains(&bucket)
                || self.row_fits(self.leaves + bucket, request, node)
            {
                return true;
            }
            let (capacity, demand) = (self.view.capacity(node), self.view.demand(request));
            (0..self.view.resources)
                .all(|r| self.highest_between(node, bucket, r, lo, hi) + demand[r] <= capacity[r])
        };
        partial(from) && (from == to || partial(to))
    }

    /// Writes the nodes with room for the request into `found`, ascending.
    pub fn fitting(&self, request: u32, found: &mut Vec<u32>) {
        let (from, to) = self.covered(request);
        let mut rows = [0usize; 2 * usize::BITS as usize];
        let count = decompose(self.leaves + from, self.leaves + to, &mut rows);
        // The widest stretch first: it rules out the most.
        rows[..count].sort_unstable();
        found.clear();
        found.extend(0..self.view.nodes as u32);
        for at in &rows[..count] {
            found.retain(|node| self.row_fits(*at, request, *node as usize));
            if found.is_empty() {
                return;
            }
        }
        found.retain(|node| self.ends_fit(request, *node as usize));
    }

    /// The lowest node with room for the request.
    pub fn first_fit(&self, request: u32) -> Option<usize> {
        let (from, to) = self.covered(request);
        let mut rows = [0usize; 2 * usize::BITS as usize];
        let count = decompose(self.leaves + from, self.leaves + to, &mut rows);
        rows[..count].sort_unstable();
        (0..self.view.nodes).find(|node| {
            rows[..count]
                .iter()
                .all(|at| self.row_fits(*at, request, *node))
                && self.ends_fit(request, *node)
        })
    }

    /// The highest load of a node in one resource during the request.
    pub fn highest(&self, request: u32, node: usize, resource: usize) -> u64 {
        let (resources, nodes) = (self.view.resources, self.view.nodes);
        let (from, to) = self.covered(request);
        let mut rows = [0usize; 2 * usize::BITS as usize];
        let count = decompose(self.leaves + from, self.leaves + to, &mut rows);
        let inner = rows[..count]
            .iter()
            .map(|at| self.highest[(at * resources + resource) * nodes + node])
            .max();
        let (lo, hi) = (
            self.view.lo[request as usize],
            self.view.hi[request as usize],
        );
        let (first, last) = self.range(request);
        let ends = [first, last]
            .into_iter()
            .filter(|bucket| !(from..to).contains(bucket))
            .map(|bucket| self.highest_between(node, bucket, resource, lo, hi))
            .max();
        inner.max(ends).unwrap_or(0)
    }
}

/// The tree nodes whose leaves are exactly `low..high`; returns how many.
fn decompose(mut low: usize, mut high: usize, rows: &mut [usize]) -> usize {
    let mut count = 0;
    while low < high {
        if low % 2 == 1 {
            rows[count] = low;
            count += 1;
            low += 1;
        }
        if high % 2 == 1 {
            high -= 1;
            rows[count] = high;
            count += 1;
        }
        low /= 2;
        high /= 2;
    }
    count
}
