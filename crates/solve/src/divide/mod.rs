//! `divide`: how many instances, where, and how much load each serves.
//!
//! After "Divide (CPU Load) and Conquer: Semi-Flexible Cloud Resource
//! Allocation" (CCGrid 2022).

mod answer;
mod balance;
mod baseline;
mod bounds;
mod columns;
mod dispatch;
mod equal;
mod finish;
mod fleet;
mod flow;
mod index;
mod knapsack;
mod lanes;
mod mip;
mod multi;
mod pack;
mod registry;
mod search;
mod state;
mod view;
pub mod weights;

use bayplan_model::Problem;

use crate::shared::registry::find;
use crate::{AlgorithmInfo, Context, Solution, SolveError};
use view::View;

/// What is to be least.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Objective {
    /// Nodes in use, or their cost when pools differ in price.
    #[default]
    Pack,
    /// Load of the busiest node.
    Balance,
}

/// Parameters of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// Name of the algorithm.
    pub algorithm: String,
    /// What is to be least.
    pub objective: Objective,
    /// Share of a node's CPU that may be used, in millionths.
    pub cpu_threshold: u32,
    /// Share of a node's memory that may be used, in millionths.
    pub memory_threshold: u32,
    /// Price of an instance started or stopped against what runs now, in
    /// millionths of the unit of prices (of a node, when pools have no prices).
    pub change_price: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            algorithm: "auto".into(),
            objective: Objective::Pack,
            cpu_threshold: 1_000_000,
            memory_threshold: 1_000_000,
            change_price: 0,
        }
    }
}

/// The algorithms, for `--algorithm list`.
pub fn algorithms() -> Vec<AlgorithmInfo> {
    registry::methods()
        .into_iter()
        .map(|(_, info)| info)
        .collect()
}

/// Divides the load of the problem's applications.
pub fn solve(problem: &Problem, params: &Params, ctx: &Context) -> Result<Solution, SolveError> {
    let methods = registry::methods();
    let infos: Vec<AlgorithmInfo> = methods.iter().map(|(_, info)| info.clone()).collect();
    let info = find(&params.algorithm, &infos)?;
    let (method, _) = methods
        .iter()
        .find(|(_, i)| i == info)
        .expect("found above");
    for (name, threshold) in [
        ("--cpu-threshold", params.cpu_threshold),
        ("--memory-threshold", params.memory_threshold),
    ] {
        if threshold > 1_000_000 {
            let problem = "a share of a node, at most 100 %".into();
            return Err(SolveError::Parameter { name, problem });
        }
    }
    let view = View::new(problem, params)?;
    let answer = dispatch::run(&view, *method, &info.name, params.objective, ctx)?;
    Ok(finish::solution(
        problem,
        &view,
        params.objective,
        answer,
        &info.name,
        ctx,
    ))
}
