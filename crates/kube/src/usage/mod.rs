//! What services really use, from Prometheus: a profile over the day, and mean
//! and deviation at the peak.

mod apply;

use bayplan::solve::overcommit::estimate::{Detail, Profile, Sample, Settings, Survey};
use bayplan_formats::Objects;
use bayplan_model::{Names, ServiceId};

use crate::owners::Owners;
use crate::prometheus::Prometheus;
use crate::{Error, Series};

pub use apply::{by_epoch, random};

/// How far back to look and how finely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsageOptions {
    /// Now, in seconds since 1970.
    pub now: f64,
    /// Seconds to look back.
    pub range: f64,
    /// Seconds between samples.
    pub step: f64,
    /// Epochs of the day in the profile.
    pub epochs: usize,
}

/// Samples of one pod asked for at once: enough for few questions, few enough
/// for an answer that fits in memory on a large cluster.
const SAMPLES: f64 = 24.0;

/// Usage of each service, by service id; `None` where nothing was measured.
/// Memory is the most that a pod held at any time, in bytes.
pub type Usage = Vec<Option<Profile>>;

const CPU: &str = "sum by (namespace, pod) (rate(container_cpu_usage_seconds_total\
    {container!=\"\",container!=\"POD\"}[WINDOW]))";
const MEMORY: &str = "sum by (namespace, pod) (max_over_time(container_memory_working_set_bytes\
    {container!=\"\",container!=\"POD\"}[WINDOW]))";

/// Asks Prometheus for the usage of every pod, twice: once for the peaks and
/// profiles, once for the pods at the peaks.
pub async fn measure(
    prometheus: &Prometheus,
    names: &Names,
    objects: &Objects,
    options: &UsageOptions,
) -> Result<Usage, Error> {
    let owners = Owners::new(objects);
    let settings = Settings {
        bucket: options.step,
        epochs: options.epochs,
    };
    let mut survey = Survey::new(settings);
    let mut memory: Vec<Option<f64>> = vec![None; names.len()];
    let mut seen = false;
    for window in windows(options) {
        let series = ask(prometheus, CPU, window, options).await?;
        each(&series, &owners, |id, pod, time, cpu| {
            seen |= survey.add(&sample(names, id, pod, time, cpu)).is_ok();
        });
        let series = ask(prometheus, MEMORY, window, options).await?;
        each(&series, &owners, |id, _, _, bytes| {
            let most = &mut memory[id.index()];
            *most = Some(most.map_or(bytes, |most| most.max(bytes)));
        });
    }
    if !seen {
        return Err(Error::NoData("usage of the pods of this cluster".into()));
    }
    let mut detail = Detail::new(survey);
    for window in windows(options) {
        let series = ask(prometheus, CPU, window, options).await?;
        each(&series, &owners, |id, pod, time, cpu| {
            detail.add(&sample(names, id, pod, time, cpu));
        });
    }
    let mut usage: Usage = vec![None; names.len()];
    for mut profile in detail.finish() {
        if let Some(id) = names.find(&profile.service) {
            profile.memory = memory[id as usize];
            usage[id as usize] = Some(profile);
        }
    }
    Ok(usage)
}

fn sample<'a>(names: &'a Names, id: ServiceId, pod: &'a str, time: f64, cpu: f64) -> Sample<'a> {
    Sample {
        time,
        service: names.get(id.index()),
        container: pod,
        cpu: cpu.max(0.0),
        memory: None,
    }
}

/// The range in pieces, each with its first and last sample.
fn windows(options: &UsageOptions) -> Vec<(f64, f64)> {
    let step = options.step;
    let steps = (options.range / step).floor().max(1.0);
    let last = (options.now / step).floor() * step;
    let first = last - (steps - 1.0) * step;
    let pieces = (steps / SAMPLES).ceil() as u64;
    let piece = |n: u64| {
        let start = first + n as f64 * SAMPLES * step;
        (start, (start + (SAMPLES - 1.0) * step).min(last))
    };
    (0..pieces).map(piece).collect()
}

async fn ask(
    prometheus: &Prometheus,
    query: &str,
    window: (f64, f64),
    options: &UsageOptions,
) -> Result<Vec<Series>, Error> {
    // A rate needs two scrapes: no window below four usual minutes' worth.
    let seconds = options.step.max(240.0).ceil();
    let query = query.replace("WINDOW", &format!("{seconds}s"));
    prometheus.range(&query, window, options.step).await
}

/// Every sample of a pod that belongs to a service: service, pod, time, value.
fn each(series: &[Series], owners: &Owners<'_>, mut visit: impl FnMut(ServiceId, &str, f64, f64)) {
    for series in series {
        let pod = series.label("pod");
        if let Some(id) = owners.of_pod(series.label("namespace"), pod) {
            for (time, value) in &series.samples {
                visit(id, pod, *time, *value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_is_cut_into_pieces_without_gap_or_overlap() {
        let options = UsageOptions {
            now: 100_030.0,
            range: 86_400.0,
            step: 300.0,
            epochs: 24,
        };
        let windows = windows(&options);
        assert_eq!(windows.len(), 12);
        assert_eq!(windows.last().map(|w| w.1), Some(99_900.0));
        for pair in windows.windows(2) {
            assert_eq!(pair[1].0, pair[0].1 + 300.0);
        }
        let samples: f64 = windows.iter().map(|w| (w.1 - w.0) / 300.0 + 1.0).sum();
        assert_eq!(samples, 288.0);
    }
}
