//! Directed co-location limits: on a node that holds a replica of `of`, at
//! most `max` replicas of `on`.
//!
//! Stored as flat rows in both directions, 32-bit ids and 8-bit values: ten
//! bytes per limit. The few values that need more than eight bits, and the
//! caps of a service on itself, are kept beside.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::{ModelError, ServiceId};

/// Marks a value kept in `Limits::wide`.
const WIDE: u8 = u8::MAX;

/// Targets per block when turning the rows round: small enough that the rows
/// being written stay in the cache.
const BLOCK: usize = 2048;

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

#[derive(Clone, PartialEq, Debug, Default)]
struct Rows {
    starts: Vec<u64>,
    ids: Vec<u32>,
    values: Vec<u8>,
}

impl Rows {
    fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }
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

/// Collects limits row by row; rows may come in any order and more than once.
#[derive(Clone, Debug, Default)]
pub struct LimitsBuilder {
    services: usize,
    /// Row number and end of its piece in `packed`.
    pieces: Vec<(u32, usize)>,
    /// Target in the high 32 bits... packed as (target, value) pairs.
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

fn duplicate(of: u32, on: u32, first: u32, second: u32) -> ModelError {
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

/// The common case: each row came once and in order, so the arrays are rows already.
fn rows_in_order(services: usize, pieces: &[(u32, usize)], ids: Vec<u32>, values: Vec<u8>) -> Rows {
    let mut starts = vec![0u64; services + 1];
    let mut end = 0;
    let mut pieces = pieces.iter().peekable();
    for row in 0..services {
        if let Some((_, to)) = pieces.next_if(|(of, _)| *of as usize == row) {
            end = *to as u64;
        }
        starts[row + 1] = end;
    }
    Rows {
        starts,
        ids,
        values,
    }
}

fn rows_gathered(services: usize, pieces: &[(u32, usize)], ids: &[u32], values: &[u8]) -> Rows {
    let mut starts = vec![0u64; services + 1];
    let mut begin = 0;
    for (of, end) in pieces {
        starts[*of as usize + 1] += (end - begin) as u64;
        begin = *end;
    }
    for row in 0..services {
        starts[row + 1] += starts[row];
    }
    let mut next = starts.clone();
    let mut rows = Rows {
        starts,
        ids: vec![0; ids.len()],
        values: vec![0; ids.len()],
    };
    begin = 0;
    for (of, end) in pieces {
        let to = next[*of as usize] as usize;
        let length = end - begin;
        rows.ids[to..to + length].copy_from_slice(&ids[begin..*end]);
        rows.values[to..to + length].copy_from_slice(&values[begin..*end]);
        next[*of as usize] += length as u64;
        begin = *end;
    }
    rows
}

/// Splits an array into mutable pieces of the given lengths.
fn pieces_mut<T>(mut array: &mut [T], lengths: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    lengths
        .map(|length| {
            let (head, tail) = std::mem::take(&mut array).split_at_mut(length);
            array = tail;
            head
        })
        .collect()
}

/// Sorts each row by id; the same limit twice is kept once, a contradiction is an error.
fn sort_rows(rows: &mut Rows) -> Result<(), ModelError> {
    let lengths: Vec<usize> = rows
        .starts
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) as usize)
        .collect();
    let ids = pieces_mut(&mut rows.ids, lengths.iter().copied());
    let values = pieces_mut(&mut rows.values, lengths.iter().copied());
    let kept: Result<Vec<usize>, ModelError> = ids
        .into_par_iter()
        .zip(values)
        .enumerate()
        .map_init(Vec::new, |packed: &mut Vec<u64>, (row, (ids, values))| {
            if ids.windows(2).all(|pair| pair[0] < pair[1]) {
                return Ok(ids.len());
            }
            packed.clear();
            packed.extend(
                ids.iter()
                    .zip(&*values)
                    .map(|(i, v)| u64::from(*i) << 8 | u64::from(*v)),
            );
            packed.sort_unstable();
            packed.dedup();
            for pair in packed.windows(2) {
                if pair[0] >> 8 == pair[1] >> 8 {
                    let on = (pair[0] >> 8) as u32;
                    let value = |packed: u64| (packed & 0xff) as u32;
                    return Err(duplicate(row as u32, on, value(pair[0]), value(pair[1])));
                }
            }
            for (at, packed) in packed.iter().enumerate() {
                ids[at] = (packed >> 8) as u32;
                values[at] = (packed & 0xff) as u8;
            }
            Ok(packed.len())
        })
        .collect();
    let kept = kept?;
    if kept != lengths {
        close_gaps(rows, &kept);
    }
    Ok(())
}

fn close_gaps(rows: &mut Rows, kept: &[usize]) {
    let mut to = 0;
    for (row, kept) in kept.iter().enumerate() {
        let from = rows.starts[row] as usize;
        rows.ids.copy_within(from..from + kept, to);
        rows.values.copy_within(from..from + kept, to);
        rows.starts[row] = to as u64;
        to += kept;
    }
    *rows.starts.last_mut().expect("one more start than rows") = to as u64;
    rows.ids.truncate(to);
    rows.values.truncate(to);
}

/// The same limits by target. Each block of targets is written by one worker
/// into its own stretch of the arrays; sources are visited in order, so the
/// rows come out sorted.
fn turn_round(services: usize, out: &Rows) -> Rows {
    let mut starts = vec![0u64; services + 1];
    for id in &out.ids {
        starts[*id as usize + 1] += 1;
    }
    for row in 0..services {
        starts[row + 1] += starts[row];
    }
    let edges: Vec<usize> = (0..services).step_by(BLOCK).chain([services]).collect();
    let lengths = || {
        edges
            .windows(2)
            .map(|pair| (starts[pair[1]] - starts[pair[0]]) as usize)
    };
    let mut rows = Rows {
        starts: Vec::new(),
        ids: vec![0; out.ids.len()],
        values: vec![0; out.ids.len()],
    };
    let ids = pieces_mut(&mut rows.ids, lengths());
    let values = pieces_mut(&mut rows.values, lengths());
    // Where each source's row stands for the block in hand: blocks are visited
    // in runs by one worker, so the position is found by binary search once.
    edges
        .par_windows(2)
        .zip(ids)
        .zip(values)
        .for_each(|((block, ids), values)| {
            let (first, last) = (block[0] as u32, block[1] as u32);
            let base = starts[block[0]];
            let mut next: Vec<usize> = starts[block[0]..block[1]]
                .iter()
                .map(|start| (start - base) as usize)
                .collect();
            for source in 0..services {
                let range = out.range(source);
                let row = &out.ids[range.clone()];
                let from = row.partition_point(|id| *id < first);
                for (at, id) in row[from..].iter().enumerate() {
                    if *id >= last {
                        break;
                    }
                    let to = &mut next[(*id - first) as usize];
                    ids[*to] = source as u32;
                    values[*to] = out.values[range.start + from + at];
                    *to += 1;
                }
            }
        });
    rows.starts = starts;
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(of: u32, on: u32, max: u32) -> Limit {
        Limit {
            of: ServiceId(of),
            on: ServiceId(on),
            max,
        }
    }

    fn build(services: usize, limits: &[Limit]) -> Result<Limits, ModelError> {
        let mut builder = LimitsBuilder::new(services);
        for limit in limits {
            builder.push(*limit)?;
        }
        builder.build()
    }

    #[test]
    fn rows_in_any_order_equal_a_plain_map() {
        // A multiplicative generator is random enough to mix rows here.
        let mut state = 7u64;
        let mut next = |below: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for services in [1usize, 2, 7, 5000] {
            let mut plain = BTreeMap::new();
            let mut listed = Vec::new();
            for _ in 0..services * 4 {
                let (of, on) = (next(services as u64) as u32, next(services as u64) as u32);
                let max = [0, 1, 2, 254, 255, 256, 70_000][next(7) as usize];
                let max = *plain.entry((of, on)).or_insert(max);
                listed.push(limit(of, on, max));
            }
            let limits = build(services, &listed).unwrap();
            assert_eq!(limits.len(), plain.len());
            let mut found: Vec<Limit> = limits.iter().collect();
            found.sort();
            let wanted: Vec<Limit> = plain
                .iter()
                .map(|((of, on), max)| limit(*of, *on, *max))
                .collect();
            assert_eq!(found, wanted);
            for ((of, on), max) in plain {
                let (of, on) = (ServiceId(of), ServiceId(on));
                assert_eq!(limits.get(of, on), Some(max));
                if of != on {
                    assert!(limits.imposed_on(on).any(|entry| entry == (of, max)));
                }
            }
            for s in (0..services).map(ServiceId::from) {
                assert_eq!(limits.imposed_on(s).count(), limits.in_degree(s));
                assert!(limits.imposed_on(s).is_sorted_by(|a, b| a.0 < b.0));
            }
        }
    }

    #[test]
    fn contradictions_and_strangers_are_errors() {
        assert_eq!(
            build(3, &[limit(0, 1, 2), limit(2, 1, 0), limit(0, 1, 3)]),
            Err(duplicate(0, 1, 2, 3))
        );
        assert_eq!(
            build(3, &[limit(1, 1, 2), limit(1, 1, 5)]),
            Err(duplicate(1, 1, 2, 5))
        );
        assert!(matches!(
            build(3, &[limit(0, 3, 1)]),
            Err(ModelError::UnknownId { id: 3, .. })
        ));
        assert_eq!(
            build(3, &[limit(0, 1, 2), limit(0, 1, 2)]).unwrap().len(),
            1
        );
    }
}
