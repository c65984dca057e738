//! Labels for training: both members solve a part within the same time, and
//! once more within half of it, which is what racing them costs.

use super::super::super::evolve::Effort;
use super::super::super::view::View;
use super::super::part::{Part, share_nodes};
use super::super::{Choices, PoolMember, Trivial, combine, partition, solve_part};
use super::by_thumb;
use super::graph::FeatureGraph;
use crate::{Budget, Context};

/// A part both members tried.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// What the networks see.
    pub graph: FeatureGraph,
    /// Gain of column generation, and of the integer program.
    pub gains: [f64; 2],
    /// Gain of the better of the two with half the time each.
    pub raced: f64,
    /// What the rule of thumb chooses.
    pub thumb: PoolMember,
}

impl Sample {
    /// The better member; `None` when they are equal and nothing is to be learned.
    pub fn label(&self) -> Option<PoolMember> {
        let [cg, mip] = self.gains;
        // Differences of a ten-thousandth of the gain are chance.
        let margin = 1e-4 * cg.max(mip);
        if (cg - mip).abs() <= margin {
            return None;
        }
        Some(if cg > mip {
            PoolMember::Cg
        } else {
            PoolMember::Mip
        })
    }

    /// What a member gained.
    pub fn gain_of(&self, member: PoolMember) -> f64 {
        self.gains[usize::from(member == PoolMember::Mip)]
    }
}

/// The parts of a cluster as RASA makes them.
pub fn parts(view: &View, seed: u64) -> Vec<Part> {
    let context = Context::new(seed, Budget::Steps(1), 1);
    let sets = partition::partition(view, Choices::default(), &mut context.random(0));
    let rest = combine::around(view, &view.original, &sets, Trivial::Yield);
    share_nodes(view, &rest, &sets)
}

/// Tries both members on a part, one thread and so many seconds each.
pub fn sample(part: &Part, seconds: f64, seed: u64) -> Sample {
    let gain = |pool: PoolMember, seconds: f64| {
        let context = Context::new(seed, Budget::Seconds(f64::INFINITY), 1);
        let choices = Choices {
            pool,
            ..Choices::default()
        };
        solve_part(part, choices, Effort::Seconds(seconds), 0x100, &context).gain
    };
    let members = [PoolMember::Cg, PoolMember::Mip];
    let gains = members.map(|member| gain(member, seconds));
    let halves = members.map(|member| gain(member, seconds / 2.0));
    Sample {
        graph: FeatureGraph::new(&part.view),
        gains,
        raced: halves[0].max(halves[1]),
        thumb: by_thumb(&part.view),
    }
}
