//! From the LP to whole machines: dive, then solve the rest exactly.

use rand::RngExt;

use super::super::pricing::NODES;
use super::answer::{Rest, cost, trim};
use super::columns::{Chosen, Column, Master};
use super::generate::{Generated, Until, generate, quick_nodes};
use super::mixed::Effort;
use super::part::solve_part;
use crate::{Context, Random, SolveError};

/// How a dive goes.
pub(super) struct Dive<'r> {
    /// Machines left when the integer program takes over.
    pub part: f64,
    /// No answer that costs more is of use; the dive takes care to stay below.
    pub limit: f64,
    /// Chance, for a dive that is to differ from others.
    pub random: Option<&'r mut Random>,
    /// Rounds of pricing for each machine taken.
    pub rounds: u64,
    /// Work of the integer program; `None`: there is none.
    pub effort: Option<Effort>,
}

/// An integer answer near the LP's: the whole part of the LP is taken, then one
/// machine after the other with columns generated anew for the rest; the last
/// machines are packed again by an integer program.
pub(super) fn dive(
    master: &mut Master,
    all: &Rest,
    generated: &Generated,
    mut how: Dive,
    ctx: &Context,
) -> Result<Vec<Chosen>, SolveError> {
    let mut rest = all.clone();
    let mut taken: Vec<Chosen> = Vec::new();
    let mut values = generated.relaxed.values.clone();
    let mut part: Option<(Rest, usize)> = None;
    while !rest.is_covered() && !ctx.must_stop() {
        let machines: f64 = values.iter().sum();
        if part.is_none() && machines <= how.part {
            part = Some((rest.clone(), taken.len()));
        }
        let keep_back = match (&mut how.random, part.is_none()) {
            (_, false) => 0,
            (None, true) => 1,
            (Some(random), true) => random.random_range(0..3),
        };
        let took = take_whole(master, &mut rest, &values, keep_back, &mut taken);
        if rest.is_covered() {
            break;
        }
        if !took && part.is_none() {
            part = Some((rest.clone(), taken.len()));
            continue;
        }
        let next = if took {
            add_trimmed(master, &rest, &values);
            generate_rest(master, &rest, how.rounds, ctx)?
        } else {
            next_machine(master, &mut rest, &values, &mut how, &mut taken, ctx)?
        };
        match next {
            Some(next) => values = next.relaxed.values,
            None => break,
        }
    }
    if let (Some((part, at)), Some(effort)) = (part, how.effort) {
        let tail: Vec<Chosen> = trim(master, taken.split_off(at), &part.wanted);
        let better = solve_part(master, &part, &tail, effort, ctx);
        taken.extend(better.unwrap_or(tail));
    }
    Ok(taken)
}

/// Services up to which a search ends soon by itself.
const FEW_SERVICES: usize = 40;

/// Patterns to look at per kind and interval while diving: with few services
/// nearly always all that matter.
pub(super) fn careful_nodes(master: &Master) -> u64 {
    let kinds = master.pricer.kinds;
    if kinds.wanted.len() <= FEW_SERVICES {
        (NODES / kinds.rows.len().max(1) as u64).max(100)
    } else {
        quick_nodes(kinds.rows.len())
    }
}

/// Adds what the rest still wants of the columns in use that hold more, so
/// that its LP need not find patterns like theirs first.
fn add_trimmed(master: &mut Master, rest: &Rest, values: &[f64]) {
    let of_use = |at: &usize| {
        let column = &master.columns[*at];
        let more = |(s, count): &(u32, u32)| *count > rest.wanted[*s as usize];
        values[*at] > 1e-9
            && rest.supply[master.row_of(column)] > 0
            && column.pattern.iter().any(more)
    };
    for at in (0..values.len()).filter(of_use).collect::<Vec<_>>() {
        let Column { kind, pattern } = &master.columns[at];
        let wanted = |s: &u32| rest.wanted[*s as usize];
        let pattern = (pattern.iter())
            .map(|(s, count)| (*s, (*count).min(wanted(s))))
            .filter(|(_, count)| *count > 0);
        let (kind, pattern) = (*kind, pattern.collect());
        master.add(Column { kind, pattern });
    }
}

fn generate_rest(
    master: &mut Master,
    rest: &Rest,
    rounds: u64,
    ctx: &Context,
) -> Result<Option<Generated>, SolveError> {
    let until = Until {
        gap: 1e-6,
        rounds,
        seconds: f64::INFINITY,
        nodes: careful_nodes(master),
        exact: false,
    };
    generate(master, &rest.wanted, &rest.supply, until, ctx)
}

/// Takes one machine: of the columns the LP uses most, the first that leaves
/// the LP within the limit, or else the one that raises it least. `None` when
/// no column is of use or the time is up.
fn next_machine(
    master: &mut Master,
    rest: &mut Rest,
    values: &[f64],
    how: &mut Dive,
    taken: &mut Vec<Chosen>,
    ctx: &Context,
) -> Result<Option<Generated>, SolveError> {
    let mut best: Option<(f64, Rest, Generated, usize)> = None;
    for at in most_used(master, rest, values, &mut how.random) {
        let mut after = rest.clone();
        after.take(master, &master.columns[at], 1);
        add_trimmed(master, &after, values);
        let Some(next) = generate_rest(master, &after, how.rounds, ctx)? else {
            break;
        };
        let total = cost(master, taken) + master.costs[at] + next.relaxed.objective;
        if best.as_ref().is_none_or(|(least, ..)| total < *least) {
            best = Some((total, after, next, at));
        }
        if total <= how.limit {
            break;
        }
    }
    Ok(best.map(|(_, after, next, at)| {
        *rest = after;
        taken.push(Chosen {
            column: master.columns[at].clone(),
            times: 1,
        });
        next
    }))
}

/// Columns tried for one machine.
const TRIED: usize = 3;

/// The columns the LP uses most that still cover something, most used first;
/// with chance, each may be overlooked a little.
fn most_used(
    master: &Master,
    rest: &Rest,
    values: &[f64],
    random: &mut Option<&mut Random>,
) -> Vec<usize> {
    let useful = |at: &usize| {
        let column = &master.columns[*at];
        values[*at] > 1e-9
            && rest.supply[master.row_of(column)] > 0
            && column
                .pattern
                .iter()
                .any(|(s, _)| rest.wanted[*s as usize] > 0)
    };
    let mut ranked: Vec<(f64, usize)> = (0..values.len())
        .filter(useful)
        .map(|at| {
            let noise = random.as_mut().map_or(1.0, |r| r.random_range(0.6..1.0));
            (values[at] * noise, at)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().take(TRIED).map(|(_, at)| at).collect()
}

/// Takes the whole part of every value, `keep_back` less where machines are
/// many, to leave the integer program a choice. Whether anything was taken.
fn take_whole(
    master: &Master,
    rest: &mut Rest,
    values: &[f64],
    keep_back: u64,
    taken: &mut Vec<Chosen>,
) -> bool {
    let before = taken.len();
    for (at, value) in values.iter().enumerate() {
        let whole = (value + 1e-6).floor() as u64;
        let single = rest.supply[master.row_of(&master.columns[at])] <= 1;
        let times = if single {
            whole
        } else {
            whole.saturating_sub(keep_back)
        };
        if times > 0 {
            take(master, rest, at, times, taken);
        }
    }
    taken.len() > before
}

fn take(master: &Master, rest: &mut Rest, at: usize, times: u64, taken: &mut Vec<Chosen>) {
    let column = &master.columns[at];
    let times = rest.take(master, column, times);
    if times > 0 {
        taken.push(Chosen {
            column: column.clone(),
            times,
        });
    }
}
