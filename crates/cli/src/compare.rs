//! `bayplan compare INPUT`: several algorithms on one input, quality against time.

use anyhow::{Result, bail};
use bayplan::flags::likely_verb;
use bayplan::{Outcome, answer, objective_name};
use bayplan_model::Problem;
use bayplan_report::{Axis, Chart, Mark, Series, percent, significant, table};
use bayplan_solve::{Budget, Context};
use bayplan_verify::Objective;
use clap::{Args, Parser};
use serde_json::json;

use crate::args::{InputArgs, Output};
use crate::failure::Verdict;
use crate::files;
use crate::verbs::{self, Verb};

/// What to compare on what.
#[derive(Args)]
pub struct Compare {
    #[command(flatten)]
    input: InputArgs,
    /// The question; found from the input unless given.
    #[arg(long, value_name = "VERB")]
    verb: Option<String>,
    /// The algorithms; a choice of the best known unless given.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    algorithms: Vec<String>,
    /// Wall seconds for each.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    time: f64,
    /// Steps for each instead of seconds.
    #[arg(long, value_name = "N", conflicts_with = "time")]
    steps: Option<u64>,
    /// The seed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads; 0 means all cores.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// What to print: text, json or csv.
    #[arg(short, long, value_name = "KIND", value_enum, default_value = "text")]
    output: Output,
    /// Print to this file instead of standard output.
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: String,
    /// Draw quality against time.
    #[arg(long, value_name = "FILE")]
    svg: Option<String>,
    /// Further flags of the verb, after `--`.
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<String>,
}

/// The flags of a verb by themselves.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Only<V: Args> {
    #[command(flatten)]
    verb: V,
}

/// An algorithm and its outcome, or why it has none.
type Row = (String, Result<Outcome, bayplan::Error>);

impl Compare {
    /// Runs each algorithm and shows them side by side.
    pub fn run(self) -> Result<Verdict> {
        let problem = self.input.read()?.problem;
        let verb = self
            .verb
            .clone()
            .unwrap_or_else(|| likely_verb(&problem).to_string());
        let rows = match verb.as_str() {
            "provision" => self.rows::<verbs::Provision>(&problem),
            "colocate" => self.rows::<verbs::Colocate>(&problem),
            "overcommit" => self.rows::<verbs::Overcommit>(&problem),
            "divide" => self.rows::<verbs::Divide>(&problem),
            "admit" => self.rows::<verbs::Admit>(&problem),
            other => bail!("--verb: no question is called {other:?}"),
        }?;
        if let Some(path) = &self.svg {
            files::write_text(path, &chart(&verb, &rows).svg())?;
        }
        let text = match self.output {
            Output::Text => as_text(&rows),
            Output::Csv => as_csv(&rows),
            Output::Json => serde_json::to_string_pretty(&as_json(&problem, &rows))? + "\n",
            Output::Html => bail!("compare prints text, json or csv"),
        };
        files::write_text(&self.out, &text)?;
        let any = rows.iter().any(|(_, outcome)| outcome.is_ok());
        Ok(if any { Verdict::Holds } else { Verdict::Fails })
    }

    fn rows<V: Verb>(&self, problem: &Problem) -> Result<Vec<Row>> {
        let only = Only::<V>::try_parse_from(&self.flags)?;
        let chosen = if self.algorithms.is_empty() {
            known_best(V::NAME)
                .iter()
                .map(ToString::to_string)
                .collect()
        } else {
            self.algorithms.clone()
        };
        let mut rows = Vec::new();
        for algorithm in chosen {
            let question = only.verb.question(&algorithm, problem)?;
            let budget = self.steps.map_or(Budget::Seconds(self.time), Budget::Steps);
            let context = Context::new(self.seed, budget, self.threads);
            let outcome = answer(problem, &*question, &context);
            if let Err(error) = &outcome
                && error.is_internal()
            {
                return Err(error.clone().into());
            }
            rows.push((algorithm, outcome));
        }
        share_best_bound(&mut rows);
        Ok(rows)
    }
}

/// All with the same aim are held against the best bound that any of them
/// proved: a bound does not depend on who found it, but says nothing about
/// another aim.
fn share_best_bound(rows: &mut [Row]) {
    for kind in aims(rows) {
        let bounds = of_aim(rows, kind).filter_map(|(_, outcome)| outcome.bound);
        let tighter = |a: f64, b: f64| if kind.maximises() { a.min(b) } else { a.max(b) };
        let Some(best) = bounds.reduce(tighter) else {
            continue;
        };
        let answers = rows
            .iter_mut()
            .filter_map(|(_, outcome)| outcome.as_mut().ok());
        for outcome in answers.filter(|outcome| outcome.kind == kind) {
            outcome.bound = Some(best);
            outcome.gap = (best != 0.0).then(|| (outcome.objective - best).abs() / best.abs());
            outcome.proven |= outcome.objective == best;
        }
    }
}

/// What the answers aim at, each once, in their order: CSP-Mac is after few
/// machines where its neighbours are after little capacity.
fn aims(rows: &[Row]) -> Vec<Objective> {
    let mut aims = Vec::new();
    for outcome in rows.iter().filter_map(|(_, outcome)| outcome.as_ref().ok()) {
        if !aims.contains(&outcome.kind) {
            aims.push(outcome.kind);
        }
    }
    aims
}

/// The answers with one aim.
fn of_aim(rows: &[Row], kind: Objective) -> impl Iterator<Item = (&String, &Outcome)> {
    rows.iter()
        .filter_map(|(name, outcome)| Some((name, outcome.as_ref().ok()?)))
        .filter(move |(_, outcome)| outcome.kind == kind)
}

/// An aim in words.
fn words(kind: Objective) -> String {
    objective_name(kind).replace('_', " ")
}

/// The algorithms to compare when none is named.
fn known_best(verb: &str) -> &'static [&'static str] {
    match verb {
        "provision" => &[
            "FF",
            "FFD-Avg",
            "BFD-Avg",
            "WFD-AvgExp",
            "Medea-TP",
            "NCD-DotProduct",
            "NCD-TightFill",
            "SpreadWFD-Avg-BinSearch",
            "SpreadWFD-Avg-Decr2",
            "auto",
        ],
        "colocate" => &["ORIGINAL", "K8s+", "POP", "APPLSCI19", "rasa", "auto"],
        "overcommit" => &[
            "BF-n-sigma",
            "BF-UCaC",
            "BiHeu",
            "CSP-Mac",
            "CSP-UCaC",
            "auto",
        ],
        "divide" => &["auto"],
        _ => &["auto"],
    }
}

fn as_text(rows: &[Row]) -> String {
    let aims = aims(rows);
    let mut verdict = String::new();
    for kind in &aims {
        let gap = |outcome: &Outcome| outcome.gap.unwrap_or(f64::MAX);
        let best = of_aim(rows, *kind).min_by(|a, b| gap(a.1).total_cmp(&gap(b.1)));
        if let Some((name, outcome)) = best {
            let (aim, value) = (words(*kind), significant(outcome.objective));
            verdict += &format!("{name} is nearest to the bound: {aim} {value}\n");
        }
    }
    if aims.is_empty() {
        verdict += "no algorithm takes this input\n";
    }
    // Where all have the same aim it names the column, else each row.
    let column = match aims[..] {
        [kind] => words(kind),
        _ => "objective".into(),
    };
    let row = |(name, outcome): &Row| match outcome {
        Ok(outcome) => {
            let value = significant(outcome.objective);
            vec![
                name.clone(),
                if aims.len() > 1 {
                    format!("{value} {}", words(outcome.kind))
                } else {
                    value
                },
                outcome.gap.map_or("-".into(), percent),
                format!("{:.2}", outcome.cpu_seconds),
                outcome.stopped_by.word().into(),
            ]
        }
        Err(error) => {
            let none = || "-".to_string();
            vec![name.clone(), none(), none(), none(), error.code().into()]
        }
    };
    let cells: Vec<Vec<String>> = rows.iter().map(row).collect();
    let header = ["algorithm", &column, "gap", "CPU seconds", "stopped by"];
    verdict + &table(&header, &cells)
}

fn as_csv(rows: &[Row]) -> String {
    let mut text = String::from("algorithm,aim,objective,bound,gap,cpu_seconds,stopped_by\n");
    for (name, outcome) in rows {
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        match outcome {
            Ok(o) => text.push_str(&format!(
                "{name},{},{},{},{},{},{}\n",
                objective_name(o.kind),
                o.objective,
                number(o.bound),
                number(o.gap),
                o.cpu_seconds,
                o.stopped_by.word()
            )),
            Err(error) => text.push_str(&format!("{name},,,,,,{}\n", error.code())),
        }
    }
    text
}

fn as_json(problem: &Problem, rows: &[Row]) -> serde_json::Value {
    let row = |(name, outcome): &Row| match outcome {
        Ok(outcome) => bayplan::to_json(problem, outcome),
        Err(error) => json!({"algorithm": name, "error": error.code(), "text": error.to_string()}),
    };
    json!({"schema": "bayplan/compare/v1", "rows": rows.iter().map(row).collect::<Vec<_>>()})
}

/// Distance from the best bound on the same aim, against CPU seconds; a series
/// for each aim.
fn chart(verb: &str, rows: &[Row]) -> Chart {
    let aims = aims(rows);
    let series = |kind: &Objective| {
        // Below a millisecond the clock says nothing.
        let point = |outcome: &Outcome| {
            let seconds = outcome.cpu_seconds.max(0.001);
            (seconds, 100.0 * outcome.gap.unwrap_or(0.0))
        };
        Series {
            name: if aims.len() > 1 {
                words(*kind)
            } else {
                String::new()
            },
            mark: Mark::Points,
            points: of_aim(rows, *kind).map(|(_, o)| point(o)).collect(),
            labels: of_aim(rows, *kind).map(|(name, _)| name.clone()).collect(),
        }
    };
    Chart {
        title: format!("{verb}: distance from the bound against time"),
        x: Axis {
            label: "CPU seconds".into(),
            log: true,
            ..Axis::default()
        },
        y: Axis {
            label: "% from the bound".into(),
            ..Axis::default()
        },
        series: aims.iter().map(series).collect(),
    }
}
