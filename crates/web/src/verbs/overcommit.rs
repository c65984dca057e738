//! The options of `overcommit`.

use bayplan::flags;
use bayplan_model::Problem;
use bayplan_solve::SolveError;
use bayplan_solve::overcommit::risk::fitting_rounds;
use bayplan_solve::overcommit::{Objective, Params, Tail};

use super::Asked;
use super::options::{Chosen, OptionKind, OptionView};

/// The most rounds of sampling: minutes, not days.
const MOST_ROUNDS: u64 = 1_000_000;

pub fn options() -> Vec<OptionView> {
    vec![
        OptionView::new(
            "confidence",
            OptionKind::Number,
            "Probability with which a node's demand must fit.",
        )
        .by_default(0.999)
        .important(),
        OptionView::new(
            "curve",
            OptionKind::Flag,
            "What confidence costs: one nine after the other.",
        )
        .important(),
        OptionView::new(
            "objective",
            OptionKind::Choice,
            "What is to be least; machines for CSP-Mac, ucac for all others unless given.",
        )
        .among(&["ucac", "machines"])
        .important(),
        OptionView::new(
            "tail",
            OptionKind::Choice,
            "What is assumed of the tails of usage.",
        )
        .by_default("gaussian")
        .among(&["gaussian", "hoeffding", "cantelli"]),
        OptionView::new(
            "d_alpha",
            OptionKind::Number,
            "The confidence as a number of standard deviations.",
        )
        .unit("deviations"),
        OptionView::new(
            "n_sigma",
            OptionKind::Number,
            "For BF-n-sigma: deviations added to each mean; D unless given.",
        )
        .unit("deviations"),
        OptionView::new(
            "tune",
            OptionKind::Flag,
            "For BF-n-sigma: find the best n that still holds at the confidence.",
        ),
        OptionView::new(
            "samples",
            OptionKind::Integer,
            "Rounds of sampling for the violation rate; 0: none.",
        )
        .unit("rounds"),
    ]
}

fn refuse<T>(name: &'static str, problem: &str) -> Result<T, SolveError> {
    let problem = problem.into();
    Err(SolveError::Parameter { name, problem })
}

pub fn asked(algorithm: String, chosen: &Chosen, problem: &Problem) -> Result<Asked, SolveError> {
    let (confidence, d_alpha) = (chosen.number("confidence"), chosen.number("d_alpha"));
    if confidence.is_some() && d_alpha.is_some() {
        return refuse("--d-alpha", "give it or a confidence, not both");
    }
    flags::d_alpha(confidence, d_alpha)?;
    if chosen.flag("tune") && chosen.number("n_sigma").is_some() {
        return refuse("--tune", "give it or n_sigma, not both");
    }
    let samples = match chosen.integer("samples") {
        Some(rounds) if rounds > MOST_ROUNDS => return refuse("--samples", "at most a million"),
        Some(rounds) => rounds,
        None => {
            let services = problem.services();
            let all = services.map_or(0, |s| s.replicas.iter().map(|r| u64::from(*r)).sum());
            fitting_rounds(all)
        }
    };
    let params = Params {
        algorithm,
        objective: chosen.text("objective").map(|word| match word {
            "machines" => Objective::Machines,
            _ => Objective::Ucac,
        }),
        confidence: confidence.unwrap_or(0.999),
        tail: match chosen.text("tail") {
            Some("hoeffding") => Tail::Hoeffding,
            Some("cantelli") => Tail::Cantelli,
            _ => Tail::Gaussian,
        },
        d_alpha,
        n_sigma: chosen.number("n_sigma"),
        tune: chosen.flag("tune"),
        samples,
        ..Params::default()
    };
    if !chosen.flag("curve") {
        return Ok(Asked::Plain(Box::new(params)));
    }
    if d_alpha.is_some() {
        return refuse("--curve", "it goes over confidences; leave out d_alpha");
    }
    Ok(Asked::Curve(params))
}
