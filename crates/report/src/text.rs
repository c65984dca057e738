//! An outcome as a page of text: the verdict, the figures, what is missing.

use bayplan::{Outcome, objective_name, reason_word};
use bayplan_model::Problem;
use bayplan_solve::Figure;
use bayplan_verify::Objective;

use crate::numbers::{grouped, percent, significant};
use crate::table::table;
use crate::usage::node_use;
use crate::verdict::verdict;

/// How many lines of a list are shown before "and more".
const SHOWN: usize = 10;

/// The outcome for a terminal.
pub fn text(problem: &Problem, outcome: &Outcome) -> String {
    let mut text = format!("{}\n", verdict(problem, outcome));
    text.push_str(&table(&[], &figures(problem, outcome)));
    text.push_str(&pools(problem, outcome));
    if !outcome.unplaced.is_empty() {
        text.push_str("\nWithout a place:\n");
        let rows: Vec<Vec<String>> = outcome
            .unplaced
            .iter()
            .take(SHOWN)
            .map(|(name, count, reason)| {
                vec![
                    name.clone(),
                    grouped(u64::from(*count)),
                    reason_word(*reason).replace('_', " "),
                ]
            })
            .collect();
        text.push_str(&table(&["service", "replicas", "why"], &rows));
        if outcome.unplaced.len() > SHOWN {
            text.push_str(&format!(
                "... and {} more services\n",
                outcome.unplaced.len() - SHOWN
            ));
        }
    }
    for violation in outcome.report.violations.iter().take(SHOWN) {
        text.push_str(&format!("broken on arrival: {violation}\n"));
    }
    for note in &outcome.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text
}

fn figures(problem: &Problem, outcome: &Outcome) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String| rows.push(vec![name.to_string(), value]);
    row("algorithm", outcome.algorithm.clone());
    row(
        &objective_name(outcome.kind).replace('_', " "),
        significant(outcome.objective),
    );
    if let Some(bound) = outcome.bound {
        row("bound", significant(bound));
    }
    if let Some(gap) = outcome.gap {
        row("gap", percent(gap));
    }
    let verified = &outcome.report.figures;
    let scale = problem
        .cluster()
        .resources
        .first()
        .map_or(1.0, |resource| resource.scale as f64);
    let priced = problem
        .cluster()
        .pools
        .iter()
        .any(|pool| pool.price != 1_000_000);
    if priced && outcome.kind != Objective::Cost {
        row("cost", significant(verified.cost as f64 / 1e6));
    }
    if let Some(placed) = verified.placed {
        row("replicas placed", grouped(placed));
    }
    let has_placement = problem
        .services()
        .is_some_and(|services| !services.placement.is_empty());
    if let Some(moves) = verified.moves.filter(|_| has_placement) {
        row("moves", grouped(moves));
    }
    if let Some(gain) = verified
        .gained_affinity
        .filter(|_| outcome.kind != Objective::GainedAffinity)
    {
        row("gained affinity", format!("{gain:.4}"));
    }
    if let Some(ucac) = verified
        .ucac
        .filter(|_| outcome.rules.d_alpha > 0.0 && outcome.kind != Objective::Ucac)
    {
        row("used at confidence", significant(ucac / scale));
    }
    if let Some(weight) = verified
        .weight
        .filter(|_| outcome.kind != Objective::Weight)
    {
        row("weight", significant(weight as f64 / 1e6));
    }
    for (name, figure) in &outcome.figures {
        let value = match figure {
            Figure::Count(count) => grouped(*count),
            Figure::Number(number) => significant(*number),
            Figure::Text(text) => text.clone(),
        };
        row(&name.replace('_', " "), value);
    }
    row("stopped by", outcome.stopped_by.word().into());
    row(
        "time",
        format!(
            "{:.2} s wall, {:.2} s CPU",
            outcome.seconds, outcome.cpu_seconds
        ),
    );
    row("seed", outcome.seed.to_string());
    row("checked", "all rules recounted, none broken".into());
    if !outcome.report.violations.is_empty() {
        let broken = outcome.report.violations.len();
        rows.pop();
        rows.push(vec![
            "checked".into(),
            format!("{broken} rules broken on arrival remain broken"),
        ]);
    }
    rows
}

/// Nodes in use per pool and how full they are.
fn pools(problem: &Problem, outcome: &Outcome) -> String {
    let cluster = problem.cluster();
    let nodes = node_use(problem, &outcome.plan);
    let names: Vec<String> = cluster
        .resources
        .iter()
        .map(|resource| format!("{} used", resource.name))
        .collect();
    let header: Vec<&str> = ["pool", "nodes in use"]
        .into_iter()
        .chain(names.iter().map(String::as_str))
        .collect();
    let mut rows = Vec::new();
    for (p, pool) in cluster.pools.iter().enumerate() {
        let used: Vec<_> = nodes
            .iter()
            .filter(|node| node.pool.index() == p && node.count > 0)
            .collect();
        if used.is_empty() {
            continue;
        }
        let mut row = vec![pool.name.clone(), grouped(used.len() as u64)];
        for r in 0..cluster.resources.len() {
            let mean = used.iter().map(|node| node.used[r]).sum::<f64>() / used.len() as f64;
            row.push(percent(mean));
        }
        rows.push(row);
    }
    // A dozen kinds of node say something; hundreds do not.
    rows.truncate(20);
    table(&header, &rows)
}
