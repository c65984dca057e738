//! What confidence costs: the same problem at several confidences.

use bayplan_model::Problem;

use super::{Objective, Params};
use crate::{Budget, Context, SolveError};

/// The confidences asked for when none are given: one nine after the other,
/// with steps between.
pub const CONFIDENCES: [f64; 9] = [0.5, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999, 0.99999];

/// An answer at one confidence.
#[derive(Clone, Debug)]
pub struct Point<A> {
    /// The confidence.
    pub confidence: f64,
    /// D at that confidence.
    pub d_alpha: f64,
    /// The answer.
    pub answer: A,
}

/// Asks at each confidence, ascending, each with an equal share of the time that is left
/// (or all the steps). Stops early only when somebody asks to.
///
/// # Errors
/// Those of `ask`, and a confidence outside its range.
pub fn curve<A, E: From<SolveError>>(
    problem: &Problem,
    params: &Params,
    confidences: &[f64],
    ctx: &Context,
    ask: impl Fn(&Problem, &Params, &Context) -> Result<A, E>,
) -> Result<Vec<Point<A>>, E> {
    let mut sorted = confidences.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let mut points = Vec::new();
    for (done, &confidence) in sorted.iter().enumerate() {
        if ctx.interrupted() {
            break;
        }
        let at = Params {
            confidence,
            d_alpha: None,
            objective: Some(params.goal()),
            ..params.clone()
        };
        let budget = match ctx.budget() {
            Budget::Steps(steps) => Budget::Steps(steps),
            Budget::Seconds(_) => {
                Budget::Seconds(ctx.seconds_left() / (sorted.len() - done) as f64)
            }
        };
        let part =
            Context::new(ctx.seed(), budget, ctx.threads()).with_stop(ctx.stop_flag().clone());
        let d_alpha = at.d()?;
        points.push(Point {
            confidence,
            d_alpha,
            answer: ask(problem, &at, &part)?,
        });
    }
    Ok(points)
}

/// The price of one more nine: from the confidence `from` to the one with a
/// tenth of its risk, as (machines or UCaC before, after).
pub fn one_more_nine<A>(
    points: &[Point<A>],
    from: f64,
    value: impl Fn(&A) -> f64,
) -> Option<(f64, f64)> {
    let near = |wanted: f64| points.iter().find(|p| (p.confidence - wanted).abs() < 1e-9);
    let next = 1.0 - (1.0 - from) / 10.0;
    Some((value(&near(from)?.answer), value(&near(next)?.answer)))
}

/// The word for an objective in tables.
pub fn objective_word(objective: Objective) -> &'static str {
    match objective {
        Objective::Ucac => "ucac",
        Objective::Machines => "machines",
    }
}
