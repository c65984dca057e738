//! `bayplan generate VERB`: seeded instances, shaped as the papers describe theirs.

use std::io;

use anyhow::{Context, Result, bail};
use bayplan_formats::{
    Format, ReadOptions, read_file, write_plan_csv, write_problem_json, write_problem_yaml,
    write_table,
};
use bayplan_model::{PlacementPlan, Plan, Problem, Workload};
use bayplan_papers::generate::{self, GenerateError, Graph, LayoutBy, Shape};
use clap::{Args, Subcommand, ValueEnum};

use crate::failure::Verdict;
use crate::files;

/// What to generate.
#[derive(Args)]
pub struct Generate {
    #[command(subcommand)]
    question: Question,
    /// The seed: the same options and seed give the same file.
    #[arg(long, global = true, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Where to write; `.gz` is compressed.
    #[arg(long, global = true, value_name = "FILE", default_value = "-")]
    out: String,
    /// `native` (YAML, JSON by extension) instead of the plain table of the verb.
    #[arg(long, global = true, value_name = "NAME")]
    format: Option<String>,
}

#[derive(Subcommand)]
enum Question {
    /// Services with co-location limits, as a TClab table.
    Provision(Provision),
    /// A cluster with traffic and a current placement, as cluster JSON.
    Colocate(Colocate),
    /// Services with random demand, as a table `service,mean,std,containers`.
    Overcommit(Overcommit),
    /// Applications with divisible load, as a table `application,cpu,memory`.
    Divide(Divide),
    /// Timed requests, as a table `s,f,a,b`.
    Admit(Admit),
}

#[derive(Clone, Copy, ValueEnum)]
enum GraphKind {
    None,
    Arbitrary,
    Normal,
    Threshold,
}

#[derive(Args)]
struct Provision {
    /// How many services [default: those of the base; 9338 without one].
    #[arg(long, value_name = "COUNT")]
    services: Option<usize>,
    /// The kind of graph the limits form.
    #[arg(long, value_name = "KIND", default_value = "arbitrary")]
    graph: GraphKind,
    /// Limits as a share of all ordered pairs of services.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01)]
    density: f64,
    /// Epochs of a day, 98 as in the paper; 1: constant demand.
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    epochs: usize,
    /// A file whose services are kept, or resampled with --services.
    #[arg(long, value_name = "FILE")]
    base: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ShapeName {
    M1,
    M2,
    M3,
    M4,
}

#[derive(Args)]
struct Colocate {
    /// The size of one of the paper's clusters; the flags below change it.
    #[arg(long, value_name = "NAME", default_value = "m3")]
    shape: ShapeName,
    /// How many services.
    #[arg(long, value_name = "COUNT")]
    services: Option<usize>,
    /// How many containers of all services.
    #[arg(long, value_name = "COUNT")]
    containers: Option<usize>,
    /// How many machines.
    #[arg(long, value_name = "COUNT")]
    machines: Option<usize>,
    /// Compatibility classes of services and machines.
    #[arg(long, value_name = "COUNT")]
    classes: Option<usize>,
    /// CPU asked for, as a share of all.
    #[arg(long, value_name = "SHARE")]
    cpu_use: Option<f64>,
    /// Memory asked for, as a share of all.
    #[arg(long, value_name = "SHARE")]
    memory_use: Option<f64>,
    /// Services with a spread set of their own, as a share (needs --format native).
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    anti_affinity: f64,
}

#[derive(Clone, Copy, ValueEnum)]
enum LayoutName {
    /// CSP-UCaC, as in the paper.
    Csp,
    /// First fit in random order: quick at any size, uses more machines.
    FirstFit,
}

#[derive(Args)]
struct Overcommit {
    /// How many services; the paper has 5, 10, 15 and 20.
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    services: usize,
    /// How many machines.
    #[arg(long, value_name = "COUNT", default_value_t = 4000)]
    machines: usize,
    /// Cores of a machine.
    #[arg(long, value_name = "CORES", default_value_t = 31.58)]
    capacity: f64,
    /// GB of a machine; adds the column `memory`.
    #[arg(long, value_name = "GB")]
    memory: Option<u64>,
    /// Wanted totals as a multiple of the base counts, over a layout of which
    /// part was removed: 0.85 is the paper's scale-down, 1.3 its scale-up.
    #[arg(long, value_name = "FACTOR")]
    scale: Option<f64>,
    /// Where to write that layout, CSV `service,node,count`.
    #[arg(long, value_name = "FILE", requires = "scale")]
    layout: Option<String>,
    /// The confidence that layout is packed at.
    #[arg(
        long,
        value_name = "ALPHA",
        default_value_t = 0.999,
        requires = "scale"
    )]
    confidence: f64,
    /// Who packs that layout before part of it is removed.
    #[arg(long, value_name = "NAME", default_value = "csp", requires = "scale")]
    layout_by: LayoutName,
    /// Containers in all, before --scale [default: as many as the paper's
    /// 22,800 cores hold].
    #[arg(long, value_name = "COUNT")]
    containers: Option<u32>,
}

#[derive(Args)]
struct Divide {
    /// How many applications.
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    applications: usize,
    /// Cores of a node.
    #[arg(long, value_name = "CORES", default_value_t = 32)]
    cpu: u64,
    /// GB of a node.
    #[arg(long, value_name = "GB", default_value_t = 64)]
    memory: u64,
    /// The fewest instances of each application.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    min_instances: u32,
    /// All applications alike: this load and memory of an instance.
    #[arg(long, value_name = "CORES,GB", value_parser = pair)]
    equal: Option<(u64, u64)>,
}

#[derive(Args)]
struct Admit {
    /// How many requests; as many as the load needs unless given.
    #[arg(long, value_name = "COUNT")]
    requests: Option<usize>,
    /// How many machines the load factor is for.
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    machines: usize,
    /// Load factor: work asked for over what the machines can do.
    #[arg(
        long,
        value_name = "RHO",
        default_value_t = 3.75,
        allow_negative_numbers = true
    )]
    load: f64,
    /// Weights that differ; else each request counts one.
    #[arg(long)]
    weights: bool,
}

/// Two whole numbers with a comma between.
fn pair(text: &str) -> Result<(u64, u64), String> {
    let numbers = text.split_once(',').and_then(|(first, second)| {
        Some((first.trim().parse().ok()?, second.trim().parse().ok()?))
    });
    numbers.ok_or_else(|| "two whole numbers are needed, such as 3,2".to_owned())
}

impl Generate {
    /// Generates and writes.
    pub fn run(self) -> Result<Verdict> {
        let (problem, table) = self.question.problem(self.seed)?;
        match self.format.as_deref() {
            Some("native" | "yaml" | "json") => {
                let name = self.out.trim_end_matches(".gz");
                let json = self.format.as_deref() == Some("json") || name.ends_with(".json");
                let write = if json {
                    write_problem_json
                } else {
                    write_problem_yaml
                };
                files::write_text(&self.out, &write(&problem))?;
            }
            None => {
                let problem = self.question.without_layout(problem)?;
                self.write_table(&problem, table)?;
            }
            Some(name) => {
                let Some(format) = Format::parse(name) else {
                    bail!("--format: no format is called {name:?}");
                };
                self.write_table(&problem, format)?;
            }
        }
        Ok(Verdict::Holds)
    }

    fn write_table(&self, problem: &Problem, format: Format) -> Result<()> {
        files::write(&self.out, |out| {
            write_table(problem, format, out).map_err(io::Error::other)
        })
    }
}

impl Question {
    /// The problem and the plain table of its verb.
    fn problem(&self, seed: u64) -> Result<(Problem, Format)> {
        Ok(match self {
            Self::Provision(flags) => (flags.problem(seed)?, Format::TClab),
            Self::Colocate(flags) => (flags.problem(seed)?, Format::Cluster),
            Self::Overcommit(flags) => (flags.problem(seed)?, Format::ServicesTable),
            Self::Divide(flags) => (flags.problem(seed)?, Format::ApplicationsTable),
            Self::Admit(flags) => (flags.problem(seed)?, Format::RequestsTable),
        })
    }

    /// A table of services has no room for what runs: it goes to a file beside.
    fn without_layout(&self, problem: Problem) -> Result<Problem> {
        let (Self::Overcommit(flags), Some(services)) = (self, problem.services()) else {
            return Ok(problem);
        };
        if services.placement.is_empty() {
            return Ok(problem);
        }
        let Some(layout) = &flags.layout else {
            bail!("--scale makes a layout: say with --layout FILE where to write it");
        };
        let runs = Plan::Placement(PlacementPlan {
            placement: services.placement.clone(),
            ..PlacementPlan::default()
        });
        files::write_text(layout, &write_plan_csv(&problem, &runs))?;
        let (cluster, workload) = problem.into_parts();
        let Workload::Services(mut services) = workload else {
            bail!("services were generated, something else came out");
        };
        services.placement = Default::default();
        Ok(Problem::new(cluster, Workload::Services(services))?)
    }
}

impl Provision {
    fn problem(&self, seed: u64) -> Result<Problem> {
        let base = self.base.as_deref().map(|path| {
            let options = ReadOptions::default();
            read_file(path, &options).with_context(|| format!("--base {path}"))
        });
        let base = base.transpose()?;
        let options = generate::ProvisionOptions {
            services: self.services,
            graph: match self.graph {
                GraphKind::None => Graph::None,
                GraphKind::Arbitrary => Graph::Arbitrary,
                GraphKind::Normal => Graph::Normal,
                GraphKind::Threshold => Graph::Threshold,
            },
            density: self.density,
            epochs: self.epochs,
            ..Default::default()
        };
        let base = base.as_ref().map(|input| &input.problem);
        Ok(generate::provision(&options, base, seed)?)
    }
}

impl Colocate {
    fn problem(&self, seed: u64) -> Result<Problem, GenerateError> {
        let shape = generate::ColocateOptions::shaped(match self.shape {
            ShapeName::M1 => Shape::M1,
            ShapeName::M2 => Shape::M2,
            ShapeName::M3 => Shape::M3,
            ShapeName::M4 => Shape::M4,
        });
        let options = generate::ColocateOptions {
            services: self.services.unwrap_or(shape.services),
            containers: self.containers.unwrap_or(shape.containers),
            machines: self.machines.unwrap_or(shape.machines),
            cpu_use: self.cpu_use.unwrap_or(shape.cpu_use),
            memory_use: self.memory_use.unwrap_or(shape.memory_use),
            classes: self.classes.unwrap_or(shape.classes),
            anti_affinity: self.anti_affinity,
        };
        generate::colocate(&options, seed)
    }
}

impl Overcommit {
    fn problem(&self, seed: u64) -> Result<Problem, GenerateError> {
        let options = generate::OvercommitOptions {
            services: self.services,
            machines: self.machines,
            capacity: self.capacity,
            memory: self.memory,
            scale: self.scale,
            d_alpha: bayplan_model::d_of_confidence(self.confidence).unwrap_or(f64::NAN),
            layout_by: match self.layout_by {
                LayoutName::Csp => LayoutBy::Csp,
                LayoutName::FirstFit => LayoutBy::FirstFit,
            },
            containers: self.containers,
        };
        generate::overcommit(&options, seed)
    }
}

impl Divide {
    fn problem(&self, seed: u64) -> Result<Problem, GenerateError> {
        let options = generate::DivideOptions {
            applications: self.applications,
            cpu: self.cpu,
            memory: self.memory,
            min_instances: self.min_instances,
            equal: self.equal,
        };
        generate::divide(&options, seed)
    }
}

impl Admit {
    fn problem(&self, seed: u64) -> Result<Problem, GenerateError> {
        let options = generate::AdmitOptions {
            requests: self.requests,
            machines: self.machines,
            load: self.load,
            weights: self.weights,
        };
        generate::admit(&options, seed)
    }
}
