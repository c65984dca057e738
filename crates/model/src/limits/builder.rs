//! Limits as they are read, row by row.

use std::collections::BTreeMap;

use super::rows::{rows_gathered, rows_in_order, sort_rows, turn_round};
use super::{Limit, Limits, WIDE};
use crate::{ModelError, ServiceId};

/// Collects limits row by row; rows may come in any order and more than once.
#[derive(Clone, Debug, Default)]
pub struct LimitsBuilder {
    services: usize,
    /// Row number, and where its piece ends in `ids` and `values`.
    pieces: Vec<(u32, usize)>,
    ids: Vec<u32>,
    values: Vec<u8>,
    wide: BTreeMap<(u32, u32), u32>,
    caps: BTreeMap<u32, u32>,
}

impl LimitsBuilder {
    /// For this many services.
    pub fn new(services: usize) -> Self {
        Self {
            services,
            ..Self::default()
        }
    }

    /// Room for this many limits.
    pub fn reserve(&mut self, limits: usize) {
        self.ids.reserve_exact(limits);
        self.values.reserve_exact(limits);
    }

    /// How many limits were added, caps of services on themselves left out.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether none was added.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.caps.is_empty()
    }

    /// Adds one limit.
    pub fn push(&mut self, limit: Limit) -> Result<(), ModelError> {
        self.extend(limit.of, std::iter::once((limit.on, limit.max)))
    }

    /// Adds limits that one service imposes.
    pub fn extend(
        &mut self,
        of: ServiceId,
        row: impl IntoIterator<Item = (ServiceId, u32)>,
    ) -> Result<(), ModelError> {
        self.known(of)?;
        for (on, max) in row {
            self.known(on)?;
            if on == of {
                insert_once(&mut self.caps, of.0, max)
                    .map_err(|first| duplicate(of.0, on.0, first, max))?;
                continue;
            }
            if max >= u32::from(WIDE) {
                insert_once(&mut self.wide, (of.0, on.0), max)
                    .map_err(|first| duplicate(of.0, on.0, first, max))?;
            }
            self.ids.push(on.0);
            self.values.push(u8::try_from(max).unwrap_or(WIDE));
        }
        match self.pieces.last_mut() {
            Some((last, end)) if *last == of.0 => *end = self.ids.len(),
            _ => self.pieces.push((of.0, self.ids.len())),
        }
        Ok(())
    }

    /// Appends what another builder (of the same services) collected.
    pub fn append(&mut self, other: Self) -> Result<(), ModelError> {
        let offset = self.ids.len();
        self.pieces.extend(
            other
                .pieces
                .into_iter()
                .map(|(row, end)| (row, end + offset)),
        );
        self.ids.extend(other.ids);
        self.values.extend(other.values);
        for ((of, on), max) in other.wide {
            insert_once(&mut self.wide, (of, on), max)
                .map_err(|first| duplicate(of, on, first, max))?;
        }
        for (s, max) in other.caps {
            insert_once(&mut self.caps, s, max).map_err(|first| duplicate(s, s, first, max))?;
        }
        Ok(())
    }

    /// Sorts the rows and turns them round, in parallel.
    pub fn build(self) -> Result<Limits, ModelError> {
        let Self {
            services,
            pieces,
            ids,
            values,
            wide,
            caps,
        } = self;
        if ids.is_empty() {
            return Ok(Limits {
                caps,
                ..Limits::default()
            });
        }
        let mut out = if pieces.windows(2).all(|pair| pair[0].0 < pair[1].0) {
            rows_in_order(services, &pieces, ids, values)
        } else {
            rows_gathered(services, &pieces, &ids, &values)
        };
        sort_rows(&mut out)?;
        let into = turn_round(services, &out);
        Ok(Limits {
            out,
            into,
            wide,
            caps,
        })
    }

    fn known(&self, service: ServiceId) -> Result<(), ModelError> {
        if service.index() < self.services {
            return Ok(());
        }
        let (id, count) = (service.0, self.services);
        Err(ModelError::UnknownId {
            what: "a limit",
            kind: "service",
            id,
            count,
        })
    }
}

pub(super) fn duplicate(of: u32, on: u32, first: u32, second: u32) -> ModelError {
    ModelError::DuplicateLimit {
        of,
        on,
        first,
        second,
    }
}

/// `Err` with the other value when the key has a different one.
fn insert_once<K: Ord>(map: &mut BTreeMap<K, u32>, key: K, value: u32) -> Result<(), u32> {
    match map.insert(key, value) {
        Some(first) if first != value => Err(first),
        _ => Ok(()),
    }
}
