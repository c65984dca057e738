//! The cutting stock in blocks, where machines are too different for one LP.
//!
//! A heuristic's answer is taken apart in blocks of machines; each block is a
//! cutting stock of its own, over what the answer added to its machines. Blocks
//! share no machine, so their gains add up. There is no LP of the whole, hence
//! no bound from here.

use rand::seq::SliceRandom;

use super::super::Objective;
use super::super::fleet::Fleet;
use super::super::kinds::{Kinds, Row};
use super::super::pricing::Pricer;
use super::super::view::View;
use super::columns::{Chosen, Column, Master};
use super::generate::generate;
use super::integer::{Dive, Rest, cost, covers, dive, trim};
use super::mixed::Effort;
use super::run::Index;
use crate::{Context, Progress, SolveError};

/// Machines in a block.
const MACHINES: usize = 80;

/// Blocks worked on at the same time, whatever the number of threads.
const LANES: usize = 8;

/// Rounds of pricing for a block.
const ROUNDS: u64 = 30;

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
    let blocks: Vec<&[usize]> = machines.chunks(MACHINES).collect();
    let most = ctx.steps().map_or(usize::MAX, |steps| steps as usize);
    for group in blocks[..blocks.len().min(most)].chunks(LANES) {
        if ctx.must_stop() {
            return Ok(false);
        }
        let found = ctx.lanes(group.len(), |lane| work.solve(fleet, group[lane]));
        for better in found {
            for (machine, pattern) in better?.into_iter().flatten() {
                work.replace(fleet, machine, &pattern);
            }
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

    fn replace(&self, fleet: &mut Fleet, machine: usize, pattern: &[(u32, u32)]) {
        for (service, count) in self.added(fleet, machine) {
            fleet.remove(self.view, machine, service as usize, count);
        }
        for (service, count) in pattern {
            fleet.place(self.view, machine, *service as usize, *count);
        }
    }

    /// A better packing of a block, if one was found.
    fn solve(&self, fleet: &Fleet, block: &[usize]) -> Result<Option<Better>, SolveError> {
        let part = self.part(fleet, block);
        let pricer = Pricer::new(self.view, &part, self.objective);
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
        let found = generate(&mut master, wanted, supply, 1e-6, ROUNDS, f64::INFINITY, self.ctx)?;
        let Some(generated) = found else {
            return Ok(None);
        };
        let how = Dive {
            part: 12.0,
            limit: generated.bound * (1.0 + 1e-4),
            random: None,
            effort: Effort {
                seconds: 0.3,
                nodes: 2,
                iterations: 200,
                distance: 1e-4 * generated.bound,
            },
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
