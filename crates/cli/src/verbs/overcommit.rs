//! `bayplan overcommit`: feasible at a stated confidence, least used capacity.

mod curve;
mod patterns;
mod replay;
mod requests;
mod spread;

use anyhow::Result;
use bayplan::{Outcome, Question};
use bayplan_formats::Input;
use bayplan_model::Problem;
use bayplan_solve::Context;
use bayplan_solve::overcommit::risk::{Truncate, fitting_rounds};
use bayplan_solve::overcommit::{Objective, Params, Tail, algorithms};
use clap::{Args, ValueEnum};

use super::{Extra, RunArgs, Verb};
use crate::args::ConfidenceArgs;
use crate::failure::Verdict;
use crate::measured::Measured;

/// The flags of `overcommit`.
#[derive(Args)]
#[command(next_help_heading = "Confidence")]
pub struct Overcommit {
    #[command(flatten)]
    confidence: ConfidenceArgs,
    /// What is assumed of the tails of usage.
    #[arg(long, value_enum, default_value = "gaussian")]
    tail: TailArg,
    /// What is to be least; `machines` for CSP-Mac, `ucac` for all others unless given.
    #[arg(long, value_enum)]
    objective: Option<ObjectiveArg>,
    /// For BF-n-sigma: deviations added to each mean; D unless given.
    #[arg(long, value_name = "N")]
    n_sigma: Option<f64>,
    /// For BF-n-sigma: find the best n that still holds at the confidence.
    #[arg(long, conflicts_with = "n_sigma")]
    tune: bool,
    /// Start from the patterns in this file, if it exists, and leave all known ones there.
    #[arg(long, value_name = "FILE")]
    patterns: Option<String>,
    /// Rounds of sampling for the violation rate; 0: none. About two million draws unless given.
    #[arg(long, value_name = "ROUNDS")]
    samples: Option<u64>,
    /// What happens to sampled usage outside (0, limit).
    #[arg(long, value_enum, default_value = "none")]
    truncate: TruncateArg,
    /// The limit of a container: its mean and so many deviations.
    #[arg(long, value_name = "DEVIATIONS", default_value_t = 4.0)]
    limit: f64,
    /// What confidence costs: at these confidences, or one nine after the other.
    #[arg(long, value_name = "ALPHA,...", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["replay", "patterns"])]
    curve: Option<String>,
    /// Days on a cluster that carries over: CSV `day,service,containers`, totals per day.
    #[arg(long, value_name = "FILE", conflicts_with = "patterns")]
    replay: Option<String>,
    /// Write what each workload of a Kubernetes cluster should request: `.sh` with kubectl
    /// commands, or `.json` with patches.
    #[arg(long, value_name = "FILE")]
    requests: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum TailArg {
    /// Gaussian usage: D is the quantile.
    Gaussian,
    /// Tails no heavier than a Gaussian's: D = sqrt(2 ln 1/(1-alpha)).
    Hoeffding,
    /// Nothing but mean and variance: D = sqrt(alpha/(1-alpha)).
    Cantelli,
}

#[derive(Clone, Copy, ValueEnum)]
enum ObjectiveArg {
    Ucac,
    Machines,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TruncateArg {
    None,
    Clip,
    Resample,
}

/// The confidence when none is given.
const CONFIDENCE: f64 = 0.999;

impl Overcommit {
    fn params(&self, algorithm: &str, problem: &Problem) -> Result<Params> {
        // Checks the ranges with the flags' own words.
        self.confidence.d_alpha()?;
        anyhow::ensure!(
            self.limit > 0.0,
            "--limit: more than 0 deviations, not {}",
            self.limit
        );
        let limit = self.limit;
        let replicas = problem
            .services()
            .map_or(0, |s| s.replicas.iter().map(|r| u64::from(*r)).sum());
        Ok(Params {
            algorithm: algorithm.into(),
            objective: self.objective.map(|objective| match objective {
                ObjectiveArg::Ucac => Objective::Ucac,
                ObjectiveArg::Machines => Objective::Machines,
            }),
            confidence: self.confidence.confidence.unwrap_or(CONFIDENCE),
            tail: match self.tail {
                TailArg::Gaussian => Tail::Gaussian,
                TailArg::Hoeffding => Tail::Hoeffding,
                TailArg::Cantelli => Tail::Cantelli,
            },
            d_alpha: self.confidence.d_alpha,
            n_sigma: self.n_sigma,
            tune: self.tune,
            samples: self.samples.unwrap_or_else(|| fitting_rounds(replicas)),
            truncate: match self.truncate {
                TruncateArg::None => Truncate::None,
                TruncateArg::Clip => Truncate::Clip { limit },
                TruncateArg::Resample => Truncate::Resample { limit },
            },
        })
    }
}

impl Verb for Overcommit {
    const NAME: &'static str = "overcommit";
    const MEASURED: Measured = Measured::Random;

    fn prepare(&mut self, input: Input) -> Result<Input> {
        spread::keep(input)
    }

    fn extra(&self, input: &Input, _outcome: &mut Outcome) -> Result<Extra> {
        let d = self
            .params("auto", &input.problem)?
            .d()
            .map_err(bayplan::Error::from)?;
        requests::recommend(input, d, self.requests.as_deref())
    }

    fn question(&self, algorithm: &str, problem: &Problem) -> Result<Box<dyn Question>> {
        Ok(Box::new(self.params(algorithm, problem)?))
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
        let params = self.params(&ask.algorithm, problem)?;
        if let Some(list) = &self.curve {
            return Ok(Some(curve::run(list, ask, problem, &params, context)?));
        }
        if let Some(path) = &self.replay {
            return Ok(Some(replay::run(path, ask, problem, &params, context)?));
        }
        match &self.patterns {
            Some(path) => Ok(Some(patterns::run(path, ask, problem, params, context)?)),
            None => Ok(None),
        }
    }
}
