//! `bayplan provision`: how many nodes, of which kind?

mod shrink;
mod without;

use anyhow::Result;
use bayplan::{Outcome, Question};
use bayplan_formats::{Format, Input};
use bayplan_model::Problem;
use bayplan_solve::provision::{Params, algorithms};
use clap::Args;

use super::{Extra, Verb};
use crate::args::{HeadroomArgs, SurviveArgs};
use crate::measured::Measured;

/// The flags of `provision`.
#[derive(Args)]
#[command(next_help_heading = "Provisioning")]
pub struct Provision {
    /// At most this many new nodes; what does not fit is listed with the reason. None for a
    /// Kubernetes cluster, unless --grow or --node-types is given.
    #[arg(long, value_name = "N")]
    at_most: Option<u32>,
    /// Let what runs now move; without it the cluster only grows. Always on for a Kubernetes
    /// cluster, unless --grow is given.
    #[arg(long)]
    repack: bool,
    /// Let a Kubernetes cluster only grow: what runs now stays where it is.
    #[arg(long, conflicts_with = "repack")]
    grow: bool,
    /// Show where each pod of these nodes would go if they were gone; all other pods stay.
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        conflicts_with = "repack"
    )]
    without_node: Vec<String>,
    #[command(flatten)]
    headroom: HeadroomArgs,
    #[command(flatten)]
    survive: SurviveArgs,
    /// Weight of demand against links in the hybrid measure, for FFD, BFD, WFD and SpreadWFD.
    #[arg(long, value_name = "0..1", default_value_t = 1.0)]
    alpha: f64,
    /// Reproduce the authors' program: FF, Medea-TP, SpreadWFD-Avg-BinSearch.
    #[arg(long)]
    as_published: bool,
    /// What was taken away by --without-node.
    #[arg(skip)]
    gone: without::Gone,
}

impl Verb for Provision {
    const NAME: &'static str = "provision";
    const MEASURED: Measured = Measured::ByEpoch;

    fn prepare(&mut self, input: Input) -> Result<Input> {
        if !self.without_node.is_empty() {
            // The question is where the pods go, not which nodes to buy.
            self.at_most = self.at_most.or(Some(0));
            let (input, gone) = without::take_away(input, &self.without_node)?;
            self.gone = gone;
            return Ok(input);
        }
        let kubernetes = input.format == Format::Kubernetes;
        self.repack |= kubernetes && !self.grow;
        // Whoever asks whether a cluster can shrink and names no nodes to buy wants none.
        let mut pools = input.problem.cluster().pools.iter();
        if kubernetes && self.repack && pools.all(|pool| pool.max_count.is_none()) {
            self.at_most = self.at_most.or(Some(0));
        }
        Ok(input)
    }

    fn question(&self, algorithm: &str, problem: &Problem) -> Result<Box<dyn Question>> {
        Ok(Box::new(Params {
            algorithm: algorithm.into(),
            nodes: self.at_most,
            as_published: self.as_published,
            repack: self.repack,
            headroom: self.headroom.millionths(problem)?,
            survive: self.survive.rule(),
            alpha: self.alpha,
            ..Params::default()
        }))
    }

    fn extra(&self, input: &Input, outcome: &mut Outcome) -> Result<Extra> {
        if !self.without_node.is_empty() {
            return Ok(self.gone.moved(input, outcome));
        }
        Ok(shrink::report(input, outcome, self.repack))
    }

    fn algorithms() -> Vec<bayplan_solve::AlgorithmInfo> {
        algorithms()
    }
}
