//! The solver of `admit`: the most valuable set of requests over time.
//!
//! Every request has an interval, open at its start; nodes have a capacity in
//! each resource; what is admitted runs on one node from start to finish.

pub mod auto;
pub mod baselines;
pub mod bounds;
pub mod cradle;
pub mod curve;
pub mod fill;
pub mod guarantee;
pub mod ilp;
pub mod improve;
pub mod neighbourhood;
pub mod online;
pub mod prices;
mod registry;
pub mod relaxation;
pub mod state;
#[cfg(test)]
mod tests;
pub mod view;
pub mod wide;

use bayplan_model::{Plan, Problem, Requests};

pub use registry::algorithms;

use crate::shared::registry::find;
use crate::{Context, Figure, Solution, SolveError, StoppedBy};
use baselines::{Packing, Spreading, bin_packing, spread};
use fill::Order;
use guarantee::{Guarantee, Wide};
use view::{NOWHERE, View};

/// The parameters of a run.
#[derive(Clone, Debug)]
pub struct Params {
    /// The algorithm, whatever the case.
    pub algorithm: String,
    /// Decide at each arrival with what is known so far; the same as the
    /// algorithm `Online`.
    pub online: bool,
    /// How far back online prices look, in the input's time units; `None`
    /// chooses by the durations seen.
    pub window: Option<f64>,
    /// A trace of an earlier day, to learn the first prices from.
    pub history: Option<std::sync::Arc<Requests>>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            algorithm: "auto".into(),
            online: false,
            window: None,
            history: None,
        }
    }
}

/// A plan on the way to a solution.
struct Answer {
    node_of: Vec<u32>,
    bound: Option<u64>,
    guarantee: Guarantee,
    searched: bool,
    figures: Vec<(&'static str, Figure)>,
}

impl Answer {
    fn new(node_of: Vec<u32>, guarantee: Guarantee) -> Self {
        Self {
            node_of,
            bound: None,
            guarantee,
            searched: false,
            figures: Vec::new(),
        }
    }
}

/// Chooses which requests to admit, and where each runs.
pub fn solve(
    problem: &Problem,
    params: &Params,
    context: &Context,
) -> Result<Solution, SolveError> {
    let view = View::new(problem)?;
    let all = algorithms();
    let mut name = find(&params.algorithm, &all)?.name.as_str();
    if params.online {
        if !["auto", "Online"].contains(&name) {
            return Err(SolveError::Parameter {
                name: "online",
                problem: format!("{name} is an algorithm of its own; leave one of the two away"),
            });
        }
        name = "Online";
    }
    let answer = run(&view, name, params, context)?;
    Ok(finish(&view, name, answer, context))
}

fn run(view: &View, name: &str, params: &Params, context: &Context) -> Result<Answer, SolveError> {
    let heuristic = || Guarantee::none("a heuristic");
    // A run cut short may miss a family: no guarantee then.
    let proven = |wide| {
        if context.must_stop() {
            Guarantee::none("the run was cut short")
        } else {
            Guarantee::of(view, wide)
        }
    };
    let plus = |order| {
        let start = cradle::cradle(view, context);
        let guarantee = proven(Wide::LocalRatio);
        Answer::new(auto::filled(view, &start, order, context), guarantee)
    };
    let online = |node_of| Answer::new(node_of, Guarantee::none("decided at arrival"));
    Ok(match name {
        "Cradle" => {
            let node_of = cradle::cradle(view, context);
            Answer::new(node_of, proven(Wide::LocalRatio))
        }
        "Cradle-DP" => with_dynamic_program(view, context)?,
        "Cradle+" => plus(Order::Start),
        "Cradle+Density" => plus(Order::Density),
        "Density" => {
            let nothing = vec![NOWHERE; view.len()];
            let node_of = auto::filled(view, &nothing, Order::Density, context);
            Answer::new(node_of, heuristic())
        }
        "Prices" => {
            let priced = bounds::priced(view, auto::WORK, auto::PRICE_SHARE, context);
            let score = auto::scores(view, &priced.prices);
            let mut answer = Answer::new(auto::filled_by_score(view, &score, context), heuristic());
            answer.bound = Some(priced.bound);
            answer
        }
        "Bin-Packing" => online(bin_packing(view, Packing::FirstFit, context)),
        "Bin-Packing-Pointer" => online(bin_packing(view, Packing::MovingPointer, context)),
        "Spread" => online(spread(view, Spreading::Probing, context)),
        "Spread-Strict" => online(spread(view, Spreading::Strict, context)),
        "Online" => {
            let learner = online::Learner::new(view, params)?;
            let run = learner.run(context);
            let mut answer = online(run.node_of);
            answer.figures = run.figures;
            answer
        }
        "ILP" => exact(view, context)?,
        _ => {
            let found = auto::solve(view, context)?;
            let mut answer = Answer::new(found.node_of, found.guarantee);
            answer.bound = Some(found.bound);
            answer.searched = true;
            answer.figures.push(("steps", Figure::Count(found.steps)));
            answer
        }
    })
}

fn with_dynamic_program(view: &View, context: &Context) -> Result<Answer, SolveError> {
    if !view.identical || view.resources > 2 {
        return Err(SolveError::Parameter {
            name: "algorithm",
            problem: "the dynamic program needs nodes that are alike and at most two resources; \
                      use Cradle or auto"
                .into(),
        });
    }
    let placeable = view.placeable();
    let narrow = cradle::Family::Narrow.members(view, &placeable);
    let wide: Vec<u32> = placeable
        .into_iter()
        .filter(|j| !view.is_narrow(*j))
        .collect();
    let of_narrow = cradle::local_ratio(view, &narrow, cradle::Family::Narrow, context);
    let of_wide = wide::optimal(view, &wide, context).ok_or_else(|| SolveError::Parameter {
        name: "algorithm",
        problem: format!(
            "the dynamic program has too many states for {} wide requests on {} nodes (or the \
             time is up); use Cradle or auto",
            wide.len(),
            view.nodes
        ),
    })?;
    let better = if view.value(&of_wide) > view.value(&of_narrow) {
        of_wide
    } else {
        of_narrow
    };
    let guarantee = if context.must_stop() {
        Guarantee::none("the run was cut short")
    } else {
        Guarantee::of(view, Wide::Optimal)
    };
    Ok(Answer::new(better, guarantee))
}

fn exact(view: &View, context: &Context) -> Result<Answer, SolveError> {
    let start = auto::filled(
        view,
        &cradle::cradle(view, context),
        Order::Density,
        context,
    );
    // The guarantee is Cradle's, which the start only improves: it holds when
    // Cradle ran to its end.
    let guarantee = if context.must_stop() {
        Guarantee::none("the run was cut short")
    } else {
        Guarantee::of(view, Wide::LocalRatio)
    };
    let exact = ilp::solve(view, &start, context)?;
    let node_of = match exact.node_of {
        Some(node_of) if view.value(&node_of) >= view.value(&start) => node_of,
        _ => start,
    };
    let mut answer = Answer::new(node_of, guarantee);
    answer.bound = Some(exact.bound);
    answer.searched = true;
    Ok(answer)
}

fn finish(view: &View, name: &str, answer: Answer, context: &Context) -> Solution {
    let value = view.value(&answer.node_of);
    let cut_short = context.must_stop();
    let bound = match answer.bound {
        Some(bound) => bound,
        None => bounds::quick(view, context),
    };
    debug_assert!(
        value <= bound,
        "a plan worth {value} beats its bound {bound}"
    );
    let proven = value == bound;
    let stopped_by = if proven {
        StoppedBy::Proof
    } else if context.interrupted() {
        StoppedBy::Interrupt
    } else if cut_short {
        StoppedBy::Time
    } else if answer.searched && context.steps().is_some() {
        StoppedBy::Steps
    } else {
        StoppedBy::End
    };
    let admitted = answer.node_of.iter().filter(|n| **n != NOWHERE).count();
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 1.0 };
    let mut figures = vec![
        (
            "served",
            Figure::Number(share(admitted as f64, view.len() as f64)),
        ),
        (
            "served_weight",
            Figure::Number(share(value as f64, view.requests.total_weight() as f64)),
        ),
        ("load_factor", Figure::Number(view.load_factor())),
        ("guarantee", Figure::Text(answer.guarantee.text)),
    ];
    if let Some(factor) = answer.guarantee.factor {
        figures.push(("guarantee_factor", Figure::Number(factor)));
    }
    figures.extend(answer.figures);
    let mut notes = Vec::new();
    let too_large = view.len() - view.placeable().len();
    if too_large > 0 {
        notes.push(format!("{too_large} requests are larger than any node"));
    }
    Solution {
        plan: Plan::Admission(view.plan(&answer.node_of)),
        objective: value as f64 / 1e6,
        bound: Some(bound as f64 / 1e6),
        proven,
        stopped_by,
        algorithm: name.into(),
        figures,
        notes,
    }
}
