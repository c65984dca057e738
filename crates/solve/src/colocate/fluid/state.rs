//! Where the members stand, with gain and moves kept up to date; sand is a
//! fluid that costs moves where it is displaced.

use super::super::view::Spot;
use super::core::{Cell, Core, SAND};

/// One shift that was made and can be taken back.
#[derive(Clone, Copy, Debug)]
struct Step {
    member: u32,
    from: u32,
    to: u32,
    count: u32,
}

/// A placement of the members on all nodes, or in a lane on some of them.
#[derive(Clone, Debug)]
pub struct Fluid<'c> {
    /// What it is a placement of.
    pub core: &'c Core<'c>,
    /// The nodes owned.
    pub nodes: Vec<u32>,
    /// By node: a cell for each member, then one for each spread set.
    pub(super) rows: Vec<Vec<Cell>>,
    /// The members on each node, in no order.
    pub(super) present: Vec<Vec<u32>>,
    /// Room left for members, `node * dims + dim`.
    pub(super) free: Vec<i64>,
    /// The replicas of member m are `homes[starts[m]..starts[m + 1]]`.
    pub(super) homes: Vec<u32>,
    pub(super) starts: Vec<u32>,
    /// Gained affinity of the owned nodes.
    pub gain: f64,
    /// Moves of members, and about as many of sand as they displace.
    pub moves: f64,
    steps: Vec<Step>,
}

impl<'c> Fluid<'c> {
    /// A part that owns no node yet and holds nothing.
    pub(super) fn bare(core: &'c Core<'c>) -> Self {
        Self {
            core,
            nodes: Vec::new(),
            rows: vec![Vec::new(); core.view.nodes()],
            present: vec![Vec::new(); core.view.nodes()],
            free: Vec::new(),
            homes: Vec::new(),
            starts: vec![0],
            gain: 0.0,
            moves: 0.0,
            steps: Vec::new(),
        }
    }

    /// The members of a placement.
    pub fn new(core: &'c Core<'c>, spots: &[Spot]) -> Self {
        let view = core.view;
        let mut rows = vec![vec![Cell::default(); core.columns]; view.nodes()];
        for spot in core.part_of(&view.original) {
            rows[spot.node as usize][spot.service as usize].was += spot.count as u16;
        }
        for (node, set, count) in &core.in_sets {
            let cell = core.members.len() + *set as usize;
            rows[*node as usize][cell].now += *count as u16;
        }
        let mut placed: Vec<Spot> = core.part_of(spots).collect();
        placed.sort_unstable();
        let mut starts = vec![0u32; core.members.len() + 1];
        let mut homes = Vec::new();
        for spot in &placed {
            homes.extend(std::iter::repeat_n(spot.node, spot.count as usize));
            starts[spot.service as usize + 1] = homes.len() as u32;
        }
        for member in 0..core.members.len() {
            starts[member + 1] = starts[member + 1].max(starts[member]);
        }
        let mut fluid = Self {
            core,
            nodes: (0..view.nodes() as u32).collect(),
            rows,
            present: vec![Vec::new(); view.nodes()],
            free: core.room.clone(),
            homes,
            starts,
            gain: 0.0,
            moves: 0.0,
            steps: Vec::new(),
        };
        for spot in placed {
            let (member, node) = (spot.service as usize, spot.node as usize);
            let now = u32::from(fluid.rows[node][member].now);
            fluid.set(member, node, now + spot.count);
        }
        fluid
    }

    /// The members' replicas by service and node.
    pub fn spots(&self) -> Vec<Spot> {
        let mut spots = Vec::new();
        for (node, row) in self.rows.iter().enumerate() {
            for (service, cell) in self.core.members.iter().zip(row) {
                if cell.now > 0 {
                    spots.push(Spot {
                        service: *service,
                        node: node as u32,
                        count: u32::from(cell.now),
                    });
                }
            }
        }
        spots.sort_unstable();
        spots
    }

    /// The homes of a member's replicas.
    #[inline]
    pub fn homes(&self, member: usize) -> &[u32] {
        &self.homes[self.starts[member] as usize..self.starts[member + 1] as usize]
    }

    /// The members on a node, in no order.
    #[inline]
    pub fn present(&self, node: u32) -> &[u32] {
        &self.present[node as usize]
    }

    /// Whether a node belongs to this state.
    #[inline]
    pub fn owns(&self, node: u32) -> bool {
        !self.rows[node as usize].is_empty()
    }

    /// Replicas of a member on a node.
    #[inline]
    pub fn count(&self, member: usize, node: u32) -> u32 {
        u32::from(self.rows[node as usize][member].now)
    }

    /// Whether `count` more replicas of a member may stand on a node.
    #[inline]
    pub fn fits(&self, member: usize, node: u32, count: u32) -> bool {
        let core = self.core;
        let (view, dims) = (core.view, core.view.dims);
        let free = &self.free[node as usize * dims..][..dims];
        let room = |(need, free): (&i64, &i64)| *need == 0 || need * i64::from(count) <= *free;
        let service = core.members[member];
        core.need(member).iter().zip(free).all(room)
            && view.may_use(service, node)
            && self.count(member, node) + count <= view.cap[service as usize]
            && (view.sets_of(service).iter())
                .all(|set| self.in_set(*set, node) + count <= view.sets[*set as usize].max)
            && self.bears(member, node, self.count(member, node) + count)
    }

    /// Whether limits between services allow so many replicas on a node.
    #[inline]
    fn bears(&self, member: usize, node: u32, count: u32) -> bool {
        let core = self.core;
        let others = |service: u32| match core.member(service) {
            SAND => 0,
            other => self.count(other as usize, node),
        };
        count <= core.most_beside(member, node)
            && core.view.bears(core.members[member], count, others)
    }

    fn in_set(&self, set: u32, node: u32) -> u32 {
        self.count(self.core.members.len() + set as usize, node)
    }

    /// Whether every arrival since the last commit is legal.
    pub fn steps_hold(&self) -> bool {
        self.steps.iter().all(|step| self.holds(step))
    }

    fn holds(&self, step: &Step) -> bool {
        let core = self.core;
        let (view, dims) = (core.view, core.view.dims);
        let free = &self.free[step.to as usize * dims..][..dims];
        let member = step.member as usize;
        let service = core.members[member];
        (core.need(member).iter().zip(free)).all(|(need, free)| *need == 0 || *free >= 0)
            && view.may_use(service, step.to)
            && self.count(member, step.to) <= view.cap[service as usize]
            && (view.sets_of(service).iter())
                .all(|set| self.in_set(*set, step.to) <= view.sets[*set as usize].max)
            && self.bears(member, step.to, self.count(member, step.to))
    }

    /// Whether a member was shifted since the last commit.
    #[inline]
    pub fn just_shifted(&self, member: usize) -> bool {
        self.steps.iter().any(|step| step.member as usize == member)
    }

    /// The change of gain and of moves if `count` replicas were shifted.
    #[inline]
    pub fn change_if(&self, member: usize, from: u32, to: u32, count: u32) -> (f64, f64) {
        let dims = self.core.view.dims;
        let (a, b) = (&self.rows[from as usize], &self.rows[to as usize]);
        let (x, y) = (u32::from(a[member].now), u32::from(b[member].now));
        let gain =
            self.gain_change(member, a, x, x - count) + self.gain_change(member, b, y, y + count);
        let over = |now: u32, was: u16| f64::from(now.saturating_sub(u32::from(was)));
        let mut moves = over(x - count, a[member].was) - over(x, a[member].was)
            + over(y + count, b[member].was)
            - over(y, b[member].was);
        for (node, sign) in [(from, 1), (to, -1)] {
            let at = node as usize * dims;
            moves += self.displaced(node, |dim| {
                self.free[at + dim] + sign * self.core.need(member)[dim] * i64::from(count)
            }) - self.displaced(node, |dim| self.free[at + dim]);
        }
        (gain, moves)
    }

    /// The moves at a node if it held what another holds now.
    pub fn moves_if_at(&self, from: u32, to: u32) -> f64 {
        let (dims, core) = (self.core.view.dims, self.core);
        let held = self.rows[from as usize].iter().take(core.members.len());
        let arrivals: f64 = held
            .zip(&self.rows[to as usize])
            .map(|(cell, there)| f64::from(cell.now.saturating_sub(there.was)))
            .sum();
        let (from, at) = (from as usize * dims, to as usize * dims);
        let used = |dim: usize| core.room[from + dim] - self.free[from + dim];
        arrivals + self.displaced(to, |dim| core.room[at + dim] - used(dim))
    }

    /// About how many replicas of sand must leave a node with this much room
    /// left by the members.
    #[inline]
    fn displaced(&self, node: u32, free: impl Fn(usize) -> i64) -> f64 {
        let core = self.core;
        let mut most = 0.0f64;
        for dim in 0..core.view.dims {
            let at = node as usize * core.view.dims + dim;
            let over = core.sand[at] - free(dim);
            if over > 0 {
                // Never more than there is.
                let over = over.min(core.sand[at]) as f64;
                most = most.max(over * core.moves_per_unit[at]);
            }
        }
        most
    }

    #[inline]
    fn gain_change(&self, member: usize, row: &[Cell], x: u32, y: u32) -> f64 {
        let (x, y) = (f64::from(x), f64::from(y));
        let mut change = 0.0;
        for link in self.core.links(member) {
            let there = f64::from(row[link.to as usize].now) * link.other;
            change += (y * link.own).min(there) - (x * link.own).min(there);
        }
        change
    }

    /// Sets a count and keeps the sums.
    fn set(&mut self, member: usize, node: usize, count: u32) {
        let core = self.core;
        let dims = core.view.dims;
        let cell = self.rows[node][member];
        let x = u32::from(cell.now);
        self.gain += self.gain_change(member, &self.rows[node], x, count);
        let over = |now: u32| f64::from(now.saturating_sub(u32::from(cell.was)));
        let before = self.displaced(node as u32, |dim| self.free[node * dims + dim]);
        self.bare_set(member, node, i64::from(count) - i64::from(x));
        let after = self.displaced(node as u32, |dim| self.free[node * dims + dim]);
        self.moves += over(count) - over(x) + after - before;
    }

    fn bare_set(&mut self, member: usize, node: usize, by: i64) {
        let core = self.core;
        let dims = core.view.dims;
        let row = &mut self.rows[node];
        let before = row[member].now;
        row[member].now = (i64::from(before) + by) as u16;
        let present = &mut self.present[node];
        if before == 0 && by > 0 {
            present.push(member as u32);
        } else if before > 0 && row[member].now == 0 {
            let at = present.iter().position(|m| *m as usize == member);
            present.swap_remove(at.expect("what stands here is listed"));
        }
        for set in core.view.sets_of(core.members[member]) {
            let cell = &mut row[core.members.len() + *set as usize];
            cell.now = (i64::from(cell.now) + by) as u16;
        }
        let free = &mut self.free[node * dims..][..dims];
        for (free, need) in free.iter_mut().zip(core.need(member)) {
            *free -= by * need;
        }
    }

    /// Moves replicas of a member. Rules are not checked, homes not changed
    /// before the commit.
    pub fn shift(&mut self, member: usize, from: u32, to: u32, count: u32) {
        let (x, y) = (self.count(member, from), self.count(member, to));
        self.set(member, from as usize, x - count);
        self.set(member, to as usize, y + count);
        self.steps.push(Step {
            member: member as u32,
            from,
            to,
            count,
        });
    }

    /// Makes all shifts since the last commit final.
    pub fn commit(&mut self) {
        for step in std::mem::take(&mut self.steps) {
            let range = self.starts[step.member as usize]..self.starts[step.member as usize + 1];
            let homes = &mut self.homes[range.start as usize..range.end as usize];
            let moved = homes.iter_mut().filter(|home| **home == step.from);
            moved
                .take(step.count as usize)
                .for_each(|home| *home = step.to);
        }
    }

    /// Takes back everything since the last commit; the sums come from the
    /// caller, so that rejected proposals leave no rounding behind.
    pub fn rollback(&mut self, gain: f64, moves: f64) {
        while let Some(step) = self.steps.pop() {
            let (member, count) = (step.member as usize, i64::from(step.count));
            self.bare_set(member, step.to as usize, -count);
            self.bare_set(member, step.from as usize, count);
        }
        self.gain = gain;
        self.moves = moves;
    }
}
