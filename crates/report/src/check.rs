//! A verifier's report for a terminal.

use bayplan_model::Problem;
use bayplan_verify::Report;

use crate::numbers::{grouped, significant};
use crate::table::table;

/// How many violations are shown before "and more".
const SHOWN: usize = 20;

/// The verdict, the violations, the figures.
pub fn check_text(problem: &Problem, report: &Report, holds: bool) -> String {
    let on_arrival = report
        .violations
        .iter()
        .filter(|violation| violation.on_arrival)
        .count();
    let broken = report.violations.len() - on_arrival;
    let mut text = match (holds, report.violations.len()) {
        (true, 0) => "holds: 0 violations\n".to_string(),
        (true, n) => format!("holds: {n} violations were there on arrival, none is new\n"),
        (false, n) if broken == n => format!("does not hold: {n} violations\n"),
        (false, n) => format!("does not hold: {n} violations, {on_arrival} of them on arrival\n"),
    };
    for violation in report.violations.iter().take(SHOWN) {
        let when = if violation.on_arrival {
            " (on arrival)"
        } else {
            ""
        };
        text.push_str(&format!("  {violation}{when}\n"));
    }
    if report.violations.len() > SHOWN {
        text.push_str(&format!(
            "  ... and {} more\n",
            report.violations.len() - SHOWN
        ));
    }
    text.push_str(&table(&[], &figures(problem, report)));
    text
}

fn figures(problem: &Problem, report: &Report) -> Vec<Vec<String>> {
    let figures = &report.figures;
    let resource = problem.cluster().resources.first();
    let (scale, unit) = resource.map_or((1.0, ""), |r| (r.scale as f64, r.unit.as_str()));
    let count = |value: Option<u64>| value.map(grouped);
    let rows = [
        ("nodes in use", Some(grouped(figures.nodes))),
        ("cost", Some(significant(figures.cost as f64 / 1e6))),
        ("replicas placed", count(figures.placed)),
        (
            "replicas missing",
            count(figures.unplaced.filter(|missing| *missing > 0)),
        ),
        (
            "gained affinity",
            figures.gained_affinity.map(|gain| format!("{gain:.4}")),
        ),
        ("moves", count(figures.moves)),
        (
            "used at confidence",
            figures
                .ucac
                .map(|u| format!("{} {unit}", significant(u / scale))),
        ),
        (
            "busiest node",
            figures
                .max_load
                .map(|u| format!("{} {unit}", significant(u as f64 / scale))),
        ),
        ("instances", count(figures.instances)),
        ("requests admitted", count(figures.admitted)),
        (
            "weight",
            figures
                .weight
                .map(|weight| significant(weight as f64 / 1e6)),
        ),
    ];
    let shown = rows
        .into_iter()
        .filter_map(|(name, value)| Some(vec![name.to_string(), value?]));
    shown.collect()
}
