//! Cells that have been run, one JSON object a line, appended as they are
//! finished: an interrupted run goes on where it was.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use super::{ExperimentError, Measured};

/// The cells of one experiment, in memory and on disk.
pub struct Journal {
    measured: Vec<Measured>,
    file: Option<File>,
    path: std::path::PathBuf,
}

impl Journal {
    /// Only in memory.
    pub fn in_memory() -> Self {
        Self {
            measured: Vec::new(),
            file: None,
            path: std::path::PathBuf::new(),
        }
    }

    /// On disk; with `fresh` what was there is forgotten, else it is read. A
    /// last line cut short by an interruption is dropped.
    pub fn open(path: &Path, fresh: bool) -> Result<Self, ExperimentError> {
        let text = match (fresh, path.exists()) {
            (false, true) => std::fs::read_to_string(path).map_err(ExperimentError::file(path))?,
            _ => String::new(),
        };
        let mut measured = Vec::new();
        let complete = text.rsplit_once('\n').map_or("", |(lines, _)| lines);
        for (number, line) in complete.lines().enumerate() {
            let parsed = serde_json::from_str(line);
            measured.push(parsed.map_err(|error| {
                ExperimentError::data(path, format!("line {}: {error}", number + 1))
            })?);
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(ExperimentError::file(folder))?;
        }
        // Written anew, so that a cut line is gone before the next is appended.
        std::fs::write(path, complete_lines(complete)).map_err(ExperimentError::file(path))?;
        let file = OpenOptions::new().append(true).open(path);
        Ok(Self {
            measured,
            file: Some(file.map_err(ExperimentError::file(path))?),
            path: path.to_path_buf(),
        })
    }

    /// What has been run.
    pub fn measured(&self) -> &[Measured] {
        &self.measured
    }

    /// Adds a cell, on disk before it returns.
    pub fn push(&mut self, measured: Measured) -> Result<(), ExperimentError> {
        if let Some(file) = &mut self.file {
            let line = serde_json::to_string(&measured).expect("numbers and words become JSON");
            let written = writeln!(file, "{line}").and_then(|()| file.flush());
            written.map_err(ExperimentError::file(&self.path))?;
        }
        self.measured.push(measured);
        Ok(())
    }
}

fn complete_lines(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("{text}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::{Cell, Values};

    #[test]
    fn an_interrupted_journal_goes_on_after_its_last_whole_line() {
        let folder = std::env::temp_dir().join(format!("bayplan-journal-{}", std::process::id()));
        let path = folder.join("cells.jsonl");
        let cell = |seed| Measured {
            cell: Cell::new("density", "1 %", "FF", seed),
            values: Values::default().with("nodes", 5.0).with("bound", f64::NAN),
            cpu_seconds: 0.25,
        };
        let mut journal = Journal::open(&path, true).unwrap();
        journal.push(cell(1)).unwrap();
        journal.push(cell(2)).unwrap();
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"study\":\"den");
        std::fs::write(&path, text).unwrap();
        let mut again = Journal::open(&path, false).unwrap();
        assert_eq!(again.measured(), [cell(1), cell(2)]);
        again.push(cell(3)).unwrap();
        assert_eq!(Journal::open(&path, false).unwrap().measured().len(), 3);
        assert!(Journal::open(&path, true).unwrap().measured().is_empty());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
