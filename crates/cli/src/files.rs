//! Files in and out.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Side files (plans, layouts) larger than this are refused: 2 GiB.
const LARGEST: u64 = 2 << 30;

/// Reads a whole file; `-` is standard input.
pub fn read(path: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let reader: Box<dyn Read> = match path {
        "-" => Box::new(io::stdin().lock()),
        _ => Box::new(File::open(path).with_context(|| format!("cannot open {path}"))?),
    };
    reader
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {path}"))?;
    anyhow::ensure!(bytes.len() as u64 <= LARGEST, "{path} is larger than 2 GiB");
    Ok(bytes)
}

/// Writes through a temporary file beside the target, so that an error or an
/// interruption never leaves half a file. `.gz` is compressed; `-` is
/// standard output.
pub fn write(path: &str, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    if path == "-" {
        let mut out = BufWriter::new(io::stdout().lock());
        fill(&mut out)?;
        return Ok(out.flush()?);
    }
    let target = Path::new(path);
    let name = target
        .file_name()
        .with_context(|| format!("{path} is not a file name"))?;
    let temporary = target.with_file_name(format!(
        ".{}.{}",
        name.to_string_lossy(),
        std::process::id()
    ));
    let written = write_new(&temporary, path.ends_with(".gz"), fill)
        .and_then(|()| std::fs::rename(&temporary, target));
    if written.is_err() {
        // Nothing more can be done if the half-written file cannot be removed.
        let _ = std::fs::remove_file(&temporary);
    }
    written.with_context(|| format!("cannot write {path}"))
}

fn write_new(
    path: &Path,
    compress: bool,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    if compress {
        let mut gz = GzEncoder::new(out, Compression::fast());
        fill(&mut gz)?;
        out = gz.finish()?;
    } else {
        fill(&mut out)?;
    }
    out.into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .sync_all()
}

/// Writes a text that is already there.
pub fn write_text(path: &str, text: &str) -> Result<()> {
    write(path, |out| out.write_all(text.as_bytes()))
}
