//! The restricted master as an integer program over chosen columns.
//!
//! Patterns may cover more than is wanted; what is too much is taken off
//! afterwards and saves at least its cost on the fullest machine. The program
//! counts on that saving, so that its objective is an upper bound on the cost
//! after trimming and full patterns need not fit to the last replica.

use std::collections::BTreeMap;

use bayplan_lp::{Col, Model, Options, Row as LpRow, Sense};

use super::columns::{Chosen, Master};
use crate::Context;

/// How much an integer program may work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Wall seconds, when the budget is time.
    pub seconds: f64,
    /// Branch-and-bound nodes, when the budget is steps.
    pub nodes: u64,
    /// Simplex iterations, when the budget is steps.
    pub iterations: u64,
    /// Stop at this absolute distance from the bound.
    pub distance: f64,
}

/// What leaving a replica out costs.
const LEFT_OUT: f64 = 1000.0;

/// Covers `wanted` with the candidate columns (positions in the master) within
/// `supply`, from the `start`, which must cover. `None` when nothing was found.
pub(super) fn cover(
    master: &Master,
    candidates: &[usize],
    wanted: &[u32],
    supply: &[u64],
    start: &[Chosen],
    effort: Effort,
    ctx: &Context,
) -> Option<Vec<Chosen>> {
    let mut model = Model::new(Sense::Minimise);
    let row = |model: &mut Model, wanted: u32| model.add_row(f64::from(wanted), &[]);
    let rows: Vec<Option<LpRow>> = wanted
        .iter()
        .map(|w| (*w > 0).then(|| row(&mut model, *w)))
        .collect();
    let mut supply_rows: BTreeMap<usize, LpRow> = BTreeMap::new();
    for row in candidates
        .iter()
        .map(|at| master.row_of(&master.columns[*at]))
    {
        if supply[row] != u64::MAX {
            supply_rows
                .entry(row)
                .or_insert_with(|| model.add_row(..=supply[row] as f64, &[]));
        }
    }
    let mut cols: Vec<Col> = Vec::with_capacity(candidates.len());
    for &at in candidates {
        let column = &master.columns[at];
        let covers = column
            .pattern
            .iter()
            .filter_map(|(s, count)| Some((rows[*s as usize]?, f64::from(*count))));
        let mut entries: Vec<(LpRow, f64)> = covers.collect();
        let row = master.row_of(column);
        entries.extend(supply_rows.get(&row).map(|row| (*row, 1.0)));
        let most = column
            .pattern
            .iter()
            .filter(|(s, _)| wanted[*s as usize] > 0);
        let most = most
            .map(|(s, count)| wanted[*s as usize].div_ceil(*count))
            .max()
            .unwrap_or(0);
        let most = u64::from(most).min(supply[row]) as f64;
        cols.push(model.add_integer_col(master.costs[at], 0.0..=most, &entries));
    }
    let mut surplus: Vec<Option<Col>> = Vec::with_capacity(rows.len());
    for (service, row) in rows.iter().enumerate() {
        if let Some(row) = row {
            model.add_integer_col(LEFT_OUT, 0.0.., &[(*row, 1.0)]);
        }
        let saved = master.pricer.least_saving(service);
        surplus.push(row.map(|row| model.add_col(-saved, 0.0.., &[(row, -1.0)])));
    }
    let mut total = 0.0;
    if !start.is_empty() {
        let mut values = vec![0.0; model.num_cols()];
        let mut covered = vec![0.0; wanted.len()];
        for chosen in start {
            let place = candidates
                .iter()
                .position(|at| master.columns[*at] == chosen.column)?;
            values[cols[place].index()] += chosen.times as f64;
            total += chosen.times as f64 * master.costs[candidates[place]];
            for (service, count) in &chosen.column.pattern {
                covered[*service as usize] += f64::from(*count) * chosen.times as f64;
            }
        }
        for (service, col) in surplus.iter().enumerate() {
            if let Some(col) = col {
                values[col.index()] = covered[service] - f64::from(wanted[service]);
            }
        }
        model.set_start(&values);
    }
    let options = Options {
        seconds: ctx
            .steps()
            .is_none()
            .then(|| effort.seconds.min(ctx.seconds_left()).max(0.01)),
        nodes: ctx.steps().is_some().then_some(effort.nodes),
        iterations: ctx.steps().is_some().then_some(effort.iterations),
        gap: effort.distance / total.max(1e-6),
        stop: Some(ctx.stop_flag().clone()),
        ..Options::default()
    };
    let solution = model.solve(&options);
    if !solution.has_values() {
        return None;
    }
    let used = candidates
        .iter()
        .zip(&cols)
        .map(|(at, col)| (at, solution.count(*col)));
    let used = used.filter(|(_, times)| *times > 0);
    Some(
        used.map(|(at, times)| Chosen {
            column: master.columns[*at].clone(),
            times: times as u64,
        })
        .collect(),
    )
}
