//! `bayplan provision`: how many nodes, of which kind?

use anyhow::Result;
use bayplan::Question;
use bayplan_model::Problem;
use bayplan_solve::provision::{Params, algorithms};
use clap::Args;

use super::Verb;
use crate::args::{HeadroomArgs, SurviveArgs};

/// The flags of `provision`.
#[derive(Args)]
#[command(next_help_heading = "Provisioning")]
pub struct Provision {
    /// At most this many new nodes; what does not fit is listed with the reason.
    #[arg(long, value_name = "N")]
    at_most: Option<u32>,
    /// Let what runs now move; without it the cluster only grows.
    #[arg(long)]
    repack: bool,
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
}

impl Verb for Provision {
    const NAME: &'static str = "provision";

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

    fn algorithms() -> Vec<bayplan_solve::AlgorithmInfo> {
        algorithms()
    }
}
