//! Directed co-location limits: on a node that holds a replica of `of`, at
//! most `max` replicas of `on`.
//!
//! Stored as flat rows in both directions, 32-bit ids and 8-bit values: ten
//! bytes per limit. The few values that need more than eight bits, and the
//! caps of a service on itself, are kept beside.

mod builder;
mod rows;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::ServiceId;
pub use builder::LimitsBuilder;
use rows::Rows;

/// Marks a value kept in `Limits::wide`.
const WIDE: u8 = u8::MAX;

/// One limit, as listed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Limit {
    /// The service present.
    pub of: ServiceId,
    /// The service limited. The same service: a cap on its replicas per node.
    pub on: ServiceId,
    /// How many replicas of `on` may be there.
    pub max: u32,
}

/// All limits between services, by row in both directions.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Limits {
    out: Rows,
    into: Rows,
    wide: BTreeMap<(u32, u32), u32>,
    caps: BTreeMap<u32, u32>,
}

impl Limits {
    /// How many limits there are, caps of services on themselves included.
    pub fn len(&self) -> usize {
        self.out.ids.len() + self.caps.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The limits a service imposes where it is present: (other, max), by
    /// ascending other; its own cap is not among them.
    pub fn imposed_by(&self, service: ServiceId) -> impl Iterator<Item = (ServiceId, u32)> {
        let range = if self.out.starts.is_empty() {
            0..0
        } else {
            self.out.range(service.index())
        };
        let ids = &self.out.ids[range.clone()];
        ids.iter()
            .zip(&self.out.values[range])
            .map(move |(id, value)| (ServiceId(*id), self.value(service.0, *id, *value)))
    }

    /// The limits others impose on a service: (other, max), by ascending
    /// other; its own cap is not among them.
    pub fn imposed_on(&self, service: ServiceId) -> impl Iterator<Item = (ServiceId, u32)> {
        let range = if self.into.starts.is_empty() {
            0..0
        } else {
            self.into.range(service.index())
        };
        let ids = &self.into.ids[range.clone()];
        ids.iter()
            .zip(&self.into.values[range])
            .map(move |(id, value)| (ServiceId(*id), self.value(*id, service.0, *value)))
    }

    /// How many limits a service imposes on others.
    pub fn out_degree(&self, service: ServiceId) -> usize {
        if self.out.starts.is_empty() {
            0
        } else {
            self.out.range(service.index()).len()
        }
    }

    /// How many limits others impose on a service.
    pub fn in_degree(&self, service: ServiceId) -> usize {
        if self.into.starts.is_empty() {
            0
        } else {
            self.into.range(service.index()).len()
        }
    }

    /// The most replicas of a service on one node by its own cap.
    pub fn cap(&self, service: ServiceId) -> Option<u32> {
        self.caps.get(&service.0).copied()
    }

    /// The limit of one pair; the cap when both are the same service.
    pub fn get(&self, of: ServiceId, on: ServiceId) -> Option<u32> {
        if of == on {
            return self.cap(of);
        }
        if self.out.starts.is_empty() {
            return None;
        }
        let range = self.out.range(of.index());
        let at = self.out.ids[range.clone()].binary_search(&on.0).ok()?;
        Some(self.value(of.0, on.0, self.out.values[range.start + at]))
    }

    /// All limits, by service present, then service limited.
    pub fn iter(&self) -> impl Iterator<Item = Limit> {
        let rows = self.out.starts.len().saturating_sub(1);
        let caps = self.caps.iter();
        let caps = caps.map(|(s, max)| Limit {
            of: ServiceId(*s),
            on: ServiceId(*s),
            max: *max,
        });
        let pairs = (0..rows).map(ServiceId::from).flat_map(|of| {
            self.imposed_by(of)
                .map(move |(on, max)| Limit { of, on, max })
        });
        caps.chain(pairs)
    }

    /// Bytes held, for the memory budget.
    pub fn bytes(&self) -> usize {
        [&self.out, &self.into]
            .map(|rows| rows.starts.len() * 8 + rows.ids.len() * 4 + rows.values.len())
            .iter()
            .sum::<usize>()
            + (self.wide.len() * 12 + self.caps.len() * 8) * 2
    }

    pub(crate) fn service_count(&self) -> Option<usize> {
        (!self.out.starts.is_empty()).then(|| self.out.starts.len() - 1)
    }

    fn value(&self, of: u32, on: u32, stored: u8) -> u32 {
        if stored == WIDE {
            self.wide[&(of, on)]
        } else {
            u32::from(stored)
        }
    }
}
