//! Machines that are alike, taken together: what the cutting stock works on.
//!
//! The paper's Proposition 2 needs every non-empty machine to be dominated by
//! a known pattern, which fails in general. Here a pattern is an extension of
//! what stays on a machine anyway, and machines with equal contents share one
//! convexity row with their number (Dantzig-Wolfe).
//!
//! A service that is to lose replicas is treated alike: its replicas count as
//! not yet placed, and may be put back only where they run now, up to as many
//! as run there. The choice of what to stop is so part of the same program.

use bayplan_model::{NodeId, PoolId, ServiceId, at_confidence};
use rustc_hash::FxHashMap;

use super::fleet::Fleet;
use super::view::View;

/// Machines with equal contents and equal rights.
pub(crate) struct Row {
    /// Existing machines, ascending.
    pub machines: Vec<u32>,
    /// The pool all are of.
    pub pool: PoolId,
    /// Machines that may be opened beside the existing; `u64::MAX`: any number.
    pub can_open: u64,
}

impl Row {
    /// How many machines; `u64::MAX`: any number.
    pub fn count(&self) -> u64 {
        self.can_open.saturating_add(self.machines.len() as u64)
    }
}

/// What may be added to a machine of a row.
#[derive(Clone)]
pub(crate) struct Kind {
    /// The row its machines come from.
    pub row: usize,
    /// What stays on such a machine in any case: (service, count).
    pub held: Vec<(u32, u32)>,
    /// Mean of what stays, per resource.
    pub mean: Vec<u64>,
    /// Variance of what stays, per resource.
    pub variance: Vec<u128>,
    /// Capacity per resource.
    pub capacity: Vec<u64>,
    /// The most replicas of each service in a pattern.
    pub most: Vec<u32>,
}

impl Kind {
    /// Whether nothing stays on it.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
}

/// What makes machines alike: pool, contents, and which services may come.
type Likeness<'a> = (PoolId, &'a [(u32, u32)], Vec<bool>);

/// Rows, kinds and the replicas patterns must cover.
pub(crate) struct Kinds {
    pub rows: Vec<Row>,
    pub kinds: Vec<Kind>,
    /// Per service: replicas to start, or to keep of one that loses some.
    pub wanted: Vec<u32>,
}

impl Kinds {
    /// Groups the machines of the current placement.
    pub fn new(view: &View, current: &Fleet) -> Self {
        let wanted: Vec<u32> = (0..view.count())
            .map(|s| {
                if view.to_stop(s) > 0 {
                    view.services.replicas[s]
                } else {
                    view.to_start(s)
                }
            })
            .collect();
        let mut all = Self {
            rows: Vec::new(),
            kinds: Vec::new(),
            wanted,
        };
        let mut known: FxHashMap<Likeness, usize> = FxHashMap::default();
        for machine in 0..current.len() {
            let reach = all.reach(view, |s| {
                view.services
                    .compatibility
                    .allows_node(s, NodeId::from(machine))
            });
            let key = (
                current.pool[machine],
                current.held[machine].as_slice(),
                reach,
            );
            let row = *known
                .entry(key)
                .or_insert_with_key(|(pool, held, reach)| all.add_row(view, *pool, held, reach));
            all.rows[row].machines.push(machine as u32);
        }
        for (index, can_open) in current.can_open.iter().enumerate().filter(|(_, n)| **n > 0) {
            let pool = PoolId::from(index);
            let reach = all.reach(view, |s| view.services.compatibility.allows_pool(s, pool));
            let key = (pool, [].as_slice(), reach);
            let row = *known
                .entry(key)
                .or_insert_with_key(|(pool, held, reach)| all.add_row(view, *pool, held, reach));
            all.rows[row].can_open = *can_open;
        }
        all
    }

    /// Which services may come; empty when all may.
    fn reach(&self, view: &View, allows: impl Fn(ServiceId) -> bool) -> Vec<bool> {
        if view.services.compatibility.is_everywhere() {
            return Vec::new();
        }
        (0..view.count())
            .map(|s| allows(ServiceId::from(s)))
            .collect()
    }

    fn add_row(&mut self, view: &View, pool: PoolId, held: &[(u32, u32)], reach: &[bool]) -> usize {
        let row = self.rows.len();
        self.rows.push(Row {
            machines: Vec::new(),
            pool,
            can_open: 0,
        });
        let stays: Vec<(u32, u32)> = held
            .iter()
            .copied()
            .filter(|(s, _)| view.to_stop(*s as usize) == 0)
            .collect();
        let (mean, variance) = loads(view, &stays);
        let kept = |s: usize| {
            held.iter()
                .find(|(h, _)| *h as usize == s)
                .map_or(0, |(_, count)| *count)
        };
        let most = |s: usize, capacity_holds: bool| {
            let at_most = match view.to_stop(s) {
                0 if reach.get(s) == Some(&false) || !capacity_holds => 0,
                0 => self.wanted[s].min(view.room_by_rules(&stays, s)),
                _ => kept(s).min(self.wanted[s]),
            };
            match capacity_holds {
                true => view.most_that_fit(pool, &mean, &variance, s, at_most),
                false => at_most,
            }
        };
        let mut kind = Kind {
            row,
            most: (0..view.count()).map(|s| most(s, true)).collect(),
            capacity: view.capacity(pool).to_vec(),
            held: stays.clone(),
            mean: mean.clone(),
            variance: variance.clone(),
        };
        let (full_mean, full_variance) = loads(view, held);
        if view.fits(pool, &full_mean, &full_variance) {
            self.kinds.push(kind);
            return row;
        }
        // Too full on arrival: it may keep any part of what it has, or come
        // to fit and then take more as well.
        let keep: Vec<u32> = (0..view.count()).map(|s| most(s, false)).collect();
        let loosened = full_mean.iter().zip(&full_variance).zip(&kind.capacity);
        let loosened = loosened
            .map(|((m, v), capacity)| {
                (at_confidence(*m, *v, view.d) * 1.000001)
                    .ceil()
                    .max(*capacity as f64) as u64
                    + 1
            })
            .collect();
        if view.fits(pool, &mean, &variance) {
            self.kinds.push(Kind {
                held: kind.held.clone(),
                mean,
                variance,
                capacity: kind.capacity.clone(),
                most: kind.most.clone(),
                row,
            });
        }
        kind.capacity = loosened;
        kind.most = keep;
        self.kinds.push(kind);
        row
    }
}

/// Mean and variance per resource of some replicas.
pub(crate) fn loads(view: &View, held: &[(u32, u32)]) -> (Vec<u64>, Vec<u128>) {
    let (mut mean, mut variance) = (vec![0u64; view.resources], vec![0u128; view.resources]);
    for &(service, count) in held {
        for r in 0..view.resources {
            mean[r] += view.mean_of(service as usize)[r] * u64::from(count);
            variance[r] += view.variance_of(service as usize)[r] * u128::from(count);
        }
    }
    (mean, variance)
}
