//! The options of `admit`.

use bayplan_solve::SolveError;
use bayplan_solve::admit::Params;

use super::Asked;
use super::options::{Chosen, OptionKind, OptionView};

pub fn options() -> Vec<OptionView> {
    vec![
        OptionView::new(
            "online",
            OptionKind::Flag,
            "Decide at each arrival, with prices learnt from the recent past.",
        )
        .important(),
        OptionView::new(
            "window",
            OptionKind::Number,
            "How far back online prices look, in the input's time units.",
        ),
    ]
}

pub fn asked(algorithm: String, chosen: &Chosen) -> Result<Asked, SolveError> {
    let (online, window) = (chosen.flag("online"), chosen.number("window"));
    if window.is_some() && !online {
        return Err(SolveError::Parameter {
            name: "--window",
            problem: "it is for online decisions: set online too".into(),
        });
    }
    Ok(Asked::Plain(Box::new(Params {
        algorithm,
        online,
        window,
        history: None,
    })))
}
