//! From usage samples to mean and deviation (section 3): per service the time
//! of its peak, and there mean and variance across its containers.
//!
//! Samples are seen twice, one at a time: a [`Survey`] finds each service's
//! peak and its profile over the day, then a [`Detail`] looks at the containers
//! at the peak. Memory grows with services times buckets of time and with the
//! containers of one peak, not with the number of samples.

use std::collections::BTreeMap;

use bayplan_model::{Names, upper_tail};

/// One line of a usage file.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample<'a> {
    /// Seconds since any fixed midnight.
    pub time: f64,
    /// The service.
    pub service: &'a str,
    /// The container.
    pub container: &'a str,
    /// CPU used, in cores.
    pub cpu: f64,
    /// Memory used, if known.
    pub memory: Option<f64>,
}

/// How time is cut.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// Seconds of a bucket: samples of a container within one are averaged.
    pub bucket: f64,
    /// Epochs of a day in the profile.
    pub epochs: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            bucket: 300.0,
            epochs: 24,
        }
    }
}

const DAY: f64 = 86_400.0;

/// Tallies of one service in one bucket.
#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    samples: u64,
    cpu: f64,
}

#[derive(Clone, Default, Debug)]
struct Surveyed {
    buckets: BTreeMap<i64, Tally>,
    memory: Option<f64>,
}

/// The first look at all samples.
#[derive(Clone, Debug)]
pub struct Survey {
    settings: Settings,
    names: Names,
    services: Vec<Surveyed>,
}

impl Survey {
    /// Nothing seen yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            names: Names::default(),
            services: Vec::new(),
        }
    }

    /// Takes one sample into account. Samples with a time or usage that is not
    /// a finite number, or is negative, are refused.
    pub fn add(&mut self, sample: &Sample) -> Result<(), &'static str> {
        check(sample)?;
        let id = match self.names.find(sample.service) {
            Some(id) => id,
            None => {
                self.services.push(Surveyed::default());
                self.names.add(sample.service).expect("the name is new")
            }
        };
        let service = &mut self.services[id as usize];
        let tally = service
            .buckets
            .entry(bucket(sample.time, self.settings))
            .or_default();
        tally.samples += 1;
        tally.cpu += sample.cpu;
        service.memory = match (service.memory, sample.memory) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        Ok(())
    }

    /// Buckets of all services: what the survey keeps in memory.
    pub fn buckets(&self) -> usize {
        self.services
            .iter()
            .map(|service| service.buckets.len())
            .sum()
    }

    /// The bucket in which a service uses most in all; the earliest among equals.
    fn peak(&self, service: usize) -> i64 {
        let buckets = self.services[service].buckets.iter();
        let peak = buckets.max_by(|a, b| a.1.cpu.total_cmp(&b.1.cpu).then(b.0.cmp(a.0)));
        peak.map_or(0, |(bucket, _)| *bucket)
    }

    /// Per epoch of the day the usage of a container at its busiest bucket.
    fn profile(&self, service: usize) -> Vec<f64> {
        let mut epochs = vec![0.0f64; self.settings.epochs.max(1)];
        for (bucket, tally) in &self.services[service].buckets {
            let share = (*bucket as f64 * self.settings.bucket).rem_euclid(DAY) / DAY;
            let epoch = ((share * epochs.len() as f64) as usize).min(epochs.len() - 1);
            epochs[epoch] = epochs[epoch].max(tally.cpu / tally.samples as f64);
        }
        epochs
    }
}

/// The second look: containers at the peak of their service.
#[derive(Clone, Debug)]
pub struct Detail {
    survey: Survey,
    peaks: Vec<i64>,
    containers: Vec<BTreeMap<Box<str>, Tally>>,
}

impl Detail {
    /// After the survey has seen all samples.
    pub fn new(survey: Survey) -> Self {
        let services = survey.services.len();
        Self {
            peaks: (0..services).map(|s| survey.peak(s)).collect(),
            containers: vec![BTreeMap::new(); services],
            survey,
        }
    }

    /// Takes one sample into account; the same samples as the survey's.
    pub fn add(&mut self, sample: &Sample) {
        let Some(service) = self.survey.names.find(sample.service).map(|id| id as usize) else {
            return;
        };
        if bucket(sample.time, self.survey.settings) != self.peaks[service] {
            return;
        }
        let containers = &mut self.containers[service];
        if !containers.contains_key(sample.container) {
            containers.insert(sample.container.into(), Tally::default());
        }
        let tally = containers
            .get_mut(sample.container)
            .expect("it was just put there");
        tally.samples += 1;
        tally.cpu += sample.cpu;
    }

    /// What was found, by service in the order of their first samples.
    pub fn finish(self) -> Vec<Profile> {
        let profile = |(service, containers): (usize, &BTreeMap<Box<str>, Tally>)| {
            let usage: Vec<f64> = containers
                .values()
                .map(|t| t.cpu / t.samples as f64)
                .collect();
            Profile {
                service: self.survey.names.get(service).to_string(),
                peak: self.peaks[service] as f64 * self.survey.settings.bucket,
                epochs: self.survey.profile(service),
                memory: self.survey.services[service].memory,
                fit: Fit::new(usage),
            }
        };
        self.containers.iter().enumerate().map(profile).collect()
    }
}

fn check(sample: &Sample) -> Result<(), &'static str> {
    if !sample.time.is_finite() {
        return Err("the time is not a number");
    }
    if !(sample.cpu.is_finite() && sample.cpu >= 0.0) {
        return Err("the cpu is not a number from 0 on");
    }
    if sample
        .memory
        .is_some_and(|memory| !(memory.is_finite() && memory >= 0.0))
    {
        return Err("the memory is not a number from 0 on");
    }
    Ok(())
}

fn bucket(time: f64, settings: Settings) -> i64 {
    (time / settings.bucket).floor() as i64
}

/// What the samples say about a service.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    /// Its name.
    pub service: String,
    /// When its peak starts, in the samples' seconds.
    pub peak: f64,
    /// Usage of a container by epoch of the day, at the busiest bucket of each.
    pub epochs: Vec<f64>,
    /// The most memory a container used at any time.
    pub memory: Option<f64>,
    /// The containers at the peak, and how near a Gaussian they are.
    pub fit: Fit,
}

/// Mean, variance and shape across containers.
#[derive(Clone, PartialEq, Debug)]
pub struct Fit {
    /// How many containers.
    pub containers: u64,
    /// Mean usage.
    pub mean: f64,
    /// Standard deviation (with n - 1); 0 for a single container.
    pub deviation: f64,
    /// Skewness; 0 for a Gaussian.
    pub skew: f64,
    /// Kurtosis beyond a Gaussian's; negative where tails are lighter.
    pub excess_kurtosis: f64,
    /// For some multiples of the deviation: (multiple, share of containers
    /// beyond, share of a Gaussian beyond).
    pub tail: Vec<(f64, f64, f64)>,
    /// Lowest and highest usage.
    pub range: (f64, f64),
    /// Containers per equal slice of the range.
    pub histogram: Vec<u64>,
}

/// Slices of the histogram.
const SLICES: usize = 16;

/// The deviations at which tails are compared: 0.9, 0.99 and 0.999.
const MULTIPLES: [f64; 3] = [1.2815515655446004, 2.3263478740408408, 3.090232306167813];

impl Fit {
    /// Fits the usage of all containers.
    pub fn new(mut usage: Vec<f64>) -> Self {
        usage.sort_by(f64::total_cmp);
        let n = usage.len() as f64;
        let mean = if usage.is_empty() {
            0.0
        } else {
            usage.iter().sum::<f64>() / n
        };
        let moment =
            |power: i32| usage.iter().map(|u| (u - mean).powi(power)).sum::<f64>() / n.max(1.0);
        let (second, third, fourth) = (moment(2), moment(3), moment(4));
        let deviation = if n > 1.0 {
            (second * n / (n - 1.0)).sqrt()
        } else {
            0.0
        };
        let beyond = |z: f64| {
            let above = usage.len() - usage.partition_point(|u| *u <= mean + z * deviation);
            (z, above as f64 / n.max(1.0), upper_tail(z))
        };
        let range = (
            usage.first().copied().unwrap_or(0.0),
            usage.last().copied().unwrap_or(0.0),
        );
        let mut histogram = vec![0; SLICES];
        for u in &usage {
            let share = if range.1 > range.0 {
                (u - range.0) / (range.1 - range.0)
            } else {
                0.0
            };
            histogram[((share * SLICES as f64) as usize).min(SLICES - 1)] += 1;
        }
        Self {
            containers: usage.len() as u64,
            mean,
            deviation,
            skew: if second > 0.0 {
                third / second.powf(1.5)
            } else {
                0.0
            },
            excess_kurtosis: if second > 0.0 {
                fourth / (second * second) - 3.0
            } else {
                0.0
            },
            tail: MULTIPLES.into_iter().map(beyond).collect(),
            range,
            histogram,
        }
    }

    /// Whether the share of containers beyond the 0.99 or 0.999 quantile is
    /// above the Gaussian's by more than sampling explains (three deviations).
    pub fn has_heavy_tail(&self) -> bool {
        self.tail.iter().skip(1).any(|(_, found, expected)| {
            let error = (expected * (1.0 - expected) / self.containers.max(1) as f64).sqrt();
            *found > expected + 3.0 * error
        })
    }

    /// The histogram in one line.
    pub fn sparkline(&self) -> String {
        const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let most = self.histogram.iter().copied().max().unwrap_or(0).max(1);
        // Rounded up, so that a single container is seen.
        self.histogram
            .iter()
            .map(|count| BARS[(count * 8).div_ceil(most) as usize])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(
        time: f64,
        service: &'static str,
        container: &'static str,
        cpu: f64,
    ) -> Sample<'static> {
        Sample {
            time,
            service,
            container,
            cpu,
            memory: Some(cpu * 2.0),
        }
    }

    #[test]
    fn the_peak_decides_and_samples_of_a_container_are_averaged() {
        let samples = [
            sample(0.0, "web", "a", 1.0),
            sample(10.0, "web", "b", 1.0),
            sample(3600.0, "web", "a", 2.0),
            sample(3610.0, "web", "a", 4.0),
            sample(3620.0, "web", "b", 5.0),
            sample(7200.0, "db", "x", 7.0),
        ];
        let mut survey = Survey::new(Settings::default());
        samples.iter().for_each(|s| survey.add(s).unwrap());
        let mut detail = Detail::new(survey);
        samples.iter().for_each(|s| detail.add(s));
        let profiles = detail.finish();
        let web = &profiles[0];
        assert_eq!(
            (web.service.as_str(), web.peak, web.fit.containers),
            ("web", 3600.0, 2)
        );
        assert_eq!(web.fit.mean, 4.0);
        assert!((web.fit.deviation - 2f64.sqrt()).abs() < 1e-12);
        assert_eq!(web.memory, Some(10.0));
        assert_eq!((web.epochs[0], web.epochs[2]), (1.0, 0.0));
        assert!((web.epochs[1] - 11.0 / 3.0).abs() < 1e-12);
        assert_eq!(
            (profiles[1].fit.containers, profiles[1].fit.deviation),
            (1, 0.0)
        );
    }

    #[test]
    fn a_bad_sample_is_refused() {
        let mut survey = Survey::new(Settings::default());
        assert!(survey.add(&sample(0.0, "web", "a", -1.0)).is_err());
        assert!(survey.add(&sample(f64::NAN, "web", "a", 1.0)).is_err());
        assert_eq!(survey.buckets(), 0);
    }

    #[test]
    fn shapes_are_told_apart() {
        let even: Vec<f64> = (0..1000).map(f64::from).collect();
        let fit = Fit::new(even);
        assert!(fit.skew.abs() < 1e-9 && fit.excess_kurtosis < -1.0 && !fit.has_heavy_tail());
        assert_eq!(fit.histogram.iter().sum::<u64>(), 1000);
        assert_eq!(fit.sparkline().chars().count(), SLICES);
        let heavy: Vec<f64> = (1..1000).map(|i| 1.0 / f64::from(i)).collect();
        let fit = Fit::new(heavy);
        assert!(fit.skew > 5.0 && fit.has_heavy_tail());
    }
}
