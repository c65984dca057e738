//! `bayplan admit`: the most valuable set of requests.

use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use bayplan::{Outcome, Question, answer, to_json};
use bayplan_formats::{ReadOptions, read_file};
use bayplan_model::Problem;
use bayplan_report::{Axis, Chart, Mark, Series, grouped, percent, significant, table};
use bayplan_solve::admit::curve::{Needed, Point, curve, machines_for, telling_machines};
use bayplan_solve::admit::{Params, algorithms};
use bayplan_solve::{Context, Figure};
use clap::Args;
use serde_json::json;

use super::{RunArgs, Verb};
use crate::args::{Output, share_millionths};
use crate::failure::Verdict;
use crate::files;

/// The flags of `admit`.
#[derive(Args)]
#[command(next_help_heading = "Admission")]
pub struct Admit {
    /// Decide at each arrival, with prices learnt from the recent past.
    #[arg(long)]
    online: bool,
    /// How far back online prices look, in the input's time units.
    #[arg(long, value_name = "TIME", requires = "online")]
    window: Option<f64>,
    /// An earlier trace to learn the first online prices from.
    #[arg(long, value_name = "FILE", requires = "online")]
    history: Option<String>,
    /// Served share against nodes: `10,20,40`, `10..100`, or at the paper's load factors.
    #[arg(long, value_name = "NODES", num_args = 0..=1, default_missing_value = "", conflicts_with = "serve")]
    curve: Option<String>,
    /// How many nodes serve this share of the weight, such as 95%.
    #[arg(long, value_name = "PERCENT")]
    serve: Option<String>,
}

impl Admit {
    fn params(&self, algorithm: &str) -> Result<Params> {
        let history = self.history.as_deref().map(|path| {
            let input = read_file(path, &ReadOptions::default());
            let (_, workload) = input
                .map_err(|e| anyhow::anyhow!("{e}"))?
                .problem
                .into_parts();
            match workload {
                bayplan_model::Workload::Requests(requests) => Ok(Arc::new(requests)),
                _ => bail!("--history: {path} holds no requests"),
            }
        });
        Ok(Params {
            algorithm: algorithm.into(),
            online: self.online,
            window: self.window,
            history: history.transpose()?,
        })
    }
}

impl Verb for Admit {
    const NAME: &'static str = "admit";

    fn question(&self, algorithm: &str, _problem: &Problem) -> Result<Box<dyn Question>> {
        Ok(Box::new(self.params(algorithm)?))
    }

    fn algorithms() -> Vec<bayplan_solve::AlgorithmInfo> {
        algorithms()
    }

    fn special(
        &self,
        ask: &RunArgs,
        problem: &Problem,
        context: &Context,
    ) -> Result<Option<Verdict>> {
        let params = self.params(&ask.algorithm)?;
        let verified = |problem: &Problem, context: &Context| answer(problem, &params, context);
        if let Some(share) = &self.serve {
            let share = f64::from(share_millionths("--serve", share)?) / 1e6;
            let most = problem.requests().map_or(0, |r| r.len()).min(1 << 20) as u32;
            let needed = machines_for(problem, share, most.max(1), context, verified)?;
            return Ok(Some(write_needed(ask, problem, share, needed)?));
        }
        let Some(text) = &self.curve else {
            return Ok(None);
        };
        let machines = if text.is_empty() {
            telling_machines(problem).map_err(bayplan::Error::from)?
        } else {
            parse_machines(text)?
        };
        let points = curve(problem, &machines, context, verified)?;
        write_curve(ask, problem, &points)?;
        let all = points.len() == machines.len();
        Ok(Some(if all { Verdict::Holds } else { Verdict::Fails }))
    }
}

/// `10,20,40` or `10..100`: eleven numbers evenly over the range.
fn parse_machines(text: &str) -> Result<Vec<u32>> {
    let number = |text: &str| {
        let count = text
            .trim()
            .parse::<u32>()
            .ok()
            .filter(|count| (1..=1 << 20).contains(count));
        count.with_context(|| format!("--curve: {text:?} is not a number of nodes"))
    };
    let mut counts = match text.split_once("..") {
        Some((from, to)) => {
            let (from, to) = (number(from)?, number(to)?);
            ensure!(from <= to, "--curve: {from} is more than {to}");
            (0..=10)
                .map(|i| from + ((u64::from(to - from) * i + 5) / 10) as u32)
                .collect()
        }
        None => text.split(',').map(number).collect::<Result<Vec<_>>>()?,
    };
    counts.sort_unstable();
    counts.dedup();
    Ok(counts)
}

fn number(outcome: &Outcome, name: &str) -> f64 {
    let found = outcome.figures.iter().find(|(figure, _)| *figure == name);
    match found {
        Some((_, Figure::Number(number))) => *number,
        _ => f64::NAN,
    }
}

/// Columns of the curve: nodes, load factor, served, weight, weight's share, bound's share.
const COLUMNS: [&str; 6] = [
    "machines",
    "load_factor",
    "served",
    "weight",
    "served_weight",
    "bound_weight",
];

fn numbers(problem: &Problem, point: &Point<Outcome>) -> [f64; 6] {
    let outcome = &point.answer;
    let total = problem.requests().map_or(0, |r| r.total_weight()) as f64 / 1e6;
    [
        f64::from(point.machines),
        number(outcome, "load_factor"),
        number(outcome, "served"),
        outcome.objective,
        number(outcome, "served_weight"),
        outcome.bound.map_or(
            f64::NAN,
            |bound| if total > 0.0 { bound / total } else { 1.0 },
        ),
    ]
}

fn write_curve(ask: &RunArgs, problem: &Problem, points: &[Point<Outcome>]) -> Result<()> {
    let text = match ask.output {
        Output::Text => {
            let rows = points.iter().map(|point| {
                let [_, load, served, weight, share, bound] = numbers(problem, point);
                vec![
                    grouped(u64::from(point.machines)),
                    significant(load),
                    percent(served),
                    significant(weight),
                    percent(share),
                    percent(bound),
                ]
            });
            let rows: Vec<_> = rows.collect();
            table(
                &[
                    "nodes",
                    "load factor",
                    "served",
                    "weight",
                    "of all weight",
                    "at most",
                ],
                &rows,
            )
        }
        Output::Csv => {
            let rows = points.iter().map(|point| {
                numbers(problem, point)
                    .map(|number| number.to_string())
                    .join(",")
                    + "\n"
            });
            COLUMNS.join(",") + "\n" + &rows.collect::<String>()
        }
        Output::Json => {
            let rows: Vec<_> = points
                .iter()
                .map(|point| point_json(problem, point))
                .collect();
            serde_json::to_string_pretty(&json!({"verb": "admit", "curve": rows}))? + "\n"
        }
        Output::Html => format!(
            "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Served by nodes</title>\n{}\n",
            chart(problem, points).svg()
        ),
    };
    files::write_text(&ask.out, &text)
}

fn point_json(problem: &Problem, point: &Point<Outcome>) -> serde_json::Value {
    let mut object = to_json(problem, &point.answer);
    for (name, number) in COLUMNS.iter().zip(numbers(problem, point)) {
        object[*name] = json!(number);
    }
    object["machines"] = json!(point.machines);
    object
}

/// Served share and bound against the number of nodes.
fn chart(problem: &Problem, points: &[Point<Outcome>]) -> Chart {
    let series = |name: &str, column: usize| Series {
        name: name.into(),
        mark: Mark::Line,
        points: points
            .iter()
            .map(|point| numbers(problem, point))
            .map(|row| (row[0], row[column] * 100.0))
            .collect(),
        labels: Vec::new(),
    };
    let axis = |label: &str| Axis {
        label: label.into(),
        log: false,
        categories: Vec::new(),
    };
    Chart {
        title: "What is served by how many nodes".into(),
        x: axis("nodes"),
        y: axis("% of the weight"),
        series: vec![series("admitted", 4), series("no plan can exceed", 5)],
    }
}

fn write_needed(
    ask: &RunArgs,
    problem: &Problem,
    share: f64,
    needed: Option<Needed<Outcome>>,
) -> Result<Verdict> {
    let text = match (&needed, ask.output) {
        (None, Output::Json) => {
            let object = json!({"verb": "admit", "serve": share, "machines": null});
            serde_json::to_string_pretty(&object)? + "\n"
        }
        (None, _) => format!("no number of nodes was found to serve {}\n", percent(share)),
        (Some(needed), Output::Json) => {
            let mut object = point_json(problem, &needed.point);
            object["serve"] = json!(share);
            object["machines_at_least"] = json!(needed.at_least);
            serde_json::to_string_pretty(&object)? + "\n"
        }
        (Some(needed), _) => {
            let served = number(&needed.point.answer, "served_weight");
            let proof = if needed.at_least == needed.point.machines {
                "and fewer cannot".to_string()
            } else {
                format!("fewer than {} cannot", grouped(u64::from(needed.at_least)))
            };
            format!(
                "{} nodes serve {} of the weight (asked for {}); {proof}\n",
                grouped(u64::from(needed.point.machines)),
                percent(served),
                percent(share),
            )
        }
    };
    files::write_text(&ask.out, &text)?;
    Ok(if needed.is_some() {
        Verdict::Holds
    } else {
        Verdict::Fails
    })
}
