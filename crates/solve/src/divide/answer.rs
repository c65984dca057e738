//! A division with what it leaves open, and the proof that goes with it.

use super::view::{Division, View};

/// What a method found.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The division.
    pub division: Division,
    /// Applications with load or instances missing, and that load.
    pub left: Vec<(u32, u64)>,
    /// A bound on the objective: price for `pack`, level for `balance`.
    pub bound: u64,
    /// Whether an exact method ended with a proof.
    pub exact: bool,
}

impl Answer {
    /// An answer without a proof.
    pub fn new(division: Division, left: Vec<(u32, u64)>) -> Self {
        Self {
            division,
            left,
            bound: 0,
            exact: false,
        }
    }

    /// Price of the nodes in use.
    pub fn price(&self, view: &View) -> u64 {
        view.price(&self.division)
    }

    /// Price of nodes and changes together.
    pub fn total(&self, view: &View) -> u64 {
        let (started, stopped) = view.changes(&self.division);
        self.price(view) + view.change_price.saturating_mul(started + stopped)
    }

    /// What makes one answer better than another: nothing left open, then the total.
    pub fn rank(&self, view: &View) -> (u64, u64) {
        let load: u64 = self.left.iter().map(|(_, load)| (*load).max(1)).sum();
        (load, self.total(view))
    }

    /// Load of the busiest node.
    pub fn level(&self) -> u64 {
        let loads = self
            .division
            .pieces
            .iter()
            .map(|p| p.iter().map(|piece| piece.load).sum());
        loads.max().unwrap_or(0)
    }
}
