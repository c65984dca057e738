//! Several pools: how much capacity of which kind at the least cost, as a
//! linear program over pools. Relaxed it is a bound; with whole nodes and some
//! slack it says which nodes to open.

use bayplan_lp::{Bounds, Col, Model, Options, Row, Sense};
use rustc_hash::FxHashMap;

use super::bounds::totals;
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

/// Services with the same demand that may use the same pools. Only such may be
/// split over pools as one: of others a pool may take the part that suits it.
struct Group<'v> {
    pools: Vec<usize>,
    row: &'v [u64],
    replicas: u64,
}

/// Entries of the program up to which replicas are assigned to pools; above,
/// only the capacity of all pools together is compared with all demand.
const MOST_ENTRIES: usize = 300_000;
/// Columns up to which whole nodes are asked for in the bound.
const MOST_WHOLE: usize = 2_000;

struct Program {
    model: Model,
    counts: Vec<Col>,
}

/// Least value of the goal that holds all demand, in the goal's units: nodes,
/// or millionths. Rounded down by more than the solver's tolerance, then up to
/// what nodes can cost. `None` when nothing is proven.
pub(super) fn bound(view: &View, goal: Goal) -> Option<u128> {
    let mut program = program(view, goal, 0.0);
    if program.model.num_cols() <= MOST_WHOLE {
        program
            .model
            .set_integer(program.counts.iter().copied(), true);
    }
    let options = Options {
        nodes: Some(500),
        ..Options::default()
    };
    let proven = program.model.solve(&options).bound;
    proven.is_finite().then(|| {
        let value = proven * scale(goal);
        let safe = (value * (1.0 - 1e-7) - 1e-6).ceil().max(0.0) as u128;
        safe.next_multiple_of(unit(view, goal))
    })
}

/// Every value of the goal is a multiple of this.
fn unit(view: &View, goal: Goal) -> u128 {
    let gcd = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    match goal {
        Goal::Nodes => 1,
        Goal::Cost => view
            .kinds
            .iter()
            .fold(0, |all, kind| gcd(all, kind.price))
            .max(1)
            .into(),
    }
}

/// Nodes to open per pool, beside those kept, with this share of slack.
pub(super) fn mix(view: &View, goal: Goal, slack: f64) -> Option<Vec<u32>> {
    let mut program = program(view, goal, slack);
    program
        .model
        .set_integer(program.counts.iter().copied(), true);
    let options = Options {
        nodes: Some(100),
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
    let groups = groups(view);
    let entries: usize = groups
        .iter()
        .map(|group| group.pools.len() * (view.width + 1))
        .sum();
    if entries <= MOST_ENTRIES {
        assign(view, &mut model, &counts, &groups, slack);
    } else {
        compare_totals(view, &mut model, &counts, slack);
    }
    Program { model, counts }
}

/// Every group is assigned to pools in parts, and every pool holds its parts.
fn assign(view: &View, model: &mut Model, counts: &[Col], groups: &[Group], slack: f64) {
    let row = |model: &mut Model, pool: usize| model.add_row(..=0.0, &[(counts[pool], -1.0)]);
    let rows: Vec<Vec<Row>> = (0..view.kinds.len())
        .map(|pool| (0..view.width).map(|_| row(model, pool)).collect())
        .collect();
    for group in groups {
        let whole = model.add_row(1.0, &[]);
        for pool in &group.pools {
            let capacity = &view.kinds[*pool].capacity;
            let mut entries = vec![(whole, 1.0)];
            for (h, units) in group.row.iter().enumerate() {
                let capacity = capacity[h / view.epochs].max(1) as f64;
                let total = *units as f64 * group.replicas as f64;
                let nodes = total * (1.0 + slack) / capacity;
                if nodes > 1e-9 {
                    entries.push((rows[*pool][h], nodes));
                }
            }
            model.add_col(0.0, 0.0..=1.0, &entries);
        }
    }
}

/// All pools together hold all demand.
fn compare_totals(view: &View, model: &mut Model, counts: &[Col], slack: f64) {
    for (h, total) in totals(view, |s| u64::from(view.wanted[s]))
        .into_iter()
        .enumerate()
    {
        let capacity = |pool: usize| view.kinds[pool].capacity[h / view.epochs].max(0) as f64;
        let largest = (0..view.kinds.len()).map(capacity).fold(1.0, f64::max);
        let entries = counts
            .iter()
            .enumerate()
            .map(|(pool, col)| (*col, capacity(pool) / largest));
        let entries: Vec<(Col, f64)> = entries.collect();
        model.add_row(total as f64 * (1.0 + slack) / largest.., &entries);
    }
}

fn groups<'v>(view: &'v View) -> Vec<Group<'v>> {
    let mut known: FxHashMap<(Vec<usize>, &[u64]), usize> = FxHashMap::default();
    let mut groups: Vec<Group> = Vec::new();
    for service in (0..view.len()).filter(|s| view.wanted[*s] > 0) {
        let mut pools: Vec<usize> = (0..view.kinds.len())
            .filter(|pool| view.per_empty_node(service, *pool) > 0 && usable(view, service, *pool))
            .collect();
        if pools.is_empty() {
            // Only fixed replicas: they stand where they stand.
            pools = (0..view.kinds.len()).collect();
        }
        let at = *known
            .entry((pools, view.row(service)))
            .or_insert_with_key(|(pools, row)| {
                groups.push(Group {
                    pools: pools.clone(),
                    row,
                    replicas: 0,
                });
                groups.len() - 1
            });
        groups[at].replicas += u64::from(view.wanted[service]);
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
