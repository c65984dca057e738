//! `bayplan divide`: how load is split over instances.

use anyhow::{Result, bail, ensure};
use bayplan::{Outcome, Question, answer, to_json};
use bayplan_model::{Plan, Problem, Rounding, parse_units};
use bayplan_solve::Context;
use bayplan_solve::divide::weights::{AppWeights, as_json, as_kubernetes, as_text, weights};
use bayplan_solve::divide::{Objective, Params, algorithms};
use clap::{Args, ValueEnum};

use super::{Extra, RunArgs, Verb, write_outcome, write_plan};
use crate::args::{Output, share_millionths};
use crate::failure::Verdict;
use crate::files;

/// What is to be least.
#[derive(Clone, Copy, ValueEnum)]
enum Wanted {
    /// Nodes in use, or their cost when pools differ in price.
    Pack,
    /// Load of the busiest of the nodes given.
    Balance,
}

/// The flags of `divide`.
#[derive(Args)]
#[command(next_help_heading = "Division")]
pub struct Divide {
    /// What is to be least.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "pack")]
    objective: Wanted,
    /// The most of a node's CPU that may be used, such as 80%.
    #[arg(long, value_name = "SHARE", default_value = "100%")]
    cpu_threshold: String,
    /// The most of a node's memory that may be used, such as 95%.
    #[arg(long, value_name = "SHARE", default_value = "100%")]
    memory_threshold: String,
    /// Price of an instance started or stopped against `--layout`, as a part of a node's price.
    #[arg(long, value_name = "PRICE", default_value = "0")]
    change_price: String,
    /// Print instances and integer weights per application that sum to this: 100 or 1000.
    #[arg(long, value_name = "TOTAL")]
    weights: Option<u32>,
    /// Write replicas and weights as Kubernetes-style hints (YAML).
    #[arg(long, value_name = "FILE")]
    hints: Option<String>,
}

impl Divide {
    fn params(&self, algorithm: &str) -> Result<Params> {
        let change_price = parse_units(&self.change_price, 1_000_000, Rounding::Up);
        let Ok(change_price) = change_price else {
            bail!("--change-price: {:?} is not a price", self.change_price);
        };
        Ok(Params {
            algorithm: algorithm.into(),
            objective: match self.objective {
                Wanted::Pack => Objective::Pack,
                Wanted::Balance => Objective::Balance,
            },
            cpu_threshold: share_millionths("--cpu-threshold", &self.cpu_threshold)?,
            memory_threshold: share_millionths("--memory-threshold", &self.memory_threshold)?,
            change_price,
        })
    }
}

impl Verb for Divide {
    const NAME: &'static str = "divide";

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
        if self.weights.is_none() && self.hints.is_none() {
            return Ok(None);
        }
        let total = self.weights.unwrap_or(100);
        ensure!(
            total == 100 || total == 1000,
            "--weights: 100 or 1000, not {total}"
        );
        let outcome = answer(problem, &self.params(&ask.algorithm)?, context)?;
        let Plan::Division(plan) = &outcome.plan else {
            bail!("divide made a plan of another kind");
        };
        let all = weights(problem, plan, total);
        if let Some(path) = &self.hints {
            files::write_text(path, &as_kubernetes(problem, plan, &all))?;
        }
        if self.weights.is_some() {
            if let Some(path) = &ask.plan {
                write_plan(path, problem, &outcome.plan)?;
            }
            files::write_text(&ask.out, &shown(ask, problem, &outcome, &all)?)?;
        } else {
            write_outcome(ask, problem, &outcome, Extra::default())?;
        }
        Ok(Some(if outcome.feasible {
            Verdict::Holds
        } else {
            Verdict::Fails
        }))
    }
}

/// The weights in the form asked for.
fn shown(
    ask: &RunArgs,
    problem: &Problem,
    outcome: &Outcome,
    all: &[AppWeights],
) -> Result<String> {
    let Plan::Division(plan) = &outcome.plan else {
        bail!("divide made a plan of another kind");
    };
    Ok(match ask.output {
        Output::Text => as_text(problem, plan, all),
        Output::Json => {
            let mut object = to_json(problem, outcome);
            object["weights"] = serde_json::from_str(&as_json(problem, plan, all))?;
            serde_json::to_string_pretty(&object)? + "\n"
        }
        Output::Csv | Output::Html => bail!("--weights is printed as text or json"),
    })
}
