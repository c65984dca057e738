//! Samples of usage, one at a time: CSV (also .gz) or Parquet, told by content.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use anyhow::Result;
use bayplan_solve::overcommit::estimate::Sample;
use flate2::read::MultiGzDecoder;

use super::parquet;

/// What is wrong with a usage file, with the code that `bayplan explain` knows.
#[derive(Debug)]
pub struct UsageError {
    /// The code.
    pub code: &'static str,
    /// Place and problem.
    pub problem: String,
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { code, problem } = self;
        write!(f, "{problem} [{code}]\n`bayplan explain {code}` says more.")
    }
}

impl std::error::Error for UsageError {}

/// An error with its code.
pub fn wrong(code: &'static str, problem: String) -> anyhow::Error {
    UsageError { code, problem }.into()
}

/// The columns a usage file must have.
pub const NEEDED: [&str; 4] = ["time", "service", "container", "cpu"];

/// Goes through the samples of a file with their place in it: a line, or a row
/// of a Parquet file, both from 1.
pub fn each_sample(path: &str, with: impl FnMut(&Sample, u64) -> Result<()>) -> Result<()> {
    let cannot = |error: std::io::Error| wrong("F001", format!("{path}: {error}"));
    let mut file = File::open(path).map_err(cannot)?;
    let mut start = Vec::new();
    (&mut file)
        .take(4)
        .read_to_end(&mut start)
        .map_err(cannot)?;
    if start == b"PAR1" {
        return parquet::each_sample(path, file, with);
    }
    let reader: Box<dyn Read> = if start.starts_with(&[0x1f, 0x8b]) {
        // A pipe cannot go back, so what was read is put in front again.
        let whole = std::io::Cursor::new(start).chain(file);
        Box::new(MultiGzDecoder::new(BufReader::with_capacity(
            1 << 20,
            whole,
        )))
    } else if file.seek(SeekFrom::Start(0)).is_ok() {
        Box::new(BufReader::with_capacity(1 << 20, file))
    } else {
        Box::new(std::io::Cursor::new(start).chain(file))
    };
    from_csv(path, reader, with)
}

fn from_csv(
    path: &str,
    reader: impl Read,
    mut with: impl FnMut(&Sample, u64) -> Result<()>,
) -> Result<()> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(reader);
    let header = reader.headers().map_err(|e| broken(path, &e))?.clone();
    let find = |name: &str| header.iter().position(|h| h == name);
    let mut columns = [0; 4];
    for (place, name) in columns.iter_mut().zip(NEEDED) {
        *place = find(name).ok_or_else(|| missing(path, name))?;
    }
    let memory = find("memory");
    let mut record = csv::StringRecord::new();
    while reader
        .read_record(&mut record)
        .map_err(|e| broken(path, &e))?
    {
        let line = record.position().map_or(0, csv::Position::line);
        let number = |text: &str, what: &str| {
            let not = || {
                wrong(
                    "F012",
                    format!("{path}:{line}: {what} {text:?} is not a number"),
                )
            };
            text.parse::<f64>().map_err(|_| not())
        };
        let time = &record[columns[0]];
        let memory = memory.map(|at| &record[at]).filter(|text| !text.is_empty());
        let sample = Sample {
            time: seconds(time).ok_or_else(|| no_time(&format!("{path}:{line}"), time))?,
            service: &record[columns[1]],
            container: &record[columns[2]],
            cpu: number(&record[columns[3]], "cpu")?,
            memory: memory.map(|text| number(text, "memory")).transpose()?,
        };
        with(&sample, line)?;
    }
    Ok(())
}

/// A column that is not there.
pub fn missing(path: &str, name: &str) -> anyhow::Error {
    let needed = NEEDED.join(", ");
    wrong(
        "F010",
        format!("{path} has no column {name:?}; needed are {needed}"),
    )
}

/// A text that is no time.
pub fn no_time(place: &str, text: &str) -> anyhow::Error {
    let problem = "is neither seconds nor a time such as 2026-01-31T12:00:00Z";
    wrong("F012", format!("{place}: {text:?} {problem}"))
}

fn broken(path: &str, error: &csv::Error) -> anyhow::Error {
    let code = match error.kind() {
        csv::ErrorKind::Io(_) => "F003",
        csv::ErrorKind::Utf8 { .. } => "F004",
        csv::ErrorKind::UnequalLengths { .. } => "F033",
        _ => "F007",
    };
    wrong(code, format!("{path}: {error}"))
}

/// Seconds, or an ISO time in UTC.
pub fn seconds(text: &str) -> Option<f64> {
    if let Ok(number) = text.parse::<f64>() {
        return Some(number);
    }
    let (date, time) = text.trim_end_matches('Z').split_once(['T', ' '])?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let mut time = time.splitn(3, ':').map(|part| part.parse::<f64>().ok());
    let (hour, minute, second) = (
        time.next()??,
        time.next()??,
        time.next().unwrap_or(Some(0.0))?,
    );
    ((1..=12).contains(&month) && (1..=31).contains(&day))
        .then(|| days(year, month, day) as f64 * 86_400.0 + hour * 3600.0 + minute * 60.0 + second)
}

/// Days since 1970-01-01 in the Gregorian calendar, years counted from March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_seconds_or_iso() {
        assert_eq!(seconds("12.5"), Some(12.5));
        assert_eq!(seconds("1970-01-02T00:00:01Z"), Some(86_401.0));
        assert_eq!(seconds("2000-03-01 00:00"), Some(951_868_800.0));
        assert_eq!(seconds("2024-02-29T12:00:00Z"), Some(1_709_208_000.0));
        assert_eq!(seconds("soon"), None);
        assert_eq!(seconds("2024-13-01T00:00:00"), None);
    }
}
