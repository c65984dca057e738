//! Fig. 2 to 6 of the ConAlloc paper: requests served against the load factor
//! and the number of machines, and what they use.

mod figures;
mod instances;

use bayplan::Outcome;
use bayplan_model::{Plan, Problem};
use bayplan_solve::admit;

use super::ask::{ask, figure};
use super::{Better, Cell, Experiment, ExperimentError, Held, Job, Page, Results, Setting, Values};

const OURS: &str = "auto";

/// The paper's algorithms, our refinements of them, and ours.
const SERIES: [&str; 7] = [
    "Bin-Packing",
    "Spread",
    "Cradle",
    "Cradle+",
    "Cradle+Density",
    "Online",
    OURS,
];

/// The admission paper.
pub struct Admit;

impl Experiment for Admit {
    fn verb(&self) -> &'static str {
        "admit"
    }

    fn jobs(&self, setting: &Setting) -> Result<Vec<Job>, ExperimentError> {
        let mut jobs = Vec::new();
        for seed in 1..=setting.pick(5, 2, 1) {
            for instance in instances::all(setting, seed) {
                for series in SERIES {
                    let instance = instance.clone();
                    let params = admit::Params {
                        algorithm: series.into(),
                        ..admit::Params::default()
                    };
                    // What runs to its end gets the time for it.
                    let seconds = if series == OURS { 5.0 } else { 3600.0 };
                    let budget = setting.budget(seconds, setting.pick(0, 300, 100));
                    jobs.push(Job {
                        cell: Cell::new(instance.study(), instance.x(), series, seed),
                        make: Box::new(move || instance.make(seed)),
                        ask: ask(params, seed, budget, values),
                    });
                }
            }
        }
        Ok(jobs)
    }

    fn page(&self, results: &Results, setting: &Setting) -> Result<Page, ExperimentError> {
        Ok(figures::page(results, setting))
    }

    fn held(&self) -> &'static [Held] {
        &[
            Held {
                metric: "served",
                better: Better::Higher,
            },
            Held {
                metric: "bound",
                better: Better::Lower,
            },
        ]
    }
}

/// Served and bound in percent of all requests; used in percent of what the
/// machines could do over the whole span, as the load factor counts it.
fn values(problem: &Problem, outcome: &Outcome) -> Values {
    let requests = problem.requests().expect("an admission problem");
    let count = requests.len().max(1) as f64;
    let used = used(problem, outcome);
    let served = 100.0 * outcome.report.figures.admitted.unwrap_or(0) as f64 / count;
    Values::default()
        .with("requests", count)
        .with("machines", problem.cluster().nodes.len() as f64)
        .with("served", served)
        .with_known("bound", outcome.bound.map(|bound| 100.0 * bound / count))
        .with_known("load_factor", figure(outcome, "load_factor"))
        .with("used", used)
        .with("effectiveness", served / used)
}

fn used(problem: &Problem, outcome: &Outcome) -> f64 {
    let (Some(requests), Plan::Admission(plan)) = (problem.requests(), &outcome.plan) else {
        return f64::NAN;
    };
    let capacity: Vec<f64> = (problem.cluster().nodes.iter())
        .map(|node| problem.cluster().capacity(node.pool)[0] as f64)
        .collect();
    let work: f64 = plan
        .accepted
        .iter()
        .map(|(request, _)| {
            let at = request.index();
            let row = requests.row(*request);
            let mean = row.iter().map(|units| *units as f64).sum::<f64>() / row.len() as f64;
            mean * requests.finish[at].abs_diff(requests.start[at]) as f64
        })
        .sum();
    let first = requests.start.iter().min().copied().unwrap_or(0);
    let last = requests.finish.iter().max().copied().unwrap_or(0);
    100.0 * work / (capacity.iter().sum::<f64>() * last.abs_diff(first) as f64)
}
