//! The way from the current placement to a new one (section IV-E of the paper,
//! completed): waves of only deletes or only creates, legal in any order inside
//! a wave, with enough replicas of every service alive at all times. Replicas
//! are created first where there is room; full nodes that wait for each other
//! are freed through a third, or, if that is allowed, by an outage of one
//! replica.

mod planner;
#[cfg(test)]
mod tests;

use bayplan_model::Wave;

use super::view::{Spot, View};
use planner::Planner;

/// What must hold on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Safety<'a> {
    /// Share of each service that must be alive, in millionths, rounded up.
    pub alive: u32,
    /// Replicas of each service that must be alive by its own rule.
    pub own: &'a [u32],
    /// Whether, where nothing else helps, a service may for a while have one
    /// replica fewer than that.
    pub outage: bool,
}

impl Safety<'_> {
    /// The fewest replicas of a service that may be alive.
    pub fn floor(&self, service: u32, replicas: u32) -> u32 {
        let share = (u64::from(replicas) * u64::from(self.alive)).div_ceil(1_000_000) as u32;
        let own = self.own.get(service as usize).copied().unwrap_or(0);
        share.max(own).min(replicas)
    }
}

/// An ordered plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Migration {
    /// The waves, in order.
    pub waves: Vec<Wave>,
    /// Where they end: the target, or as far as a legal way leads.
    pub reached: Vec<Spot>,
    /// Replicas that took the way over a third node.
    pub detours: u64,
    /// Services that for a while had one replica fewer than must be alive, in
    /// the order it happened; empty unless that was allowed.
    pub outages: Vec<u32>,
    /// Services that could not go on, with the node each waits for; empty when
    /// the target is reached.
    pub stuck: Vec<(u32, u32)>,
}

/// Plans the way from the view's current placement to `target`.
pub fn plan(view: &View, target: &[Spot], safety: Safety) -> Migration {
    Planner::new(view, target, safety).run()
}
