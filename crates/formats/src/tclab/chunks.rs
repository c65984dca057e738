//! Whole lines in pieces of about a megabyte, each with its first line number.

use rayon::prelude::*;

const SIZE: usize = 1 << 20;

/// Whole lines.
pub(crate) struct Chunk<'a> {
    pub bytes: &'a [u8],
    /// Number of its first line.
    pub line: u64,
}

/// The pieces of a text that begins after `before` lines, and its lines.
pub(crate) fn split(mut bytes: &[u8], before: u64) -> (Vec<Chunk<'_>>, usize) {
    let mut pieces = Vec::with_capacity(bytes.len() / SIZE + 1);
    while !bytes.is_empty() {
        let from = SIZE.min(bytes.len());
        let end = memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |at| from + at + 1);
        let (piece, rest) = bytes.split_at(end);
        pieces.push(piece);
        bytes = rest;
    }
    let counts: Vec<usize> = pieces
        .par_iter()
        .map(|piece| memchr::memchr_iter(b'\n', piece).count())
        .collect();
    let mut line = before + 1;
    let mut chunks = Vec::with_capacity(pieces.len());
    for (bytes, count) in pieces.into_iter().zip(&counts) {
        chunks.push(Chunk { bytes, line });
        line += *count as u64;
    }
    (chunks, counts.iter().sum::<usize>() + 1)
}
