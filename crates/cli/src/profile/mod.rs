//! `bayplan profile USAGE`: samples of usage in, the table of `overcommit` out.

mod parquet;
mod samples;
mod write;

use anyhow::{Result, bail, ensure};
use bayplan_solve::overcommit::estimate::{Detail, Settings, Survey};
use clap::Args;

use crate::args::Output;
use crate::failure::Verdict;
use crate::files;
use samples::{each_sample, wrong};

/// Buckets of all services kept at most: about 2 GB.
const MOST_BUCKETS: usize = 30_000_000;

/// What to read and how to look at it.
#[derive(Args)]
pub struct Profile {
    /// Usage samples `time,service,container,cpu[,memory]`: CSV, also .gz, or Parquet; read twice, piece by piece.
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
                .map_err(|problem| wrong("F016", format!("{}:{line}: {problem}", self.usage)))?;
            if survey.buckets() > MOST_BUCKETS {
                let many = "services times buckets of time: choose a longer --bucket";
                return Err(wrong("F002", format!("more than {MOST_BUCKETS} {many}")));
            }
            Ok(())
        })?;
        let mut detail = Detail::new(survey);
        each_sample(&self.usage, |sample, _| {
            detail.add(sample);
            Ok(())
        })?;
        let found = detail.finish();
        if found.is_empty() {
            return Err(wrong("F037", format!("{} has no samples", self.usage)));
        }
        if let Some(path) = &self.epochs_out {
            files::write_text(path, &write::epochs(&found))?;
        }
        let text = match self.output {
            Output::Text => write::report(&found),
            Output::Csv => write::services(&found),
            Output::Json => write::everything(&found)?,
            Output::Html => bail!("profile writes text, csv or json"),
        };
        files::write_text(&self.out, &text)?;
        Ok(Verdict::Holds)
    }
}
