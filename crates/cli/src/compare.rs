//! `bayplan compare`: several algorithms on one input, quality against time
//! (the paper's Fig. 3).

use anyhow::{Result, bail};
use bayplan::{Outcome, answer};
use bayplan_report::{Axis, Chart, Mark, Series, grouped, percent, table};
use bayplan_solve::Context;
use clap::Args;
use serde_json::json;

use crate::args::{InputArgs, Output};
use crate::failure::Verdict;
use crate::files;
use crate::verbs::{Provision, RunArgs, Verb};

/// One of each family, as the paper compares them.
const USUAL: &str = "auto,FF,BFD-Avg,WFD-AvgExp,NCD-DotProduct,LRASched-Fitness,Medea-TP,Medea-NC,\
                     SpreadWFD-Avg-BinSearch,SpreadWFD-Avg-Decr2";

/// The flags of `compare`. `--algorithm` takes several names.
#[derive(Args)]
pub struct Compare {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    run: RunArgs,
    /// The algorithms to compare.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = USUAL)]
    algorithms: Vec<String>,
    /// Write the picture, quality against time, as SVG.
    #[arg(long, value_name = "FILE")]
    svg: Option<String>,
    #[command(flatten)]
    verb: Provision,
}

impl Compare {
    /// Runs every algorithm on its own budget, then shows all.
    pub fn run(self) -> Result<Verdict> {
        let problem = self.input.read()?.problem;
        let mut outcomes: Vec<Outcome> = Vec::new();
        for name in &self.algorithms {
            let question = self.verb.question(name, &problem)?;
            let context: Context = self.run.context()?;
            outcomes.push(answer(&problem, &*question, &context)?);
        }
        if outcomes.is_empty() {
            bail!("--algorithms: name at least one");
        }
        share_best_bound(&mut outcomes);
        if let Some(path) = &self.svg {
            files::write_text(path, &chart(&outcomes).svg())?;
        }
        files::write_text(&self.run.out, &self.shown(&outcomes)?)?;
        let all = outcomes.iter().all(|outcome| outcome.feasible);
        Ok(if all { Verdict::Holds } else { Verdict::Fails })
    }

    fn shown(&self, outcomes: &[Outcome]) -> Result<String> {
        Ok(match self.run.output {
            Output::Text => {
                let mut ranked: Vec<&Outcome> = outcomes.iter().collect();
                ranked.sort_by(|a, b| a.objective.total_cmp(&b.objective));
                let rows: Vec<Vec<String>> = ranked.into_iter().map(row).collect();
                table(
                    &[
                        "algorithm",
                        "nodes",
                        "cost",
                        "above the bound",
                        "CPU s",
                        "left out",
                    ],
                    &rows,
                )
            }
            Output::Csv => {
                let rows = outcomes.iter().map(|outcome| {
                    let (nodes, left) = counts(outcome);
                    let gap = outcome.gap.map_or_else(String::new, |gap| gap.to_string());
                    let (name, objective) = (&outcome.algorithm, outcome.objective);
                    let cpu = outcome.cpu_seconds;
                    format!("{name},{nodes},{objective},{gap},{cpu:.3},{left}\n")
                });
                String::from("algorithm,nodes,objective,gap,cpu_seconds,unplaced\n")
                    + &rows.collect::<String>()
            }
            Output::Json => {
                let rows: Vec<_> = outcomes
                    .iter()
                    .map(|outcome| {
                        let (nodes, left) = counts(outcome);
                        json!({
                            "algorithm": outcome.algorithm, "nodes": nodes,
                            "objective": outcome.objective, "bound": outcome.bound,
                            "gap": outcome.gap, "seconds": outcome.seconds,
                            "cpu_seconds": outcome.cpu_seconds, "unplaced": left,
                        })
                    })
                    .collect();
                serde_json::to_string_pretty(&json!({"verb": "provision", "compare": rows}))? + "\n"
            }
            Output::Html => chart(outcomes).svg(),
        })
    }
}

/// All are held against the best bound any of them proved.
fn share_best_bound(outcomes: &mut [Outcome]) {
    let bounds = outcomes.iter().filter_map(|outcome| outcome.bound);
    let Some(best) = bounds.max_by(f64::total_cmp) else {
        return;
    };
    for outcome in outcomes {
        outcome.bound = Some(best);
        outcome.gap = (best > 0.0).then(|| (outcome.objective - best).abs() / best);
    }
}

/// Nodes in use, and replicas left out.
fn counts(outcome: &Outcome) -> (u64, u64) {
    let figures = &outcome.report.figures;
    (figures.nodes, figures.unplaced.unwrap_or(0))
}

fn row(outcome: &Outcome) -> Vec<String> {
    let (nodes, left) = counts(outcome);
    vec![
        outcome.algorithm.clone(),
        grouped(nodes),
        format!("{:.2}", outcome.report.figures.cost as f64 / 1e6),
        outcome.gap.map_or_else(|| "-".into(), percent),
        format!("{:.2}", outcome.cpu_seconds),
        grouped(left),
    ]
}

/// Distance from the bound against CPU time, one named point per algorithm.
fn chart(outcomes: &[Outcome]) -> Chart {
    let points = outcomes.iter().filter_map(|outcome| {
        Some((
            outcome.cpu_seconds.max(1e-3),
            outcome.gap? * 100.0,
            outcome.algorithm.clone(),
        ))
    });
    let points: Vec<(f64, f64, String)> = points.collect();
    Chart {
        title: "Quality against time".into(),
        x: Axis {
            label: "CPU seconds".into(),
            log: true,
            categories: Vec::new(),
        },
        y: Axis {
            label: "% above the lower bound".into(),
            log: false,
            categories: Vec::new(),
        },
        series: vec![Series {
            name: String::new(),
            mark: Mark::Points,
            points: points.iter().map(|(x, y, _)| (*x, *y)).collect(),
            labels: points.into_iter().map(|(_, _, name)| name).collect(),
        }],
    }
}
