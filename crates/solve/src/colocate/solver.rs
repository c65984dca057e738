//! From a problem to an answer: view, search, bound, migration.

use bayplan_model::{PlacementPlan, Plan, Problem};

use super::anneal::walk::Goal;
use super::bounds::{Work, best_bound, patterns_suit};
use super::evolve::{Effort, Found, Search};
use super::gain::{gain_of, moves_of, placement_of};
use super::migrate::{Migration, Safety, plan};
use super::patterns::Pool;
use super::peers::applsci19::applsci19;
use super::peers::k8s_plus::k8s_plus;
use super::peers::pop::pop;
use super::rasa::{Choices, rasa_with};
use super::schedule::{reasons, start};
use super::view::{Spot, View};
use super::{Params, registry};
use crate::shared::registry::find;
use crate::{Context, Figure, Solution, SolveError, StoppedBy};

/// Steps when neither is given a meaning by the algorithm: the gain counts as
/// equal to the bound within this.
const PROOF: f64 = 1e-9;

/// Answers the question with the algorithm asked for.
pub fn solve(
    problem: &Problem,
    params: &Params,
    context: &Context,
) -> Result<Solution, SolveError> {
    check(params)?;
    let all = registry::algorithms();
    let algorithm = find(&params.algorithm, &all)?.name.clone();
    let view = View::new(problem, params.gain_label.as_deref(), &params.leave_alone)?;
    if view.edges.is_empty() {
        return Err(SolveError::WrongWorkload {
            verb: "colocate",
            needs: "traffic between services",
        });
    }
    if view.nodes() == 0 {
        let why = "colocate works on existing nodes, and the cluster has none".into();
        return Err(SolveError::Infeasible { why });
    }
    let from = start(&view);
    let mut pool = Pool::default();
    let mut bound = None;
    let (mut notes, mut figures) = (Vec::new(), Vec::new());
    let until = context
        .deadline()
        .map(|_| context.elapsed() + context.seconds_left() * 0.85);
    let mut found = match algorithm.as_str() {
        "original" => found_at(&view, from.clone()),
        "k8s+" => k8s_plus(&view, context).unwrap_or_else(|| unfinished(&view, &from, &mut notes)),
        "applsci19" => {
            applsci19(&view, context).unwrap_or_else(|| unfinished(&view, &from, &mut notes))
        }
        "pop" => pop(&view, &from, until, context),
        "rasa" => {
            let choices = Choices {
                partition: params.partition,
                masters: params.masters,
                pool: params.pool,
                selector: params.selector,
                trivial: params.trivial,
            };
            let combined = rasa_with(&view, &from, choices, until, context);
            notes.extend(combined.notes());
            figures = combined.figures();
            combined.found
        }
        _ => {
            let mut search = Search::new(&view, from.clone());
            let goal = goal(&view, params);
            let plan = Shares::of(&view, params, context);
            let mut best = search.run(goal, plan.search, context);
            if params.bound {
                bound = Some(best_bound(
                    &view,
                    &mut search.pool,
                    &best,
                    plan.bound,
                    context,
                ));
                let better = search.polish(&best, goal, plan.polish, context);
                if better.beats(&best, goal) {
                    best = better;
                }
            }
            pool = search.pool;
            best
        }
    };
    if params.bound && bound.is_none() {
        bound = Some(best_bound(
            &view,
            &mut pool,
            &found,
            Shares::of(&view, params, context).bound,
            context,
        ));
    }
    if let Some(proof) = bound.filter(|proof| proof.parts > 0) {
        figures.push(("bound_parts", Figure::Count(proof.parts as u64)));
        figures.push(("traffic_between_parts", Figure::Number(proof.between)));
    }
    let bound = bound.map(|proof| proof.bound);
    let before = gain_of(&view, &view.original);
    if params
        .max_moves
        .is_some_and(|most| found.moves > 0 && found.moves as u64 > most)
        && algorithm != "auto"
    {
        return Err(SolveError::UnsupportedRule {
            by: algorithm,
            rule: "a limit on moves",
            fix: "use the default algorithm".into(),
        });
    }
    if params.min_gain > 0.0 && found.gain - before < params.min_gain && found.moves > 0 {
        let kept = found_at(&view, from);
        notes.push(format!(
            "the best plan found gains {:.4} more of the traffic, less than --min-gain {}: nothing is moved",
            found.gain - before,
            params.min_gain
        ));
        found = kept;
    }
    let mut solution = finish(
        problem, &view, params, context, &algorithm, found, bound, notes,
    )?;
    solution.figures.extend(figures);
    Ok(solution)
}

/// A rebuilt cluster that the time was too short for is no plan: nothing moves.
fn unfinished(view: &View, from: &[Spot], notes: &mut Vec<String>) -> Found {
    notes.push("stopped before the cluster was rebuilt: nothing is moved".into());
    found_at(view, from.to_vec())
}

/// Adds the way, the bound and the figures to a placement.
#[allow(clippy::too_many_arguments)]
pub(super) fn finish(
    problem: &Problem,
    view: &View,
    params: &Params,
    context: &Context,
    algorithm: &str,
    found: Found,
    bound: Option<f64>,
    mut notes: Vec<String>,
) -> Result<Solution, SolveError> {
    let before = gain_of(view, &view.original);
    let mut spots = found.spots;
    let mut figures = vec![("gain_before", Figure::Number(before))];
    let mut waves = Vec::new();
    if params.waves && !view.original.is_empty() {
        let services = problem.services().map(|s| s.alive.as_slice());
        let safety = Safety {
            alive: params.alive,
            own: services.unwrap_or(&[]),
            outage: params.allow_outage,
        };
        let migration = plan(view, &spots, safety);
        notes.extend(obstacle(problem, &migration));
        notes.extend(outages(problem, &migration));
        figures.push(("detours", Figure::Count(migration.detours)));
        if params.allow_outage {
            figures.push(("outages", Figure::Count(migration.outages.len() as u64)));
        }
        waves = migration.waves;
        spots = migration.reached;
    }
    let gain = gain_of(view, &spots);
    let proven = bound.is_some_and(|bound| gain >= bound - PROOF);
    let stopped_by = if proven {
        StoppedBy::Proof
    } else if context.interrupted() {
        StoppedBy::Interrupt
    } else if matches!(algorithm, "original" | "k8s+" | "applsci19") {
        StoppedBy::End
    } else if context.steps().is_some() {
        StoppedBy::Steps
    } else {
        StoppedBy::Time
    };
    Ok(Solution {
        plan: Plan::Placement(PlacementPlan {
            opened: Vec::new(),
            placement: placement_of(&spots),
            unplaced: reasons(view, &spots),
            waves,
        }),
        objective: gain,
        bound,
        proven,
        stopped_by,
        algorithm: algorithm.into(),
        figures,
        notes,
    })
}

fn check(params: &Params) -> Result<(), SolveError> {
    let bad = |name, problem: &str| {
        Err(SolveError::Parameter {
            name,
            problem: problem.into(),
        })
    };
    if params
        .move_price
        .is_some_and(|price| !price.is_finite() || price < 0.0)
    {
        return bad("move-price", "a share of all traffic, 0 or more");
    }
    if !params.min_gain.is_finite() {
        return bad("min-gain", "a share of all traffic, such as 0.03");
    }
    if params.alive > 1_000_000 {
        return bad("alive", "a share of the replicas, at most 1");
    }
    Ok(())
}

/// What the search maximises.
pub(super) fn goal(view: &View, params: &Params) -> Goal {
    let replicas: f64 = view.replicas.iter().map(|d| f64::from(*d)).sum();
    let price = params.move_price.unwrap_or(0.07 / replicas.max(1.0));
    let max_moves = params
        .max_moves
        .map_or(i64::MAX, |most| i64::try_from(most).unwrap_or(i64::MAX));
    Goal { price, max_moves }
}

/// How a run's budget is shared out.
struct Shares {
    search: Effort,
    bound: Work,
    polish: Effort,
}

impl Shares {
    /// With time for it, half goes to the bound; its patterns then improve
    /// the plan once more. The rest is for the migration.
    fn of(view: &View, params: &Params, context: &Context) -> Self {
        let Some(steps) = context.steps() else {
            let left = context.seconds_left();
            let (search, bound) = match params.bound {
                false => (0.95, 0.95),
                // Families of services are bounded where there is time for it.
                true if !patterns_suit(view) && left < 30.0 => (0.84, 0.9),
                true if !patterns_suit(view) => (0.72, 0.9),
                true if left >= 120.0 => (0.25, 0.9),
                true if left >= 15.0 => (0.38, 0.87),
                true => (0.85, 0.9),
            };
            return Self {
                search: Effort::Seconds(left * search),
                bound: Work::Until(context.elapsed() + left * bound),
                polish: Effort::Seconds(left * 0.06),
            };
        };
        let rounds = (steps / 1_000_000).min(400);
        Self {
            search: Effort::Steps(steps - steps / 8),
            bound: Work::Rounds(rounds),
            polish: Effort::Steps(steps / 8),
        }
    }
}

pub(super) fn found_at(view: &View, spots: Vec<Spot>) -> Found {
    let gain = gain_of(view, &spots);
    let moves = moves_of(view, &spots) as i64;
    Found { spots, gain, moves }
}

/// Says what stands in the way of a complete migration.
fn obstacle(problem: &Problem, migration: &Migration) -> Option<String> {
    let (service, node) = *migration.stuck.first()?;
    let stuck = migration.stuck.iter().map(|(s, _)| s);
    let waiting = stuck.collect::<std::collections::BTreeSet<_>>().len();
    let name = problem.services()?.names.get(service as usize);
    let node = &problem.cluster().nodes[node as usize].name;
    let who = match waiting {
        1 => format!("{name} waits for room at node {node}"),
        _ => format!("{waiting} services wait for room, the first is {name} at node {node}"),
    };
    Some(format!(
        "no legal way leads all the way: {who}; the plan ends where every service is whole"
    ))
}

/// Names the services that are short of one replica on the way.
fn outages(problem: &Problem, migration: &Migration) -> Option<String> {
    let mut short = migration.outages.clone();
    short.sort_unstable();
    short.dedup();
    let names = &problem.services()?.names;
    let named: Vec<_> = short
        .iter()
        .take(5)
        .map(|s| names.get(*s as usize))
        .collect();
    (!short.is_empty()).then(|| {
        format!(
            "{} services are for a while short of one replica more than --alive allows: {}{}",
            short.len(),
            named.join(", "),
            if short.len() > named.len() {
                ", ..."
            } else {
                ""
            }
        )
    })
}
