//! Tables 1 to 4, Fig. 3 and the scalability of "Solving the Batch Stochastic
//! Bin Packing Problem in Cloud".

mod figures;
mod week;

use bayplan::{Outcome, answer};
use bayplan_model::{Plan, Problem, at_confidence};
use bayplan_solve::Budget;
use bayplan_solve::overcommit::{self, risk};

use super::ask::share;
use super::runner::Ask;
use super::{
    Better, Cell, Experiment, ExperimentError, Extent, Held, Job, Page, Results, Setting, Values,
};
use crate::generate::{OvercommitOptions, overcommit as generate};

const OURS: &str = "auto";

/// The paper's five algorithms and ours.
const SERIES: [&str; 6] = [
    "BF-n-sigma",
    "BF-UCaC",
    "BiHeu",
    "CSP-Mac",
    "CSP-UCaC",
    OURS,
];

/// Rounds of sampling: at a thousand machines and 99.9 % about a hundred
/// machines over their capacity.
const ROUNDS: u64 = 100;

/// A table of the paper: study, scale of the wanted totals.
const STUDIES: [(&str, Option<f64>); 3] =
    [("down", Some(0.85)), ("up", Some(1.3)), ("empty", None)];

/// The overcommit paper.
pub struct Overcommit;

/// Numbers of services.
fn services(setting: &Setting) -> &'static [usize] {
    setting.pick(&[5, 10, 15, 20], &[5, 10], &[5])
}

/// Confidences: the paper's two, where a quick run can afford it.
fn confidences(setting: &Setting, services: usize) -> &'static [f64] {
    match (setting.extent, services) {
        (Extent::Full, _) | (Extent::Quick, 5) => &[0.999, 0.99],
        _ => &[0.999],
    }
}

fn x(services: usize, confidence: f64) -> String {
    format!("K = {services} at {} %", 100.0 * confidence)
}

impl Experiment for Overcommit {
    fn verb(&self) -> &'static str {
        "overcommit"
    }

    fn jobs(&self, setting: &Setting) -> Result<Vec<Job>, ExperimentError> {
        let mut jobs = Vec::new();
        for seed in 1..=setting.pick(5, 1, 1) {
            // On an empty cluster the integer step takes the check too long.
            for (study, scale) in STUDIES.into_iter().take(setting.pick(3, 3, 2)) {
                for count in services(setting) {
                    for confidence in confidences(setting, *count) {
                        for series in SERIES {
                            let params = params(series, *confidence);
                            let options = OvercommitOptions {
                                services: *count,
                                scale,
                                d_alpha: params.d().expect("a confidence within its range"),
                                ..OvercommitOptions::default()
                            };
                            jobs.push(Job {
                                cell: Cell::new(study, x(*count, *confidence), series, seed),
                                make: Box::new(move || Ok(generate(&options, seed)?)),
                                ask: ask(params, seed),
                            });
                        }
                    }
                }
            }
            jobs.extend(week::jobs(setting, seed));
        }
        Ok(jobs)
    }

    fn page(&self, results: &Results, setting: &Setting) -> Result<Page, ExperimentError> {
        Ok(figures::page(results, setting))
    }

    fn held(&self) -> &'static [Held] {
        &[
            Held {
                metric: "ucac",
                better: Better::Lower,
            },
            Held {
                metric: "machines",
                better: Better::Lower,
            },
            Held {
                metric: "bound",
                better: Better::Higher,
            },
        ]
    }
}

/// The parameters a series of the paper means.
fn params(series: &str, confidence: f64) -> overcommit::Params {
    let n_sigma = series
        .strip_prefix("BF-")
        .and_then(|rest| rest.strip_suffix("-sigma")?.parse().ok());
    overcommit::Params {
        algorithm: if n_sigma.is_some() {
            "BF-n-sigma"
        } else {
            series
        }
        .into(),
        n_sigma,
        confidence,
        ..overcommit::Params::default()
    }
}

/// Seconds of a full run for ours, at most half a minute for the paper's; a
/// quick run counts few steps, since each may take a second.
fn budget(setting: &Setting, params: &overcommit::Params, ours: f64, check: u64) -> Budget {
    let seconds = if params.algorithm == OURS { ours } else { 30.0 };
    setting.budget(seconds, setting.pick(0, 12, check))
}

/// Asks, then samples the risk of the plan, which is no part of the time.
fn ask(params: overcommit::Params, seed: u64) -> Ask {
    Box::new(move |problem, setting| {
        let budget = budget(setting, &params, 20.0, 1_000);
        let outcome = answer(problem, &params, &setting.context(seed, budget))?;
        let mut values = values(problem, &outcome);
        values = values.with(
            "violation",
            100.0 * violation(problem, &outcome, setting, seed),
        );
        // Fig. 3 draws one instance.
        if seed == 1 {
            values.curve = curve(problem, &outcome);
        }
        Ok((values, outcome.cpu_seconds))
    })
}

/// The share of machines over their capacity, sampled.
fn violation(problem: &Problem, outcome: &Outcome, setting: &Setting, seed: u64) -> f64 {
    let Plan::Placement(plan) = &outcome.plan else {
        return f64::NAN;
    };
    let context = setting.context(seed, setting.budget(3600.0, 1));
    risk::sample(problem, plan, risk::Truncate::None, ROUNDS, &context).rate()
}

fn values(problem: &Problem, outcome: &Outcome) -> Values {
    let scale = problem.cluster().resources[0].scale as f64;
    let figures = &outcome.report.figures;
    let for_machines = outcome.kind == bayplan_verify::Objective::Nodes;
    let bound = |wanted: bool| outcome.bound.filter(|_| wanted);
    Values::default()
        .with_known("ucac", figures.ucac.map(|ucac| ucac / scale))
        .with("machines", figures.nodes as f64)
        .with_known("bound", bound(!for_machines))
        .with_known("machines_bound", bound(for_machines))
        .with("proven", share(outcome.proven))
        .with_known("placed_now", figures.moves.map(|moves| moves as f64))
}

/// Used capacity at confidence of each machine, most first: up to 150 points.
fn curve(problem: &Problem, outcome: &Outcome) -> Vec<(f64, f64)> {
    let (Some(services), Plan::Placement(plan)) = (problem.services(), &outcome.plan) else {
        return Vec::new();
    };
    let resources = problem.cluster().resources.len();
    let nodes = problem.cluster().nodes.len() + plan.opened.len();
    let mut load = vec![(0u64, 0u128); nodes];
    for entry in plan.placement.counts() {
        let service = entry.service;
        let (mean, variance) = &mut load[entry.node.index()];
        *mean += services.row(service)[0] * u64::from(entry.count);
        let own = services.variance[service.index() * resources];
        *variance += own * u128::from(entry.count);
    }
    let scale = problem.cluster().resources[0].scale as f64;
    let used = load.into_iter().filter(|(mean, _)| *mean > 0);
    let mut used: Vec<f64> = used
        .map(|(mean, variance)| at_confidence(mean, variance, outcome.rules.d_alpha) / scale)
        .collect();
    used.sort_by(|a, b| b.total_cmp(a));
    let step = used.len().div_ceil(150).max(1);
    let points = used.into_iter().enumerate().step_by(step);
    points.map(|(at, used)| ((at + 1) as f64, used)).collect()
}
