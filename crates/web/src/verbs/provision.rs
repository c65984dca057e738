//! The options of `provision`.

use bayplan::flags;
use bayplan_model::Problem;
use bayplan_solve::SolveError;
use bayplan_solve::provision::Params;

use super::Asked;
use super::options::{Chosen, OptionKind, OptionView};

pub fn options() -> Vec<OptionView> {
    vec![
        OptionView::new(
            "repack",
            OptionKind::Flag,
            "Let what runs now move; without it the cluster only grows.",
        )
        .important(),
        OptionView::new(
            "headroom",
            OptionKind::Text,
            "Share of a resource to keep free on every node, such as cpu=10%.",
        )
        .important(),
        OptionView::new(
            "survive",
            OptionKind::Text,
            "Survive the loss of any one node, or of all nodes that share a label, such as zone.",
        )
        .important(),
        OptionView::new(
            "at_most",
            OptionKind::Integer,
            "At most this many new nodes; what does not fit is listed with the reason.",
        )
        .unit("nodes"),
        OptionView::new(
            "alpha",
            OptionKind::Number,
            "Weight of demand against links in the hybrid measure, 0 to 1.",
        )
        .by_default(1.0),
        OptionView::new(
            "as_published",
            OptionKind::Flag,
            "Reproduce the authors' program: FF, Medea-TP, SpreadWFD-Avg-BinSearch.",
        ),
    ]
}

pub fn asked(algorithm: String, chosen: &Chosen, problem: &Problem) -> Result<Asked, SolveError> {
    let nodes = chosen.integer("at_most").map(|count| {
        u32::try_from(count).map_err(|_| SolveError::Parameter {
            name: "--at-most",
            problem: format!("{count} nodes are too many"),
        })
    });
    let alpha = chosen.number("alpha").unwrap_or(1.0);
    if alpha > 1.0 {
        return Err(SolveError::Parameter {
            name: "--alpha",
            problem: format!("from 0 to 1, not {alpha}"),
        });
    }
    Ok(Asked::Plain(Box::new(Params {
        algorithm,
        nodes: nodes.transpose()?,
        as_published: chosen.flag("as_published"),
        repack: chosen.flag("repack"),
        headroom: flags::headroom(chosen.list("headroom"), problem)?,
        survive: chosen.text("survive").map(flags::survive),
        alpha,
        ..Params::default()
    })))
}
