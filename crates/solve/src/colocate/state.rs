//! The mutable placement a search works on: counts per node, room left, gain
//! and moves, all kept up to date move by move; groups of moves can be taken
//! back. A state may own all nodes or, in a lane, some of them.

use super::shelf::Shelf;
use super::view::{Spot, View};

/// One shift that was made and can be taken back.
#[derive(Clone, Copy, Debug)]
struct Step {
    service: u32,
    from: u32,
    to: u32,
    count: u32,
    /// Where its replicas begin in `State::moved`.
    moved: u32,
}

/// The home of a replica that is not placed.
pub const NOWHERE: u32 = u32::MAX;

/// Where every replica is now.
#[derive(Clone, Debug)]
pub struct State<'v> {
    /// The problem.
    pub view: &'v View,
    /// The nodes this state owns.
    pub nodes: Vec<u32>,
    /// By node; those not owned are empty.
    pub(super) shelves: Vec<Shelf>,
    /// By gain group, when traffic is local in groups of nodes; else empty.
    pub(super) regions: Vec<Shelf>,
    /// Room left, `node * dims + dim`; below zero where overloaded on arrival.
    pub(super) free: Vec<i64>,
    /// For each set over a label, replicas by group; empty for other sets.
    pub(super) zones: Vec<Vec<u32>>,
    /// The replicas of service s are `homes[starts[s]..][..placed[s]]`.
    pub(super) starts: Vec<u32>,
    /// Replicas of each service placed on owned nodes.
    pub(super) placed: Vec<u32>,
    /// The node of each replica; [`NOWHERE`] beyond those placed.
    pub(super) homes: Vec<u32>,
    /// The service of each replica.
    pub(super) owner: Vec<u32>,
    /// Gained affinity of the owned nodes.
    pub gain: f64,
    /// Replicas on owned nodes where none of their service stood.
    pub moves: i64,
    steps: Vec<Step>,
    moved: Vec<u32>,
}

impl<'v> State<'v> {
    /// The state with these replicas placed.
    pub fn new(view: &'v View, spots: &[Spot]) -> Self {
        let mut total = vec![0u32; view.services()];
        for spot in spots {
            total[spot.service as usize] += spot.count;
        }
        let seats: Vec<u32> = (total.iter().zip(&view.replicas))
            .map(|(total, replicas)| *total.max(replicas))
            .collect();
        Self::with_seats(view, spots, &seats)
    }

    /// The same with room for so many replicas of each service.
    pub fn with_seats(view: &'v View, spots: &[Spot], seats: &[u32]) -> Self {
        let nodes: Vec<u32> = (0..view.nodes() as u32).collect();
        let mut state = Self::bare(view, nodes);
        for spot in &view.original {
            let count = u16::try_from(spot.count).expect("counts were checked to fit");
            state.shelves[spot.node as usize].slot(spot.service).was += count;
        }
        state.seat(seats);
        for spot in spots {
            state.add(spot.service, spot.node, spot.count);
        }
        state
    }

    /// How many replicas of a service there is room to place.
    pub fn seats(&self, service: u32) -> usize {
        (self.starts[service as usize + 1] - self.starts[service as usize]) as usize
    }

    /// A state that owns these nodes and holds nothing.
    pub(super) fn bare(view: &'v View, nodes: Vec<u32>) -> Self {
        let regions = if view.gain_domain.is_some() {
            view.gain_groups()
        } else {
            0
        };
        let zones = view.sets.iter().map(|set| {
            set.domain
                .map_or(Vec::new(), |domain| vec![0; view.domains[domain].groups])
        });
        Self {
            view,
            nodes,
            shelves: vec![Shelf::default(); view.nodes()],
            regions: vec![Shelf::default(); regions],
            free: view.capacity.iter().map(|units| *units as i64).collect(),
            zones: zones.collect(),
            starts: vec![0; view.services() + 1],
            placed: vec![0; view.services()],
            homes: Vec::new(),
            owner: Vec::new(),
            gain: 0.0,
            moves: 0,
            steps: Vec::new(),
            moved: Vec::new(),
        }
    }

    /// Makes room for so many replicas of each service, none placed.
    pub(super) fn seat(&mut self, seats: &[u32]) {
        self.owner.clear();
        for (service, seats) in seats.iter().enumerate() {
            let owner = std::iter::repeat_n(service as u32, *seats as usize);
            self.owner.extend(owner);
            self.starts[service + 1] = self.owner.len() as u32;
        }
        self.homes = vec![NOWHERE; self.owner.len()];
    }

    /// Places more replicas. Rules are not checked.
    pub fn add(&mut self, service: u32, node: u32, count: u32) {
        let end = self.range(service).end;
        self.homes[end..end + count as usize].fill(node);
        self.placed[service as usize] += count;
        self.arrive(service, node, count);
    }

    /// Takes replicas of a service off a node.
    pub fn take(&mut self, service: u32, node: u32, count: u32) {
        let range = self.range(service);
        let mut end = range.end;
        let mut left = count;
        for at in range.rev() {
            if left > 0 && self.homes[at] == node {
                end -= 1;
                self.homes[at] = self.homes[end];
                self.homes[end] = NOWHERE;
                left -= 1;
            }
        }
        debug_assert_eq!(left, 0, "as many as asked for are there");
        self.placed[service as usize] -= count;
        self.depart(service, node, count);
    }

    /// Replicas of a service on a node.
    pub fn count(&self, service: u32, node: u32) -> u32 {
        self.shelves[node as usize].now(service)
    }

    /// Replicas of a service in the gain group of a node.
    pub fn together(&self, service: u32, node: u32) -> u32 {
        self.region(node).now(service)
    }

    /// The shelf of a node.
    pub fn shelf(&self, node: u32) -> &Shelf {
        &self.shelves[node as usize]
    }

    /// The homes of a service's replicas among the owned nodes.
    pub fn homes(&self, service: u32) -> &[u32] {
        &self.homes[self.range(service)]
    }

    /// Positions of a service's replicas.
    pub fn range(&self, service: u32) -> std::ops::Range<usize> {
        let start = self.starts[service as usize] as usize;
        start..start + self.placed[service as usize] as usize
    }

    /// Room left on a node.
    pub fn free(&self, node: u32) -> &[i64] {
        &self.free[node as usize * self.view.dims..][..self.view.dims]
    }

    /// Whether `count` more replicas may stand on a node: resources, cap,
    /// spread sets, limits and compatibility.
    pub fn fits(&self, service: u32, node: u32, count: u32) -> bool {
        let view = self.view;
        let needs = view.need(service).iter().zip(self.free(node));
        let room = |(need, free): (&u64, &i64)| {
            *need == 0 || i128::from(*need) * i128::from(count) <= i128::from(*free)
        };
        if !needs.into_iter().all(room) || !view.may_use(service, node) {
            return false;
        }
        let cap = view.cap[service as usize];
        if self.count(service, node) + count > cap {
            return false;
        }
        let mut sets = view.sets_of(service).iter();
        sets.all(|set| self.in_set(*set, node) + count <= view.sets[*set as usize].max)
            && self.bears(service, node, count)
    }

    /// Whether limits between services allow so many more replicas on a node.
    pub fn bears(&self, service: u32, node: u32, more: u32) -> bool {
        let count = self.count(service, node) + more;
        (self.view).bears(service, count, |other| self.count(other, node))
    }

    /// Whether an arrival that already happened is legal.
    fn arrival_holds(&self, service: u32, node: u32) -> bool {
        let view = self.view;
        let mut needs = view.need(service).iter().zip(self.free(node));
        needs.all(|(need, free)| *need == 0 || *free >= 0)
            && self.count(service, node) <= view.cap[service as usize]
            && view
                .sets_of(service)
                .iter()
                .all(|set| self.in_set(*set, node) <= view.sets[*set as usize].max)
            && self.bears(service, node, 0)
    }

    /// Whether every arrival since the last commit is legal.
    pub fn steps_hold(&self) -> bool {
        let mut steps = self.steps.iter();
        steps.all(|step| self.arrival_holds(step.service, step.to))
    }

    /// Whether replicas of a service came to a node since the last commit.
    pub fn just_arrived(&self, service: u32, node: u32) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| step.service == service && step.to == node)
    }

    /// Replicas of a spread set together with a node.
    pub fn in_set(&self, set: u32, node: u32) -> u32 {
        match self.view.sets[set as usize].domain {
            None => self.shelves[node as usize].now(self.set_key(set)),
            Some(domain) => {
                let group = self.view.domains[domain].of_node[node as usize];
                self.zones[set as usize][group as usize]
            }
        }
    }

    /// The change of gain if `count` replicas went from one node to another.
    #[inline]
    pub fn gain_if(&self, service: u32, from: u32, to: u32, count: u32) -> f64 {
        if self.view.gain_group(from) == self.view.gain_group(to) {
            return 0.0;
        }
        let (source, target) = (self.region(from), self.region(to));
        let (x, y) = (source.now(service), target.now(service));
        self.change(service, source, x, x - count) + self.change(service, target, y, y + count)
    }

    /// What one more replica of a service would gain on a node.
    pub fn gain_of_one_more(&self, service: u32, node: u32) -> f64 {
        let x = self.together(service, node);
        self.change(service, self.region(node), x, x + 1)
    }

    /// The change of the number of moves if `count` replicas went from one
    /// node to another.
    #[inline]
    pub fn moves_if(&self, service: u32, from: u32, to: u32, count: u32) -> i64 {
        let (a, b) = (
            self.shelves[from as usize].get(service),
            self.shelves[to as usize].get(service),
        );
        let over = |now: i64, was: u16| (now - i64::from(was)).max(0);
        let (x, y, count) = (i64::from(a.now), i64::from(b.now), i64::from(count));
        over(x - count, a.was) - over(x, a.was) + over(y + count, b.was) - over(y, b.was)
    }

    /// Moves `count` replicas of a service, the one at `replica` and others
    /// beside it, to another node. Rules are not checked: see `fits` before or
    /// `steps_hold` after.
    pub fn shift(&mut self, service: u32, replica: usize, to: u32, count: u32) {
        let from = self.homes[replica];
        debug_assert!(from != to && self.count(service, from) >= count && count > 0);
        let range = self.range(service);
        let moved = self.moved.len() as u32;
        let (mut at, mut left) = (replica, count);
        loop {
            if self.homes[at] == from {
                self.homes[at] = to;
                self.moved.push(at as u32);
                left -= 1;
                if left == 0 {
                    break;
                }
            }
            at += 1;
            if at == range.end {
                at = range.start;
            }
        }
        self.depart(service, from, count);
        self.arrive(service, to, count);
        self.steps.push(Step {
            service,
            from,
            to,
            count,
            moved,
        });
    }

    /// Forgets how to go back.
    pub fn commit(&mut self) {
        self.steps.clear();
        self.moved.clear();
    }

    /// Takes back everything since the last commit. The two sums are restored
    /// by the caller's copy, so that rejected moves leave no rounding behind.
    pub fn rollback(&mut self, gain: f64, moves: i64) {
        while let Some(step) = self.steps.pop() {
            for at in self.moved.drain(step.moved as usize..) {
                self.homes[at as usize] = step.from;
            }
            self.bare_depart(step.service, step.to, step.count);
            self.bare_arrive(step.service, step.from, step.count);
        }
        self.gain = gain;
        self.moves = moves;
    }

    /// What stands where, by service, then node.
    pub fn spots(&self) -> Vec<Spot> {
        let mut spots = Vec::new();
        let mut homes: Vec<u32> = Vec::new();
        for service in 0..self.view.services() as u32 {
            homes.clear();
            homes.extend_from_slice(self.homes(service));
            homes.sort_unstable();
            for run in homes.chunk_by(|a, b| a == b) {
                let (node, count) = (run[0], run.len() as u32);
                spots.push(Spot {
                    service,
                    node,
                    count,
                });
            }
        }
        spots
    }

    fn set_key(&self, set: u32) -> u32 {
        self.view.services() as u32 + set
    }

    fn region(&self, node: u32) -> &Shelf {
        match self.view.gain_domain {
            None => &self.shelves[node as usize],
            Some(_) => &self.regions[self.view.gain_group(node) as usize],
        }
    }

    /// The change of gain in a group when a service's count goes from `x` to `y`.
    #[inline]
    fn change(&self, service: u32, shelf: &Shelf, x: u32, y: u32) -> f64 {
        let (x, y) = (f64::from(x), f64::from(y));
        let mut change = 0.0;
        for link in self.view.links(service) {
            let there = f64::from(shelf.get(link.to).now) * link.other;
            change += (y * link.own).min(there) - (x * link.own).min(there);
        }
        change
    }

    fn arrive(&mut self, service: u32, node: u32, count: u32) {
        let x = self.together(service, node);
        self.gain += self.change(service, self.region(node), x, x + count);
        let slot = self.shelves[node as usize].get(service);
        let over = |now: i64| (now - i64::from(slot.was)).max(0);
        let now = i64::from(slot.now);
        self.moves += over(now + i64::from(count)) - over(now);
        self.bare_arrive(service, node, count);
    }

    fn depart(&mut self, service: u32, node: u32, count: u32) {
        let x = self.together(service, node);
        self.gain += self.change(service, self.region(node), x, x - count);
        let slot = self.shelves[node as usize].get(service);
        let over = |now: i64| (now - i64::from(slot.was)).max(0);
        let now = i64::from(slot.now);
        self.moves += over(now - i64::from(count)) - over(now);
        self.bare_depart(service, node, count);
    }

    fn bare_arrive(&mut self, service: u32, node: u32, count: u32) {
        let view = self.view;
        let small = count as u16;
        self.shelves[node as usize].slot(service).now += small;
        if view.gain_domain.is_some() {
            self.regions[view.gain_group(node) as usize]
                .slot(service)
                .now += small;
        }
        let free = &mut self.free[node as usize * view.dims..][..view.dims];
        for (free, need) in free.iter_mut().zip(view.need(service)) {
            *free -= (*need as i64) * i64::from(count);
        }
        for &set in view.sets_of(service) {
            match view.sets[set as usize].domain {
                None => {
                    let key = self.set_key(set);
                    self.shelves[node as usize].slot(key).now += small;
                }
                Some(domain) => {
                    let group = view.domains[domain].of_node[node as usize];
                    self.zones[set as usize][group as usize] += count;
                }
            }
        }
    }

    fn bare_depart(&mut self, service: u32, node: u32, count: u32) {
        let view = self.view;
        let small = count as u16;
        self.shelves[node as usize].slot(service).now -= small;
        if view.gain_domain.is_some() {
            self.regions[view.gain_group(node) as usize]
                .slot(service)
                .now -= small;
        }
        let free = &mut self.free[node as usize * view.dims..][..view.dims];
        for (free, need) in free.iter_mut().zip(view.need(service)) {
            *free += (*need as i64) * i64::from(count);
        }
        for &set in view.sets_of(service) {
            match view.sets[set as usize].domain {
                None => {
                    let key = self.set_key(set);
                    self.shelves[node as usize].slot(key).now -= small;
                }
                Some(domain) => {
                    let group = view.domains[domain].of_node[node as usize];
                    self.zones[set as usize][group as usize] -= count;
                }
            }
        }
    }
}
