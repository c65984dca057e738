//! `--curve`: what confidence costs, as a table or a picture.

use anyhow::{Context as _, Result};
use bayplan::{Outcome, answer, to_json};
use bayplan_model::Problem;
use bayplan_report::{Axis, Chart, Mark, Series, grouped, percent, significant, table};
use bayplan_solve::overcommit::Params;
use bayplan_solve::overcommit::curve::{CONFIDENCES, Point, curve, one_more_nine};
use bayplan_solve::{Context, Figure};
use serde_json::json;

use super::super::RunArgs;
use crate::args::Output;
use crate::failure::Verdict;
use crate::files;

/// Asks at each confidence and writes the curve.
pub fn run(
    list: &str,
    ask: &RunArgs,
    problem: &Problem,
    params: &Params,
    context: &Context,
) -> Result<Verdict> {
    let confidences = parse(list)?;
    anyhow::ensure!(
        params.d_alpha.is_none(),
        "--curve goes over confidences; leave out --d-alpha"
    );
    let points = curve(
        problem,
        params,
        &confidences,
        context,
        |problem, params, context| answer(problem, params, context),
    )?;
    let nine = price_of_a_nine(&points, params.confidence);
    let scale = problem.cluster().resources[0].scale as f64;
    let text = match ask.output {
        Output::Text => {
            let rows: Vec<Vec<String>> = points.iter().map(|point| row(point, scale)).collect();
            let header = [
                "confidence",
                "D",
                "nodes",
                "ucac",
                "bound",
                "gap",
                "violation rate",
            ];
            format!("{}{}\n", table(&header, &rows), nine.join("\n"))
        }
        Output::Csv => {
            let rows = points.iter().map(|point| {
                let (nodes, ucac) = figures(point, scale);
                format!(
                    "{},{},{nodes},{ucac},{}\n",
                    point.confidence,
                    point.d_alpha,
                    rate(&point.answer).map_or(String::new(), |r| r.to_string())
                )
            });
            "confidence,d_alpha,machines,ucac,violation_rate\n".to_string()
                + &rows.collect::<String>()
        }
        Output::Json => {
            let rows = points.iter().map(|point| {
                let mut object = to_json(problem, &point.answer);
                object["confidence"] = json!(point.confidence);
                object
            });
            let rows = rows.collect::<Vec<_>>();
            serde_json::to_string_pretty(
                &json!({"verb": "overcommit", "curve": rows, "one_more_nine": nine}),
            )? + "\n"
        }
        Output::Html => chart(&points, scale).svg(),
    };
    files::write_text(&ask.out, &text)?;
    let all = points.len() == confidences.len() && points.iter().all(|point| point.answer.feasible);
    Ok(if all { Verdict::Holds } else { Verdict::Fails })
}

fn parse(list: &str) -> Result<Vec<f64>> {
    if list.is_empty() {
        return Ok(CONFIDENCES.to_vec());
    }
    let number = |text: &str| {
        text.trim()
            .parse::<f64>()
            .with_context(|| format!("--curve: {text:?} is not a confidence"))
    };
    list.split(',').map(number).collect()
}

fn figures(point: &Point<Outcome>, scale: f64) -> (u64, f64) {
    let figures = &point.answer.report.figures;
    (figures.nodes, figures.ucac.unwrap_or(f64::NAN) / scale)
}

fn rate(outcome: &Outcome) -> Option<f64> {
    let found = outcome
        .figures
        .iter()
        .find(|(name, _)| *name == "violation_rate");
    match found {
        Some((_, Figure::Number(rate))) => Some(*rate),
        _ => None,
    }
}

fn row(point: &Point<Outcome>, scale: f64) -> Vec<String> {
    let (nodes, ucac) = figures(point, scale);
    vec![
        point.confidence.to_string(),
        format!("{:.3}", point.d_alpha),
        grouped(nodes),
        significant(ucac),
        point.answer.bound.map_or("-".into(), significant),
        point.answer.gap.map_or("-".into(), percent),
        rate(&point.answer).map_or("-".into(), |rate| format!("{:.4} %", rate * 100.0)),
    ]
}

/// The one line people ask for, from the confidence in force and from each full nine.
fn price_of_a_nine(points: &[Point<Outcome>], confidence: f64) -> Vec<String> {
    let mut lines = Vec::new();
    for from in [confidence, 0.9, 0.99, 0.999, 0.9999] {
        let nodes = |outcome: &Outcome| outcome.report.figures.nodes as f64;
        let Some((before, after)) = one_more_nine(points, from, nodes) else {
            continue;
        };
        let to = 1.0 - (1.0 - from) / 10.0;
        let line = format!(
            "one more nine, from {from} to {}, costs {} nodes ({} of {before})",
            (to * 1e12).round() / 1e12,
            after - before,
            percent((after - before) / before.max(1.0)),
        );
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

fn chart(points: &[Point<Outcome>], scale: f64) -> Chart {
    let largest = |of: fn((u64, f64)) -> f64| {
        points
            .iter()
            .map(|p| of(figures(p, scale)))
            .fold(1e-300, f64::max)
    };
    let (most_nodes, most_ucac) = (largest(|f| f.0 as f64), largest(|f| f.1));
    let series = |name: String, value: &dyn Fn((u64, f64)) -> f64| Series {
        name,
        mark: Mark::Line,
        points: points
            .iter()
            .map(|p| (1.0 - p.confidence, value(figures(p, scale))))
            .collect(),
        labels: Vec::new(),
    };
    let axis = |label: &str, log| Axis {
        label: label.into(),
        log,
        categories: Vec::new(),
    };
    Chart {
        title: "What confidence costs".into(),
        x: axis("risk per node (1 - confidence)", true),
        y: axis("% of the largest", false),
        series: vec![
            series(format!("nodes (most: {most_nodes})"), &|f| {
                100.0 * f.0 as f64 / most_nodes
            }),
            series(format!("ucac (most: {})", significant(most_ucac)), &|f| {
                100.0 * f.1 / most_ucac
            }),
        ],
    }
}
