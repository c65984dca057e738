//! One annealing walk of the members.

use rand::Rng;

use super::super::anneal::lottery::Lottery;
use super::super::anneal::pace::accepts;
use super::super::anneal::walk::Goal;
use super::state::Fluid;
use crate::Random;

/// A walk: a placement of members, randomness and a temperature.
pub struct FluidWalk<'a, 'c> {
    /// The placement.
    pub state: Fluid<'c>,
    /// How much worse a proposal may be.
    pub temperature: f64,
    /// The price of a move now.
    pub price: f64,
    /// The least it may be, and the moves it is to lead to.
    goal: Goal,
    lottery: &'a Lottery,
    random: Random,
}

/// Draws of somebody to evict for one proposal.
const EVICTION_DRAWS: usize = 3;
/// Partners that follow at most.
const FOLLOWERS: usize = 4;

/// How fast the price follows the moves: its logarithm for each proposal per
/// replica; and the share of the limit by which they may be off before it
/// follows at full speed.
const PULL: f64 = 0.1;
const TOLERATED: f64 = 0.1;

impl<'a, 'c> FluidWalk<'a, 'c> {
    /// A walk from a placement; the lottery's pairs are members. A limit on
    /// moves is kept by the price alone, which begins as given.
    pub fn new(
        state: Fluid<'c>,
        (goal, price): (Goal, f64),
        lottery: &'a Lottery,
        random: Random,
    ) -> Self {
        Self {
            state,
            temperature: 0.0,
            price: price.max(goal.price),
            goal,
            lottery,
            random,
        }
    }

    /// Makes `count` proposals.
    pub fn run(&mut self, count: u64) {
        if self.lottery.is_empty() || self.state.nodes.len() < 2 {
            return;
        }
        for _ in 0..count {
            self.propose();
        }
    }

    /// After so many proposals: the price rises while there are more moves than
    /// `limit` and falls while there are fewer, the faster the further off they
    /// are (in shares of `scale`), so that the walk spends its moves where they
    /// gain most at every temperature.
    pub fn pull(&mut self, proposals: u64, limit: f64, scale: f64) {
        let sweep = proposals as f64 / self.state.core.replicas.max(1.0);
        let off = (self.state.moves - limit) / (TOLERATED * scale.max(1.0));
        let factor = (PULL * sweep * off.clamp(-1.0, 1.0)).exp();
        self.price = (self.price * factor).clamp(self.goal.price.max(1e-12), 1.0);
    }

    #[inline]
    fn below(&mut self, limit: usize) -> usize {
        let high = self.random.next_u64() >> 32;
        ((high * limit as u64) >> 32) as usize
    }

    fn any_home(&mut self, member: usize) -> Option<u32> {
        let homes = self.state.homes(member).len();
        if homes == 0 {
            return None;
        }
        let at = self.below(homes);
        Some(self.state.homes(member)[at])
    }

    /// A node where the member stood at first, by replicas.
    fn any_origin(&mut self, member: usize) -> Option<u32> {
        let origins = self.state.core.origins(member);
        if origins.is_empty() {
            return None;
        }
        let node = origins[self.below(origins.len())];
        // In a lane the old home may belong to another lane.
        self.state.owns(node).then_some(node)
    }

    fn any_node(&mut self) -> u32 {
        let at = self.below(self.state.nodes.len());
        self.state.nodes[at]
    }

    /// Replicas of a member go to a partner, one time in eight home or anywhere;
    /// one time in four, partners beside them follow; where there is no room
    /// others are evicted.
    fn propose(&mut self) {
        let random = self.random.next_u64();
        let kind = (random >> 1) & 15;
        let (member, partner) = self.lottery.draw(random);
        let (member, partner) = (member as usize, partner as usize);
        if !self.state.core.movable[member] {
            return;
        }
        let to = match kind {
            0 => Some(self.any_node()),
            1 => self.any_origin(member),
            _ => self.any_home(partner),
        };
        let (Some(from), Some(to)) = (self.any_home(member), to) else {
            return;
        };
        if from == to {
            return;
        }
        let here = self.state.count(member, from);
        let count = match (random >> 5) & 3 {
            _ if here == 1 => 1,
            0 | 1 => 1,
            2 => here,
            _ => self.matching(member, partner, to).clamp(1, here),
        };
        let alone = kind < 12;
        if alone && self.state.fits(member, to, count) {
            let (gain, moves) = self.state.change_if(member, from, to, count);
            if self.accepts(gain - self.price * moves) {
                self.state.shift(member, from, to, count);
                self.state.commit();
            }
            return;
        }
        if alone && (random >> 7) & 3 != 0 {
            return;
        }
        let (gain, moves) = (self.state.gain, self.state.moves);
        self.state.shift(member, from, to, count);
        if !alone {
            self.follow(member, from, to, count);
        }
        self.evict(from, to);
        let better = self.state.gain - gain - self.price * (self.state.moves - moves);
        if self.accepts(better) && self.state.steps_hold() {
            self.state.commit();
        } else {
            self.state.rollback(gain, moves);
        }
    }

    /// How many more replicas of a member balance the partner's share at a node.
    fn matching(&self, member: usize, partner: usize, node: u32) -> u32 {
        let core = self.state.core;
        let d = |m: usize| u64::from(core.view.replicas[core.members[m] as usize]).max(1);
        let there = u64::from(self.state.count(partner, node));
        let wanted = (there * d(member)).div_ceil(d(partner)) as u32;
        wanted.saturating_sub(self.state.count(member, node))
    }

    /// Some partners on the same node go along, in proportion.
    fn follow(&mut self, member: usize, from: u32, to: u32, count: u32) {
        let core = self.state.core;
        let replicas = |m: usize| f64::from(core.view.replicas[core.members[m] as usize]);
        let share = f64::from(count) / replicas(member);
        let links = core.links(member);
        let (offset, most) = (self.below(links.len()), 1 + self.below(FOLLOWERS));
        for i in 0..links.len().min(most) {
            let other = links[(offset + i) % links.len()].to as usize;
            let here = self.state.count(other, from);
            if here > 0 && core.movable[other] && !self.state.just_shifted(other) {
                let wanted = (share * replicas(other)).round().max(1.0) as u32;
                self.state.shift(other, from, to, wanted.min(here));
            }
        }
    }

    /// Others leave a crowded node, for the one just vacated or any with room.
    fn evict(&mut self, vacated: u32, crowded: u32) {
        for _ in 0..EVICTION_DRAWS {
            if self.state.steps_hold() {
                return;
            }
            let listed = self.below(self.state.present(crowded).len());
            let other = self.state.present(crowded)[listed] as usize;
            let here = self.state.count(other, crowded);
            if here == 0 || !self.state.core.movable[other] || self.state.just_shifted(other) {
                continue;
            }
            let count = 1 + self.below(here as usize) as u32;
            let to = if self.random.next_u32() & 1 == 0 {
                vacated
            } else {
                self.any_node()
            };
            if to != crowded && self.state.fits(other, to, count) {
                self.state.shift(other, crowded, to, count);
            }
        }
    }

    #[inline]
    fn accepts(&mut self, better: f64) -> bool {
        accepts(better, self.temperature, &mut self.random)
    }
}
