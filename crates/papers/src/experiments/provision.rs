//! Fig. 3 to 7 of "Affinity-Aware Resource Provisioning": distance from the
//! lower bound and time, by density and by number of services, with constant
//! and with time-varying demand.

mod evidence;
mod figures;
mod instances;
mod published;

use bayplan::Outcome;
use bayplan_model::Problem;
use bayplan_solve::provision;

use super::ask::{ask, share};
use super::{Better, Cell, Experiment, ExperimentError, Held, Job, Page, Results, Setting, Values};
use instances::{Base, Instance};

const OURS: &str = "auto";

/// Added to the name of an algorithm that follows the authors' program where
/// it differs from their text.
const AS_PUBLISHED: &str = " as published";

/// The study of the authors' program, on the instances of the density study,
/// and the algorithms that can follow it.
const PROGRAM: &str = "program";
const PROGRAMS: [&str; 3] = ["FF", "Medea-TP", "SpreadWFD-Avg-BinSearch"];

/// The algorithms drawn for each study, as in the paper.
const DRAWN: [&str; 8] = [
    "FF",
    "BFD-Avg",
    "WFD-AvgExp",
    "NCD-DotProduct",
    "Medea-TP",
    "SpreadWFD-Avg-BinSearch",
    "SpreadWFD-Avg-Decr2",
    OURS,
];

/// The provisioning paper.
pub struct Provision;

/// Who runs in a study.
fn series(study: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    if study == "density" {
        all.push("FF".into());
        for family in ["FFD", "BFD", "WFD"] {
            for measure in ["Avg", "Max", "AvgExp", "Surrogate", "ExtendedSum"] {
                all.push(format!("{family}-{measure}"));
            }
        }
        all.extend(["NCD-L2Norm", "NCD-DotProduct", "NCD-TightFill"].map(String::from));
        all.extend(["LRASched-Fitness", "Medea-TP", "Medea-NC"].map(String::from));
        for measure in ["Avg", "Max", "Surrogate"] {
            all.push(format!("SpreadWFD-{measure}-BinSearch"));
        }
        all.extend([5, 3, 2].map(|step| format!("SpreadWFD-Avg-Decr{step}")));
        all.push(OURS.into());
        return all;
    }
    if study == PROGRAM {
        return PROGRAMS
            .map(|name| format!("{name}{AS_PUBLISHED}"))
            .to_vec();
    }
    // With time-varying demand the paper leaves node-centric algorithms out.
    let drawn = DRAWN
        .iter()
        .filter(|name| !study.ends_with("ts") || !name.starts_with("NCD"));
    all.extend(drawn.map(ToString::to_string));
    if study == "large" {
        all.insert(4, "LRASched-Fitness".into());
    }
    all
}

impl Experiment for Provision {
    fn verb(&self) -> &'static str {
        "provision"
    }

    fn jobs(&self, setting: &Setting) -> Result<Vec<Job>, ExperimentError> {
        let base = Base::new(setting);
        let seeds = setting.pick(10, 1, 1);
        let (programs, others): (Vec<Instance>, Vec<Instance>) =
            (instances::all(setting).into_iter()).partition(|instance| instance.study == PROGRAM);
        // What our reading of the authors' program gives is told by its spread:
        // all seeds of the sparse graphs come first.
        let (sparse, dense): (Vec<Instance>, Vec<Instance>) =
            programs.into_iter().partition(Instance::is_sparse);
        let mut jobs = Vec::new();
        for seed in 1..=seeds {
            add(&mut jobs, setting, &base, &sparse, seed);
        }
        for seed in 1..=seeds {
            add(&mut jobs, setting, &base, &others, seed);
            add(&mut jobs, setting, &base, &dense, seed);
        }
        Ok(jobs)
    }

    fn page(&self, results: &Results, setting: &Setting) -> Result<Page, ExperimentError> {
        let facts = published::facts(setting)?;
        Ok(figures::page(results, &facts, setting))
    }

    fn held(&self) -> &'static [Held] {
        &[
            Held {
                metric: "nodes",
                better: Better::Lower,
            },
            Held {
                metric: "bound",
                better: Better::Higher,
            },
        ]
    }
}

/// All series on each instance.
fn add(jobs: &mut Vec<Job>, setting: &Setting, base: &Base, instances: &[Instance], seed: u64) {
    for instance in instances {
        for series in series(instance.study) {
            let name = series.strip_suffix(AS_PUBLISHED);
            let params = provision::Params {
                algorithm: name.unwrap_or(&series).into(),
                as_published: name.is_some(),
                ..provision::Params::default()
            };
            // Annealing a step of 196 dimensions costs more. What runs to its
            // end gets the time for it.
            let (seconds, steps) = match (series.as_str(), instance.varying()) {
                (OURS, true) => (30.0, 4_000),
                (OURS, false) => (30.0, 20_000),
                _ => (7200.0, 20_000),
            };
            let (instance, base) = (instance.clone(), base.clone());
            jobs.push(Job {
                cell: Cell::new(instance.study, instance.x(), &series, seed),
                make: Box::new(move || instance.make(&base, seed)),
                ask: ask(params, seed, setting.budget(seconds, steps), values),
            });
        }
    }
}

/// The deviation is from the paper's lower bound (Eq. 5), whatever better one
/// we know.
fn values(problem: &Problem, outcome: &Outcome) -> Values {
    let area = area_bound(problem);
    Values::default()
        .with("nodes", outcome.objective)
        .with("area_bound", area)
        .with("deviation", 100.0 * (outcome.objective - area) / area)
        .with_known("bound", outcome.bound)
        .with("proven", share(outcome.proven))
}

/// Eq. 5: total demand over capacity in each dimension, rounded up.
fn area_bound(problem: &Problem) -> f64 {
    let services = problem.services().expect("a problem with services");
    let capacity = &problem.cluster().pools[0].capacity;
    let mut totals = vec![0u128; services.width()];
    for service in services.ids() {
        let replicas = u128::from(services.replicas[service.index()]);
        for (total, units) in totals.iter_mut().zip(services.row(service)) {
            *total += replicas * u128::from(*units);
        }
    }
    let nodes = totals
        .iter()
        .enumerate()
        .map(|(at, total)| total.div_ceil(u128::from(capacity[at / services.epochs]).max(1)));
    nodes.max().unwrap_or(0) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Graph, ProvisionOptions, provision as generate};

    #[test]
    fn the_area_bound_is_the_fullest_dimension() {
        let options = ProvisionOptions {
            services: Some(40),
            graph: Graph::None,
            epochs: 5,
            ..ProvisionOptions::default()
        };
        let problem = generate(&options, None, 1).unwrap();
        let services = problem.services().unwrap();
        let mut most = 0.0f64;
        for dimension in 0..services.width() {
            let capacity = problem.cluster().pools[0].capacity[dimension / 5] as f64;
            let total: f64 = services
                .ids()
                .map(|s| {
                    f64::from(services.replicas[s.index()]) * services.row(s)[dimension] as f64
                })
                .sum();
            most = most.max(total / capacity);
        }
        assert_eq!(area_bound(&problem), most.ceil());
    }

    #[test]
    fn every_series_is_an_algorithm() {
        let known = provision::algorithms();
        for study in ["density", PROGRAM, "large", "density-ts", "large-ts"] {
            for name in series(study) {
                let name = name.strip_suffix(AS_PUBLISHED).unwrap_or(&name).to_string();
                // Steps of the decreasing search other than 2 are read, not listed.
                let listed = name.replace("Decr3", "Decr2").replace("Decr5", "Decr2");
                assert!(known.iter().any(|info| info.name == listed), "{name}");
            }
        }
    }
}
