//! The frame of the five verbs: what they share is here once. A verb plugs in with
//! `verbs/<verb>.rs` (a struct of its own flags that implements [`Verb`]), the question in
//! `bayplan/src/questions/<verb>.rs`, and one line each in `main`:
//! `Provision(Ask<verbs::Provision>)` and `Command::Provision(ask) => ask.run()`.

mod admit;
mod colocate;
mod divide;
mod overcommit;
mod provision;

use anyhow::{Context as _, Result};
use bayplan::{Outcome, Question, answer, to_json, undo};
use bayplan_formats::{Input, write_plan_csv, write_plan_json};
use bayplan_model::{Plan, Problem};
use bayplan_solve::{Budget, Context};
use clap::Args;

pub use admit::Admit;
pub use colocate::Colocate;
pub use divide::Divide;
pub use overcommit::Overcommit;
pub use provision::Provision;

use crate::args::{InputArgs, Output};
use crate::failure::Verdict;
use crate::measured::Measured;
use crate::{files, progress};

/// The flags of one verb.
pub trait Verb: Args {
    /// The verb's name.
    const NAME: &'static str;

    /// The question with its parameters. `algorithm` is as given.
    fn question(&self, algorithm: &str, problem: &Problem) -> Result<Box<dyn Question>>;

    /// What usage that was measured stands for in this verb.
    const MEASURED: Measured = Measured::Nothing;

    /// A look at the input before the question is put: a verb may take its
    /// defaults from it, or ask about a changed problem.
    fn prepare(&mut self, input: Input) -> Result<Input> {
        Ok(input)
    }

    /// What the verb has to say about the answer beyond what all verbs say.
    fn extra(&self, _input: &Input, _outcome: &mut Outcome) -> Result<Extra> {
        Ok(Extra::default())
    }

    /// The algorithms, for `--algorithm list`.
    fn algorithms() -> Vec<bayplan_solve::AlgorithmInfo>;

    /// Another way to answer, asked for by a flag of the verb (`--curve`,
    /// `--frontier`, ...): `None` when no such flag was given.
    fn special(
        &self,
        _ask: &RunArgs,
        _problem: &Problem,
        _context: &Context,
    ) -> Result<Option<Verdict>> {
        Ok(None)
    }
}

/// What a verb adds to an answer.
#[derive(Default)]
pub struct Extra {
    /// Lines after the tables of the text.
    pub text: String,
    /// Fields of the JSON object.
    pub json: serde_json::Map<String, serde_json::Value>,
}

/// A verb on the command line.
#[derive(Args)]
pub struct Ask<V: Args> {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    verb: V,
}

/// How to run and what to write.
#[derive(Args, Clone)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// The algorithm; `list` shows all.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub algorithm: String,
    /// Wall seconds after loading.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    pub time: f64,
    /// Steps instead of seconds: the same plan on any machine and any number of threads.
    #[arg(long, value_name = "N", conflicts_with = "time")]
    pub steps: Option<u64>,
    /// The seed all randomness comes from.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Threads; 0 means all cores.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// What to print.
    #[arg(short, long, value_name = "KIND", value_enum, default_value = "text")]
    pub output: Output,
    /// Print to this file instead of standard output.
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub out: String,
    /// Write the plan: CSV, or JSON by the extension .json.
    #[arg(long, value_name = "FILE")]
    pub plan: Option<String>,
    /// Write the plan that leads back to the current placement.
    #[arg(long, value_name = "FILE")]
    pub undo: Option<String>,
}

impl RunArgs {
    /// The context of the run; the clock starts now.
    pub fn context(&self) -> Result<Context> {
        anyhow::ensure!(
            self.time >= 0.0,
            "--time: seconds, 0 or more, not {}",
            self.time
        );
        let budget = self.steps.map_or(Budget::Seconds(self.time), Budget::Steps);
        Ok(Context::new(self.seed, budget, self.threads))
    }
}

impl<V: Verb> Ask<V> {
    /// Reads, asks, checks, writes.
    pub fn run(mut self) -> Result<Verdict> {
        let list = match self.run.algorithm.as_str() {
            "list" => Some(bayplan_report::algorithms(&V::algorithms())),
            "list-markdown" => Some(bayplan_report::algorithms_page(V::NAME, &V::algorithms())),
            _ => None,
        };
        if let Some(list) = list {
            files::write_text(&self.run.out, &list)?;
            return Ok(Verdict::Holds);
        }
        let input = self.verb.prepare(self.input.read_for(V::MEASURED)?)?;
        let problem = &input.problem;
        let question = self.verb.question(&self.run.algorithm, problem)?;
        let (context, bar) = progress::listening(self.run.context()?);
        if let Some(verdict) = self.verb.special(&self.run, problem, &context)? {
            return Ok(verdict);
        }
        let outcome = answer(problem, &*question, &context);
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        let mut outcome = outcome?;
        let extra = self.verb.extra(&input, &mut outcome)?;
        write_outcome(&self.run, problem, &outcome, extra)?;
        Ok(if outcome.feasible {
            Verdict::Holds
        } else {
            Verdict::Fails
        })
    }
}

/// Writes the plan, the way back, and what to print.
pub fn write_outcome(
    run: &RunArgs,
    problem: &Problem,
    outcome: &Outcome,
    extra: Extra,
) -> Result<()> {
    if let Some(path) = &run.plan {
        write_plan(path, problem, &outcome.plan)?;
    }
    if let Some(path) = &run.undo {
        let undo = undo(problem, &outcome.plan)
            .context("--undo: only a plan for services with a current placement can be undone")?;
        write_plan(path, problem, &Plan::Placement(undo))?;
    }
    let text = match run.output {
        Output::Text => bayplan_report::text(problem, outcome) + &extra.text,
        Output::Json => {
            let mut object = to_json(problem, outcome);
            if let Some(fields) = object.as_object_mut() {
                fields.extend(extra.json);
            }
            serde_json::to_string_pretty(&object)? + "\n"
        }
        Output::Csv => write_plan_csv(problem, &outcome.plan),
        Output::Html => bayplan_report::html(problem, outcome, &command_line()),
    };
    files::write_text(&run.out, &text)
}

/// A plan as CSV, or JSON by extension.
pub fn write_plan(path: &str, problem: &Problem, plan: &Plan) -> Result<()> {
    let is_json = path.trim_end_matches(".gz").ends_with(".json");
    let text = if is_json {
        write_plan_json(problem, plan)
    } else {
        write_plan_csv(problem, plan)
    };
    files::write_text(path, &text)
}

/// The command line as typed, for "how to reproduce".
fn command_line() -> String {
    let words = std::iter::once("bayplan".to_string()).chain(std::env::args().skip(1));
    bayplan::flags::command_line(words)
}
