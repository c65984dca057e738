//! The cutting stock from start to end: columns, bound, whole machines, repair.

use super::super::Objective;
use super::super::fleet::Fleet;
use super::super::kinds::{Kind, Kinds};
use super::super::pricing::Pricer;
use super::super::view::View;
use super::answer::{Rest, cost, covers, trim};
use super::columns::{Chosen, Column, Master};
use super::generate::{Until, generate};
use super::integer::{Dive, careful_nodes, dive};
use super::mixed::Effort;
use super::part::repack;
use crate::{Context, Progress, SolveError};

/// Attempts without success after which the answer is left as it is.
const PATIENCE: u32 = 60;

/// Machines left to the integer program by later dives.
const LATER_PARTS: [f64; 4] = [45.0, 15.0, 30.0, 9.0];

/// Rounds of pricing while diving: enough for patterns that suit the rest.
const DIVE_ROUNDS: u64 = 6;

/// Share of UCaC a dive may lose before it looks twice.
const CLOSE: f64 = 5e-5;

/// Rows of machines up to which another dive is cheap enough to be tried again.
const FEW_ROWS: usize = 40;

/// Share of the time for column generation: the rest makes whole machines.
const GENERATE_SHARE: f64 = 0.5;

/// What a run of the cutting stock gives.
pub(crate) struct CspResult {
    /// The machines as they shall be; `None` when time was too short for one.
    pub fleet: Option<Fleet>,
    /// In units of resource 0, or machines; `None` when not everything fits
    /// or the time was too short for one.
    pub bound: Option<f64>,
    /// The LP's value, before it is rounded to whole machines.
    pub relaxed: f64,
    /// Rounds of pricing of the column generation.
    pub rounds: u64,
    /// Whether the column generation ended by itself.
    pub converged: bool,
    /// Whether the steps allowed ended it.
    pub steps_used_up: bool,
    /// The patterns known at the end.
    pub columns: Vec<Column>,
}

/// Solves the cutting stock from the patterns of `starts` and `known`.
pub(crate) fn run(
    view: &View,
    current: &Fleet,
    kinds: &Kinds,
    objective: Objective,
    starts: &[&Fleet],
    known: Vec<Column>,
    ctx: &Context,
) -> Result<CspResult, SolveError> {
    let pricer = Pricer::new(view, kinds, objective);
    let mut master = Master::new(&pricer);
    let index = Index::new(view, kinds);
    for start in starts {
        for column in index.patterns(&pricer, start) {
            master.add(column);
        }
    }
    for column in known {
        let kind: &Kind = &kinds.kinds[column.kind as usize];
        if column
            .pattern
            .iter()
            .all(|(s, n)| *n <= kind.most[*s as usize])
            && pricer.holds(kind, &column.pattern)
        {
            master.add(column);
        }
    }
    let all = Rest {
        wanted: kinds.wanted.clone(),
        supply: kinds.rows.iter().map(|row| row.count()).collect(),
    };
    let until = Until {
        gap: 1e-7,
        rounds: ctx.steps().unwrap_or(u64::MAX),
        seconds: ctx.seconds_left() * GENERATE_SHARE,
        nodes: careful_nodes(&master),
        exact: true,
    };
    let generated = generate(&mut master, &all.wanted, &all.supply, until, ctx)?;
    let Some(generated) = generated else {
        return Ok(CspResult {
            fleet: None,
            bound: None,
            relaxed: 0.0,
            rounds: 0,
            converged: false,
            steps_used_up: false,
            columns: master.columns,
        });
    };
    let base = base_value(view, kinds, objective);
    // Where a rule is broken on arrival, replicas to keep may break it still;
    // patterns may not, so they prove nothing then.
    let loses = (0..view.count()).any(|s| view.to_stop(s) > 0);
    let certain = !loses || !current.held.iter().any(|held| view.breaks_rules(held));
    let bound = (certain && !generated.relaxed.short).then(|| match objective {
        // Rounding in the sums is far below the tolerance of a gain.
        Objective::Ucac => (base + generated.bound * pricer.unit) * (1.0 - 1e-12),
        Objective::Machines => base + (generated.bound - 1e-7).ceil().max(0.0),
    });
    ctx.report(Progress {
        incumbent: None,
        bound,
        phase: "column generation",
    });
    let goal = match objective {
        Objective::Ucac => 1e-5 * (base / pricer.unit + generated.bound),
        Objective::Machines => 0.999,
    };
    let lower = generated.bound;
    let target = match objective {
        Objective::Ucac => lower + goal,
        Objective::Machines => (lower - 1e-7).ceil() + 1e-6,
    };
    // Whole machines need a large part to choose from, least UCaC a small one
    // that is solved to the end. There the first dive is close by itself: it
    // shall be an answer soon, also where the cores are busy with others.
    let (limit, part, seconds) = match objective {
        Objective::Ucac => {
            let close = lower + CLOSE * (base / pricer.unit + lower);
            (close, 30.0, [0.3, 1.5])
        }
        Objective::Machines => (target, 60.0, [4.0, 1.5]),
    };
    let first = Dive {
        part,
        limit,
        random: None,
        rounds: DIVE_ROUNDS,
        effort: Some(Effort {
            seconds: seconds[0],
            nodes: 20,
            iterations: 3_000,
            distance: goal,
        }),
    };
    let chosen = dive(&mut master, &all, &generated, first, ctx)?;
    let mut chosen = trim(&master, chosen, &all.wanted);
    let tell = |value: f64| {
        ctx.report(Progress {
            incumbent: Some(match objective {
                Objective::Ucac => base + value * pricer.unit,
                Objective::Machines => base + value,
            }),
            bound,
            phase: "repacking",
        });
    };
    if covers(&all, &chosen) {
        tell(cost(&master, &chosen));
    }
    let mut random = ctx.random(1);
    let (mut failures, mut steps) = (0, generated.rounds);
    let most_steps = ctx.steps().unwrap_or(u64::MAX);
    while failures < PATIENCE && !ctx.must_stop() && steps < most_steps && !chosen.is_empty() {
        let before = cost(&master, &chosen);
        if before <= target {
            break;
        }
        // Fewest machines leave no room for small steps: it takes another dive.
        let again = match objective {
            Objective::Ucac => steps % 3 == 2,
            Objective::Machines => steps % 4 != 3,
        };
        if again && kinds.rows.len() <= FEW_ROWS {
            let effort = Effort {
                seconds: seconds[1],
                nodes: 8,
                iterations: 1_000,
                distance: goal,
            };
            let how = Dive {
                part: LATER_PARTS[steps as usize % LATER_PARTS.len()],
                limit,
                random: Some(&mut random),
                rounds: DIVE_ROUNDS,
                effort: Some(effort),
            };
            let other = dive(&mut master, &all, &generated, how, ctx)?;
            let other = trim(&master, other, &all.wanted);
            if covers(&all, &other) && cost(&master, &other) < before {
                chosen = other;
            }
        } else {
            let effort = Effort {
                seconds: 1.0,
                nodes: 4,
                iterations: 500,
                distance: goal / 4.0,
            };
            let (lp, from) = (&generated.relaxed, &mut random);
            repack(&mut master, &all, &mut chosen, lp, effort, from, ctx);
        }
        let value = cost(&master, &chosen);
        failures = if value < before { 0 } else { failures + 1 };
        steps += 1;
        tell(value);
    }
    let fleet = build(view, current, kinds, &chosen);
    Ok(CspResult {
        fleet: Some(fleet),
        bound,
        relaxed: match objective {
            Objective::Ucac => base + lower * pricer.unit,
            Objective::Machines => base + lower,
        },
        rounds: generated.rounds,
        converged: generated.converged,
        steps_used_up: ctx.steps().is_some_and(|most| steps >= most),
        columns: master.columns,
    })
}

/// The objective of what stays in any case.
fn base_value(view: &View, kinds: &Kinds, objective: Objective) -> f64 {
    let mut seen = vec![false; kinds.rows.len()];
    let mut sum = 0.0;
    for kind in &kinds.kinds {
        if std::mem::replace(&mut seen[kind.row], true) || kind.is_empty() {
            continue;
        }
        let machines = kinds.rows[kind.row].machines.len() as f64;
        sum += machines
            * match objective {
                Objective::Ucac => {
                    bayplan_model::at_confidence(kind.mean[0], kind.variance[0], view.d)
                }
                Objective::Machines => 1.0,
            };
    }
    sum
}

/// Puts the chosen patterns on machines: existing ones first, in index order.
fn build(view: &View, current: &Fleet, kinds: &Kinds, chosen: &[Chosen]) -> Fleet {
    let mut fleet = current.clone();
    // What is to lose replicas starts from none; patterns put back what stays.
    for machine in 0..fleet.len() {
        for (service, count) in fleet.held[machine].clone() {
            if view.to_stop(service as usize) > 0 {
                fleet.remove(view, machine, service as usize, count);
            }
        }
    }
    let mut next = vec![0usize; kinds.rows.len()];
    for chosen in chosen {
        let row = kinds.kinds[chosen.column.kind as usize].row;
        for _ in 0..chosen.times {
            let machine = match kinds.rows[row].machines.get(next[row]) {
                Some(machine) => *machine as usize,
                None => fleet.open(kinds.rows[row].pool),
            };
            next[row] += 1;
            for (service, count) in &chosen.column.pattern {
                fleet.place(view, machine, *service as usize, *count);
            }
        }
    }
    fleet
}

/// Which kinds the machines of a fleet are of.
pub(crate) struct Index {
    row_of: Vec<usize>,
    row_of_new: Vec<Option<usize>>,
    kinds_of: Vec<Vec<usize>>,
}

impl Index {
    pub fn new(view: &View, kinds: &Kinds) -> Self {
        let mut row_of = vec![0; view.cluster.nodes.len()];
        let mut row_of_new = vec![None; view.cluster.pools.len()];
        let mut kinds_of = vec![Vec::new(); kinds.rows.len()];
        for (index, row) in kinds.rows.iter().enumerate() {
            for machine in &row.machines {
                row_of[*machine as usize] = index;
            }
            if row.can_open > 0 {
                row_of_new[row.pool.index()] = Some(index);
            }
        }
        for (index, kind) in kinds.kinds.iter().enumerate() {
            kinds_of[kind.row].push(index);
        }
        Self {
            row_of,
            row_of_new,
            kinds_of,
        }
    }

    /// The row a machine of a fleet is of.
    pub fn row(&self, fleet: &Fleet, machine: usize) -> Option<usize> {
        match self.row_of.get(machine) {
            Some(row) => Some(*row),
            None => self.row_of_new[fleet.pool[machine].index()],
        }
    }

    /// The kinds of a row, at least one.
    pub fn kinds_of(&self, row: usize) -> &[usize] {
        &self.kinds_of[row]
    }

    /// The patterns a fleet consists of, each once.
    pub fn patterns(&self, pricer: &Pricer, fleet: &Fleet) -> Vec<Column> {
        let mut columns = Vec::new();
        for machine in 0..fleet.len() {
            let row = self.row(fleet, machine);
            for kind in row.map_or(&[] as &[usize], |row| &self.kinds_of[row]) {
                let about = &pricer.kinds.kinds[*kind];
                let stays = |s: u32| {
                    about
                        .held
                        .iter()
                        .find(|(h, _)| *h == s)
                        .map_or(0, |(_, count)| *count)
                };
                let added = fleet.held[machine]
                    .iter()
                    .map(|(s, count)| (*s, count - stays(*s).min(*count)));
                let pattern: Vec<(u32, u32)> = added.filter(|(_, count)| *count > 0).collect();
                let within = pattern
                    .iter()
                    .all(|(s, count)| *count <= about.most[*s as usize]);
                if within && pricer.holds(about, &pattern) {
                    columns.push(Column {
                        kind: *kind as u32,
                        pattern,
                    });
                    break;
                }
            }
        }
        columns
    }
}
