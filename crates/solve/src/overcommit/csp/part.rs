//! Some machines packed anew by an integer program.

use rand::RngExt;

use super::answer::{Rest, cost, covers, trim};
use super::columns::{Chosen, Column, Master, Relaxed};
use super::generate::{Generated, Until, generate};
use super::integer::careful_nodes;
use super::mixed::{Effort, cover};
use crate::{Context, Random};

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

/// The integer program over the columns nearest to the LP of the part.
pub(super) fn solve_part(
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
    let reduced = |at: usize| {
        let column = &master.columns[at];
        (generated.relaxed).reduced(column, master.costs[at], master.row_of(column))
    };
    let usable =
        |at: &usize| master.is_proper(*at) && part.supply[master.row_of(&master.columns[*at])] > 0;
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

/// Takes some machines apart and packs them anew, keeping what is better:
/// half of them those that cost most above what the LP pays for what they hold
/// and for their place, half at random.
/// Returns whether the answer improved.
pub(super) fn repack(
    master: &mut Master,
    all: &Rest,
    chosen: &mut Vec<Chosen>,
    relaxed: &Relaxed,
    effort: Effort,
    random: &mut Random,
    ctx: &Context,
) -> bool {
    let excess = |c: &Chosen| {
        let kind = c.column.kind as usize;
        let cost = master.pricer.cost(kind, &c.column.pattern);
        relaxed.reduced(&c.column, cost, master.row_of(&c.column))
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
