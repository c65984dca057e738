//! The options of `divide`.

use bayplan::flags;
use bayplan_model::{Rounding, parse_units};
use bayplan_solve::SolveError;
use bayplan_solve::divide::{Objective, Params};

use super::Asked;
use super::options::{Chosen, OptionKind, OptionView};

pub fn options() -> Vec<OptionView> {
    vec![
        OptionView::new("objective", OptionKind::Choice, "What is to be least: nodes in use (or their cost), or the load of the busiest node.").by_default("pack").among(&["pack", "balance"]).important(),
        OptionView::new("cpu_threshold", OptionKind::Percent, "The most of a node's CPU that may be used.").by_default(100.0).unit("%").important(),
        OptionView::new("memory_threshold", OptionKind::Percent, "The most of a node's memory that may be used.").by_default(100.0).unit("%").important(),
        OptionView::new("change_price", OptionKind::Number, "Price of an instance started or stopped against what runs, as a part of a node's price.").by_default(0.0).unit("of a node"),
    ]
}

pub fn asked(algorithm: String, chosen: &Chosen) -> Result<Asked, SolveError> {
    let share = |flag, name| match chosen.percent(name) {
        Some(text) => flags::share_millionths(flag, &text),
        None => Ok(1_000_000),
    };
    let price = chosen.number("change_price").unwrap_or(0.0);
    let change_price = parse_units(&price.to_string(), 1_000_000, Rounding::Up);
    Ok(Asked::Plain(Box::new(Params {
        algorithm,
        objective: match chosen.text("objective") {
            Some("balance") => Objective::Balance,
            _ => Objective::Pack,
        },
        cpu_threshold: share("--cpu-threshold", "cpu_threshold")?,
        memory_threshold: share("--memory-threshold", "memory_threshold")?,
        change_price: change_price.map_err(|_| SolveError::Parameter {
            name: "--change-price",
            problem: format!("{price} is not a price"),
        })?,
    })))
}
