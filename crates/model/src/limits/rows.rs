//! Rows of ids and values in flat arrays: put together, sorted, turned round.

use rayon::prelude::*;

use super::builder::duplicate;
use crate::ModelError;

/// Targets per block when turning the rows round: small enough that the rows
/// being written stay in the cache.
const BLOCK: usize = 2048;

/// Ids and values, row after row.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Rows {
    pub starts: Vec<u64>,
    pub ids: Vec<u32>,
    pub values: Vec<u8>,
}

impl Rows {
    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }
}

/// The common case: each row came once and in order, so the arrays are rows already.
pub(super) fn rows_in_order(
    services: usize,
    pieces: &[(u32, usize)],
    ids: Vec<u32>,
    values: Vec<u8>,
) -> Rows {
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

/// Rows from pieces in any order.
pub(super) fn rows_gathered(
    services: usize,
    pieces: &[(u32, usize)],
    ids: &[u32],
    values: &[u8],
) -> Rows {
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
pub(super) fn sort_rows(rows: &mut Rows) -> Result<(), ModelError> {
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
pub(super) fn turn_round(services: usize, out: &Rows) -> Rows {
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
