//! Column generation with smoothed duals and a bound that holds at any time.

use super::super::kinds::Kinds;
use super::super::pricing::{GAIN_TOLERANCE, NODES, Pricer, Round};
use super::columns::{Column, Master, Relaxed};
use crate::{Context, SolveError};

/// Weight of the best duals so far in the point that is priced.
const SMOOTHING: f64 = 0.5;

/// Kinds up to which every interval may contribute a pattern per round.
const FEW_KINDS: usize = 40;

/// Patterns per kind and interval that make a quick look at so many rows.
pub(crate) fn quick_nodes(rows: usize) -> u64 {
    (40_000 / rows.max(1) as u64).clamp(40, 4_000)
}

/// What column generation leaves behind.
pub(crate) struct Generated {
    /// The last LP solution.
    pub relaxed: Relaxed,
    /// No answer costs less (in largest capacities, beyond what stands already).
    pub bound: f64,
    /// Rounds of pricing.
    pub rounds: u64,
    /// Whether no pattern is left that would improve the LP.
    pub converged: bool,
}

/// When column generation ends.
#[derive(Clone, Copy)]
pub(crate) struct Until {
    /// The gap (relative) is below this.
    pub gap: f64,
    /// So many rounds are done.
    pub rounds: u64,
    /// So many seconds are over; infinite: the clock is not looked at.
    pub seconds: f64,
    /// Patterns a quick look goes through per kind and interval.
    pub nodes: u64,
    /// Whether nothing must be left; otherwise what a quick look does not find
    /// is not looked for.
    pub exact: bool,
}

/// Generates patterns for the given wants and supplies until none improves or
/// one of the ends is reached. `None` when not even the first LP was solved in time.
pub(crate) fn generate(
    master: &mut Master,
    wanted: &[u32],
    supply: &[u64],
    end: Until,
    ctx: &Context,
) -> Result<Option<Generated>, SolveError> {
    let until = ctx.elapsed() + end.seconds;
    master.restrict(wanted, supply);
    let open: Vec<bool> = supply.iter().map(|count| *count > 0).collect();
    let many = open.iter().filter(|open| **open).count() <= FEW_KINDS;
    let Some(mut relaxed) = master.relax(ctx)? else {
        return Ok(None);
    };
    let (mut bound, mut best) = (0.0f64, relaxed.duals.clone());
    let (mut rounds, mut converged, mut smooth) = (0, false, false);
    let mut nodes = end.nodes;
    // With a budget of steps `seconds` is infinite: the clock is never looked at.
    while rounds < end.rounds
        && !ctx.must_stop()
        && (end.seconds.is_infinite() || ctx.elapsed() < until)
    {
        let point: Vec<f64> = match smooth {
            true => best
                .iter()
                .zip(&relaxed.duals)
                .map(|(b, now)| SMOOTHING * b + (1.0 - SMOOTHING) * now)
                .collect(),
            false => relaxed.duals.clone(),
        };
        let stop = || ctx.must_stop();
        let priced = master
            .pricer
            .round(&point, wanted, &open, (many, nodes), &stop);
        let Some(round) = priced else { break };
        rounds += 1;
        let lagrangian = lagrangian_bound(master.pricer, &point, wanted, supply, &round);
        if lagrangian > bound {
            bound = lagrangian;
            best.clone_from(&point);
        }
        let mut added = 0;
        for priced in round.patterns {
            added += u64::from(master.add(Column {
                kind: priced.kind as u32,
                pattern: priced.pattern,
            }));
        }
        if bound >= relaxed.objective * (1.0 - end.gap) - GAIN_TOLERANCE {
            converged = added == 0;
            break;
        }
        if added == 0 {
            if !smooth && (nodes == NODES || !end.exact) {
                converged = nodes == NODES;
                break;
            }
            if !smooth {
                nodes = NODES; // a quick look finds nothing more
            }
            smooth = false; // the smoothed point hid what the LP's own duals show
            continue;
        }
        let Some(next) = master.relax(ctx)? else {
            break;
        };
        relaxed = next;
        smooth = bound > 0.0;
    }
    Ok(Some(Generated {
        relaxed,
        bound: bound.max(0.0),
        rounds,
        converged,
    }))
}

/// The Lagrangian bound at duals `pi`: what is wanted earns pi, minus what the
/// machines there are could gain at most. Where any number may be opened, the
/// duals are scaled down until no pattern gains (Farley).
fn lagrangian_bound(
    pricer: &Pricer,
    pi: &[f64],
    wanted: &[u32],
    supply: &[u64],
    round: &Round,
) -> f64 {
    let kinds: &Kinds = pricer.kinds;
    let mut scale = 1.0f64;
    for (kind, about) in kinds.kinds.iter().enumerate() {
        let gain = round.most_gain[about.row];
        if supply[about.row] == u64::MAX && gain > 0.0 {
            let least = pricer.least_cost(kind);
            scale = scale.min(if least.is_finite() {
                least / (least + gain)
            } else {
                1.0
            });
        }
    }
    let earned: f64 = pi
        .iter()
        .zip(wanted)
        .map(|(pi, wanted)| pi * f64::from(*wanted))
        .sum();
    let limited = supply
        .iter()
        .zip(&round.most_gain)
        .filter(|(count, _)| **count != u64::MAX);
    let lost: f64 = limited
        .map(|(count, gain)| *count as f64 * gain.max(0.0))
        .sum();
    scale * (earned - lost)
}
