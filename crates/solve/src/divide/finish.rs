//! From an answer to a solution: plan, objective, claim of quality, notes.

use bayplan_model::{Plan, Problem, format_units};

use super::answer::Answer;
use super::view::View;
use super::{Objective, bounds};
use crate::{Context, Figure, Solution, StoppedBy};

/// Assembles the solution.
pub fn solution(
    problem: &Problem,
    view: &View,
    objective: Objective,
    mut answer: Answer,
    algorithm: &str,
    ctx: &Context,
) -> Solution {
    let complete = answer.left.is_empty();
    leave_out(view, &mut answer);
    let (units, scale) = match objective {
        Objective::Pack => (answer.price(view), 1e6),
        Objective::Balance => (answer.level(), 1.0),
    };
    let proven = complete && units <= answer.bound;
    let stopped_by = if proven {
        StoppedBy::Proof
    } else if ctx.interrupted() {
        StoppedBy::Interrupt
    } else if ctx.must_stop() {
        StoppedBy::Time
    } else if ctx.steps().is_some() {
        StoppedBy::Steps
    } else {
        StoppedBy::End
    };
    let mut notes = Vec::new();
    if !complete {
        notes.push(missing(problem, &answer));
    }
    let mut figures = Vec::new();
    if let ([kind], Objective::Pack) = (view.kinds.as_slice(), objective) {
        let lb0 = bounds::lb0(view.apps.iter(), kind.cpu, kind.memory);
        let dedicated = bounds::dedicated(&view.apps, kind.cpu, kind.memory);
        figures.push(("lb0", Figure::Count(lb0)));
        figures.push(("lb_ded", Figure::Count(dedicated)));
    }
    if !problem
        .applications()
        .is_none_or(|all| all.layout.is_empty())
    {
        let (started, stopped) = view.changes(&answer.division);
        figures.push(("started", Figure::Count(started)));
        figures.push(("stopped", Figure::Count(stopped)));
        if view.change_price > 0 {
            let total = answer.total(view) as f64 / 1e6;
            figures.push(("total_with_changes", Figure::Number(total)));
            notes.push("the bound is on nodes alone; changes were weighed against them".into());
        }
    }
    Solution {
        plan: Plan::Division(view.plan(&answer.division)),
        objective: units as f64 / scale,
        // A plan that leaves load out may use less than a complete one must.
        bound: complete.then_some(answer.bound as f64 / scale),
        proven,
        stopped_by,
        algorithm: algorithm.into(),
        figures,
        notes,
    }
}

/// Takes out applications that have fewer instances than they must have: an
/// application is served with its instances, in part, or not at all.
fn leave_out(view: &View, answer: &mut Answer) {
    if answer.left.is_empty() {
        return;
    }
    let mut instances = vec![0; view.apps.len()];
    for piece in answer.division.pieces.iter().flatten() {
        instances[piece.app as usize] += 1;
    }
    let short = |app: u32| instances[app as usize] < view.apps[app as usize].min;
    for pieces in &mut answer.division.pieces {
        pieces.retain(|piece| !short(piece.app));
    }
    for (app, load) in &mut answer.left {
        if short(*app) {
            *load = view.apps[*app as usize].load;
        }
    }
}

/// What found no place, in words.
fn missing(problem: &Problem, answer: &Answer) -> String {
    let names = problem.applications().map(|all| &all.names);
    let cpu = &problem.cluster().resources[0];
    let shown = answer.left.iter().take(5).map(|(app, load)| {
        let name = names.map_or("?", |names| names.get(*app as usize));
        format!("{name} ({} {})", format_units(*load, cpu.scale), cpu.unit)
    });
    let shown: Vec<String> = shown.collect();
    let more = if answer.left.len() > shown.len() {
        ", ..."
    } else {
        ""
    };
    format!(
        "{} applications are not or not fully served by the nodes there may be: {}{more}",
        answer.left.len(),
        shown.join(", ")
    )
}
