//! Asking a question for a cell.

use bayplan::{Outcome, Question, answer};
use bayplan_model::Problem;
use bayplan_solve::{Budget, Figure};

use super::Values;
use super::runner::Ask;

/// Asks within a budget; `read` takes the figures out of the checked outcome.
pub(super) fn ask<Q: Question + Send + Sync + 'static>(
    question: Q,
    seed: u64,
    budget: Budget,
    read: impl Fn(&Problem, &Outcome) -> Values + Send + Sync + 'static,
) -> Ask {
    Box::new(move |problem, setting| {
        let outcome = answer(problem, &question, &setting.context(seed, budget))?;
        Ok((read(problem, &outcome), outcome.cpu_seconds))
    })
}

/// A figure of the verb's own.
pub(super) fn figure(outcome: &Outcome, name: &str) -> Option<f64> {
    let found = outcome.figures.iter().find(|(known, _)| *known == name)?;
    match found.1 {
        Figure::Count(count) => Some(count as f64),
        Figure::Number(number) => Some(number),
        Figure::Text(_) => None,
    }
}

/// 1 where a statement holds, else 0: its mean is a share.
pub(super) fn share(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}
