//! Flags that several commands share.

use anyhow::{Context, Result, bail};
use bayplan::flags;
use bayplan_formats::{Format, Input, ReadOptions, read_file};
use bayplan_model::Problem;
use bayplan_verify::Rules;
use clap::{Args, ValueEnum};

use crate::files;
use crate::live::ClusterArgs;
use crate::measured::{MeasureArgs, Measured};

/// The input and how to read it.
#[derive(Args, Clone)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// The problem: a file of any supported format, also .gz; `-` is standard input.
    #[arg(value_name = "INPUT")]
    pub input: Option<String>,
    #[command(flatten)]
    pub tables: TableArgs,
    #[command(flatten)]
    pub live: ClusterArgs,
    #[command(flatten)]
    pub measure: MeasureArgs,
}

/// What plain tables leave open.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Input")]
pub struct TableArgs {
    /// The input's format, when its content does not tell.
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Capacity of a node, such as `cpu=64,memory=128`.
    #[arg(long, value_name = "RESOURCE=AMOUNT,...", value_delimiter = ',')]
    pub node: Vec<String>,
    /// CPU capacity of a node, for a table of services with mean and std.
    #[arg(long, value_name = "CORES")]
    pub capacity: Option<String>,
    /// CPU capacity of a node, for a table of applications.
    #[arg(long, value_name = "CORES")]
    pub cpu: Option<String>,
    /// Memory capacity of a node, in the unit of the table.
    #[arg(long, value_name = "AMOUNT")]
    pub memory: Option<String>,
    /// How many identical nodes there are.
    #[arg(long, value_name = "COUNT")]
    pub machines: Option<u32>,
    /// What already runs: CSV `service,node,count`.
    #[arg(long, value_name = "FILE")]
    pub layout: Option<String>,
    /// Co-location limits kept in a file of their own (`app,app,k`).
    #[arg(long, value_name = "FILE")]
    pub limits: Option<String>,
    /// The list of nodes beside a list of pods (openb tables).
    #[arg(long, value_name = "FILE")]
    pub nodes: Option<String>,
    /// Traffic between services: CSV `service,service,weight`; listings of a cluster have none.
    #[arg(long, value_name = "FILE")]
    pub traffic: Option<String>,
    /// Kinds of nodes that can be had, with capacity and price: YAML or CSV.
    #[arg(long, value_name = "FILE")]
    pub node_types: Option<String>,
}

impl TableArgs {
    /// The options for the reader.
    pub fn options(&self) -> Result<ReadOptions> {
        let side = |path: &Option<String>| path.as_deref().map(files::read).transpose();
        let node = self.node.iter().map(|pair| {
            let (resource, amount) = pair
                .split_once('=')
                .with_context(|| format!("--node: {pair:?} is not RESOURCE=AMOUNT"))?;
            Ok((resource.trim().to_string(), amount.trim().to_string()))
        });
        let format = self.format.as_deref().map(|name| {
            Format::parse(name).with_context(|| format!("--format: no format is called {name:?}"))
        });
        Ok(ReadOptions {
            format: format.transpose()?,
            node: node.collect::<Result<_>>()?,
            capacity: self.capacity.clone(),
            cpu: self.cpu.clone(),
            memory: self.memory.clone(),
            machines: self.machines,
            layout: side(&self.layout)?,
            limits: side(&self.limits)?,
            nodes: side(&self.nodes)?,
            traffic: side(&self.traffic)?,
            node_types: side(&self.node_types)?,
            ..ReadOptions::default()
        })
    }
}

impl InputArgs {
    /// Reads the problem for a command that uses nothing that is measured.
    pub fn read(&self) -> Result<Input> {
        self.read_for(Measured::Nothing)
    }

    /// Reads the problem; notes about what could not be expressed go to stderr.
    pub fn read_for(&self, measured: Measured) -> Result<Input> {
        let options = ReadOptions {
            namespaces: self.live.namespace.clone(),
            labels: self.live.labels.clone(),
            move_stateful: self.live.move_stateful,
            ..self.tables.options()?
        };
        let input = match (&self.input, self.live.cluster) {
            (Some(_), true) => bail!("give INPUT or --cluster, not both"),
            (None, true) => self.live.read(options)?,
            (Some(path), false) => {
                read_file(path, &options).map_err(|errors| anyhow::anyhow!("{errors}"))?
            }
            (None, false) => bail!("INPUT is missing: a file, `-`, or --cluster"),
        };
        let input = self.measure.apply(input, measured)?;
        for note in &input.notes {
            eprintln!("note: {note}");
        }
        Ok(input)
    }
}

/// What a plan is held against, beside its problem.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Rules")]
pub struct RuleArgs {
    #[command(flatten)]
    pub confidence: ConfidenceArgs,
    #[command(flatten)]
    pub headroom: HeadroomArgs,
    #[command(flatten)]
    pub alive: AliveArgs,
    /// Count traffic as local within nodes that share this label, such as `zone`.
    #[arg(long, value_name = "LABEL")]
    pub level: Option<String>,
    #[command(flatten)]
    pub survive: SurviveArgs,
    /// Accept a plan that leaves something out.
    #[arg(long)]
    pub partial: bool,
}

impl RuleArgs {
    /// The rules for the verifier.
    pub fn rules(&self, problem: &Problem) -> Result<Rules> {
        Ok(Rules {
            d_alpha: self.confidence.d_alpha()?.unwrap_or(0.0),
            headroom: self.headroom.millionths(problem)?,
            alive: self.alive.millionths()?,
            outage: self.alive.allow_outage,
            complete: !self.partial,
            gain_level: self.level.clone(),
            survive: self.survive.rule(),
        })
    }
}

/// The confidence of a chance constraint.
#[derive(Args, Clone, Default)]
pub struct ConfidenceArgs {
    /// Probability with which a node's demand must fit, such as 0.999.
    #[arg(long, value_name = "ALPHA", conflicts_with = "d_alpha")]
    pub confidence: Option<f64>,
    /// The same as a number of standard deviations.
    #[arg(long, value_name = "D")]
    pub d_alpha: Option<f64>,
}

impl ConfidenceArgs {
    /// Standard deviations to keep free, if either flag was given.
    pub fn d_alpha(&self) -> Result<Option<f64>> {
        Ok(flags::d_alpha(self.confidence, self.d_alpha).map_err(bayplan::Error::from)?)
    }
}

/// Slack on every node.
#[derive(Args, Clone, Default)]
pub struct HeadroomArgs {
    /// Share of a resource to keep free on every node, such as `cpu=10%`.
    #[arg(long, value_name = "RESOURCE=PERCENT", value_delimiter = ',')]
    pub headroom: Vec<String>,
}

impl HeadroomArgs {
    /// Millionths per resource; empty when none was given.
    pub fn millionths(&self, problem: &Problem) -> Result<Vec<u32>> {
        let pairs = self.headroom.iter().map(String::as_str);
        Ok(flags::headroom(pairs, problem).map_err(bayplan::Error::from)?)
    }
}

/// Which loss the rest must carry.
#[derive(Args, Clone, Default)]
pub struct SurviveArgs {
    /// Survive the loss of any one `node`, or of all nodes that share a label, such as `zone`.
    #[arg(long, value_name = "node|LABEL")]
    pub survive: Option<String>,
}

impl SurviveArgs {
    /// The rule for the verifier.
    pub fn rule(&self) -> Option<Option<String>> {
        self.survive.as_deref().map(flags::survive)
    }
}

/// How many replicas must stay alive while moving.
#[derive(Args, Clone)]
pub struct AliveArgs {
    /// Share of each service's replicas alive at all times while moving.
    #[arg(long, value_name = "PERCENT", default_value = "75%")]
    pub alive: String,
    /// Allow one replica of a service fewer than that, where no other way leads on.
    #[arg(long)]
    pub allow_outage: bool,
}

impl Default for AliveArgs {
    fn default() -> Self {
        Self {
            alive: "75%".into(),
            allow_outage: false,
        }
    }
}

impl AliveArgs {
    /// Millionths.
    pub fn millionths(&self) -> Result<u32> {
        share_millionths("--alive", &self.alive)
    }
}

/// `10%` or `0.1` as millionths.
pub fn share_millionths(flag: &'static str, text: &str) -> Result<u32> {
    Ok(flags::share_millionths(flag, text).map_err(bayplan::Error::from)?)
}

/// What to print.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// A table for people, the verdict first.
    Text,
    /// One JSON object.
    Json,
    /// The plan as CSV.
    Csv,
    /// One self-contained page.
    Html,
}
