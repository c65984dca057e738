//! `bayplan train`: the networks that choose between RASA's solvers.

use anyhow::{Result, ensure};
use bayplan_papers::generate::{colocate, training_cluster};
use bayplan_report::{percent, table};
use bayplan_solve::colocate::rasa::PoolMember;
use bayplan_solve::colocate::rasa::part::Part;
use bayplan_solve::colocate::rasa::select::graph::FeatureGraph;
use bayplan_solve::colocate::rasa::select::lab::{Sample, parts, sample};
use bayplan_solve::colocate::rasa::select::network::Network;
use bayplan_solve::colocate::rasa::select::train::{train, write};
use bayplan_solve::colocate::view::View;
use bayplan_solve::{Budget, Context};
use clap::Args;

use crate::failure::Verdict;
use crate::files;

/// Parts taken of one cluster at most.
const OF_A_CLUSTER: usize = 3;
/// Every so many-th part is kept from the training, for the table.
const HELD_OUT: usize = 4;

/// What to train on.
#[derive(Args)]
pub struct Train {
    /// Parts of generated clusters; a quarter is kept from the training.
    #[arg(long, value_name = "COUNT", default_value_t = 300)]
    parts: usize,
    /// Seconds for each solver on each part; the paper gives a minute.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    budget: f64,
    /// The seed of clusters and networks.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Parts solved at the same time; more than there are cores spoils the labels.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Where to write the weights.
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: String,
}

impl Train {
    /// Generates, labels, trains, writes the weights and a table of how well
    /// every way of choosing does on the parts that were kept.
    pub fn run(self) -> Result<Verdict> {
        ensure!(self.parts >= 2 * HELD_OUT, "--parts: at least {}", 2 * HELD_OUT);
        ensure!(
            self.budget.is_finite() && self.budget > 0.0,
            "--budget: more than 0 seconds"
        );
        let parts = self.generated();
        let context = Context::new(self.seed, Budget::Steps(1), self.threads.max(1));
        let samples = context.lanes(parts.len(), |at| {
            sample(&parts[at], self.budget, self.seed.wrapping_add(at as u64))
        });
        let held = |at: &usize| at.is_multiple_of(HELD_OUT);
        let pick = |kept: bool| -> Vec<&Sample> {
            let chosen = (0..samples.len()).filter(|at| held(at) == kept);
            chosen.map(|at| &samples[at]).collect()
        };
        let (seen, unseen) = (pick(false), pick(true));
        let fit = |view: fn(&FeatureGraph) -> FeatureGraph| {
            let labelled = seen.iter().filter_map(|s| Some((view(&s.graph), s.label()?)));
            train(&labelled.collect::<Vec<_>>(), self.seed)
        };
        let (gcn, mlp) = (fit(FeatureGraph::clone), fit(FeatureGraph::mean));
        let remark = format!(
            "# The networks of --selector gcn and mlp, one a line: bayplan train --parts {} --budget {} --seed {}\n",
            self.parts, self.budget, self.seed
        );
        files::write_text(&self.out, &(remark + &write(&[&gcn, &mlp])))?;
        eprint!("{}", comparison(&unseen, &gcn, &mlp));
        Ok(Verdict::Holds)
    }

    /// Parts of as many clusters as it takes.
    fn generated(&self) -> Vec<Part> {
        let mut all = Vec::new();
        for number in 0.. {
            let options = training_cluster(self.seed, number);
            // A cluster whose containers do not fit is no loss: the next does.
            let Ok(problem) = colocate(&options, self.seed.wrapping_add(number)) else {
                continue;
            };
            let Ok(view) = View::new(&problem, None, &[]) else {
                continue;
            };
            let large = |part: &Part| part.view.edges.len() >= 3 && part.view.nodes() >= 2;
            let some = parts(&view, self.seed).into_iter().filter(large);
            all.extend(some.take(OF_A_CLUSTER));
            if all.len() >= self.parts {
                break;
            }
        }
        all.truncate(self.parts);
        all
    }
}

/// How often each way of choosing is right, and what it gains of what the
/// better of the two gains with all the time.
fn comparison(samples: &[&Sample], gcn: &Network, mlp: &Network) -> String {
    type Choose<'a> = Box<dyn Fn(&Sample) -> PoolMember + 'a>;
    let ways: Vec<(&str, Choose)> = vec![
        ("gcn", Box::new(|s| gcn.choose(&s.graph))),
        ("mlp", Box::new(|s| mlp.choose(&s.graph.mean()))),
        ("heuristic", Box::new(|s| s.thumb)),
        ("always cg", Box::new(|_| PoolMember::Cg)),
        ("always mip", Box::new(|_| PoolMember::Mip)),
    ];
    let best = |s: &Sample| s.gains[0].max(s.gains[1]);
    let share = |gain: &dyn Fn(&Sample) -> f64| -> f64 {
        let with_gain: Vec<f64> = (samples.iter().filter(|s| best(s) > 0.0))
            .map(|s| gain(s) / best(s))
            .collect();
        with_gain.iter().sum::<f64>() / with_gain.len().max(1) as f64
    };
    let labelled: Vec<&&Sample> = samples.iter().filter(|s| s.label().is_some()).collect();
    let mut rows: Vec<Vec<String>> = (ways.iter())
        .map(|(name, choose)| {
            let right = labelled.iter().filter(|s| s.label() == Some(choose(s))).count();
            let accuracy = right as f64 / labelled.len().max(1) as f64;
            let gain = share(&|s| s.gain_of(choose(s)));
            vec![(*name).into(), percent(accuracy), percent(gain)]
        })
        .collect();
    rows.push(vec!["race, half the time each".into(), String::new(), percent(share(&|s| s.raced))]);
    let heading = format!(
        "{} parts kept from the training, {} with a difference between the solvers\n",
        samples.len(),
        labelled.len()
    );
    heading + &table(&["chosen by", "right", "gain of the better one's"], &rows)
}
