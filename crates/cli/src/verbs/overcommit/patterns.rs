//! `--patterns FILE`: computed ahead of the peak, used again.

use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context as _, Result, bail};
use bayplan::{Question, answer};
use bayplan_model::Problem;
use bayplan_solve::overcommit::{Params, Patterns, solve_with_patterns};
use bayplan_solve::{AlgorithmInfo, Context, Solution, SolveError};
use bayplan_verify::{Objective, Rules};
use serde_json::{Map, Value, json};

use super::super::{Extra, RunArgs, write_outcome};
use crate::failure::Verdict;
use crate::files;

const SCHEMA: &str = "bayplan/patterns/v1";

/// Asks with the patterns of the file, and writes all that are known then.
pub fn run(
    path: &str,
    ask: &RunArgs,
    problem: &Problem,
    params: Params,
    context: &Context,
) -> Result<Verdict> {
    let known = if Path::new(path).exists() {
        read(path)?
    } else {
        Patterns::default()
    };
    let question = WithPatterns {
        params,
        patterns: Mutex::new(known),
    };
    let outcome = answer(problem, &question, context)?;
    let patterns = question.patterns.into_inner().expect("the run has ended");
    files::write_text(path, &write(&patterns))?;
    write_outcome(ask, problem, &outcome, Extra::default())?;
    Ok(if outcome.feasible {
        Verdict::Holds
    } else {
        Verdict::Fails
    })
}

/// The question, with patterns that survive it.
struct WithPatterns {
    params: Params,
    patterns: Mutex<Patterns>,
}

impl Question for WithPatterns {
    fn verb(&self) -> &'static str {
        self.params.verb()
    }

    fn objective(&self, problem: &Problem) -> Objective {
        self.params.objective(problem)
    }

    fn rules(&self, problem: &Problem) -> Rules {
        self.params.rules(problem)
    }

    fn algorithms(&self) -> Vec<AlgorithmInfo> {
        self.params.algorithms()
    }

    fn solve(&self, problem: &Problem, context: &Context) -> Result<Solution, SolveError> {
        let mut patterns = self.patterns.lock().expect("one run at a time");
        solve_with_patterns(problem, &self.params, context, &mut patterns)
    }

    fn assess(&self, problem: &Problem, solution: &mut Solution, context: &Context) {
        self.params.assess(problem, solution, context);
    }
}

fn read(path: &str) -> Result<Patterns> {
    let value: Value = serde_json::from_slice(&files::read(path)?)
        .with_context(|| format!("--patterns: {path} is not JSON"))?;
    if value["schema"] != SCHEMA {
        bail!("--patterns: {path} is no {SCHEMA} file");
    }
    let all = value["patterns"]
        .as_array()
        .with_context(|| format!("--patterns: {path} has no list of patterns"))?;
    let pattern = |value: &Value| {
        let counts = value.as_object()?.iter();
        let counts =
            counts.map(|(name, count)| Some((name.clone(), u32::try_from(count.as_u64()?).ok()?)));
        counts.collect::<Option<Vec<_>>>()
    };
    let patterns = all.iter().map(|value| {
        pattern(value).with_context(|| format!("--patterns: {value} is not service: count"))
    });
    Ok(Patterns {
        patterns: patterns.collect::<Result<_>>()?,
    })
}

fn write(patterns: &Patterns) -> String {
    let one = |pattern: &Vec<(String, u32)>| -> Value {
        let counts: Map<String, Value> = pattern
            .iter()
            .map(|(name, count)| (name.clone(), json!(count)))
            .collect();
        Value::Object(counts)
    };
    let all: Vec<String> = patterns
        .patterns
        .iter()
        .map(|pattern| format!("  {}", one(pattern)))
        .collect();
    format!(
        "{{\"schema\": \"{SCHEMA}\", \"patterns\": [\n{}\n]}}\n",
        all.join(",\n")
    )
}
