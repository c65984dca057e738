//! Bytes of a file or standard input, decompressed, within a bound.

use std::borrow::Cow;
use std::fs::File;
use std::io::{ErrorKind, Read};

use flate2::read::MultiGzDecoder;

use crate::error::{Place, Source, fail};
use crate::{Errors, ReadOptions};

/// Largest input after decompression unless the options say otherwise.
const MAX_BYTES: u64 = 4 << 30;

/// Text of any use compresses far less than this; a bomb does 1000 to 1.
const MAX_RATIO: u64 = 300;

/// Below this size the ratio does not matter.
const RATIO_FREE: u64 = 64 << 20;

/// Reads a file, or standard input when the path is `-`, up to the bound of
/// the options. Compressed bytes stay compressed.
pub fn read_bytes(path: &str, options: &ReadOptions) -> Result<Vec<u8>, Errors> {
    let limit = options.max_bytes.unwrap_or(MAX_BYTES);
    let mut bytes = Vec::new();
    let outcome = if path == "-" {
        std::io::stdin()
            .lock()
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(limit.saturating_add(1)).read_to_end(&mut bytes))
    };
    match outcome {
        Err(error) => {
            let fix = match error.kind() {
                ErrorKind::NotFound => "check the path, or give `-` for standard input",
                ErrorKind::PermissionDenied => "make it readable",
                ErrorKind::IsADirectory => "give a file, not a directory",
                _ => "check the file",
            };
            fail(
                Source::Input,
                "F001",
                Place::File,
                format!("cannot read `{path}`: {error}"),
                fix,
            )
        }
        Ok(_) if bytes.len() as u64 > limit => too_large(Source::Input, limit),
        Ok(_) => Ok(bytes),
    }
}

/// Decompresses when the bytes are gzip, and takes off a byte-order mark.
pub(crate) fn plain<'a>(
    bytes: &'a [u8],
    source: Source,
    options: &ReadOptions,
) -> Result<Cow<'a, [u8]>, Errors> {
    let limit = options.max_bytes.unwrap_or(MAX_BYTES);
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return if bytes.len() as u64 > limit {
            too_large(source, limit)
        } else {
            Ok(Cow::Borrowed(without_mark(bytes)))
        };
    }
    let limit = match options.max_bytes {
        Some(limit) => limit,
        None => limit.min(
            (bytes.len() as u64)
                .saturating_mul(MAX_RATIO)
                .max(RATIO_FREE),
        ),
    };
    let mut text = Vec::new();
    let decoder = MultiGzDecoder::new(bytes);
    match decoder.take(limit.saturating_add(1)).read_to_end(&mut text) {
        Err(error) => fail(
            source,
            "F003",
            Place::File,
            format!("the gzip data is broken: {error}"),
            "check that the file was copied whole",
        ),
        Ok(_) if text.len() as u64 > limit => too_large(source, limit),
        Ok(_) => {
            let mark = text.len() - without_mark(&text).len();
            text.drain(..mark);
            Ok(Cow::Owned(text))
        }
    }
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

fn too_large<T>(source: Source, limit: u64) -> Result<T, Errors> {
    let found = format!("the input is larger than {limit} bytes when decompressed");
    fail(
        source,
        "F002",
        Place::File,
        found,
        "check the file, or raise the bound on its size",
    )
}

/// The bytes as text.
pub(crate) fn utf8(bytes: &[u8], source: Source) -> Result<&str, Errors> {
    std::str::from_utf8(bytes).or_else(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64;
        fail(
            source,
            "F004",
            Place::line(line),
            "bytes that are not UTF-8 text",
            "save it as UTF-8",
        )
    })
}
