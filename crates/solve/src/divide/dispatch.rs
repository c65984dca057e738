//! From the name of an algorithm to its answer, or a refusal.

use super::answer::Answer;
use super::equal::Equal;
use super::index::Fit;
use super::multi::{self, Orientation};
use super::registry::Method;
use super::view::{Division, View};
use super::{Objective, balance, baseline, bounds, mip, pack};
use crate::{Context, SolveError};

/// Applications times nodes beyond which the integer program is refused.
const MOST_CELLS: usize = 5_000;

/// Runs a method.
pub fn run(
    view: &View,
    method: Method,
    name: &str,
    objective: Objective,
    ctx: &Context,
) -> Result<Answer, SolveError> {
    let refuse = |rule, fix: &str| SolveError::UnsupportedRule {
        by: name.into(),
        rule,
        fix: fix.into(),
    };
    if method != Method::Auto && view.change_price > 0 {
        return Err(refuse("a price per change", "use --algorithm auto"));
    }
    // A load and a price have no common scale to weigh them on.
    if objective == Objective::Balance && view.change_price > 0 {
        return Err(refuse(
            "a price per change with the objective balance",
            "use --objective pack or no --change-price",
        ));
    }
    match method {
        Method::Auto => match (equal(view), objective) {
            (Some(equal), _) => solve_equal(view, equal, objective),
            (None, Objective::Pack) => Ok(pack::solve(view, ctx)),
            (None, Objective::Balance) => balance::solve(view, ctx),
        },
        Method::Equal => match equal(view) {
            Some(equal) => solve_equal(view, equal, objective),
            None => Err(refuse(
                "applications or nodes that differ, limits on instances, or memory that grows",
                "use --algorithm auto",
            )),
        },
        Method::Mip => solve_mip(view, objective, ctx),
        Method::Multi(orientation, fit) => {
            if view.kinds.len() > 1 {
                return Err(refuse("several pools", "use --algorithm auto"));
            }
            match objective {
                Objective::Pack => Ok(pack_by(view, orientation, fit, ctx)),
                Objective::Balance => balance::by_heuristics(view, &[(orientation, fit)], ctx),
            }
        }
        Method::Baseline(fit, order) => {
            if view.kinds.len() > 1 {
                return Err(refuse("several pools", "use --algorithm auto"));
            }
            let kind = &view.kinds[0];
            let alone = |app: &super::view::App| {
                app.load <= kind.cpu && app.memory_at(app.load) <= kind.memory
            };
            if objective == Objective::Balance {
                return Err(refuse(
                    "the objective balance",
                    "use --objective pack or --algorithm auto",
                ));
            }
            if view.apps.iter().any(|app| app.min > 1) {
                return Err(refuse(
                    "min_instances above one",
                    "use a multi-instance algorithm",
                ));
            }
            if !view.apps.iter().all(alone) {
                return Err(refuse(
                    "applications larger than a node",
                    "use a multi-instance algorithm",
                ));
            }
            let division = baseline::place(view, order, fit, &mut ctx.random(0));
            let mut placed = vec![false; view.apps.len()];
            for piece in division.pieces.iter().flatten() {
                placed[piece.app as usize] = true;
            }
            let left = (0..view.apps.len()).filter(|i| !placed[*i] && view.apps[*i].min > 0);
            let left = left.map(|i| (i as u32, view.apps[i].load)).collect();
            Ok(Answer {
                bound: bounds::least_price(view),
                ..Answer::new(division, left)
            })
        }
    }
}

/// The problem as one of equal applications on equal nodes, if it is one.
fn equal(view: &View) -> Option<Equal> {
    let (first, [kind]) = (view.apps.first()?, view.kinds.as_slice()) else {
        return None;
    };
    let plain = first.slope == 0 && first.min == 1 && first.max == u32::MAX && first.load > 0;
    let unchanged = view.change_price == 0 && view.running.iter().all(Vec::is_empty);
    let same = view.apps.iter().all(|app| app == first);
    (plain && unchanged && same && kind.cpu > 0).then(|| Equal {
        count: view.apps.len() as u64,
        load: first.load,
        slots: kind
            .memory
            .checked_div(first.memory)
            .unwrap_or(view.apps.len() as u64),
    })
}

fn solve_equal(view: &View, equal: Equal, objective: Objective) -> Result<Answer, SolveError> {
    let kind = &view.kinds[0];
    let (nodes, bound) = match objective {
        Objective::Pack => {
            let nodes = equal.fewest_nodes(kind.cpu);
            if nodes > u64::from(kind.most) {
                let why = format!("{nodes} nodes are needed, and there may be {}", kind.most);
                return Err(SolveError::Infeasible { why });
            }
            (nodes, nodes * kind.price)
        }
        Objective::Balance => {
            let nodes = balance::nodes(view)?.len() as u64;
            let level = equal.level(nodes).filter(|level| *level <= kind.cpu);
            let level = level.ok_or_else(|| SolveError::Infeasible {
                why: format!("{nodes} nodes do not hold the load and memory of all applications"),
            })?;
            (nodes, level)
        }
    };
    let pieces = equal
        .divide(nodes)
        .expect("the number of nodes holds all applications");
    let slots = view.slots(0, pieces.len());
    Ok(Answer {
        bound,
        ..Answer::new(Division { slots, pieces }, Vec::new())
    })
}

fn solve_mip(view: &View, objective: Objective, ctx: &Context) -> Result<Answer, SolveError> {
    let too_large = |cells: usize| SolveError::Parameter {
        name: "--algorithm",
        problem: format!(
            "mip is for small problems, up to {MOST_CELLS} applications times nodes, not {cells}"
        ),
    };
    match objective {
        Objective::Pack => {
            let start = pack::start(view, bounds::least_price(view), ctx);
            let used = start
                .division
                .pieces
                .iter()
                .filter(|p| !p.is_empty())
                .count();
            let cells = used * view.apps.len() * view.kinds.len();
            if cells > MOST_CELLS {
                return Err(too_large(cells));
            }
            let (found, bound) = mip::pack(view, &start, ctx);
            let best = found
                .into_iter()
                .chain([start])
                .min_by_key(|a| a.rank(view));
            let best = best.expect("there is a start");
            Ok(Answer {
                bound: bound.max(bounds::least_price(view)),
                ..best
            })
        }
        Objective::Balance => {
            let slots = balance::nodes(view)?;
            let cells = slots.len() * view.apps.len();
            if cells > MOST_CELLS {
                return Err(too_large(cells));
            }
            let start = balance::by_heuristics(view, balance::ALL, ctx)?;
            let (found, bound) = mip::balance(view, slots, ctx);
            let rank = |answer: &Answer| (answer.left.len(), answer.level());
            let bound = bound.max(start.bound);
            let best = found.into_iter().chain([start]).min_by_key(rank);
            Ok(Answer {
                bound,
                ..best.expect("there is a start")
            })
        }
    }
}

fn pack_by(view: &View, orientation: Orientation, fit: Fit, ctx: &Context) -> Answer {
    let bound = bounds::least_price(view);
    let kind = &view.kinds[0];
    let slots = view.slots(0, view.most_nodes(0) as usize);
    let lowest = bounds::lb0(view.apps.iter(), kind.cpu, kind.memory);
    let (division, left) =
        multi::fewest(view, &slots, orientation, fit, lowest, &|| ctx.must_stop());
    Answer {
        bound,
        ..Answer::new(division, left)
    }
}
