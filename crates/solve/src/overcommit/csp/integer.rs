//! From the LP to whole machines: dive, solve the rest exactly, repair.

use rand::RngExt;

use super::super::pricing::NODES;
use super::columns::{Chosen, Column, Master};
use super::generate::{Generated, Until, generate, quick_nodes};
use super::mixed::{Effort, cover};
use crate::{Context, Random, SolveError};

/// Machines packed anew together: small parts are solved to the end, large
/// ones see more.
const SIZES: [usize; 4] = [4, 6, 9, 13];

/// Columns in an integer program.
const MOST_CANDIDATES: usize = 600;

/// Patterns near the best that are added for the integer program.
const NEAR_PATTERNS: usize = 500;

/// How far below the best a pattern may lie, in largest capacities: first and last try.
const NEAREST: f64 = 1e-4;
const FARTHEST: f64 = 1e-2;

/// What is still to be covered, and with which machines.
#[derive(Clone)]
pub(super) struct Rest {
    pub wanted: Vec<u32>,
    pub supply: Vec<u64>,
}

impl Rest {
    fn is_covered(&self) -> bool {
        self.wanted.iter().all(|wanted| *wanted == 0)
    }

    /// Takes a column some times: at most as often as machines are left.
    fn take(&mut self, master: &Master, column: &Column, times: u64) -> u64 {
        let supply = &mut self.supply[master.row_of(column)];
        let times = times.min(*supply);
        if *supply != u64::MAX {
            *supply -= times;
        }
        for (service, count) in &column.pattern {
            let covered = u64::from(*count).saturating_mul(times);
            let wanted = &mut self.wanted[*service as usize];
            *wanted = u64::from(*wanted).saturating_sub(covered) as u32;
        }
        times
    }
}

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

/// The integer program over the columns nearest to the LP of the part.
fn solve_part(
    master: &mut Master,
    part: &Rest,
    start: &[Chosen],
    effort: Effort,
    ctx: &Context,
) -> Option<Vec<Chosen>> {
    for chosen in start {
        master.add(chosen.column.clone());
    }
    let until = Until {
        gap: 1e-7,
        rounds: 40,
        seconds: f64::INFINITY,
        nodes: careful_nodes(master),
        exact: false,
    };
    let generated = generate(master, &part.wanted, &part.supply, until, ctx).ok()??;
    enrich(master, part, &generated.relaxed.duals, ctx);
    let candidates = candidates(master, part, &generated, start);
    let found = cover(
        master,
        &candidates,
        &part.wanted,
        &part.supply,
        start,
        effort,
        ctx,
    )?;
    if !covers(part, &found) {
        return None;
    }
    let found = trim(master, found, &part.wanted);
    (cost(master, &found) < cost(master, start) - 1e-12).then_some(found)
}

/// Adds patterns that are not best but near: the LP needs few patterns, whole
/// machines need a choice.
fn enrich(master: &mut Master, part: &Rest, duals: &[f64], ctx: &Context) {
    let open: Vec<bool> = part.supply.iter().map(|count| *count > 0).collect();
    let mut slack = NEAREST;
    loop {
        let stop = || ctx.must_stop();
        let near = master
            .pricer
            .near(duals, &part.wanted, &open, slack, NEAR_PATTERNS, &stop);
        if near.len() >= NEAR_PATTERNS / 2 || slack > FARTHEST || stop() {
            for priced in near {
                master.add(Column {
                    kind: priced.kind as u32,
                    pattern: priced.pattern,
                });
            }
            return;
        }
        slack *= 3.0;
    }
}

/// The columns with the smallest reduced cost, and those of the start.
fn candidates(master: &Master, part: &Rest, generated: &Generated, start: &[Chosen]) -> Vec<usize> {
    let relaxed = &generated.relaxed;
    let reduced = |at: usize| {
        let column = &master.columns[at];
        let earned: f64 = column
            .pattern
            .iter()
            .map(|(s, count)| relaxed.duals[*s as usize] * f64::from(*count))
            .sum();
        master.costs[at] - earned - relaxed.supply_duals[master.row_of(column)]
    };
    let usable = |at: &usize| part.supply[master.row_of(&master.columns[*at])] > 0;
    let mut ranked: Vec<(f64, usize)> = (0..master.columns.len())
        .filter(usable)
        .map(|at| (reduced(at), at))
        .collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut chosen: Vec<usize> = ranked
        .into_iter()
        .take(MOST_CANDIDATES)
        .map(|(_, at)| at)
        .collect();
    chosen.extend(
        (0..master.columns.len())
            .filter(|at| start.iter().any(|s| s.column == master.columns[*at])),
    );
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The cost of an answer, in largest capacities.
pub(super) fn cost(master: &Master, chosen: &[Chosen]) -> f64 {
    let costs = chosen.iter().map(|c| {
        c.times as f64
            * master
                .pricer
                .cost(c.column.kind as usize, &c.column.pattern)
    });
    costs.sum()
}

/// Whether an answer covers all that is wanted.
pub(super) fn covers(rest: &Rest, chosen: &[Chosen]) -> bool {
    let mut missing: Vec<u64> = rest
        .wanted
        .iter()
        .map(|wanted| u64::from(*wanted))
        .collect();
    for chosen in chosen {
        for (service, count) in &chosen.column.pattern {
            let left = &mut missing[*service as usize];
            *left = left.saturating_sub(u64::from(*count) * chosen.times);
        }
    }
    missing.iter().all(|left| *left == 0)
}

/// Takes off what covers more than is wanted, from the machines with the least
/// variance first: there a replica saves most (Proposition 1).
pub(super) fn trim(master: &Master, chosen: Vec<Chosen>, wanted: &[u32]) -> Vec<Chosen> {
    let pricer = master.pricer;
    let mut chosen = chosen;
    chosen.sort_by(|a, b| {
        let variance = |c: &Chosen| pricer.deviation(c.column.kind as usize, &c.column.pattern);
        variance(a).total_cmp(&variance(b)).then_with(|| {
            (a.column.kind, &a.column.pattern).cmp(&(b.column.kind, &b.column.pattern))
        })
    });
    for (service, wanted) in wanted.iter().enumerate() {
        let count = |c: &Chosen| {
            c.column
                .pattern
                .iter()
                .find(|(s, _)| *s as usize == service)
                .map_or(0, |(_, n)| u64::from(*n))
        };
        let covered: u64 = chosen.iter().map(|c| count(c) * c.times).sum();
        let mut surplus = covered.saturating_sub(u64::from(*wanted));
        let mut at = 0;
        while surplus > 0 {
            let each = count(&chosen[at]);
            if each == 0 || chosen[at].times == 0 {
                at += 1;
                continue;
            }
            let (per_machine, machines) = if surplus >= each {
                (each, (surplus / each).min(chosen[at].times))
            } else {
                (surplus, 1)
            };
            let mut less = Chosen {
                column: chosen[at].column.clone(),
                times: machines,
            };
            for entry in &mut less.column.pattern {
                if entry.0 as usize == service {
                    entry.1 -= per_machine as u32;
                }
            }
            less.column.pattern.retain(|(_, n)| *n > 0);
            chosen[at].times -= machines;
            surplus -= per_machine * machines;
            chosen.insert(at, less);
            at += 1;
        }
    }
    chosen.retain(|c| c.times > 0 && !c.column.pattern.is_empty());
    chosen
}

/// Takes some machines apart and packs them anew, keeping what is better:
/// half of them those that cost most above the duals, half at random.
/// Returns whether the answer improved.
pub(super) fn repack(
    master: &mut Master,
    all: &Rest,
    chosen: &mut Vec<Chosen>,
    duals: &[f64],
    effort: Effort,
    random: &mut Random,
    ctx: &Context,
) -> bool {
    let excess = |c: &Chosen| {
        let earned: f64 = c
            .column
            .pattern
            .iter()
            .map(|(s, n)| duals[*s as usize] * f64::from(*n))
            .sum();
        master
            .pricer
            .cost(c.column.kind as usize, &c.column.pattern)
            - earned
    };
    let mut order: Vec<(f64, usize)> = chosen
        .iter()
        .enumerate()
        .map(|(at, c)| (excess(c), at))
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let size = SIZES[random.random_range(0..SIZES.len())];
    let mut picked: Vec<usize> = order.iter().take(size / 2).map(|(_, at)| *at).collect();
    for _ in 0..size / 2 {
        picked.push(random.random_range(0..chosen.len()));
    }
    picked.sort_unstable();
    let mut part = Rest {
        wanted: vec![0; all.wanted.len()],
        supply: all.supply.clone(),
    };
    let mut times: Vec<u64> = vec![0; chosen.len()];
    for at in picked {
        times[at] = (times[at] + 1).min(chosen[at].times);
    }
    let (mut old, mut kept) = (Vec::new(), Vec::new());
    for (chosen, times) in chosen.iter().zip(&times) {
        old.extend((*times > 0).then(|| Chosen {
            times: *times,
            ..chosen.clone()
        }));
        kept.extend((chosen.times > *times).then(|| Chosen {
            times: chosen.times - times,
            ..chosen.clone()
        }));
    }
    for chosen in &old {
        for (service, count) in &chosen.column.pattern {
            part.wanted[*service as usize] += count * chosen.times as u32;
        }
    }
    let mut busy: Vec<u64> = vec![0; part.supply.len()];
    for chosen in &kept {
        busy[master.row_of(&chosen.column)] += chosen.times;
    }
    for (row, supply) in part.supply.iter_mut().enumerate() {
        // Machines that take nothing yet may join, but not a thousand of them.
        let in_part = old.iter().any(|c| master.row_of(&c.column) == row);
        *supply = match *supply {
            u64::MAX => u64::MAX,
            count if in_part || master.pricer.kinds.rows[row].count() > 1 => count - busy[row],
            _ => 0,
        };
    }
    let Some(found) = solve_part(master, &part, &old, effort, ctx) else {
        return false;
    };
    kept.extend(found);
    *chosen = kept;
    true
}
