//! Cells that have been run, a line of JSON each, appended as they are
//! finished: an interrupted run goes on where it was, and whoever has the file
//! can go on with it. A line `{"solver": ...}` says which solver made the cells
//! after it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Cell, ExperimentError, Measured, Values};

/// The cells of one experiment, in memory and on disk.
pub struct Journal {
    measured: Vec<Measured>,
    disk: Option<(File, PathBuf)>,
    /// The solver that the last line on disk belongs to.
    solver: String,
}

/// A line; a cell is study, x, series, seed, CPU seconds, figures and a curve.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Solver {
        solver: String,
    },
    Plain(String, String, String, u64, f64, BTreeMap<String, f64>),
    Drawn(
        String,
        String,
        String,
        u64,
        f64,
        BTreeMap<String, f64>,
        Vec<(f64, f64)>,
    ),
}

impl Journal {
    /// Only in memory.
    pub fn in_memory() -> Self {
        Self {
            measured: Vec::new(),
            disk: None,
            solver: String::new(),
        }
    }

    /// On disk; with `fresh` what was there is forgotten, else it is read. A
    /// last line cut short by an interruption is dropped, and so is a cell that
    /// was run again later.
    pub fn open(path: &Path, fresh: bool) -> Result<Self, ExperimentError> {
        let text = match (fresh, path.exists()) {
            (false, true) => std::fs::read_to_string(path).map_err(ExperimentError::file(path))?,
            _ => String::new(),
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(ExperimentError::file(folder))?;
        }
        let mut journal = Self {
            measured: read(&text, path)?,
            ..Self::in_memory()
        };
        journal.write_anew(path)?;
        Ok(journal)
    }

    /// Drops from the file what was run again since it was opened.
    pub fn tidy(&mut self) -> Result<(), ExperimentError> {
        match self.disk.take() {
            Some((_, path)) => self.write_anew(&path),
            None => Ok(()),
        }
    }

    fn write_anew(&mut self, path: &Path) -> Result<(), ExperimentError> {
        let (mut lines, mut solver) = (String::new(), String::new());
        for measured in &self.measured {
            add_lines(&mut lines, &mut solver, measured);
        }
        std::fs::write(path, lines).map_err(ExperimentError::file(path))?;
        let file = OpenOptions::new().append(true).open(path);
        let file = file.map_err(ExperimentError::file(path))?;
        (self.disk, self.solver) = (Some((file, path.to_path_buf())), solver);
        Ok(())
    }

    /// What has been run.
    pub fn measured(&self) -> &[Measured] {
        &self.measured
    }

    /// Adds a cell, or replaces what an earlier solver made of it; on disk
    /// before it returns. Figures are kept to nine digits.
    pub fn push(&mut self, measured: Measured) -> Result<(), ExperimentError> {
        let measured = rounded(measured);
        if let Some((file, path)) = &mut self.disk {
            let mut lines = String::new();
            add_lines(&mut lines, &mut self.solver, &measured);
            let written = file.write_all(lines.as_bytes()).and_then(|()| file.flush());
            written.map_err(ExperimentError::file(path))?;
        }
        self.measured.retain(|known| known.cell != measured.cell);
        self.measured.push(measured);
        Ok(())
    }
}

/// The cells of a journal, the last of each.
fn read(text: &str, path: &Path) -> Result<Vec<Measured>, ExperimentError> {
    let complete = text.rsplit_once('\n').map_or("", |(lines, _)| lines);
    let (mut all, mut solver) = (Vec::new(), String::new());
    for (number, line) in complete.lines().enumerate() {
        let line = serde_json::from_str(line).map_err(|error| {
            ExperimentError::data(path, format!("line {}: {error}", number + 1))
        })?;
        let (study, x, series, seed, cpu_seconds, numbers, curve) = match line {
            Line::Solver { solver: name } => {
                solver = name;
                continue;
            }
            Line::Plain(study, x, series, seed, cpu, numbers) => {
                (study, x, series, seed, cpu, numbers, Vec::new())
            }
            Line::Drawn(study, x, series, seed, cpu, numbers, curve) => {
                (study, x, series, seed, cpu, numbers, curve)
            }
        };
        all.push(Measured {
            cell: Cell {
                study,
                x,
                series,
                seed,
            },
            values: Values { numbers, curve },
            cpu_seconds,
            solver: solver.clone(),
        });
    }
    let mut seen = BTreeSet::new();
    let mut last: Vec<Measured> = (all.into_iter().rev())
        .filter(|measured| seen.insert(measured.cell.clone()))
        .collect();
    last.reverse();
    Ok(last)
}

/// The line of a cell, after one that names its solver where that is another.
fn add_lines(text: &mut String, solver: &mut String, measured: &Measured) {
    let mut add = |line: &Line| {
        *text += &serde_json::to_string(line).expect("numbers and words become JSON");
        text.push('\n');
    };
    if *solver != measured.solver {
        solver.clone_from(&measured.solver);
        add(&Line::Solver {
            solver: solver.clone(),
        });
    }
    let Cell {
        study,
        x,
        series,
        seed,
    } = measured.cell.clone();
    let (cpu, Values { numbers, curve }) = (measured.cpu_seconds, measured.values.clone());
    add(&if curve.is_empty() {
        Line::Plain(study, x, series, seed, cpu, numbers)
    } else {
        Line::Drawn(study, x, series, seed, cpu, numbers, curve)
    });
}

fn rounded(mut measured: Measured) -> Measured {
    let digits = |value: f64, count: usize| {
        let text = format!("{value:.*e}", count - 1);
        text.parse().unwrap_or(value)
    };
    measured.cpu_seconds = digits(measured.cpu_seconds, 4);
    for value in measured.values.numbers.values_mut() {
        *value = digits(*value, 9);
    }
    for (x, y) in &mut measured.values.curve {
        (*x, *y) = (digits(*x, 5), digits(*y, 5));
    }
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(seed: u64, solver: &str) -> Measured {
        Measured {
            cell: Cell::new("density", "1 %", "FF", seed),
            values: Values::default().with("nodes", 5.0).with("bound", f64::NAN),
            cpu_seconds: 0.25,
            solver: solver.into(),
        }
    }

    #[test]
    fn an_interrupted_journal_goes_on_after_its_last_whole_line() {
        let folder = std::env::temp_dir().join(format!("bayplan-journal-{}", std::process::id()));
        let path = folder.join("cells.jsonl");
        let mut journal = Journal::open(&path, true).unwrap();
        let mut drawn = measured(2, "a");
        drawn.values.curve = vec![(1.0, 2.5)];
        journal.push(measured(1, "a")).unwrap();
        journal.push(drawn.clone()).unwrap();
        let mut text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 3, "two cells of one solver: {text}");
        text.push_str("[\"den");
        std::fs::write(&path, text).unwrap();
        let mut again = Journal::open(&path, false).unwrap();
        assert_eq!(again.measured(), [measured(1, "a"), drawn.clone()]);
        // Another solver's figures take the place of the first's.
        again.push(measured(3, "a")).unwrap();
        again.push(measured(1, "b")).unwrap();
        let kept = [drawn, measured(3, "a"), measured(1, "b")];
        assert_eq!(again.measured(), kept);
        assert_eq!(Journal::open(&path, false).unwrap().measured(), kept);
        let lines = || std::fs::read_to_string(&path).unwrap().lines().count();
        again.push(measured(1, "b")).unwrap();
        assert_eq!(lines(), 6);
        again.tidy().unwrap();
        assert_eq!(lines(), 5, "three cells of two solvers");
        assert!(Journal::open(&path, true).unwrap().measured().is_empty());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn figures_keep_nine_digits() {
        let mut journal = Journal::in_memory();
        let mut long = measured(1, "a");
        long.values = long.values.with("gain", 0.123_456_789_123);
        journal.push(long).unwrap();
        let gain = journal.measured()[0].values.numbers["gain"];
        assert_eq!(gain, 0.123_456_789);
    }
}
