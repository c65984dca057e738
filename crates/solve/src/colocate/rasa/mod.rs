//! RASA: partition the services, solve each part by the integer program or by
//! column generation, combine (section IV of the paper).

pub mod cg;
mod combine;
pub mod mip;
pub mod part;
pub mod partition;
pub mod power_law;
pub mod select;
mod split;
#[cfg(test)]
mod tests;

use super::evolve::{Effort, Found};
use super::view::{Spot, View};
use crate::{Context, Figure};
use combine::combine;
use part::{Part, share_nodes};
use power_law::PowerLaw;
use select::Selector;

/// How services are put into parts (sections IV-B and V-B).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Partition {
    /// Non-affinity out, master services, compatibility blocks, balanced split.
    #[default]
    MultiStage,
    /// One part.
    None,
    /// Equal parts at random.
    Random,
    /// Equal parts with little traffic between them, by a multilevel cut.
    MinCut,
}

/// Which member of the pool solves a part (section IV-C).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PoolMember {
    /// As the selector says, for each part.
    #[default]
    Auto,
    /// The integer program.
    Mip,
    /// Column generation.
    Cg,
}

/// What becomes of services outside of all parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Trivial {
    /// Parts are given whole nodes, as the authors' program does; afterwards
    /// the others go back to their old place as far as there is room, and
    /// elsewhere otherwise.
    #[default]
    Yield,
    /// They stay, and what they need is subtracted from the nodes (section
    /// IV-B5).
    Stay,
}

/// What can be chosen in RASA.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choices {
    /// How services are put into parts.
    pub partition: Partition,
    /// How many services are masters, in percent of the paper's number.
    pub masters: u32,
    /// Who solves a part.
    pub pool: PoolMember,
    /// Who chooses when `pool` does not.
    pub selector: Selector,
    /// What becomes of services outside of all parts.
    pub trivial: Trivial,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            partition: Partition::default(),
            masters: 100,
            pool: PoolMember::default(),
            selector: Selector::default(),
            trivial: Trivial::default(),
        }
    }
}

/// The answer of a member of the pool for one part.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// Where the part's services stand, in the part's numbers.
    pub spots: Vec<Spot>,
    /// Gained affinity inside the part.
    pub gain: f64,
    /// What no placement of the part on its own nodes can exceed, where the
    /// member proved something.
    pub bound: Option<f64>,
    /// Who found it.
    pub by: PoolMember,
}

/// An answer of RASA with what its partition gave away.
#[derive(Clone, PartialEq, Debug)]
pub struct Combined {
    /// The placement: never fewer replicas placed, and never less traffic
    /// local, than in the placement RASA was given.
    pub found: Found,
    /// How many parts.
    pub parts: usize,
    /// How many of them column generation solved.
    pub by_cg: usize,
    /// Share of the traffic between different parts or outside of all.
    pub lost: f64,
    /// What the parts together cannot exceed on their nodes, when every member
    /// of the pool proved something.
    pub bound_of_parts: Option<f64>,
    /// How total affinity falls with rank (Fig. 5).
    pub law: Option<PowerLaw>,
    /// Whether the combination was no better than the start and dropped.
    pub kept_start: bool,
}

impl Combined {
    /// What the partition and the pool did, in words.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!(
            "{} parts, {} of them by column generation; {:.4} of the traffic is between parts or outside of all",
            self.parts, self.by_cg, self.lost
        )];
        notes.extend(self.law.map(|law| {
            format!(
                "total affinity falls with rank as rank^-{:.2} (explains {:.0} % of its logarithm's variance; an exponential {:.0} %)",
                law.beta,
                law.fit * 100.0,
                law.exponential_fit * 100.0
            )
        }));
        if self.kept_start {
            notes.push(
                "the parts together were no better than the current placement: nothing is moved"
                    .into(),
            );
        }
        notes
    }

    /// The same as figures.
    pub fn figures(&self) -> Vec<(&'static str, Figure)> {
        let mut figures = vec![
            ("parts", Figure::Count(self.parts as u64)),
            ("parts_by_cg", Figure::Count(self.by_cg as u64)),
            ("partition_loss", Figure::Number(self.lost)),
        ];
        if let Some(bound) = self.bound_of_parts {
            figures.push(("bound_of_parts", Figure::Number(bound)));
        }
        if let Some(law) = self.law {
            figures.push(("power_law_beta", Figure::Number(law.beta)));
            figures.push(("power_law_fit", Figure::Number(law.fit)));
            figures.push(("exponential_fit", Figure::Number(law.exponential_fit)));
        }
        figures
    }
}

/// Steps when neither time nor steps are limited.
const UNLIMITED: u64 = 1_000_000;

/// Runs RASA from a legal placement until a second of the run's clock, or for
/// as many steps as the run has: the parts share either by their traffic.
pub fn rasa_with(
    view: &View,
    from: &[Spot],
    choices: Choices,
    until: Option<f64>,
    context: &Context,
) -> Combined {
    let sets = partition::partition(view, choices, &mut context.random(0));
    let rest = combine::around(view, from, &sets, choices.trivial);
    let parts = share_nodes(view, &rest, &sets);
    let mut left: f64 = parts.iter().map(stake).sum();
    let mut steps = context.steps().unwrap_or(UNLIMITED);
    let mut answers = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let share = stake(part) / left;
        let effort = match until {
            Some(until) => Effort::Seconds((until - context.elapsed()).max(0.0) * share),
            None => Effort::Steps((steps as f64 * share) as u64),
        };
        if let Effort::Steps(spent) = effort {
            steps -= spent.min(steps);
        }
        left -= stake(part);
        let lane = 0x100 * (at as u64 + 1);
        answers.push(solve_part(part, choices, effort, lane, context));
    }
    let by_cg = answers.iter().filter(|a| a.by == PoolMember::Cg).count();
    let (found, kept_start) = combine(view, from, &sets, rest, &parts, &answers);
    Combined {
        found,
        parts: parts.len(),
        by_cg,
        lost: partition::lost(view, &sets),
        bound_of_parts: answers.iter().map(|answer| answer.bound).sum(),
        law: PowerLaw::of(view),
        kept_start,
    }
}

/// What a part's share of the time follows: its traffic, and a little for all.
fn stake(part: &Part) -> f64 {
    part.view.edges.iter().map(|edge| edge.weight).sum::<f64>() + 0.01
}

/// Solves one part by the member asked for or chosen.
pub fn solve_part(
    part: &Part,
    choices: Choices,
    effort: Effort,
    lane: u64,
    context: &Context,
) -> Answer {
    let view = &part.view;
    let start = part.start(lane, context);
    let run = |member: PoolMember| match member {
        PoolMember::Mip => mip::improve(view, start.clone(), effort, lane, context),
        _ => cg::column_generation(view, start.clone(), effort, context),
    };
    let member = match choices.pool {
        PoolMember::Auto => choices.selector.choose(view),
        member => Some(member),
    };
    match member {
        Some(member) => run(member),
        // Both at once, each on its thread; the better answer, the integer
        // program's when they are equal.
        None => {
            let both = context.lanes(2, |which| run([PoolMember::Mip, PoolMember::Cg][which]));
            let better = |best: Answer, next: Answer| {
                if next.gain > best.gain { next } else { best }
            };
            both.into_iter().reduce(better).expect("two answers")
        }
    }
}
