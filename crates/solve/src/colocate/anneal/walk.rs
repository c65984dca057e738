//! One annealing walk on counts: proposals, their price and their acceptance.
//!
//! Four kinds of proposals: a replica wanders (or goes home), a few replicas
//! of a service join another they talk to, a bundle of connected services
//! moves together, and either of the last two with others evicted to make room.

use rand::Rng;

use super::super::state::{NOWHERE, State};
use super::super::view::View;
use super::lottery::Lottery;
use super::pace::accepts;
use crate::Random;

/// What a walk maximises, and its only hard limit beside the rules.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Goal {
    /// Gain given up for one moved replica less.
    pub price: f64,
    /// The most moves allowed.
    pub max_moves: i64,
}

/// A walk: a state, where its randomness comes from, and its temperature.
pub struct Walk<'a, 'v> {
    /// The placement.
    pub state: State<'v>,
    /// Scores a proposal must beat to be taken.
    pub temperature: f64,
    goal: Goal,
    lottery: &'a Lottery,
    homes: &'a Homes,
    random: Random,
}

/// The nodes on which each service stood at first.
#[derive(Clone, Debug)]
pub struct Homes {
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

impl Homes {
    /// From the view's current placement.
    pub fn new(view: &View) -> Self {
        let mut spots = view.original.clone();
        spots.sort_unstable();
        let mut starts = vec![0u32; view.services() + 1];
        for spot in &spots {
            starts[spot.service as usize + 1] += 1;
        }
        for s in 0..view.services() {
            starts[s + 1] += starts[s];
        }
        let nodes = spots.iter().map(|spot| spot.node).collect();
        Self { starts, nodes }
    }

    fn of(&self, service: u32) -> &[u32] {
        let (from, to) = (
            self.starts[service as usize],
            self.starts[service as usize + 1],
        );
        &self.nodes[from as usize..to as usize]
    }
}

/// Others evicted at most to make room for one proposal.
const EVICTIONS: usize = 3;
/// Services moved together at most.
const BUNDLE: usize = 5;

impl<'a, 'v> Walk<'a, 'v> {
    /// A walk from a state.
    pub fn new(
        state: State<'v>,
        goal: Goal,
        lottery: &'a Lottery,
        homes: &'a Homes,
        random: Random,
    ) -> Self {
        Self {
            state,
            temperature: 0.0,
            goal,
            lottery,
            homes,
            random,
        }
    }

    /// Gain less the price of its moves.
    pub fn score(&self) -> f64 {
        self.state.gain - self.goal.price * self.state.moves as f64
    }

    /// What the walk maximises now.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// Changes what the walk maximises.
    pub fn set_goal(&mut self, goal: Goal) {
        self.goal = goal;
    }

    /// Makes `count` proposals.
    pub fn run(&mut self, count: u64) {
        if self.state.homes.is_empty() || self.state.nodes.len() < 2 {
            return;
        }
        for _ in 0..count {
            let kind = self.random.next_u64() >> 60;
            match kind {
                _ if self.lottery.is_empty() => self.wander(),
                0..=3 => self.wander(),
                4..=14 => self.join(),
                _ => self.bundle(),
            }
        }
    }

    #[inline]
    fn below(&mut self, limit: usize) -> usize {
        let high = self.random.next_u64() >> 32;
        ((high * limit as u64) >> 32) as usize
    }

    fn any_node(&mut self) -> u32 {
        let at = self.below(self.state.nodes.len());
        self.state.nodes[at]
    }

    /// A random replica of a service, as its position; `None` if it has none
    /// here or may not move.
    fn replica_of(&mut self, service: u32) -> Option<usize> {
        let range = self.state.range(service);
        if range.is_empty() || self.state.view.fixed[service as usize] {
            return None;
        }
        Some(range.start + self.below(range.len()))
    }

    /// A random replica of anything goes to a random node or home.
    fn wander(&mut self) {
        let replica = self.below(self.state.homes.len());
        let service = self.state.owner[replica];
        if self.state.view.fixed[service as usize] || self.state.homes[replica] == NOWHERE {
            return;
        }
        let origins = self.homes.of(service);
        let to = if !origins.is_empty() && self.random.next_u32() & 1 == 0 {
            let node = origins[self.below(origins.len())];
            // In a lane the old home may belong to another lane.
            if self.state.nodes.binary_search(&node).is_err() {
                return;
            }
            node
        } else {
            self.any_node()
        };
        self.try_single(service, replica, to, 1, true);
    }

    /// Replicas of a service go where one of its partners stands.
    fn join(&mut self) {
        let (service, partner) = self.lottery.draw(self.random.next_u64());
        let Some(replica) = self.replica_of(service) else {
            return;
        };
        let range = self.state.range(partner);
        if range.is_empty() {
            return;
        }
        let beside = range.start + self.below(range.len());
        let (from, to) = (self.state.homes[replica], self.state.homes[beside]);
        if from == to {
            return;
        }
        let here = self.state.count(service, from);
        let count = if here == 1 || self.random.next_u32() & 1 == 0 {
            1
        } else {
            self.matching(service, partner, to).clamp(1, here)
        };
        self.try_single(service, replica, to, count, true);
    }

    /// How many more replicas of a service balance the partner's share at a node.
    fn matching(&self, service: u32, partner: u32, node: u32) -> u32 {
        let d = |s: u32| u64::from(self.state.view.replicas[s as usize]).max(1);
        let there = u64::from(self.state.together(partner, node));
        let wanted = (there * d(service)).div_ceil(d(partner)) as u32;
        wanted.saturating_sub(self.state.together(service, node))
    }

    /// One service's replicas to one node; with `evict`, others may have to go.
    fn try_single(&mut self, service: u32, replica: usize, to: u32, count: u32, evict: bool) {
        let from = self.state.homes[replica];
        if from == to || !self.state.view.may_use(service, to) {
            return;
        }
        if self.state.fits(service, to, count) {
            let moves = self.state.moves_if(service, from, to, count);
            if !self.affordable(self.state.moves + moves, moves) {
                return;
            }
            let gain = self.state.gain_if(service, from, to, count);
            if self.accepts(gain - self.goal.price * moves as f64) {
                self.state.shift(service, replica, to, count);
                self.state.commit();
            }
        } else if evict && self.random.next_u32() & 7 == 0 {
            let (gain, moves) = (self.state.gain, self.state.moves);
            self.state.shift(service, replica, to, count);
            self.settle(to, from, gain, moves);
        }
    }

    /// Part of what stands on a node, connected by traffic, goes to another.
    fn bundle(&mut self) {
        let (seed, partner) = self.lottery.draw(self.random.next_u64());
        let Some(replica) = self.replica_of(seed) else {
            return;
        };
        let from = self.state.homes[replica];
        let to = if self.random.next_u32() & 1 == 0 {
            self.any_node()
        } else {
            let links = self.state.view.links(seed);
            let friend = links[self.below(links.len())].to;
            let range = self.state.range(friend);
            if range.is_empty() {
                return;
            }
            let beside = range.start + self.below(range.len());
            self.state.homes[beside]
        };
        if from == to || !self.state.view.may_use(seed, to) {
            return;
        }
        let (gain, moves) = (self.state.gain, self.state.moves);
        let here = self.state.count(seed, from);
        let count = match self.random.next_u32() & 3 {
            0 => 1,
            1 => here,
            _ => 1 + self.below(here as usize) as u32,
        };
        let share = f64::from(count) / f64::from(self.state.view.replicas[seed as usize]);
        self.state.shift(seed, replica, to, count);
        let size = 1 + self.below(BUNDLE - 1);
        self.follow(partner, share, to);
        let links = self.state.view.links(seed);
        let offset = self.below(links.len());
        for i in 0..links.len().min(size) {
            let other = links[(offset + i) % links.len()].to;
            if other != partner {
                self.follow(other, share, to);
            }
        }
        self.settle(to, from, gain, moves);
    }

    /// Moves replicas of `service` to `to` until its share there is about `share`.
    fn follow(&mut self, service: u32, share: f64, to: u32) {
        let Some(replica) = self.replica_of(service) else {
            return;
        };
        let from = self.state.homes[replica];
        if from == to || !self.state.view.may_use(service, to) {
            return;
        }
        let replicas = f64::from(self.state.view.replicas[service as usize]);
        let wanted = (share * replicas).round().max(1.0) as u32;
        let here = self.state.count(service, from);
        self.state.shift(service, replica, to, wanted.min(here));
    }

    /// Evicts others from `crowded` until the arrivals are legal, then takes
    /// or takes back everything.
    fn settle(&mut self, crowded: u32, vacated: u32, gain: f64, moves: i64) {
        for _ in 0..EVICTIONS {
            if self.state.steps_hold() {
                break;
            }
            self.evict(crowded, vacated);
        }
        let more = self.state.moves - moves;
        let better = self.state.gain - gain - self.goal.price * more as f64;
        if self.affordable(self.state.moves, more)
            && self.state.steps_hold()
            && self.accepts(better)
        {
            self.state.commit();
        } else {
            self.state.rollback(gain, moves);
        }
    }

    /// A random other replica leaves a crowded node, for the node that was
    /// just vacated or any other with room.
    fn evict(&mut self, crowded: u32, vacated: u32) {
        for _ in 0..8 {
            let random = self.random.next_u32();
            let Some(slot) = self.state.shelf(crowded).at(random) else {
                continue;
            };
            let service = slot.key;
            if service as usize >= self.state.view.services()
                || self.state.view.fixed[service as usize]
                || self.state.just_arrived(service, crowded)
            {
                continue;
            }
            let to = if self.random.next_u32() & 1 == 0 {
                vacated
            } else {
                self.any_node()
            };
            if to == crowded || !self.state.fits(service, to, 1) {
                continue;
            }
            let range = self.state.range(service);
            let offset = self.below(range.len());
            let replica = (0..range.len())
                .map(|i| range.start + (offset + i) % range.len())
                .find(|at| self.state.homes[*at] == crowded);
            if let Some(replica) = replica {
                self.state.shift(service, replica, to, 1);
                return;
            }
        }
    }

    #[inline]
    fn affordable(&self, moves: i64, more: i64) -> bool {
        more <= 0 || moves <= self.goal.max_moves
    }

    #[inline]
    fn accepts(&mut self, better: f64) -> bool {
        accepts(better, self.temperature, &mut self.random)
    }
}
