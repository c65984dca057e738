//! Solve, verify, assemble.

use bayplan_model::{Applications, DivisionPlan, Plan, Problem, Reason};
use bayplan_solve::{Context, Figure, Solution, StoppedBy};
use bayplan_verify::{Objective, Report, Rules, check};

use crate::{Error, Question, cpu_seconds};

/// Relative tolerance between the solver's and the verifier's objective where
/// the objective is real-valued; counts must agree exactly.
const TOLERANCE: f64 = 1e-6;

/// A checked answer with its proof of quality.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The verb asked.
    pub verb: &'static str,
    /// Which figure the objective is.
    pub kind: Objective,
    /// The algorithm that found the plan.
    pub algorithm: String,
    /// The plan.
    pub plan: Plan,
    /// The value of the plan, in the units shown to people.
    pub objective: f64,
    /// What no plan can beat, in the same units.
    pub bound: Option<f64>,
    /// Distance between the two as a share of the bound.
    pub gap: Option<f64>,
    /// Whether the objective is proven best.
    pub proven: bool,
    /// Whether everything asked for holds: nothing broken, nothing left out.
    pub feasible: bool,
    /// Wall seconds of the run.
    pub seconds: f64,
    /// CPU seconds of the run.
    pub cpu_seconds: f64,
    /// Why the run ended.
    pub stopped_by: StoppedBy,
    /// The seed.
    pub seed: u64,
    /// The rules the plan was held against.
    pub rules: Rules,
    /// The verifier's report.
    pub report: Report,
    /// What has no place: name, replicas, reason.
    pub unplaced: Vec<(String, u32, Reason)>,
    /// The verb's own figures.
    pub figures: Vec<(&'static str, Figure)>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// Asks a question, and hands out the answer only after the verifier has
/// recounted it: a mismatch is an error, never a warning.
pub fn answer(
    problem: &Problem,
    question: &dyn Question,
    context: &Context,
) -> Result<Outcome, Error> {
    let cpu_before = cpu_seconds(context);
    let mut solution = question.solve(problem, context)?;
    let (seconds, cpu) = (context.elapsed(), cpu_seconds(context) - cpu_before);
    question.assess(problem, &mut solution, context);
    let outcome = answer_with(problem, question, context, solution)?;
    Ok(Outcome {
        seconds,
        cpu_seconds: cpu,
        ..outcome
    })
}

/// The same for a solution that is already there, such as one point of a
/// curve: verified and assembled. CPU seconds are all
/// that the process, or the run's own thread, has used so far.
pub fn answer_with(
    problem: &Problem,
    question: &dyn Question,
    context: &Context,
    solution: Solution,
) -> Result<Outcome, Error> {
    let (seconds, cpu) = (context.elapsed(), cpu_seconds(context));
    let kind = question.objective(problem);
    // What is missing is listed with its reason, not reported as a mistake.
    let rules = Rules {
        complete: false,
        ..question.rules(problem)
    };
    let report = check(problem, &solution.plan, &rules);
    confirm(&solution, kind, &report)?;
    let unplaced = unplaced(problem, &solution.plan);
    let scale = shown_scale(problem, kind);
    let objective = solution.objective / scale;
    let bound = solution.bound.map(|bound| bound / scale);
    Ok(Outcome {
        verb: question.verb(),
        kind,
        objective,
        bound,
        gap: bound.and_then(|bound| gap(objective, bound)),
        proven: solution.proven,
        feasible: report.violations.is_empty() && unplaced.is_empty(),
        seconds,
        cpu_seconds: cpu,
        stopped_by: solution.stopped_by,
        seed: context.seed(),
        rules,
        report,
        unplaced,
        algorithm: solution.algorithm,
        plan: solution.plan,
        figures: solution.figures,
        notes: solution.notes,
    })
}

/// The share of the bound by which the objective misses it.
fn gap(objective: f64, bound: f64) -> Option<f64> {
    if objective == bound {
        return Some(0.0);
    }
    (bound != 0.0).then(|| (objective - bound).abs() / bound.abs())
}

/// What a solver's objective is divided by for people: units of resource 0
/// where it is an amount, else 1.
pub fn shown_scale(problem: &Problem, kind: Objective) -> f64 {
    match kind {
        Objective::Ucac | Objective::MaxLoad => problem
            .cluster()
            .resources
            .first()
            .map_or(1.0, |resource| resource.scale as f64),
        _ => 1.0,
    }
}

fn confirm(solution: &Solution, kind: Objective, report: &Report) -> Result<(), Error> {
    let algorithm = || solution.algorithm.clone();
    if !report.holds() {
        let broken = report
            .violations
            .iter()
            .filter(|violation| !violation.on_arrival);
        return Err(Error::Broken {
            algorithm: algorithm(),
            violations: broken.cloned().collect(),
        });
    }
    let counted = report.figures.value(kind);
    let claimed = solution.objective;
    let tolerance = match kind {
        Objective::Nodes => 0.0,
        _ => TOLERANCE * claimed.abs().max(1e-9),
    };
    if !counted.is_some_and(|counted| (counted - claimed).abs() <= tolerance) {
        return Err(Error::Mismatch {
            algorithm: algorithm(),
            claimed,
            counted,
        });
    }
    if let Some(bound) = solution.bound {
        let excess = if kind.maximises() {
            claimed - bound
        } else {
            bound - claimed
        };
        // A plan that leaves something out may well cost less than the bound
        // on plans that do not.
        let complete = report.figures.unplaced.unwrap_or(0) == 0;
        if complete && excess > TOLERANCE * claimed.abs().max(1e-9) {
            return Err(Error::Bound {
                algorithm: algorithm(),
                objective: claimed,
                bound,
            });
        }
    }
    Ok(())
}

fn unplaced(problem: &Problem, plan: &Plan) -> Vec<(String, u32, Reason)> {
    if let (Plan::Division(plan), Some(applications)) = (plan, problem.applications()) {
        return unserved(applications, plan);
    }
    let (Plan::Placement(plan), Some(services)) = (plan, problem.services()) else {
        return Vec::new();
    };
    let named = |id: bayplan_model::ServiceId| services.names.get(id.index()).to_string();
    plan.unplaced
        .iter()
        .map(|left| (named(left.service), left.count, left.reason))
        .collect()
}

/// Applications whose load is not fully served or that lack instances, with
/// the instances at least missing.
fn unserved(applications: &Applications, plan: &DivisionPlan) -> Vec<(String, u32, Reason)> {
    let mut found = vec![(0u64, 0u32); applications.all.len()];
    for share in &plan.shares {
        let (served, instances) = &mut found[share.application.index()];
        *served += share.load;
        *instances += 1;
    }
    let all = applications.all.iter().zip(applications.names.iter());
    all.zip(found)
        .filter_map(|((application, name), (served, instances))| {
            let missing = application.min_instances.saturating_sub(instances);
            let missing = missing.max(u32::from(served < application.load));
            (missing > 0).then(|| (name.to_string(), missing, Reason::NoRoom))
        })
        .collect()
}
