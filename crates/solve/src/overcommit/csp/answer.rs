//! Answers of whole machines: what they cover, what they cost, what is too much.

use super::columns::{Chosen, Column, Master};

/// What is still to be covered, and with which machines.
#[derive(Clone)]
pub(super) struct Rest {
    pub wanted: Vec<u32>,
    pub supply: Vec<u64>,
}

impl Rest {
    pub fn is_covered(&self) -> bool {
        self.wanted.iter().all(|wanted| *wanted == 0)
    }

    /// Takes a column some times: at most as often as machines are left.
    pub fn take(&mut self, master: &Master, column: &Column, times: u64) -> u64 {
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
