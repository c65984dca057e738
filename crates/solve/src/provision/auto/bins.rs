//! Nodes as the annealing works on them: residuals in 16 bits,
//! demands rounded up, so that what fits here fits exactly.

use std::collections::BTreeMap;

use bayplan_model::ServiceId;

use crate::provision::state::State;
use crate::provision::view::View;

/// 16-bit units a full node of the largest kind has of the tight resource.
const FULL: i64 = 32_000;

/// The annealing counts slack as if the largest node had this much; the
/// temperatures and the curvature of the energy are stated in this unit.
pub(super) const SLACK_UNITS: f32 = 128.0;

/// Slack of one 16-bit unit.
pub(super) const UNIT: f32 = SLACK_UNITS / FULL as f32;

/// A node.
pub(super) struct Bin {
    pub node: u32,
    /// Residual by dimension in 16-bit units, the tight resource first; never
    /// more than the exact residual, because every demand is rounded up.
    pub row: Box<[i16]>,
    /// The least of the tight part of `row`.
    pub low: i16,
    pub contents: Vec<(u32, u32)>,
    /// Services of the replicas that may move, one entry per replica.
    pub movable: Vec<u32>,
}

/// What all lanes read.
pub(super) struct Yard<'v> {
    pub view: &'v View<'v>,
    tight: usize,
    /// Demand in 16 bits, rounded up, `width` per service, the tight resource first.
    rows: Vec<i16>,
    /// Whether a limit stands between two services; empty when too large.
    linked: Vec<u64>,
    words: usize,
    movable: Vec<bool>,
}

/// Pairs of services up to this many get a bit each (128 MB).
const MOST_LINKED: usize = 32_000;

impl<'v> Yard<'v> {
    /// The yard for a tight resource, the one that runs out first.
    pub fn new(view: &'v View<'v>, tight: usize) -> Self {
        let mut rows = Vec::with_capacity(view.len() * view.width);
        for service in 0..view.len() {
            for resource in tight_first(view, tight) {
                let scale = largest(view, resource);
                let units = &view.row(service)[resource * view.epochs..][..view.epochs];
                rows.extend(units.iter().map(|units| {
                    let scaled = (u128::from(*units) * FULL as u128).div_ceil(scale as u128);
                    scaled.min(i16::MAX as u128) as i16
                }));
            }
        }
        let words = if view.len() <= MOST_LINKED {
            view.len().div_ceil(64)
        } else {
            0
        };
        let mut linked = vec![0u64; words * view.len()];
        if words > 0 {
            for limit in view.services.limits.iter() {
                let (of, on) = (limit.of.index(), limit.on.index());
                linked[of * words + on / 64] |= 1 << (on % 64);
                linked[on * words + of / 64] |= 1 << (of % 64);
            }
        }
        let grain = grain(view, tight);
        let loose = |s: usize| {
            let peak = view.peak(s, tight);
            peak != view.least(s, tight) || grain.is_some_and(|grain| peak % grain != 0)
        };
        let movable = (0..view.len())
            .map(|s| loose(s) && !view.is_bound(s))
            .collect();
        Self {
            view,
            tight,
            rows,
            linked,
            words,
            movable,
        }
    }

    /// Demand of the tight resource in 16 bits.
    pub fn tight_row(&self, service: u32) -> &[i16] {
        &self.rows[service as usize * self.view.width..][..self.view.epochs]
    }

    fn row(&self, service: u32) -> &[i16] {
        &self.rows[service as usize * self.view.width..][..self.view.width]
    }

    /// Whether the annealing may move replicas of the service.
    pub fn is_movable(&self, service: usize) -> bool {
        self.movable[service]
    }

    /// All nodes of a state. Replicas that must stay are not movable.
    pub fn bins(&self, state: &State) -> Vec<Bin> {
        let mut bins: Vec<Bin> = (0..state.nodes())
            .map(|node| self.bin(state, node))
            .collect();
        for entry in &self.view.fixed {
            let movable = &mut bins[entry.node.index()].movable;
            let mut staying = entry.count;
            movable.retain(|service| {
                let stays = *service == entry.service.0 && staying > 0;
                staying -= u32::from(stays);
                !stays
            });
        }
        bins
    }

    fn bin(&self, state: &State, node: usize) -> Bin {
        let view = self.view;
        let capacity = &view.kinds[state.pool(node)].capacity;
        let mut wide = Vec::with_capacity(view.width);
        for resource in tight_first(view, self.tight) {
            let units = i128::from(capacity[resource]) * i128::from(FULL);
            let full = (units / i128::from(largest(view, resource))) as i64;
            wide.extend(std::iter::repeat_n(full, view.epochs));
        }
        let mut movable = Vec::new();
        for (service, count) in state.contents(node) {
            for (left, units) in wide.iter_mut().zip(self.row(*service)) {
                *left -= i64::from(*units) * i64::from(*count);
            }
            if self.movable[*service as usize] {
                movable.extend(std::iter::repeat_n(*service, *count as usize));
            }
        }
        // Clamped from below the node only looks fuller than it is, and any
        // move that leaves it below zero is refused.
        if state.is_shut(node) {
            wide.fill(-1);
        }
        let narrow = |left: i64| left.clamp(i64::from(i16::MIN / 2), FULL) as i16;
        let row: Box<[i16]> = wide.into_iter().map(narrow).collect();
        Bin {
            node: node as u32,
            low: row[..view.epochs].iter().copied().min().unwrap_or(0),
            row,
            contents: state.contents(node).to_vec(),
            movable,
        }
    }

    /// Whether one replica of `service` may stand on the bin by limits and own
    /// cap, once a replica of `leaving` is gone.
    pub fn may_join(&self, bin: &Bin, service: u32, leaving: Option<u32>) -> bool {
        let present = bin.contents.iter().find(|(s, _)| *s == service);
        let joined = present.map_or(0, |(_, count)| *count) + 1;
        if joined > self.view.cap[service as usize] {
            return false;
        }
        bin.contents.iter().all(|(other, count)| {
            let count = count - u32::from(Some(*other) == leaving);
            count == 0 || *other == service || self.agree(service, joined, *other, count)
        })
    }

    fn agree(&self, a: u32, count_a: u32, b: u32, count_b: u32) -> bool {
        if self.words > 0 {
            let word = self.linked[a as usize * self.words + b as usize / 64];
            if word >> (b % 64) & 1 == 0 {
                return true;
            }
        }
        let limits = &self.view.services.limits;
        limits
            .get(ServiceId(b), ServiceId(a))
            .is_none_or(|max| count_a <= max)
            && limits
                .get(ServiceId(a), ServiceId(b))
                .is_none_or(|max| count_b <= max)
    }

    /// Whether the bin holds `joining` in the resources that are not tight
    /// once `leaving` is gone; in the tight one the caller has seen to it.
    pub fn holds(&self, bin: &Bin, joining: u32, leaving: Option<u32>) -> bool {
        let epochs = self.view.epochs;
        let (left, into) = (&bin.row[epochs..], &self.row(joining)[epochs..]);
        let low = match leaving {
            None => left
                .iter()
                .zip(into)
                .map(|(x, a)| x.saturating_sub(*a))
                .min(),
            Some(leaving) => {
                let out = &self.row(leaving)[epochs..];
                let rows = left.iter().zip(into).zip(out);
                rows.map(|((x, a), b)| x.saturating_add(b.saturating_sub(*a)))
                    .min()
            }
        };
        low.is_none_or(|low| low >= 0)
    }

    /// Puts one replica on the bin.
    pub fn join(&self, bin: &mut Bin, service: u32) {
        match bin.contents.iter_mut().find(|(s, _)| *s == service) {
            Some((_, count)) => *count += 1,
            None => bin.contents.push((service, 1)),
        }
        if self.movable[service as usize] {
            bin.movable.push(service);
        }
        self.shift(bin, service, -1);
    }

    /// Takes the movable replica at a position off the bin.
    pub fn leave(&self, bin: &mut Bin, position: usize) -> u32 {
        let service = bin.movable.swap_remove(position);
        let at = bin.contents.iter().position(|(s, _)| *s == service);
        let at = at.expect("a movable replica is among the contents");
        bin.contents[at].1 -= 1;
        if bin.contents[at].1 == 0 {
            bin.contents.swap_remove(at);
        }
        self.shift(bin, service, 1);
        service
    }

    fn shift(&self, bin: &mut Bin, service: u32, sign: i16) {
        for (left, units) in bin.row.iter_mut().zip(self.row(service)) {
            *left = left.saturating_add(units.wrapping_mul(sign));
        }
        bin.low = bin.row[..self.view.epochs]
            .iter()
            .copied()
            .min()
            .unwrap_or(0);
    }
}

fn tight_first(view: &View, tight: usize) -> impl Iterator<Item = usize> + use<> {
    std::iter::once(tight).chain((0..view.resources).filter(move |r| *r != tight))
}

/// The commonest steady demand: replicas of its multiples fill up what the
/// others leave, so only the others need to be moved about.
fn grain(view: &View, resource: usize) -> Option<i64> {
    let mut replicas: BTreeMap<i64, u64> = BTreeMap::new();
    for service in 0..view.len() {
        let peak = view.peak(service, resource);
        if peak > 0 && peak == view.least(service, resource) {
            *replicas.entry(peak).or_default() += u64::from(view.wanted[service]);
        }
    }
    replicas
        .into_iter()
        .max_by_key(|(_, count)| *count)
        .map(|(demand, _)| demand)
}

fn largest(view: &View, resource: usize) -> i64 {
    let capacities = view.kinds.iter().map(|kind| kind.capacity[resource]);
    capacities.max().unwrap_or(1).max(1)
}
