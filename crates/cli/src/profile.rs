//! `bayplan profile USAGE`: samples of usage in, the table of `overcommit` out.

use std::fs::File;
use std::io::{BufReader, Read};

use anyhow::{Context, Result, bail, ensure};
use bayplan_report::{grouped, significant, table};
use bayplan_solve::overcommit::estimate::{Detail, Profile as Found, Sample, Settings, Survey};
use clap::Args;
use flate2::read::MultiGzDecoder;
use serde_json::json;

use crate::args::Output;
use crate::failure::Verdict;
use crate::files;

/// Buckets of all services kept at most: about 2 GB.
const MOST_BUCKETS: usize = 30_000_000;

/// What to read and how to look at it.
#[derive(Args)]
pub struct Profile {
    /// Usage samples: CSV `time,service,container,cpu[,memory]`, also .gz; read twice, line by line.
    #[arg(value_name = "USAGE")]
    usage: String,
    /// Seconds within which the samples of a container are averaged.
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0)]
    bucket: f64,
    /// Epochs of the day in the profile.
    #[arg(long, value_name = "N", default_value_t = 24)]
    epochs: usize,
    /// `text` shows the normality report, `csv` is the input of overcommit, `json` has everything.
    #[arg(short, long, value_name = "KIND", value_enum, default_value = "text")]
    output: Output,
    /// Print to this file instead of standard output.
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: String,
    /// Write the profile over the day: CSV `service,epoch,cpu`.
    #[arg(long, value_name = "FILE")]
    epochs_out: Option<String>,
}

impl Profile {
    /// Reads twice, estimates, writes.
    pub fn run(self) -> Result<Verdict> {
        ensure!(
            self.bucket.is_finite() && self.bucket > 0.0,
            "--bucket: more than 0 seconds, not {}",
            self.bucket
        );
        ensure!(
            (1..=1440).contains(&self.epochs),
            "--epochs: 1 to 1440, not {}",
            self.epochs
        );
        ensure!(
            self.usage != "-",
            "the samples are read twice, so they must be a file, not standard input"
        );
        let settings = Settings {
            bucket: self.bucket,
            epochs: self.epochs,
        };
        let mut survey = Survey::new(settings);
        each_sample(&self.usage, |sample, line| {
            survey
                .add(sample)
                .map_err(|problem| anyhow::anyhow!("{}:{line}: {problem}", self.usage))?;
            ensure!(
                survey.buckets() <= MOST_BUCKETS,
                "{} services times buckets of time: choose a longer --bucket",
                MOST_BUCKETS
            );
            Ok(())
        })?;
        let mut detail = Detail::new(survey);
        each_sample(&self.usage, |sample, _| {
            detail.add(sample);
            Ok(())
        })?;
        let found = detail.finish();
        ensure!(!found.is_empty(), "{} has no samples", self.usage);
        if let Some(path) = &self.epochs_out {
            files::write_text(path, &epochs(&found))?;
        }
        let text = match self.output {
            Output::Text => report(&found),
            Output::Csv => services(&found),
            Output::Json => everything(&found)?,
            Output::Html => bail!("profile writes text, csv or json"),
        };
        files::write_text(&self.out, &text)?;
        Ok(Verdict::Holds)
    }
}

/// Goes through the samples of a file, one at a time.
fn each_sample(path: &str, mut with: impl FnMut(&Sample, u64) -> Result<()>) -> Result<()> {
    let file = File::open(path).with_context(|| format!("cannot open {path}"))?;
    let mut file = BufReader::with_capacity(1 << 20, file);
    let mut start = [0u8; 4];
    let got = file.read(&mut start)?;
    ensure!(
        &start[..got] != b"PAR1",
        "{path} is Parquet, which is not read; write it as CSV first"
    );
    let whole = std::io::Cursor::new(start[..got].to_vec()).chain(file);
    let reader: Box<dyn Read> = if start.starts_with(&[0x1f, 0x8b]) {
        Box::new(MultiGzDecoder::new(whole))
    } else {
        Box::new(whole)
    };
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(reader);
    let header = reader.headers()?.clone();
    let find = |name: &str| header.iter().position(|h| h == name);
    let column = |name: &str| {
        find(name).with_context(|| {
            format!("{path} has no column {name:?}; needed are time, service, container, cpu")
        })
    };
    let columns = [
        column("time")?,
        column("service")?,
        column("container")?,
        column("cpu")?,
    ];
    let memory = find("memory");
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record)? {
        let line = record.position().map_or(0, csv::Position::line);
        let number = |text: &str, what: &str| {
            text.parse::<f64>()
                .with_context(|| format!("{path}:{line}: {what} {text:?} is not a number"))
        };
        let sample = Sample {
            time: seconds(&record[columns[0]]).with_context(|| format!("{path}:{line}: {:?} is neither seconds nor a time such as 2026-01-31T12:00:00Z", &record[columns[0]]))?,
            service: &record[columns[1]],
            container: &record[columns[2]],
            cpu: number(&record[columns[3]], "cpu")?,
            memory: memory.map(|at| number(&record[at], "memory")).transpose()?,
        };
        with(&sample, line)?;
    }
    Ok(())
}

/// Seconds, or an ISO time in UTC.
fn seconds(text: &str) -> Option<f64> {
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

/// The normality report.
fn report(found: &[Found]) -> String {
    let row = |profile: &Found| {
        let fit = &profile.fit;
        let tail = |at: usize| format!("{:.2} %", fit.tail[at].1 * 100.0);
        vec![
            profile.service.clone(),
            grouped(fit.containers),
            significant(profile.peak),
            significant(fit.mean),
            significant(fit.deviation),
            format!("{:.2}", fit.skew),
            format!("{:.2}", fit.excess_kurtosis),
            tail(1),
            tail(2),
            if fit.has_heavy_tail() {
                "heavier than Gaussian"
            } else {
                "within Gaussian"
            }
            .into(),
            fit.sparkline(),
        ]
    };
    let rows: Vec<Vec<String>> = found.iter().map(row).collect();
    let header = [
        "service",
        "containers",
        "peak at",
        "mean",
        "std",
        "skew",
        "kurtosis",
        "beyond 99 % (1 %)",
        "beyond 99.9 % (0.1 %)",
        "tail",
        "usage",
    ];
    table(&header, &rows)
}

/// The table `overcommit` reads. Times memory is known for all, it is a column.
fn services(found: &[Found]) -> String {
    let memory = found.iter().all(|profile| profile.memory.is_some());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut header = vec!["service", "mean", "std", "containers"];
    header.extend(memory.then_some("memory"));
    let mut write = |fields: &[String]| writer.write_record(fields).expect("memory does not fail");
    write(
        &header
            .iter()
            .map(|name| (*name).to_string())
            .collect::<Vec<_>>(),
    );
    for profile in found {
        let fit = &profile.fit;
        let mut fields = vec![
            profile.service.clone(),
            format!("{:.6}", fit.mean),
            format!("{:.6}", fit.deviation),
            fit.containers.to_string(),
        ];
        fields.extend(
            profile
                .memory
                .filter(|_| memory)
                .map(|memory| format!("{memory:.6}")),
        );
        write(&fields);
    }
    String::from_utf8(writer.into_inner().expect("memory does not fail")).expect("it was text")
}

fn epochs(found: &[Found]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |fields: &[String]| writer.write_record(fields).expect("memory does not fail");
    write(&["service".into(), "epoch".into(), "cpu".into()]);
    for profile in found {
        for (epoch, cpu) in profile.epochs.iter().enumerate() {
            write(&[
                profile.service.clone(),
                epoch.to_string(),
                format!("{cpu:.6}"),
            ]);
        }
    }
    String::from_utf8(writer.into_inner().expect("memory does not fail")).expect("it was text")
}

fn everything(found: &[Found]) -> Result<String> {
    let one = |profile: &Found| {
        let fit = &profile.fit;
        let tail: Vec<_> = fit.tail.iter().map(|(z, share, gaussian)| json!({"deviations": z, "share": share, "gaussian": gaussian})).collect();
        json!({
            "service": profile.service, "containers": fit.containers, "peak": profile.peak,
            "mean": fit.mean, "std": fit.deviation, "skew": fit.skew, "excess_kurtosis": fit.excess_kurtosis,
            "tail": tail, "heavy_tail": fit.has_heavy_tail(), "lowest": fit.range.0, "highest": fit.range.1,
            "histogram": fit.histogram, "epochs": profile.epochs, "memory": profile.memory,
        })
    };
    let all: Vec<_> = found.iter().map(one).collect();
    Ok(
        serde_json::to_string_pretty(&json!({"schema": "bayplan/profile/v1", "services": all}))?
            + "\n",
    )
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
