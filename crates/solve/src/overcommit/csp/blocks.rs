//! The cutting stock in blocks, where machines are too different for one LP.
//!
//! A heuristic's answer is taken apart in blocks of machines; each block is a
//! cutting stock of its own, over what the answer added to its machines. Blocks
//! share no machine, so their gains add up. Machines that are alike (the empty
//! ones, as a rule) make one large block, which is as easy as a small one. There
//! is no LP of the whole, hence no bound from here.

use rand::seq::SliceRandom;

use super::super::Objective;
use super::super::fleet::Fleet;
use super::super::kinds::{Kinds, Row};
use super::super::pricing::Pricer;
use super::super::view::View;
use super::answer::{Rest, cost, covers, trim};
use super::columns::{Chosen, Column, Master};
use super::generate::{Until, generate};
use super::integer::{Dive, dive};
use super::run::Index;
use crate::{Context, Progress, SolveError};

/// Machines in a block of different ones.
const MACHINES: usize = 20;

/// Machines alike from which on they are left to the block of those alike.
const MANY_ALIKE: usize = 20;

/// Blocks worked on at the same time, whatever the number of threads.
const LANES: usize = 4;

/// How much work a block is worth.
#[derive(Clone, Copy)]
struct Care {
    /// Rounds of pricing.
    rounds: u64,
    /// Patterns a search looks at.
    nodes: u64,
    /// Cells of the pricing tables.
    cells: usize,
    /// Share of the time that is left.
    share: f64,
}

/// Machines alike, once.
const LARGE: Care = Care {
    rounds: 80,
    nodes: 4000,
    cells: 4096,
    share: 0.3,
};

/// Different machines, thousands of times.
const SMALL: Care = Care {
    rounds: 10,
    nodes: 40,
    cells: 1024,
    share: 1.0,
};

/// What a block's machines shall have beyond what stays.
type Better = Vec<(usize, Vec<(u32, u32)>)>;

/// Improves the answer block by block, each machine in one of them, until all
/// have been seen or the budget is used up. Whether all have been seen.
pub(crate) fn improve(
    view: &View,
    kinds: &Kinds,
    objective: Objective,
    fleet: &mut Fleet,
    ctx: &Context,
) -> Result<bool, SolveError> {
    let work = Blocks {
        view,
        kinds,
        objective,
        index: Index::new(view, kinds),
        ctx,
    };
    let mut machines: Vec<usize> = (0..fleet.len())
        .filter(|machine| !work.added(fleet, *machine).is_empty())
        .collect();
    machines.shuffle(&mut ctx.random(2));
    let mut alike = vec![0usize; kinds.rows.len()];
    for machine in &machines {
        alike[work.row(fleet, *machine)] += 1;
    }
    let (large, small): (Vec<usize>, Vec<usize>) = machines
        .into_iter()
        .partition(|machine| alike[work.row(fleet, *machine)] >= MANY_ALIKE);
    if let Some(better) = work.solve(fleet, &large, LARGE)? {
        work.apply(fleet, better);
    }
    let blocks: Vec<&[usize]> = small.chunks(MACHINES).collect();
    let most = ctx.steps().map_or(usize::MAX, |steps| steps as usize);
    for group in blocks[..blocks.len().min(most)].chunks(LANES) {
        if ctx.must_stop() {
            return Ok(false);
        }
        let found = ctx.lanes(group.len(), |lane| work.solve(fleet, group[lane], SMALL));
        for better in found {
            work.apply(fleet, better?.unwrap_or_default());
        }
        ctx.report(Progress {
            incumbent: Some(match objective {
                Objective::Ucac => fleet.ucac(view.d),
                Objective::Machines => fleet.machines() as f64,
            }),
            bound: None,
            phase: "blocks",
        });
    }
    Ok(most >= blocks.len())
}

struct Blocks<'a> {
    view: &'a View<'a>,
    kinds: &'a Kinds,
    objective: Objective,
    index: Index,
    ctx: &'a Context,
}

impl Blocks<'_> {
    /// The row a machine belongs to; every machine of an answer has one.
    fn row(&self, fleet: &Fleet, machine: usize) -> usize {
        let row = self.index.row(fleet, machine);
        row.expect("a machine that was opened could be opened")
    }

    /// What a machine has beyond what stays there in any case.
    fn added(&self, fleet: &Fleet, machine: usize) -> Vec<(u32, u32)> {
        let stays = &self.kinds.kinds[self.index.kinds_of(self.row(fleet, machine))[0]].held;
        let kept = |s: u32| {
            let at = stays.binary_search_by_key(&s, |(held, _)| *held);
            at.map_or(0, |at| stays[at].1)
        };
        let held = fleet.held[machine].iter();
        held.map(|(s, count)| (*s, count - kept(*s)))
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    fn apply(&self, fleet: &mut Fleet, better: Better) {
        for (machine, pattern) in better {
            for (service, count) in self.added(fleet, machine) {
                fleet.remove(self.view, machine, service as usize, count);
            }
            for (service, count) in pattern {
                fleet.place(self.view, machine, service as usize, count);
            }
        }
    }

    /// A better packing of a block, if one was found.
    fn solve(
        &self,
        fleet: &Fleet,
        block: &[usize],
        care: Care,
    ) -> Result<Option<Better>, SolveError> {
        let part = self.part(fleet, block);
        let pricer = Pricer::new(self.view, &part, self.objective).with_cells(care.cells);
        let mut master = Master::new(&pricer);
        let mut now: Vec<Chosen> = Vec::new();
        for (row, about) in part.rows.iter().enumerate() {
            for machine in &about.machines {
                let pattern = self.added(fleet, *machine as usize);
                let fitting = (0..part.kinds.len()).find(|kind| {
                    let kind = &part.kinds[*kind];
                    let within = |(s, n): &(u32, u32)| *n <= kind.most[*s as usize];
                    kind.row == row && pattern.iter().all(within) && pricer.holds(kind, &pattern)
                });
                // A machine too full on arrival may hold what no pattern does.
                let Some(kind) = fitting else { return Ok(None) };
                let column = Column {
                    kind: kind as u32,
                    pattern,
                };
                master.add(column.clone());
                now.push(Chosen { column, times: 1 });
            }
        }
        let all = Rest {
            wanted: part.wanted.clone(),
            supply: part.rows.iter().map(Row::count).collect(),
        };
        let (wanted, supply) = (&all.wanted, &all.supply);
        let until = Until {
            gap: 1e-5,
            rounds: care.rounds,
            seconds: self.ctx.seconds_left() * care.share,
            nodes: care.nodes,
            exact: false,
        };
        let found = generate(&mut master, wanted, supply, until, self.ctx)?;
        let Some(generated) = found else {
            return Ok(None);
        };
        let how = Dive {
            part: 6.0,
            limit: f64::INFINITY,
            random: None,
            rounds: 1,
            effort: None,
        };
        let chosen = dive(&mut master, &all, &generated, how, self.ctx)?;
        let chosen = trim(&master, chosen, &all.wanted);
        let better = covers(&all, &chosen) && cost(&master, &chosen) < cost(&master, &now) - 1e-9;
        Ok(better.then(|| assign(&part, &chosen)))
    }

    /// The block as a problem of its own: its rows, its machines, and what the
    /// answer added to them.
    fn part(&self, fleet: &Fleet, block: &[usize]) -> Kinds {
        let mut sorted: Vec<(usize, usize)> =
            block.iter().map(|m| (self.row(fleet, *m), *m)).collect();
        sorted.sort_unstable();
        let mut part = Kinds {
            rows: Vec::new(),
            kinds: Vec::new(),
            wanted: vec![0; self.view.count()],
        };
        for same in sorted.chunk_by(|a, b| a.0 == b.0) {
            let row = part.rows.len();
            for kind in self.index.kinds_of(same[0].0) {
                let mut kind = self.kinds.kinds[*kind].clone();
                kind.row = row;
                part.kinds.push(kind);
            }
            part.rows.push(Row {
                machines: same.iter().map(|(_, machine)| *machine as u32).collect(),
                pool: self.kinds.rows[same[0].0].pool,
                can_open: 0,
            });
            for (_, machine) in same {
                for (service, count) in self.added(fleet, *machine) {
                    part.wanted[service as usize] += count;
                }
            }
        }
        part
    }
}

/// Which machine gets which pattern; those left over get nothing.
fn assign(part: &Kinds, chosen: &[Chosen]) -> Better {
    let mut free: Vec<_> = part.rows.iter().map(|row| row.machines.iter()).collect();
    let mut better = Vec::new();
    for chosen in chosen {
        let row = part.kinds[chosen.column.kind as usize].row;
        for machine in free[row].by_ref().take(chosen.times as usize) {
            better.push((*machine as usize, chosen.column.pattern.clone()));
        }
    }
    let left = free.into_iter().flatten();
    better.extend(left.map(|machine| (*machine as usize, Vec::new())));
    better
}
