//! One self-contained page per outcome: no network, no script, prints well.

use std::fmt::Write;

use bayplan::{Outcome, objective_name, reason_word};
use bayplan_model::{PlacementPlan, Plan, Problem, WaveKind};
use bayplan_solve::Figure;

use crate::numbers::{grouped, percent, significant};
use crate::plot::escape;
use crate::usage::{NodeUse, node_use};
use crate::verdict::verdict;

/// Nodes drawn one by one; beyond this the picture samples evenly.
const DRAWN: usize = 600;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color:#1c2733;background:#fff}h1{font-size:1.5rem;line-height:1.3}h2{font-size:1.1rem;margin-top:2rem}\
table{border-collapse:collapse;width:100%}td,th{padding:.25rem .6rem;border-bottom:1px solid #d9dee3;text-align:left}\
td.n{text-align:right;font-variant-numeric:tabular-nums}code{background:#eef1f4;padding:.1rem .3rem;border-radius:3px}\
svg{width:100%;height:auto}.note{color:#51606f}.bar{fill:#0072B2}.bar1{fill:#E69F00}.bar2{fill:#009E73}.frame{fill:#e6eaee}\
svg text{font:11px system-ui,sans-serif;fill:#51606f}\
@media(prefers-color-scheme:dark){body{color:#e4e9ee;background:#14191f}td,th{border-color:#323b45}\
code{background:#252d36}.note,svg text{color:#9fb0c0;fill:#9fb0c0}.frame{fill:#2a323b}}\
@media print{body{margin:0}h2{break-after:avoid}}";

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
    nodes(&mut page, problem, outcome);
    if let Plan::Placement(plan) = &outcome.plan {
        waves(&mut page, plan);
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

/// Nodes as bars per resource, before and after where there is a before.
fn nodes(page: &mut String, problem: &Problem, outcome: &Outcome) {
    let current = problem
        .services()
        .filter(|services| !services.placement.is_empty());
    if let Some(services) = current {
        let before = PlacementPlan {
            placement: services.placement.clone(),
            ..PlacementPlan::default()
        };
        let uses = node_use(problem, &Plan::Placement(before));
        picture(page, problem, "The cluster before", &uses);
        picture(
            page,
            problem,
            "The cluster after",
            &node_use(problem, &outcome.plan),
        );
    } else {
        picture(
            page,
            problem,
            "The cluster",
            &node_use(problem, &outcome.plan),
        );
    }
}

fn picture(page: &mut String, problem: &Problem, title: &str, uses: &[NodeUse]) {
    let busy: Vec<&NodeUse> = uses.iter().filter(|node| node.count > 0).collect();
    let resources = &problem.cluster().resources;
    let step = busy.len().div_ceil(DRAWN).max(1);
    let shown: Vec<&NodeUse> = busy.iter().step_by(step).copied().collect();
    let (columns, cell, height) = (60usize, 16.0, 44.0);
    let rows = shown.len().div_ceil(columns).max(1);
    let _ = write!(
        page,
        "<h2>{title}</h2><p class=\"note\">{} nodes in use of {}{}. One cell per node: {}.</p>\
         <svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"how full each node is\">",
        grouped(busy.len() as u64),
        grouped(uses.len() as u64),
        if step > 1 {
            format!(", every {step}th drawn")
        } else {
            String::new()
        },
        escape(
            &resources
                .iter()
                .map(|r| r.name.as_str())
                .collect::<Vec<_>>()
                .join(" | ")
        ),
        columns as f64 * cell,
        rows as f64 * (height + 4.0)
    );
    let bars = resources.len().clamp(1, 3);
    for (at, node) in shown.iter().enumerate() {
        let (left, top) = (
            (at % columns) as f64 * cell,
            (at / columns) as f64 * (height + 4.0),
        );
        let width = (cell - 3.0) / bars as f64;
        let tip: Vec<String> = resources
            .iter()
            .zip(&node.used)
            .map(|(resource, used)| format!("{} {}", resource.name, percent(*used)))
            .collect();
        let _ = write!(
            page,
            "<g><title>{}: {}</title><rect class=\"frame\" x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{height}\"/>",
            escape(&node.name),
            escape(&tip.join(", ")),
            cell - 3.0
        );
        for (bar, used) in node.used.iter().take(bars).enumerate() {
            let tall = used.clamp(0.0, 1.0) * height;
            let class = ["bar", "bar1", "bar2"][bar];
            let _ = write!(
                page,
                "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{tall:.1}\"/>",
                left + bar as f64 * width,
                top + height - tall
            );
        }
        page.push_str("</g>");
    }
    page.push_str("</svg>\n");
}

fn waves(page: &mut String, plan: &PlacementPlan) {
    if plan.waves.is_empty() {
        return;
    }
    page.push_str(
        "<h2>Moves by wave</h2><table><tr><th>wave</th><th>what</th><th>replicas</th></tr>",
    );
    for (at, wave) in plan.waves.iter().enumerate() {
        let replicas: u64 = wave.moves.iter().map(|step| u64::from(step.count)).sum();
        let what = match wave.kind {
            WaveKind::Delete => "stop",
            WaveKind::Create => "start",
        };
        let _ = write!(
            page,
            "<tr><td class=\"n\">{}</td><td>{what}</td><td class=\"n\">{}</td></tr>",
            at + 1,
            grouped(replicas)
        );
    }
    page.push_str("</table>\n");
}

fn unplaced(page: &mut String, outcome: &Outcome) {
    if outcome.unplaced.is_empty() {
        return;
    }
    page.push_str(
        "<h2>Without a place</h2><table><tr><th>service</th><th>replicas</th><th>why</th></tr>",
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
