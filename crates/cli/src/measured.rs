//! What was measured, in the place of what is requested: usage and traffic
//! from Prometheus.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use bayplan_formats::{Input, Note};
use bayplan_kube::usage::{UsageOptions, by_epoch, measure, random};
use bayplan_kube::{Prometheus, traffic};
use bayplan_model::{Problem, Workload};
use clap::Args;

use crate::live::block_on;

/// What a verb takes from what was measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measured {
    /// Nothing.
    Nothing,
    /// Demand by epoch of the day.
    ByEpoch,
    /// Mean and deviation at the peak.
    Random,
    /// Traffic between services.
    Traffic,
}

/// Where measurements are.
#[derive(Args, Clone)]
#[command(next_help_heading = "Kubernetes")]
pub struct MeasureArgs {
    /// A Prometheus to take measurements from: usage for provision and overcommit, traffic of a
    /// mesh (Istio, Linkerd, Hubble) for colocate.
    #[arg(long, value_name = "URL")]
    pub prometheus: Option<String>,
    /// How far back to look, such as 24h or 7d.
    #[arg(long, value_name = "TIME", default_value = "24h")]
    pub lookback: String,
    /// Seconds between samples.
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0)]
    pub sample_every: f64,
    /// Epochs of the day, for provision.
    #[arg(long, value_name = "N", default_value_t = 24)]
    pub day_epochs: usize,
}

impl MeasureArgs {
    /// The input with what was measured, if that was asked for.
    pub fn apply(&self, mut input: Input, what: Measured) -> Result<Input> {
        let Some(url) = &self.prometheus else {
            return Ok(input);
        };
        let Some(objects) = input.objects.as_deref() else {
            bail!("--prometheus: only pods of a Kubernetes cluster are known to Prometheus");
        };
        let options = self.options()?;
        let problem = &input.problem;
        let services = problem.services().context("a cluster runs services")?;
        match what {
            Measured::Nothing => bail!("--prometheus: this verb uses nothing that is measured"),
            Measured::ByEpoch | Measured::Random => {
                let usage = block_on(async {
                    let server = Prometheus::new(url).await?;
                    Ok(measure(&server, &services.names, objects, &options).await?)
                })?;
                let change = match what {
                    Measured::ByEpoch => by_epoch,
                    _ => random,
                };
                let (problem, notes) = change(input.problem, &usage)?;
                input.problem = problem;
                input.notes.extend(notes);
            }
            Measured::Traffic if !services.traffic.is_empty() => {
                bail!("give --traffic or --prometheus, not both");
            }
            Measured::Traffic => {
                let (pairs, mesh) = block_on(async {
                    let server = Prometheus::new(url).await?;
                    Ok(traffic(&server, services, objects, options.now, options.range).await?)
                })?;
                let (cluster, mut workload) = input.problem.into_parts();
                if let Workload::Services(services) = &mut workload {
                    services.traffic = pairs;
                }
                input.problem = Problem::new(cluster, workload)?;
                let text = format!("traffic between workloads as {mesh} measured it");
                input.notes.push(Note::general("N035", text));
            }
        }
        Ok(input)
    }

    fn options(&self) -> Result<UsageOptions> {
        anyhow::ensure!(
            self.sample_every.is_finite() && self.sample_every >= 1.0,
            "--sample-every: 1 second or more, not {}",
            self.sample_every
        );
        anyhow::ensure!(
            (1..=288).contains(&self.day_epochs),
            "--day-epochs: 1 to 288, not {}",
            self.day_epochs
        );
        #[expect(
            clippy::disallowed_methods,
            reason = "what was measured up to now is the question"
        )]
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let range = seconds(&self.lookback)?;
        anyhow::ensure!(
            range / self.sample_every <= 100_000.0,
            "--lookback: more than 100000 samples; raise --sample-every"
        );
        Ok(UsageOptions {
            now: now.map_or(0.0, |now| now.as_secs_f64()),
            range,
            step: self.sample_every,
            epochs: self.day_epochs,
        })
    }
}

/// `90m`, `24h`, `7d`, or a number of seconds.
fn seconds(text: &str) -> Result<f64> {
    let wrong = || format!("--lookback: {text:?} is not a time such as 24h or 7d");
    let (number, unit) = match text.trim().char_indices().last() {
        Some((at, unit)) if unit.is_ascii_alphabetic() => (&text.trim()[..at], unit),
        _ => (text.trim(), 's'),
    };
    let unit = match unit {
        's' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        'd' => 86_400.0,
        'w' => 604_800.0,
        _ => bail!(wrong()),
    };
    let number: f64 = number.parse().ok().with_context(wrong)?;
    anyhow::ensure!(number.is_finite() && number > 0.0, wrong());
    Ok(number * unit)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_are_read_with_their_unit() {
        assert_eq!(seconds("90m").unwrap(), 5400.0);
        assert_eq!(seconds("7d").unwrap(), 604_800.0);
        assert_eq!(seconds("30").unwrap(), 30.0);
        for wrong in ["", "h", "-1h", "1y", "NaN", "inf"] {
            assert!(seconds(wrong).is_err(), "{wrong:?}");
        }
    }
}
