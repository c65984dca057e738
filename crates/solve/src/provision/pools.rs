//! Several pools: how much capacity of which kind at the least cost, as a
//! linear program over pools. Relaxed it is a bound; with whole nodes and some
//! slack it says which nodes to open.

use bayplan_lp::{Bounds, Col, Model, Options, Row, Sense};
use rustc_hash::FxHashMap;

use super::goal::Goal;
use super::view::View;

/// Nodes per pool with fixed replicas, which are in use whatever is decided.
pub(super) fn kept(view: &View) -> Vec<u32> {
    let mut in_use = vec![false; view.existing.len()];
    for entry in &view.fixed {
        in_use[entry.node.index()] = true;
    }
    let mut kept = vec![0; view.kinds.len()];
    for (pool, _) in view
        .existing
        .iter()
        .zip(in_use)
        .filter(|(_, in_use)| *in_use)
    {
        kept[*pool as usize] += 1;
    }
    kept
}

/// Services that may use the same pools, and their demand together.
struct Group {
    pools: Vec<usize>,
    totals: Vec<u128>,
}

struct Program {
    model: Model,
    counts: Vec<Col>,
}

/// Least value of the goal that holds all demand on whole nodes, in the goal's
/// units: nodes, or millionths. Rounded down by more than the solver's
/// tolerance, then up to a whole unit. `None` when nothing is proven.
pub(super) fn bound(view: &View, goal: Goal) -> Option<u128> {
    let mut program = program(view, goal, 0.0);
    program
        .model
        .set_integer(program.counts.iter().copied(), true);
    let options = Options {
        nodes: Some(5_000),
        ..Options::default()
    };
    let proven = program.model.solve(&options).bound;
    proven.is_finite().then(|| {
        let value = proven * scale(goal);
        (value * (1.0 - 1e-7) - 1e-6).ceil().max(0.0) as u128
    })
}

/// Nodes to open per pool, beside those kept, with this share of slack.
pub(super) fn mix(view: &View, goal: Goal, slack: f64) -> Option<Vec<u32>> {
    let mut program = program(view, goal, slack);
    program
        .model
        .set_integer(program.counts.iter().copied(), true);
    let options = Options {
        nodes: Some(2_000),
        gap: 1e-3,
        ..Options::default()
    };
    let solution = program.model.solve(&options);
    if !solution.has_values() {
        return None;
    }
    let counts = program.counts.iter().zip(kept(view));
    Some(
        counts
            .map(|(col, kept)| (solution.count(*col) as u32).saturating_sub(kept))
            .collect(),
    )
}

/// The program counts prices in units of one, so that its numbers are of one size.
fn scale(goal: Goal) -> f64 {
    match goal {
        Goal::Nodes => 1.0,
        Goal::Cost => 1e6,
    }
}

fn program(view: &View, goal: Goal, slack: f64) -> Program {
    let mut model = Model::new(Sense::Minimise);
    let kept = kept(view);
    let mut existing = vec![0u32; view.kinds.len()];
    for pool in &view.existing {
        existing[*pool as usize] += 1;
    }
    let counts: Vec<Col> = (0..view.kinds.len())
        .map(|pool| {
            let kind = &view.kinds[pool];
            let cost = match goal {
                Goal::Nodes => 1.0,
                Goal::Cost => kind.price as f64 / scale(goal),
            };
            let most = f64::from(kind.openable.saturating_add(existing[pool]).min(1 << 30));
            model.add_col(cost, Bounds::new(f64::from(kept[pool]), most), &[])
        })
        .collect();
    let rows: Vec<Vec<Row>> = (0..view.kinds.len())
        .map(|pool| {
            (0..view.width)
                .map(|_| model.add_row(..=0.0, &[(counts[pool], -1.0)]))
                .collect()
        })
        .collect();
    for group in groups(view) {
        let whole = model.add_row(1.0, &[]);
        for pool in group.pools {
            let capacity = &view.kinds[pool].capacity;
            let mut entries = vec![(whole, 1.0)];
            for (h, total) in group.totals.iter().enumerate() {
                let capacity = capacity[h / view.epochs].max(1) as f64;
                let nodes = *total as f64 * (1.0 + slack) / capacity;
                if nodes > 1e-9 {
                    entries.push((rows[pool][h], nodes));
                }
            }
            model.add_col(0.0, 0.0..=1.0, &entries);
        }
    }
    Program { model, counts }
}

fn groups(view: &View) -> Vec<Group> {
    let mut known: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
    let mut groups: Vec<Group> = Vec::new();
    for service in (0..view.len()).filter(|s| view.wanted[*s] > 0) {
        let mut pools: Vec<usize> = (0..view.kinds.len())
            .filter(|pool| view.per_empty_node(service, *pool) > 0 && usable(view, service, *pool))
            .collect();
        if pools.is_empty() {
            // Only fixed replicas: they stand where they stand.
            pools = (0..view.kinds.len()).collect();
        }
        let at = *known.entry(pools).or_insert_with_key(|pools| {
            groups.push(Group {
                pools: pools.clone(),
                totals: vec![0; view.width],
            });
            groups.len() - 1
        });
        for (total, units) in groups[at].totals.iter_mut().zip(view.row(service)) {
            *total += u128::from(*units) * u128::from(view.wanted[service]);
        }
    }
    groups
}

/// Whether the service may use a node of the pool, existing or new.
fn usable(view: &View, service: usize, pool: usize) -> bool {
    let existing = || {
        let nodes = view.existing.iter().enumerate();
        let mut nodes = nodes.filter(|(_, p)| **p as usize == pool);
        nodes.any(|(node, _)| view.allows_existing(service, node))
    };
    (view.kinds[pool].openable > 0 && view.allows_pool(service, pool)) || existing()
}
