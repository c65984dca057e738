//! The answer in one line, before anything else.

use bayplan::Outcome;
use bayplan_model::{Plan, Problem};
use bayplan_verify::Objective;

use crate::numbers::{grouped, percent, significant};

/// The verdict: what was found, and how good it is.
pub fn verdict(problem: &Problem, outcome: &Outcome) -> String {
    let figures = &outcome.report.figures;
    let unit = problem
        .cluster()
        .resources
        .first()
        .map_or("", |resource| resource.unit.as_str());
    let found = match outcome.kind {
        Objective::Nodes => match figures.instances {
            Some(instances) => format!(
                "{} nodes, {} instances",
                grouped(figures.nodes),
                grouped(instances)
            ),
            None => format!("{} nodes", grouped(figures.nodes)),
        },
        Objective::Cost => {
            format!(
                "cost {} with {} nodes",
                significant(outcome.objective),
                grouped(figures.nodes)
            )
        }
        Objective::GainedAffinity => {
            let moves = figures.moves.unwrap_or(0);
            format!(
                "{} of traffic local, {} moves",
                percent(outcome.objective),
                grouped(moves)
            )
        }
        Objective::Ucac => format!(
            "{} {unit}s used at confidence on {} nodes",
            significant(outcome.objective),
            grouped(figures.nodes)
        ),
        Objective::MaxLoad => format!(
            "busiest node serves {} {unit}s",
            significant(outcome.objective)
        ),
        Objective::Weight => admitted(problem, outcome),
    };
    let waves = match &outcome.plan {
        Plan::Placement(plan) if !plan.waves.is_empty() => {
            format!(" in {} waves", plan.waves.len())
        }
        _ => String::new(),
    };
    let mut text = format!("{found}{waves}, {}", quality(outcome));
    let missing: u64 = outcome
        .unplaced
        .iter()
        .map(|(_, count, _)| u64::from(*count))
        .sum();
    if missing > 0 {
        text.push_str(&format!("; {} replicas have no place", grouped(missing)));
    }
    text
}

fn admitted(problem: &Problem, outcome: &Outcome) -> String {
    let all = problem.requests().map_or(0, bayplan_model::Requests::len) as u64;
    let admitted = outcome.report.figures.admitted.unwrap_or(0);
    let share = if all == 0 {
        1.0
    } else {
        admitted as f64 / all as f64
    };
    format!(
        "{} of {} requests admitted ({})",
        grouped(admitted),
        grouped(all),
        percent(share)
    )
}

/// How far from the best possible.
fn quality(outcome: &Outcome) -> String {
    match (outcome.proven, outcome.gap) {
        (true, _) => "proven optimal".into(),
        (false, Some(gap)) if outcome.kind.maximises() => {
            let more = gap / (1.0 - gap).max(f64::EPSILON);
            format!("at most {} more is possible", percent(more))
        }
        (false, Some(gap)) => format!("at most {} above the best possible", percent(gap)),
        (false, None) => "no bound known".into(),
    }
}
