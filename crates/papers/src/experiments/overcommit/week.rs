//! Table 4: days that carry over. The paper's trace is not public: each day
//! each service wants its base count times a factor between 0.8 and 1.2.

use bayplan::answer;
use bayplan_model::{PlacementPlan, Plan, Problem};
use bayplan_solve::overcommit::{self, replay::next_day};
use rand::RngExt;

use super::{OURS, budget, params, values, violation};
use crate::experiments::runner::Ask;
use crate::experiments::{Cell, Job, Setting, Values};
use crate::generate::{OvercommitOptions, overcommit as generate, stream};

pub(super) const STUDY: &str = "week";
pub(super) const X: &str = "7 days";

/// The paper's seven rows, and ours.
pub(super) const SERIES: [&str; 8] = [
    "BF-1.15-sigma",
    "BF-1.23-sigma",
    "BF-n-sigma",
    "CSP-Mac",
    "BF-UCaC",
    "BiHeu",
    "CSP-UCaC",
    OURS,
];

const DAYS: usize = 7;

pub(super) fn jobs(setting: &Setting, seed: u64) -> Vec<Job> {
    let options = OvercommitOptions {
        services: setting.pick(17, 5, 5),
        ..OvercommitOptions::default()
    };
    let series = SERIES.iter().take(setting.pick(8, 8, 0));
    series
        .map(|series| {
            let options = options.clone();
            Job {
                cell: Cell::new(STUDY, X, series, seed),
                make: Box::new(move || Ok(generate(&options, seed)?)),
                ask: ask(params(series, 0.999), seed),
            }
        })
        .collect()
}

/// Means over the days; violations are those expected in all of them.
fn ask(params: overcommit::Params, seed: u64) -> Ask {
    Box::new(move |problem, setting| {
        let base = problem
            .services()
            .map_or(Vec::new(), |s| s.replicas.clone());
        let random = &mut stream(seed, 51, 0);
        let mut before: Problem = problem.clone();
        let mut plan = Plan::Placement(PlacementPlan::default());
        let (mut sums, mut cpu) = ([0.0; 3], 0.0);
        for _ in 0..DAYS {
            let wanted = base
                .iter()
                .map(|count| (f64::from(*count) * random.random_range(0.8..1.2)).round() as u32);
            let wanted: Vec<u32> = wanted.collect();
            let today = next_day(&before, &plan, &wanted).map_err(bayplan::Error::from)?;
            let budget = budget(setting, &params, 10.0, 300);
            let outcome = answer(&today, &params, &setting.context(seed, budget))?;
            let day = values(&today, &outcome);
            let machines = day.numbers["machines"];
            sums[0] += day.numbers["ucac"] / DAYS as f64;
            sums[1] += machines / DAYS as f64;
            sums[2] += machines * violation(&today, &outcome, setting, seed);
            cpu += outcome.cpu_seconds;
            (before, plan) = (today, outcome.plan);
        }
        let values = Values::default()
            .with("ucac", sums[0])
            .with("machines", sums[1])
            .with("violations", sums[2]);
        Ok((values, cpu))
    })
}
