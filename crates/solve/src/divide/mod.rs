//! `divide`: how many instances, where, and how much load each serves.
//!
//! After "Divide (CPU Load) and Conquer: Semi-Flexible Cloud Resource
//! Allocation" (CCGrid 2022).

mod answer;
mod baseline;
mod bounds;
mod columns;
mod equal;
mod flow;
mod index;
mod knapsack;
mod lanes;
mod multi;
mod pack;
mod registry;
mod search;
mod state;
mod view;

use bayplan_model::{Plan, Problem};

use crate::shared::registry::find;
use crate::{AlgorithmInfo, Context, Figure, Solution, SolveError, StoppedBy};
use answer::Answer;
use registry::Method;
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
    registry::methods().into_iter().map(|(_, info)| info).collect()
}

/// Divides the load of the problem's applications.
pub fn solve(problem: &Problem, params: &Params, ctx: &Context) -> Result<Solution, SolveError> {
    let methods = registry::methods();
    let infos: Vec<AlgorithmInfo> = methods.iter().map(|(_, info)| info.clone()).collect();
    let info = find(&params.algorithm, &infos)?;
    let (method, _) = methods.iter().find(|(_, i)| i == info).expect("found above");
    let view = View::new(problem, params)?;
    let answer = match method {
        Method::Multi(orientation, fit) => {
            let kind = &view.kinds[0];
            let bound = bounds::fewest_nodes(&view.apps, kind.cpu, kind.memory);
            let most: u64 = view.apps.iter().map(|a| view.fewest_instances(a)).sum();
            let slots = view.slots(0, most.min(kind.most.into()) as usize);
            let (d, left) = multi::fewest(&view, &slots, *orientation, *fit, bound, &|| ctx.must_stop());
            Answer { bound: bound * 1_000_000, ..Answer::new(d, left) }
        }
        Method::Baseline(fit, order) => {
            let d = baseline::place(&view, *order, *fit, &mut ctx.random(0));
            Answer::new(d, vec![])
        }
        _ => pack::solve(&view, ctx),
    };
    let price = answer.price(&view);
    Ok(Solution {
        objective: price as f64 / 1e6,
        bound: Some(answer.bound as f64 / 1e6),
        proven: price <= answer.bound,
        stopped_by: StoppedBy::End,
        algorithm: info.name.clone(),
        figures: vec![("x", Figure::Count(answer.left.len() as u64))],
        notes: vec![],
        plan: Plan::Division(view.plan(&answer.division)),
    })
}
