//! The options of `colocate`.

use bayplan::flags;
use bayplan_model::Problem;
use bayplan_solve::SolveError;
use bayplan_solve::colocate::Params;

use super::Asked;
use super::options::{Chosen, OptionKind, OptionView};

pub fn options() -> Vec<OptionView> {
    vec![
        OptionView::new(
            "frontier",
            OptionKind::Flag,
            "Several plans: gain against moves.",
        )
        .important(),
        OptionView::new(
            "max_moves",
            OptionKind::Integer,
            "The most replicas that may move.",
        )
        .unit("replicas")
        .important(),
        OptionView::new(
            "alive",
            OptionKind::Percent,
            "Share of each service's replicas alive at all times while moving.",
        )
        .by_default(75.0)
        .unit("%")
        .important(),
        OptionView::new(
            "move_price",
            OptionKind::Number,
            "Share of all traffic that one move must bring at least, such as 0.00002.",
        )
        .unit("share of traffic"),
        OptionView::new(
            "min_gain",
            OptionKind::Number,
            "Move nothing unless this share of all traffic is gained, such as 0.03.",
        )
        .by_default(0.0)
        .unit("share of traffic"),
        OptionView::new(
            "level",
            OptionKind::Text,
            "Count traffic as local among nodes that share this label, such as rack or zone.",
        ),
        OptionView::new(
            "leave_alone",
            OptionKind::Text,
            "Services not to touch: names with commas between.",
        ),
        OptionView::new(
            "allow_outage",
            OptionKind::Flag,
            "Allow one replica of a service fewer than alive says, where no other way leads on.",
        ),
        OptionView::new(
            "no_waves",
            OptionKind::Flag,
            "Only the placement, not the way there.",
        ),
    ]
}

pub fn asked(algorithm: String, chosen: &Chosen, problem: &Problem) -> Result<Asked, SolveError> {
    let alive = chosen.percent("alive").unwrap_or_else(|| "75%".into());
    let params = Params {
        algorithm,
        max_moves: chosen.integer("max_moves"),
        move_price: chosen.number("move_price"),
        gain_label: chosen.text("level").map(String::from),
        leave_alone: flags::leave_alone(chosen.list("leave_alone"), problem)?,
        min_gain: chosen.number("min_gain").unwrap_or(0.0),
        alive: flags::share_millionths("--alive", &alive)?,
        allow_outage: chosen.flag("allow_outage"),
        waves: !chosen.flag("no_waves"),
        ..Params::default()
    };
    Ok(if chosen.flag("frontier") {
        Asked::Frontier(params)
    } else {
        Asked::Plain(Box::new(params))
    })
}
