//! `--replay FILE`: days of wanted totals on a cluster that carries over.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use bayplan::{Outcome, answer};
use bayplan_model::{Names, PlacementPlan, Plan, Problem};
use bayplan_report::{grouped, percent, significant, table};
use bayplan_solve::overcommit::Params;
use bayplan_solve::overcommit::replay::next_day;
use bayplan_solve::{Budget, Context, Figure};
use serde_json::json;

use super::super::RunArgs;
use crate::args::Output;
use crate::failure::Verdict;
use crate::files;

/// The algorithms compared unless one is named.
const COMPARED: [&str; 5] = ["BF-n-sigma", "BF-UCaC", "BiHeu", "CSP-Mac", "CSP-UCaC"];

/// One algorithm's day.
struct Day {
    algorithm: String,
    day: String,
    ucac: f64,
    machines: u64,
    rate: f64,
    unplaced: u64,
    feasible: bool,
}

/// Replays the days with each algorithm and writes the figures per day.
pub fn run(
    path: &str,
    ask: &RunArgs,
    problem: &Problem,
    params: &Params,
    context: &Context,
) -> Result<Verdict> {
    let services = problem.services().context("--replay needs services")?;
    let days = read(path, &services.names)?;
    let algorithms: Vec<&str> = if ask.algorithm == "auto" {
        COMPARED.to_vec()
    } else {
        ask.algorithm.split(',').collect()
    };
    let runs = (algorithms.len() * days.len()).max(1) as f64;
    let mut found: Vec<Day> = Vec::new();
    for algorithm in &algorithms {
        let params = Params {
            algorithm: (*algorithm).into(),
            objective: params.objective,
            ..params.clone()
        };
        // The first day starts from what runs now.
        let mut plan = Plan::Placement(PlacementPlan {
            placement: services.placement.clone(),
            ..PlacementPlan::default()
        });
        let mut before = problem.clone();
        for (day, wanted) in &days {
            if context.interrupted() {
                break;
            }
            let today = next_day(&before, &plan, wanted).map_err(bayplan::Error::from)?;
            let budget = match context.budget() {
                Budget::Seconds(seconds) => Budget::Seconds(seconds / runs),
                steps => steps,
            };
            let part = Context::new(context.seed(), budget, context.threads())
                .with_stop(context.stop_flag().clone());
            let outcome = answer(&today, &params, &part)?;
            found.push(summary(algorithm, day, &today, &outcome));
            (before, plan) = (today, outcome.plan);
        }
    }
    files::write_text(&ask.out, &text(ask.output, &found)?)?;
    Ok(if found.iter().all(|day| day.feasible) {
        Verdict::Holds
    } else {
        Verdict::Fails
    })
}

fn summary(algorithm: &str, day: &str, problem: &Problem, outcome: &Outcome) -> Day {
    let figures = &outcome.report.figures;
    let rate = outcome
        .figures
        .iter()
        .find_map(|(name, figure)| match figure {
            Figure::Number(rate) if *name == "violation_rate" => Some(*rate),
            _ => None,
        });
    Day {
        algorithm: algorithm.into(),
        day: day.into(),
        ucac: figures.ucac.unwrap_or(f64::NAN) / problem.cluster().resources[0].scale as f64,
        machines: figures.nodes,
        rate: rate.unwrap_or(f64::NAN),
        unplaced: outcome
            .unplaced
            .iter()
            .map(|(_, count, _)| u64::from(*count))
            .sum(),
        feasible: outcome.feasible,
    }
}

/// Totals per day, in the order of their first lines; a service a day does not
/// name keeps the total of the day before, at first none.
fn read(path: &str, names: &Names) -> Result<Vec<(String, Vec<u32>)>> {
    let bytes = files::read(path)?;
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(bytes.as_slice());
    let header = reader.headers()?.clone();
    let column = |name: &str| {
        header
            .iter()
            .position(|h| h == name)
            .with_context(|| format!("--replay: {path} has no column {name:?}"))
    };
    let (day, service, containers) = (column("day")?, column("service")?, column("containers")?);
    let mut order: Vec<String> = Vec::new();
    let mut totals: BTreeMap<String, BTreeMap<usize, u32>> = BTreeMap::new();
    for record in reader.records() {
        let record = record?;
        let line = record.position().map_or(0, csv::Position::line);
        let name = &record[service];
        let Some(id) = names.find(name) else {
            let near = names
                .nearest(name)
                .map_or(String::new(), |near| format!("; did you mean {near}?"));
            bail!("--replay: {path}:{line}: no service is called {name:?}{near}");
        };
        let count: u32 = record[containers].parse().with_context(|| {
            format!(
                "--replay: {path}:{line}: {:?} is not a number of containers",
                &record[containers]
            )
        })?;
        if !totals.contains_key(&record[day]) {
            order.push(record[day].to_string());
        }
        totals
            .entry(record[day].to_string())
            .or_default()
            .insert(id as usize, count);
    }
    let mut wanted = vec![0; names.len()];
    let days = order.into_iter().map(|day| {
        for (service, count) in &totals[&day] {
            wanted[*service] = *count;
        }
        (day, wanted.clone())
    });
    Ok(days.collect())
}

fn text(output: Output, days: &[Day]) -> Result<String> {
    Ok(match output {
        Output::Json => {
            let rows: Vec<_> = days
                .iter()
                .map(|d| json!({"algorithm": d.algorithm, "day": d.day, "ucac": d.ucac, "machines": d.machines, "violation_rate": d.rate, "unplaced": d.unplaced, "feasible": d.feasible}))
                .collect();
            serde_json::to_string_pretty(&json!({"verb": "overcommit", "replay": rows}))? + "\n"
        }
        Output::Csv => {
            let rows = days.iter().map(|d| {
                format!(
                    "{},{},{},{},{},{}\n",
                    d.algorithm, d.day, d.ucac, d.machines, d.rate, d.unplaced
                )
            });
            "algorithm,day,ucac,machines,violation_rate,unplaced\n".to_string()
                + &rows.collect::<String>()
        }
        Output::Text => {
            let row = |d: &Day| {
                vec![
                    d.algorithm.clone(),
                    d.day.clone(),
                    significant(d.ucac),
                    grouped(d.machines),
                    percent(d.rate),
                    grouped(d.unplaced),
                ]
            };
            let rows: Vec<Vec<String>> = days.iter().map(row).collect();
            let header = [
                "algorithm",
                "day",
                "ucac",
                "nodes",
                "violation rate",
                "unplaced",
            ];
            format!("{}\n{}", table(&header, &rows), means(days))
        }
        Output::Html => bail!("--replay writes text, json or csv"),
    })
}

/// Per algorithm the mean over all days, and the violations to expect in all.
fn means(days: &[Day]) -> String {
    let mut names: Vec<&str> = days.iter().map(|d| d.algorithm.as_str()).collect();
    names.dedup();
    let rows: Vec<Vec<String>> = names
        .into_iter()
        .map(|name| {
            let of: Vec<&Day> = days.iter().filter(|d| d.algorithm == name).collect();
            let mean = |value: &dyn Fn(&Day) -> f64| {
                of.iter().map(|d| value(d)).sum::<f64>() / of.len() as f64
            };
            let violations: f64 = of.iter().map(|d| d.rate * d.machines as f64).sum();
            vec![
                name.to_string(),
                significant(mean(&|d| d.ucac)),
                significant(mean(&|d| d.machines as f64)),
                significant(violations),
            ]
        })
        .collect();
    table(
        &[
            "algorithm",
            "mean ucac",
            "mean nodes",
            "violations expected",
        ],
        &rows,
    )
}
