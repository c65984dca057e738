//! What a solver hands back, before anybody checked it.

use bayplan_model::Plan;

/// Why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoppedBy {
    /// The answer equals the bound.
    Proof,
    /// The steps were used up.
    Steps,
    /// The time was used up.
    Time,
    /// Somebody asked to stop.
    Interrupt,
    /// The algorithm has nothing more to try.
    End,
}

impl StoppedBy {
    /// The word in the JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Proof => "proof",
            Self::Steps => "steps",
            Self::Time => "time",
            Self::Interrupt => "interrupt",
            Self::End => "end",
        }
    }
}

/// A figure of a verb's own, for people and for the JSON.
#[derive(Clone, PartialEq, Debug)]
pub enum Figure {
    /// A count.
    Count(u64),
    /// A real number.
    Number(f64),
    /// Words.
    Text(String),
}

/// An answer with its claim of quality.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// The answer.
    pub plan: Plan,
    /// Its value, as the solver counts it; the verifier recounts.
    pub objective: f64,
    /// What no answer can beat; `None` when nothing is known.
    pub bound: Option<f64>,
    /// Whether the objective is proven to be the best possible.
    pub proven: bool,
    /// Why the run ended.
    pub stopped_by: StoppedBy,
    /// The algorithm that found it, by its registry name.
    pub algorithm: String,
    /// The verb's own figures beyond what the verifier recounts, by JSON name.
    pub figures: Vec<(&'static str, Figure)>,
    /// What a person should know about this answer.
    pub notes: Vec<String>,
}
