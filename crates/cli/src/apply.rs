//! `bayplan apply PLAN`: carries a plan out on the live cluster; `bayplan cleanup`.

use std::io::IsTerminal;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use bayplan_formats::ReadOptions;
use bayplan_kube::apply::{Address, ApplyOptions, GateKind, Start, apply, cleanup, dry_run};
use bayplan_kube::connect;
use clap::{Args, ValueEnum};
use tokio::sync::watch;

use crate::args::share_millionths;
use crate::failure::Verdict;
use crate::files;
use crate::live::{ConnectionArgs, block_on};

/// `--dry-run`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DryRunArg {
    /// Print the waves.
    Client,
    /// Print the waves and ask the server about each kind of call.
    Server,
    /// Carry the plan out.
    None,
}

/// `--gates`.
#[derive(Clone, Copy, ValueEnum)]
enum GatesArg {
    /// A MutatingAdmissionPolicy.
    Policy,
    /// A webhook that this process serves.
    Webhook,
}

/// What to print.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Printed {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}

/// How pods are moved.
#[derive(Args)]
pub struct CarryArgs {
    /// Pin pods to their nodes by a selector, instead of nominating the nodes.
    #[arg(long)]
    hard: bool,
    /// Who holds replacements back; chosen by the server's version when not given.
    #[arg(long, value_name = "HOW", value_enum)]
    gates: Option<GatesArg>,
    /// Where the API server reaches this process, for `--gates webhook`: HOST:PORT.
    #[arg(long, value_name = "HOST:PORT")]
    webhook_address: Option<String>,
    /// Share of each workload's pods ready at all times.
    #[arg(long, value_name = "PERCENT", default_value = "75%")]
    alive: String,
    /// Seconds a wave may take before the rest is planned anew.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    wave_timeout: u64,
    /// Traffic between services, CSV `service,service,weight`: the gain is measured with it.
    #[arg(long, value_name = "FILE")]
    traffic: Option<String>,
}

impl CarryArgs {
    /// The options of an apply.
    pub fn options(&self, name: Option<String>) -> Result<ApplyOptions> {
        let address = match &self.webhook_address {
            None => Address::default(),
            Some(text) => {
                let wrong = || format!("--webhook-address: {text:?} is not HOST:PORT");
                let (host, port) = text.rsplit_once(':').with_context(wrong)?;
                let port = port.parse().with_context(wrong)?;
                Address {
                    host: Some(host.into()),
                    port,
                }
            }
        };
        Ok(ApplyOptions {
            hard: self.hard,
            gates: self.gates.map(|gates| match gates {
                GatesArg::Policy => GateKind::Policy,
                GatesArg::Webhook => GateKind::Webhook,
            }),
            address,
            alive: share_millionths("--alive", &self.alive)?,
            wave_timeout: Duration::from_secs(self.wave_timeout.clamp(1, 1_000_000)),
            read: ReadOptions {
                traffic: self.traffic.as_deref().map(files::read).transpose()?,
                // The plan says what moves; whether it may was asked when planning.
                move_stateful: true,
                ..ReadOptions::default()
            },
            name,
        })
    }
}

/// What to carry out, and how.
#[derive(Args)]
pub struct Apply {
    /// The plan: JSON with waves, as `bayplan colocate --cluster --plan plan.json` writes it.
    #[arg(value_name = "PLAN", required_unless_present_any = ["resume", "rollback"])]
    plan: Option<String>,
    /// Another way to give the plan, as kubectl has it.
    #[arg(
        short = 'f',
        long = "filename",
        value_name = "PLAN",
        hide = true,
        conflicts_with = "plan"
    )]
    filename: Option<String>,
    /// Go on with a plan that was paused or whose process died.
    #[arg(long, conflicts_with_all = ["plan", "rollback"])]
    resume: bool,
    /// Go back to where a plan started, from wherever it is.
    #[arg(long, conflicts_with = "plan")]
    rollback: bool,
    /// Name of the PlacementPlan: to be written, or to go on with.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Only look, or do it.
    #[arg(long, value_name = "HOW", value_enum, default_value = "server")]
    dry_run: DryRunArg,
    /// The same as --dry-run=none.
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    carry: CarryArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
    /// What to print: text or json.
    #[arg(short, long, value_name = "KIND", value_enum, default_value = "text")]
    output: Printed,
}

impl Apply {
    /// Carries the plan out, or shows what would be done.
    pub fn run(self) -> Result<Verdict> {
        let options = self.carry.options(self.name.clone())?;
        let path = self.plan.as_ref().or(self.filename.as_ref());
        let plan = path.map(|path| files::read(path)).transpose()?;
        let connection = self.connection.connection();
        if self.dry_run != DryRunArg::None && !self.yes {
            let Some(plan) = plan else {
                bail!("--resume and --rollback are carried out with --dry-run=none or --yes");
            };
            let server = self.dry_run == DryRunArg::Server;
            let dry = block_on(async {
                let client = connect(&connection).await?;
                Ok(dry_run(&client, &plan, &options, server).await?)
            })?;
            let text = match self.output {
                Printed::Text => dry.text(),
                Printed::Json => serde_json::to_string_pretty(&dry)? + "\n",
            };
            files::write_text("-", &text)?;
            return Ok(if dry.holds() {
                Verdict::Holds
            } else {
                Verdict::Fails
            });
        }
        let start = match plan {
            Some(plan) => Start::Plan(plan),
            None if self.rollback => Start::Rollback,
            None => Start::Resume,
        };
        let report = block_on(async {
            let client = connect(&connection).await?;
            let stop = stopped();
            let say = |text: &str| eprintln!("{text}");
            Ok(apply(&client, start, &options, stop, &say).await?)
        })?;
        let text = match self.output {
            Printed::Text => report.text(),
            Printed::Json => serde_json::to_string_pretty(&report)? + "\n",
        };
        files::write_text("-", &text)?;
        Ok(if report.holds() {
            Verdict::Holds
        } else {
            Verdict::Fails
        })
    }
}

/// Turns true at the first Ctrl-C or SIGTERM: time to tidy up and end.
pub fn stopped() -> watch::Receiver<bool> {
    let (send, stop) = watch::channel(false);
    tokio::spawn(async move {
        asked_to_stop().await;
        if std::io::stderr().is_terminal() {
            eprintln!("pausing; the cluster is put in order first");
        }
        let _ = send.send(true);
        // The receiver must not see the channel close.
        std::future::pending::<()>().await;
    });
    stop
}

#[cfg(unix)]
async fn asked_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
        }
        Err(_) => {
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}

#[cfg(not(unix))]
async fn asked_to_stop() {
    let _ = tokio::signal::ctrl_c().await;
}

/// Puts in order what an apply left whose machine died.
#[derive(Args)]
pub struct Cleanup {
    #[command(flatten)]
    connection: ConnectionArgs,
    /// What to print: text or json.
    #[arg(short, long, value_name = "KIND", value_enum, default_value = "text")]
    output: Printed,
}

impl Cleanup {
    /// Removes, lets go, takes back, and says what.
    pub fn run(self) -> Result<Verdict> {
        let connection = self.connection.connection();
        let cleaned = block_on(async {
            let client = connect(&connection).await?;
            Ok(cleanup(&client).await?)
        })?;
        let text = match self.output {
            Printed::Json => serde_json::to_string_pretty(&cleaned)? + "\n",
            Printed::Text => {
                let list = |all: &[String]| {
                    if all.is_empty() {
                        "none".to_string()
                    } else {
                        all.join(", ")
                    }
                };
                format!(
                    "policies and webhooks removed: {}\nreplicas taken back: {}\nplans given up: {}\nleft behind: {}\n",
                    cleaned.gates,
                    list(&cleaned.lowered),
                    list(&cleaned.given_up),
                    list(&cleaned.left_behind)
                )
            }
        };
        files::write_text("-", &text)?;
        let clean = cleaned.left_behind.is_empty();
        Ok(if clean {
            Verdict::Holds
        } else {
            Verdict::Fails
        })
    }
}
