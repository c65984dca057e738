//! One self-contained page per outcome: no network, no script, prints well.

mod cluster;
mod style;
mod waves;

use std::fmt::Write;

use bayplan::{Outcome, objective_name, reason_word};
use bayplan_model::{Plan, Problem};
use bayplan_solve::Figure;

use crate::numbers::{grouped, percent, significant};
use crate::plot::escape;
use crate::verdict::verdict;
use style::STYLE;

/// The page. `command` is how to get the same answer again.
pub fn html(problem: &Problem, outcome: &Outcome, command: &str) -> String {
    let headline = escape(&verdict(problem, outcome));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>bayplan {}: {headline}</title>\
         <style>{STYLE}</style></head><body>\n<p class=\"note\">bayplan {}</p><h1>{headline}</h1>\n",
        outcome.verb, outcome.verb
    );
    figures(&mut page, problem, outcome);
    gap(&mut page, outcome);
    cluster::pictures(&mut page, problem, outcome);
    if let Plan::Placement(plan) = &outcome.plan {
        waves::table(&mut page, problem, plan);
    }
    unplaced(&mut page, outcome);
    notes(&mut page, outcome);
    let _ = writeln!(
        page,
        "<h2>How to get this again</h2><p><code>{}</code></p><p class=\"note\">bayplan {}, seed {}. \
         The plan was recounted by an independent verifier before this page was written.</p></body></html>",
        escape(command),
        env!("CARGO_PKG_VERSION"),
        outcome.seed
    );
    page
}

fn figures(page: &mut String, problem: &Problem, outcome: &Outcome) {
    let mut rows = vec![
        (
            objective_name(outcome.kind).replace('_', " "),
            significant(outcome.objective),
        ),
        (
            "bound: no plan can beat it".into(),
            outcome.bound.map_or("unknown".into(), significant),
        ),
        ("gap".into(), outcome.gap.map_or("unknown".into(), percent)),
        (
            "proven optimal".into(),
            if outcome.proven { "yes" } else { "no" }.into(),
        ),
        ("nodes in use".into(), grouped(outcome.report.figures.nodes)),
        ("algorithm".into(), outcome.algorithm.clone()),
        ("stopped by".into(), outcome.stopped_by.word().into()),
        (
            "time".into(),
            format!(
                "{:.2} s wall, {:.2} s CPU",
                outcome.seconds, outcome.cpu_seconds
            ),
        ),
    ];
    if let Some(moves) = outcome.report.figures.moves {
        rows.push(("moves".into(), grouped(moves)));
    }
    for (name, figure) in &outcome.figures {
        let value = match figure {
            Figure::Count(count) => grouped(*count),
            Figure::Number(number) => significant(*number),
            Figure::Text(text) => text.clone(),
        };
        rows.push((name.replace('_', " "), value));
    }
    let kinds = problem.cluster().pools.len();
    rows.push(("kinds of node".into(), grouped(kinds as u64)));
    page.push_str("<h2>Figures</h2><table>");
    for (name, value) in rows {
        let _ = write!(
            page,
            "<tr><td>{}</td><td>{}</td></tr>",
            escape(&name),
            escape(&value)
        );
    }
    page.push_str("</table>\n");
}

/// How far the answer is from the bound, as a line: what is reached, what
/// might be.
fn gap(page: &mut String, outcome: &Outcome) {
    let Some(bound) = outcome.bound.filter(|bound| bound.is_finite()) else {
        return;
    };
    let most = bound.abs().max(outcome.objective.abs());
    if most == 0.0 {
        return;
    }
    let place = |value: f64| 700.0 * value.abs() / most;
    let (ours, best) = (place(outcome.objective), place(bound));
    let _ = writeln!(
        page,
        "<h2>The gap</h2><svg viewBox=\"0 0 720 46\" width=\"720\" role=\"img\" aria-label=\"answer and bound\">\
         <rect class=\"frame\" x=\"0\" y=\"4\" width=\"700\" height=\"16\"/>\
         <rect class=\"bar\" x=\"0\" y=\"4\" width=\"{ours:.1}\" height=\"16\"/>\
         <path class=\"line\" stroke-width=\"2\" d=\"M{best:.1} 0V24\"/>\
         <text x=\"0\" y=\"40\">bar: {} {}; line: the bound, {}</text></svg>",
        objective_name(outcome.kind).replace('_', " "),
        significant(outcome.objective),
        significant(bound)
    );
}

fn unplaced(page: &mut String, outcome: &Outcome) {
    if outcome.unplaced.is_empty() {
        return;
    }
    page.push_str(
        "<h2>Without a place</h2><table><tr><th>service</th><th class=\"n\">replicas</th><th>why</th></tr>",
    );
    for (name, count, reason) in outcome.unplaced.iter().take(200) {
        let _ = write!(
            page,
            "<tr><td>{}</td><td class=\"n\">{count}</td><td>{}</td></tr>",
            escape(name),
            reason_word(*reason).replace('_', " ")
        );
    }
    page.push_str("</table>\n");
}

fn notes(page: &mut String, outcome: &Outcome) {
    let broken = outcome
        .report
        .violations
        .iter()
        .take(100)
        .map(|v| format!("broken on arrival: {v}"));
    let notes: Vec<String> = outcome.notes.iter().cloned().chain(broken).collect();
    if notes.is_empty() {
        return;
    }
    page.push_str("<h2>Notes</h2><ul>");
    for note in notes {
        let _ = write!(page, "<li>{}</li>", escape(&note));
    }
    page.push_str("</ul>\n");
}
