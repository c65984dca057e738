//! Nodes as the annealing works on them: residuals of the tight resource in
//! 16 bits, everything exact beside it for the check on acceptance.

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
    /// Residual of the tight resource by epoch, never more than the exact one.
    pub row: Box<[i16]>,
    /// The least of `row`.
    pub low: i16,
    /// Residual in every dimension, in units.
    pub exact: Box<[i64]>,
    pub contents: Vec<(u32, u32)>,
    /// Services of the replicas that may move, one entry per replica.
    pub movable: Vec<u32>,
}

/// What all lanes read.
pub(super) struct Yard<'v> {
    pub view: &'v View<'v>,
    /// Demand of the tight resource in 16 bits, rounded up; `stride` per service.
    rows: Vec<i16>,
    stride: usize,
    /// Whether a limit stands between two services; empty when too large.
    linked: Vec<u64>,
    words: usize,
    /// Whether replicas of a service may be moved by the annealing.
    movable: Vec<bool>,
}

/// Pairs of services up to this many get a bit each (128 MB).
const MOST_LINKED: usize = 32_000;

impl<'v> Yard<'v> {
    /// The yard for a tight resource, the one that runs out first.
    pub fn new(view: &'v View<'v>, tight: usize) -> Self {
        let stride = view.epochs;
        let largest = view.kinds.iter().map(|kind| kind.capacity[tight]).max().unwrap_or(1).max(1);
        let mut rows = vec![0; view.len() * stride];
        for (service, row) in rows.chunks_exact_mut(stride).enumerate() {
            let units = &view.row(service)[tight * stride..][..stride];
            for (small, units) in row.iter_mut().zip(units) {
                let scaled = (i128::from(*units) * i128::from(FULL)).div_euclid(largest.into());
                let exact = scaled * i128::from(largest) == i128::from(*units) * i128::from(FULL);
                *small = (scaled + i128::from(!exact)).min(i16::MAX as i128) as i16;
            }
        }
        let words = if view.len() <= MOST_LINKED { view.len().div_ceil(64) } else { 0 };
        let mut linked = vec![0u64; words * view.len()];
        if words > 0 {
            for limit in view.services.limits.iter() {
                let (of, on) = (limit.of.index(), limit.on.index());
                linked[of * words + on / 64] |= 1 << (on % 64);
                linked[on * words + of / 64] |= 1 << (of % 64);
            }
        }
        let everywhere = view.services.compatibility.is_everywhere();
        let free_of_sets =
            |s: usize| view.node_sets_of[s].is_empty() && view.label_sets_of[s].is_empty();
        let varies = |s: usize| view.peak(s, tight) != view.least(s, tight);
        let movable = (0..view.len()).map(|s| everywhere && free_of_sets(s) && varies(s)).collect();
        Self {
            view,
            rows,
            stride,
            linked,
            words,
            movable,
        }
    }

    /// Demand of the tight resource in 16 bits.
    pub fn row(&self, service: u32) -> &[i16] {
        &self.rows[service as usize * self.stride..][..self.stride]
    }

    /// Whether the annealing may move replicas of the service.
    pub fn is_movable(&self, service: usize) -> bool {
        self.movable[service]
    }

    /// All nodes of a state. Replicas that must stay are not movable.
    pub fn bins(&self, state: &State, tight: usize) -> Vec<Bin> {
        let mut bins: Vec<Bin> = (0..state.nodes()).map(|node| self.bin(state, node, tight)).collect();
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

    fn bin(&self, state: &State, node: usize, tight: usize) -> Bin {
        let largest = self.view.kinds.iter().map(|kind| kind.capacity[tight]).max().unwrap_or(1);
        let capacity = self.view.kinds[state.pool(node)].capacity[tight];
        let full = (i128::from(capacity) * i128::from(FULL) / i128::from(largest.max(1))) as i64;
        let mut wide = vec![full; self.stride];
        let mut movable = Vec::new();
        for (service, count) in state.contents(node) {
            for (left, units) in wide.iter_mut().zip(self.row(*service)) {
                *left -= i64::from(*units) * i64::from(*count);
            }
            if self.movable[*service as usize] {
                movable.extend(std::iter::repeat_n(*service, *count as usize));
            }
        }
        let narrow = |left: i64| left.clamp(i64::from(i16::MIN / 2), FULL) as i16;
        let row: Box<[i16]> = wide.into_iter().map(narrow).collect();
        Bin {
            node: node as u32,
            low: row.iter().copied().min().unwrap_or(0),
            row,
            exact: state.residual(node).into(),
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
        limits.get(ServiceId(b), ServiceId(a)).is_none_or(|max| count_a <= max)
            && limits.get(ServiceId(a), ServiceId(b)).is_none_or(|max| count_b <= max)
    }

    /// Whether the bin holds `joining` in every dimension once `leaving` is gone.
    pub fn holds(&self, bin: &Bin, joining: u32, leaving: Option<u32>) -> bool {
        let into = self.view.row(joining as usize);
        match leaving {
            None => {
                let pairs = bin.exact.iter().zip(into);
                pairs.fold(true, |fits, (left, units)| fits & (*left >= *units as i64))
            }
            Some(leaving) => {
                let out = self.view.row(leaving as usize);
                let rows = bin.exact.iter().zip(into).zip(out);
                rows.fold(true, |fits, ((left, into), out)| {
                    fits & (left.wrapping_add(*out as i64) >= *into as i64)
                })
            }
        }
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
        let mut low = i16::MAX;
        for (left, units) in bin.row.iter_mut().zip(self.row(service)) {
            *left = left.saturating_add(units.wrapping_mul(sign));
            low = low.min(*left);
        }
        bin.low = low;
        for (left, units) in bin.exact.iter_mut().zip(self.view.row(service as usize)) {
            *left += *units as i64 * i64::from(sign);
        }
    }
}
