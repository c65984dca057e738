//! `bayplan check INPUT [PLAN]`.

use anyhow::{Context, Result, bail};
use bayplan::violation_json;
use bayplan_formats::read_plan;
use bayplan_model::{Plan, Problem, Workload};
use bayplan_verify::{Report, check, check_current};
use clap::Args;
use serde_json::json;

use crate::args::{InputArgs, Output, RuleArgs};
use crate::failure::Verdict;
use crate::files;

/// What to check.
#[derive(Args)]
pub struct Check {
    #[command(flatten)]
    input: InputArgs,
    /// The plan to check; without one, what runs now is checked.
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    /// Check the plan as a change from this one instead of from what runs now.
    #[arg(long, value_name = "PLAN")]
    from: Option<String>,
    #[command(flatten)]
    rules: RuleArgs,
    /// What to print: text or json.
    #[arg(short, long, value_name = "KIND", value_enum, default_value = "text")]
    output: Output,
}

impl Check {
    /// Verifies and prints; fails when a rule is broken.
    pub fn run(mut self) -> Result<Verdict> {
        // With --cluster there is no INPUT: the first word is the plan.
        if self.input.live.cluster && self.plan.is_none() {
            self.plan = self.input.input.take();
        }
        let mut problem = self.input.read()?.problem;
        if let Some(path) = &self.from {
            anyhow::ensure!(self.plan.is_some(), "--from needs a PLAN to check");
            problem = starting_from(problem, path)?;
        }
        let rules = self.rules.rules(&problem)?;
        let report = match &self.plan {
            Some(path) => check(&problem, &plan(path, &problem)?, &rules),
            None => check_current(&problem, &rules),
        };
        // A plan may carry a rule that was broken before; what runs now may not.
        let holds = if self.plan.is_some() {
            report.holds()
        } else {
            report.violations.is_empty()
        };
        let text = match self.output {
            Output::Text => bayplan_report::check_text(&problem, &report, holds),
            Output::Json => {
                serde_json::to_string_pretty(&as_json(&problem, &report, holds))? + "\n"
            }
            Output::Csv | Output::Html => bail!("check prints text or json"),
        };
        files::write_text("-", &text)?;
        Ok(if holds {
            Verdict::Holds
        } else {
            Verdict::Fails
        })
    }
}

/// Reads a plan for a problem.
pub fn plan(path: &str, problem: &Problem) -> Result<Plan> {
    read_plan(&files::read(path)?, problem)
        .map_err(|errors| anyhow::anyhow!("{errors}"))
        .with_context(|| format!("the plan {path} cannot be used"))
}

/// The same problem after a plan was carried out.
fn starting_from(problem: Problem, path: &str) -> Result<Problem> {
    let Plan::Placement(start) = plan(path, &problem)? else {
        bail!("--from takes a plan for services");
    };
    anyhow::ensure!(
        start.opened.is_empty(),
        "--from: {path} opens new nodes, which do not exist yet"
    );
    let (cluster, workload) = problem.into_parts();
    let Workload::Services(mut services) = workload else {
        bail!("--from takes a plan for services")
    };
    services.placement = start.placement;
    Ok(Problem::new(cluster, Workload::Services(services))?)
}

fn as_json(problem: &Problem, report: &Report, holds: bool) -> serde_json::Value {
    let broken = report
        .violations
        .iter()
        .filter(|violation| !violation.on_arrival)
        .count();
    json!({
        "schema": "bayplan/check/v1",
        "holds": holds,
        "violations": report.violations.iter().map(violation_json).collect::<Vec<_>>(),
        "broken_by_plan": broken,
        "broken_on_arrival": report.violations.len() - broken,
        "figures": bayplan::figures_json(problem, &report.figures),
    })
}
