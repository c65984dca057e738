//! `bayplan colocate`: the most local traffic per move, and the way there.

mod routes;

use anyhow::Result;
use bayplan::{Outcome, Question, answer_with, flags, to_json};
use bayplan_formats::Input;
use bayplan_model::{Problem, ServiceId};
use bayplan_report::{Axis, Chart, Mark, Series, grouped, percent, table};
use bayplan_solve::Context;
use bayplan_solve::colocate::frontier::frontier;
use bayplan_solve::colocate::rasa::select::Selector;
use bayplan_solve::colocate::rasa::{Partition, PoolMember, Trivial};
use bayplan_solve::colocate::{Params, algorithms};
use clap::{Args, ValueEnum};
use serde_json::json;

use super::{Extra, RunArgs, Verb, write_plan};
use crate::args::{AliveArgs, Output};
use crate::failure::Verdict;
use crate::files;
use crate::measured::Measured;

/// `--partition`.
#[derive(Clone, Copy, ValueEnum)]
enum PartitionArg {
    /// The paper's four stages.
    MultiStage,
    /// One part.
    None,
    /// Equal parts at random.
    Random,
    /// A multilevel cut.
    MinCut,
}

/// `--pool`.
#[derive(Clone, Copy, ValueEnum)]
enum PoolArg {
    /// As --selector says.
    Auto,
    /// The integer program.
    Mip,
    /// Column generation.
    Cg,
}

/// `--selector`.
#[derive(Clone, Copy, ValueEnum)]
enum SelectorArg {
    /// Both at once, the better answer counts.
    Race,
    /// The trained graph convolution network.
    Gcn,
    /// The trained network that sees only means.
    Mlp,
    /// The paper's rule of thumb.
    Heuristic,
}

/// `--trivial`.
#[derive(Clone, Copy, ValueEnum)]
enum TrivialArg {
    /// Go back where there is room after the parts.
    Yield,
    /// Stay where they are.
    Stay,
}

/// The flags of `colocate`.
#[derive(Args)]
#[command(next_help_heading = "Colocation")]
pub struct Colocate {
    /// The most replicas that may move.
    #[arg(long, value_name = "N")]
    max_moves: Option<u64>,
    /// Share of all traffic that one move must bring at least, such as 0.00002.
    #[arg(long, value_name = "SHARE")]
    move_price: Option<f64>,
    /// Several plans: gain against moves. With --plan FILE.csv the n-th goes to FILE.n.csv.
    #[arg(long)]
    frontier: bool,
    /// Count traffic as local among nodes that share this label, such as rack or zone.
    #[arg(long, value_name = "LABEL")]
    level: Option<String>,
    /// Move nothing unless this share of all traffic is gained, such as 0.03.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    min_gain: f64,
    /// Services not to touch, such as those rolled back lately: names, or @FILE with one a line.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    leave_alone: Vec<String>,
    #[command(flatten)]
    alive: AliveArgs,
    /// How RASA puts services into parts.
    #[arg(long, value_name = "HOW", value_enum, default_value = "multi-stage")]
    partition: PartitionArg,
    /// How many services RASA calls masters and puts into parts, in percent of the paper's number.
    #[arg(long, value_name = "PERCENT", default_value_t = 100)]
    masters: u32,
    /// Who solves RASA's parts.
    #[arg(long, value_name = "MEMBER", value_enum, default_value = "auto")]
    pool: PoolArg,
    /// Who chooses between the integer program and column generation for a part of RASA.
    #[arg(long, value_name = "WHO", value_enum, default_value = "gcn")]
    selector: SelectorArg,
    /// What becomes of services outside of all parts of RASA.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "yield")]
    trivial: TrivialArg,
    /// Only the placement, not the way there.
    #[arg(long)]
    no_waves: bool,
}

impl Colocate {
    fn params(&self, algorithm: &str, problem: &Problem) -> Result<Params> {
        Ok(Params {
            algorithm: algorithm.into(),
            max_moves: self.max_moves,
            move_price: self.move_price,
            gain_label: self.level.clone(),
            leave_alone: self.left_alone(problem)?,
            min_gain: self.min_gain,
            alive: self.alive.millionths()?,
            allow_outage: self.alive.allow_outage,
            partition: match self.partition {
                PartitionArg::MultiStage => Partition::MultiStage,
                PartitionArg::None => Partition::None,
                PartitionArg::Random => Partition::Random,
                PartitionArg::MinCut => Partition::MinCut,
            },
            masters: self.masters,
            pool: match self.pool {
                PoolArg::Auto => PoolMember::Auto,
                PoolArg::Mip => PoolMember::Mip,
                PoolArg::Cg => PoolMember::Cg,
            },
            selector: match self.selector {
                SelectorArg::Race => Selector::Race,
                SelectorArg::Gcn => Selector::Gcn,
                SelectorArg::Mlp => Selector::Mlp,
                SelectorArg::Heuristic => Selector::Heuristic,
            },
            trivial: match self.trivial {
                TrivialArg::Yield => Trivial::Yield,
                TrivialArg::Stay => Trivial::Stay,
            },
            waves: !self.no_waves,
            ..Params::default()
        })
    }

    fn left_alone(&self, problem: &Problem) -> Result<Vec<ServiceId>> {
        let mut names: Vec<String> = Vec::new();
        for word in &self.leave_alone {
            match word.strip_prefix('@') {
                Some(path) => {
                    let text = String::from_utf8(files::read(path)?)?;
                    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                    names.extend(lines.map(String::from));
                }
                None => names.push(word.clone()),
            }
        }
        let names = names.iter().map(String::as_str);
        Ok(flags::leave_alone(names, problem).map_err(bayplan::Error::from)?)
    }
}

impl Verb for Colocate {
    const NAME: &'static str = "colocate";
    const MEASURED: Measured = Measured::Traffic;

    fn extra(&self, input: &Input, outcome: &mut Outcome) -> Result<Extra> {
        Ok(routes::report(input, outcome))
    }

    fn question(&self, algorithm: &str, problem: &Problem) -> Result<Box<dyn Question>> {
        Ok(Box::new(self.params(algorithm, problem)?))
    }

    fn algorithms() -> Vec<bayplan_solve::AlgorithmInfo> {
        algorithms()
    }

    fn special(
        &self,
        ask: &RunArgs,
        problem: &Problem,
        context: &Context,
    ) -> Result<Option<Verdict>> {
        if !self.frontier {
            return Ok(None);
        }
        let params = self.params(&ask.algorithm, problem)?;
        let solutions = frontier(problem, &params, context).map_err(bayplan::Error::from)?;
        let points = solutions.into_iter();
        let points = points.map(|solution| answer_with(problem, &params, context, solution));
        let points: Vec<Outcome> = points.collect::<Result<_, _>>()?;
        write_frontier(ask, problem, &points)?;
        let all = points.iter().all(|point| point.feasible);
        Ok(Some(if all { Verdict::Holds } else { Verdict::Fails }))
    }
}

fn moves(point: &Outcome) -> u64 {
    point.report.figures.moves.unwrap_or(0)
}

fn write_frontier(ask: &RunArgs, problem: &Problem, points: &[Outcome]) -> Result<()> {
    if let Some(path) = &ask.plan {
        for (at, point) in points.iter().enumerate() {
            let (stem, extension) = path.split_once('.').unwrap_or((path, "csv"));
            write_plan(
                &format!("{stem}.{}.{extension}", at + 1),
                problem,
                &point.plan,
            )?;
        }
    }
    let text = match ask.output {
        Output::Text => {
            let rows = points.iter().map(|point| {
                vec![
                    grouped(moves(point)),
                    percent(point.objective),
                    point.bound.map_or_else(String::new, percent),
                ]
            });
            table(
                &["moves", "local traffic", "at most"],
                &rows.collect::<Vec<_>>(),
            )
        }
        Output::Csv => {
            let rows = points
                .iter()
                .map(|point| format!("{},{}\n", moves(point), point.objective));
            String::from("moves,gained_affinity\n") + &rows.collect::<String>()
        }
        Output::Json => {
            let rows: Vec<_> = points.iter().map(|point| to_json(problem, point)).collect();
            serde_json::to_string_pretty(&json!({"verb": "colocate", "frontier": rows}))? + "\n"
        }
        Output::Html => chart(points).svg(),
    };
    files::write_text(&ask.out, &text)
}

/// Local traffic against moves.
fn chart(points: &[Outcome]) -> Chart {
    let axis = |label: &str| Axis {
        label: label.into(),
        log: false,
        categories: Vec::new(),
    };
    let line = |name: &str, of: &dyn Fn(&Outcome) -> Option<f64>| Series {
        name: name.into(),
        mark: Mark::Line,
        points: points
            .iter()
            .filter_map(|point| Some((moves(point) as f64, of(point)? * 100.0)))
            .collect(),
        labels: Vec::new(),
    };
    Chart {
        title: "What moves buy".into(),
        x: axis("replicas moved"),
        y: axis("% of traffic local"),
        series: vec![
            line("gained", &|point| Some(point.objective)),
            line("no plan can exceed", &|point| point.bound),
        ],
    }
}
