//! Fig. 5 to 10 of "Resource Allocation with Service Affinity in Large-Scale
//! Cloud Environments", and gain against moves.

mod clusters;
mod figures;
mod skew;

use bayplan::{Outcome, answer_with, cpu_seconds};
use bayplan_model::Problem;
use bayplan_solve::colocate::Params;
use bayplan_solve::colocate::frontier::frontier;
use bayplan_solve::colocate::rasa::select::Selector;
use bayplan_solve::colocate::rasa::{Partition, PoolMember};

use super::ask::{ask, share};
use super::runner::Ask;
use super::{
    Better, Cell, Experiment, ExperimentError, Extent, Held, Job, Page, Results, Setting, Values,
};
use clusters::Cluster;

const OURS: &str = "auto";

/// Fig. 6.
const PARTITIONS: [(&str, Partition); 4] = [
    ("NO-PARTITION", Partition::None),
    ("RANDOM-PARTITION", Partition::Random),
    ("KAHIP-like", Partition::MinCut),
    ("MULTI-STAGE", Partition::MultiStage),
];

/// Fig. 8, and both members at once, which the paper does not have.
const SELECTORS: [(&str, PoolMember, Selector); 6] = [
    ("CG", PoolMember::Cg, Selector::Race),
    ("MIP", PoolMember::Mip, Selector::Race),
    ("HEURISTIC", PoolMember::Auto, Selector::Heuristic),
    ("MLP-BASED", PoolMember::Auto, Selector::Mlp),
    ("GCN-BASED", PoolMember::Auto, Selector::Gcn),
    ("both at once", PoolMember::Auto, Selector::Race),
];

/// Fig. 9.
const METHODS: [&str; 6] = ["original", "k8s+", "pop", "applsci19", "rasa", OURS];

/// Services called masters in Fig. 7, in percent of the paper's number.
const MASTERS: [u32; 8] = [5, 10, 20, 40, 70, 100, 200, 400];

/// The colocation paper.
pub struct Colocate;

impl Experiment for Colocate {
    fn verb(&self) -> &'static str {
        "colocate"
    }

    fn jobs(&self, setting: &Setting) -> Result<Vec<Job>, ExperimentError> {
        let mut jobs = Vec::new();
        for seed in 1..=setting.pick(3, 1, 1) {
            for cluster in clusters::all(setting) {
                of_cluster(&mut jobs, setting, &cluster, seed);
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
                metric: "gain",
                better: Better::Higher,
            },
            Held {
                metric: "bound",
                better: Better::Lower,
            },
        ]
    }
}

/// All studies on one cluster, the comparison of methods first.
fn of_cluster(jobs: &mut Vec<Job>, setting: &Setting, cluster: &Cluster, seed: u64) {
    let mut add = |study: &str, x: String, series: &str, ask: Ask| {
        let cluster = cluster.clone();
        jobs.push(Job {
            cell: Cell::new(study, x, series, seed),
            make: Box::new(move || cluster.make(seed)),
            ask,
        });
    };
    let steps = setting.pick(0, 1_000_000, 100_000);
    let x = || cluster.name();
    // RASA's rounds are fixed when steps are counted: too long for the check.
    let checked = |series: &&str| setting.extent != Extent::Check || *series != "rasa";
    for series in METHODS.into_iter().filter(checked) {
        let budget = setting.budget(60.0, steps);
        let params = Params {
            pool: pool(setting),
            ..method(series)
        };
        add("methods", x(), series, ask(params, seed, budget, values));
    }
    add("moves", x(), OURS, gain_against_moves(seed, steps));
    if seed == 1 {
        add("skew", x(), "total affinity", skew::ask());
    }
    if setting.extent == Extent::Check {
        return;
    }
    for (series, partition) in PARTITIONS {
        let params = Params {
            partition,
            pool: pool(setting),
            ..method("rasa")
        };
        add(
            "partition",
            x(),
            series,
            ask(params, seed, setting.budget(15.0, steps), values),
        );
    }
    for (series, pool, selector) in SELECTORS.into_iter().take(setting.pick(6, 1, 0)) {
        let params = Params {
            pool,
            selector,
            ..method("rasa")
        };
        add(
            "selector",
            x(),
            series,
            ask(params, seed, setting.budget(15.0, steps), values),
        );
    }
    let quick = setting.extent == Extent::Quick;
    for percent in MASTERS.into_iter().skip(usize::from(quick) * 2) {
        let series = format!("{percent} % of the paper's masters");
        add("masters", x(), &series, skew::masters(percent, seed, steps));
    }
    for (words, seconds, steps) in [
        ("1 s", 1.0, 10_000),
        ("2 s", 2.0, 30_000),
        ("5 s", 5.0, 100_000),
        ("10 s", 10.0, 300_000),
        ("30 s", 30.0, 1_000_000),
    ] {
        let (quick, series): (bool, &[&str]) = match setting.extent {
            Extent::Full => (false, &["pop", "rasa", OURS]),
            // Rounds of the others are fixed when steps are counted.
            _ => (true, &[OURS]),
        };
        let words = if quick {
            format!("{steps} steps")
        } else {
            words.into()
        };
        for series in series {
            let x = format!("{} after {words}", cluster.name());
            add(
                "time",
                x,
                series,
                ask(method(series), seed, setting.budget(seconds, steps), values),
            );
        }
    }
}

/// Who solves RASA's parts: a quick run has column generation only, since the
/// integer program takes minutes when steps are counted.
fn pool(setting: &Setting) -> PoolMember {
    setting.pick(PoolMember::Auto, PoolMember::Cg, PoolMember::Cg)
}

/// A bound costs time and holds for all: ours looks for it.
fn method(series: &str) -> Params {
    Params {
        algorithm: series.into(),
        bound: series == OURS,
        ..Params::default()
    }
}

fn values(_: &Problem, outcome: &Outcome) -> Values {
    let figures = &outcome.report.figures;
    Values::default()
        .with("gain", outcome.objective)
        .with_known("bound", outcome.bound)
        .with("proven", share(outcome.proven))
        .with_known("moves", figures.moves.map(|moves| moves as f64))
        .with_known("replicas", figures.placed.map(|placed| placed as f64))
        .with_known("unplaced", figures.unplaced.map(|left| left as f64))
}

/// Several plans from few moves to many; every one is checked.
fn gain_against_moves(seed: u64, steps: u64) -> Ask {
    Box::new(move |problem, setting| {
        let params = method(OURS);
        let context = setting.context(seed, setting.budget(60.0, 4 * steps));
        let before = cpu_seconds(&context);
        let plans = frontier(problem, &params, &context).map_err(bayplan::Error::from)?;
        let cpu = cpu_seconds(&context) - before;
        let mut points: Vec<(f64, f64)> = Vec::new();
        for plan in plans {
            let outcome = answer_with(problem, &params, &context, plan)?;
            let moves = outcome.report.figures.moves.unwrap_or(0) as f64;
            points.push((moves, outcome.objective));
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let most = points.last().copied().unwrap_or((0.0, 0.0));
        // The least gain of plans that move a tenth of the most: what few moves bring.
        let few = points.iter().rfind(|(moves, _)| *moves <= 0.3 * most.0);
        let values = Values {
            curve: points.clone(),
            ..Values::default()
        };
        let values = values
            .with("gain", most.1)
            .with_known("gain at 30 % of the moves", few.map(|f| f.1));
        Ok((values, cpu))
    })
}

/// Total affinity of every service, most first, with its number.
fn total_affinity(problem: &Problem) -> Vec<(f64, usize)> {
    let Some(services) = problem.services() else {
        return Vec::new();
    };
    let mut total = vec![0.0; services.len()];
    let all: f64 = services.traffic.iter().map(|pair| pair.weight).sum();
    for pair in &services.traffic {
        total[pair.a.index()] += pair.weight / all;
        total[pair.b.index()] += pair.weight / all;
    }
    let mut order: Vec<(f64, usize)> = total.into_iter().enumerate().map(|(s, t)| (t, s)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order
}

/// The paper's number of master services: floor(45 ln^0.66 N).
fn masters(services: usize) -> usize {
    (45.0 * (services as f64).ln().max(0.0).powf(0.66)) as usize
}

#[cfg(test)]
mod tests {
    use bayplan_solve::colocate;

    use super::*;

    #[test]
    fn every_method_is_an_algorithm() {
        let known = colocate::algorithms();
        for name in METHODS {
            assert!(known.iter().any(|info| info.name == name), "{name}");
        }
        assert_eq!(masters(547), 151);
    }
}
