//! Scores of a service on a node (section 4.3, Table 2); higher is better.

use super::measure::{inverse_capacity, total_demand};
use super::state::State;

/// The four scores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Score {
    DotProduct,
    L2Norm,
    Fitness,
    TightFill,
}

impl Score {
    pub const ALL: [Self; 4] = [
        Self::DotProduct,
        Self::L2Norm,
        Self::Fitness,
        Self::TightFill,
    ];

    /// The paper's name, and the spelling of the published tables.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::DotProduct => &["DotProduct"],
            Self::L2Norm => &["L2Norm"],
            Self::Fitness => &["Fitness"],
            Self::TightFill => &["TightFill", "DotDivision"],
        }
    }
}

/// A score with what it needs to know of all services and nodes.
pub(super) struct Scorer {
    score: Score,
    inverse: Vec<f64>,
    /// 1 / W_h.
    demand: Vec<f64>,
    /// Residual of all nodes per dimension, in shares of a node.
    free: Vec<f64>,
}

impl Scorer {
    pub fn new(state: &State, score: Score) -> Self {
        let demand = total_demand(state.view).into_iter();
        let mut scorer = Self {
            score,
            inverse: inverse_capacity(state.view),
            demand: demand
                .map(|w| if w > 0.0 { 1.0 / w } else { 0.0 })
                .collect(),
            free: vec![0.0; state.view.width],
        };
        for node in (0..state.nodes()).filter(|node| !state.is_shut(*node)) {
            scorer.note_opened(state, node);
        }
        scorer
    }

    /// A node was opened.
    pub fn note_opened(&mut self, state: &State, node: usize) {
        let rows = self
            .free
            .iter_mut()
            .zip(state.residual(node))
            .zip(&self.inverse);
        rows.for_each(|((free, units), inverse)| *free += *units as f64 * inverse);
    }

    /// Replicas were placed.
    pub fn note_placed(&mut self, row: &[u64], count: u32) {
        let rows = self.free.iter_mut().zip(row).zip(&self.inverse);
        rows.for_each(|((free, units), inverse)| {
            *free -= *units as f64 * inverse * f64::from(count);
        });
    }

    /// The score of a replica with this demand on a node with this residual.
    pub fn of(&self, row: &[u64], residual: &[i64]) -> f64 {
        let shares = row.iter().zip(residual).zip(&self.inverse);
        let shares = shares.map(|((s, c), inverse)| (*s as f64 * inverse, *c as f64 * inverse));
        match self.score {
            Score::DotProduct => shares.map(|(s, c)| s * c).sum(),
            Score::L2Norm => -shares.map(|(s, c)| (c - s) * (c - s)).sum::<f64>(),
            Score::TightFill => shares.map(|(s, c)| if c > 0.0 { s / c } else { 0.0 }).sum(),
            Score::Fitness => {
                let totals = self.demand.iter().zip(&self.free);
                let terms = shares.zip(totals);
                terms
                    .map(|((s, c), (w, free))| s * w * c / free.max(f64::MIN_POSITIVE))
                    .sum()
            }
        }
    }
}
