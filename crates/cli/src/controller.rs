//! `bayplan controller`: plans now and then, and carries out what is worth it.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result};
use bayplan_kube::connect;
use bayplan_kube::controller::{ControllerOptions, Window, controller};
use clap::Args;

use crate::apply::{CarryArgs, stopped};
use crate::failure::Verdict;
use crate::files;
use crate::live::{ConnectionArgs, block_on};

/// How to watch over a cluster.
#[derive(Args)]
pub struct ControllerArgs {
    /// Share of all traffic that a plan must gain to be carried out.
    #[arg(long, value_name = "SHARE", default_value_t = 0.03)]
    min_gain: f64,
    /// When changes may be made, in UTC; at any time when not given.
    #[arg(long, value_name = "HH:MM-HH:MM")]
    window: Option<String>,
    /// Minutes between rounds.
    #[arg(long, value_name = "MINUTES", default_value_t = 30)]
    every: u64,
    /// Days for which services that went wrong are left alone.
    #[arg(long, value_name = "DAYS", default_value_t = 7)]
    leave_alone_days: u64,
    /// Seconds of planning.
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0)]
    time: f64,
    /// The most pods that one plan may move.
    #[arg(long, value_name = "N")]
    max_moves: Option<u64>,
    /// A Prometheus that knows the traffic of a mesh (Istio, Linkerd, Hubble).
    #[arg(long, value_name = "URL", conflicts_with = "traffic")]
    prometheus: Option<String>,
    /// Hours of traffic to look back.
    #[arg(long, value_name = "HOURS", default_value_t = 24.0)]
    lookback_hours: f64,
    /// Namespace of the Lease that decides who leads; that of the pod when not given.
    #[arg(long, value_name = "NAME")]
    lease_namespace: Option<String>,
    /// Where metrics are served, such as 0.0.0.0:9090.
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<SocketAddr>,
    /// Let pods of stateful sets move too.
    #[arg(long)]
    move_stateful: bool,
    /// Plan and say what would be done, and never do it.
    #[arg(long)]
    dry_run: bool,
    /// One round, then end.
    #[arg(long)]
    once: bool,
    /// Print the definition of the PlacementPlan resource, and end.
    #[arg(long)]
    print_crd: bool,
    #[command(flatten)]
    carry: CarryArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

impl ControllerArgs {
    /// Works until it is stopped.
    pub fn run(self) -> Result<Verdict> {
        if self.print_crd {
            let text = serde_json::to_string_pretty(&bayplan_kube::crd::definition())? + "\n";
            files::write_text("-", &text)?;
            return Ok(Verdict::Holds);
        }
        anyhow::ensure!(
            (0.0..=1.0).contains(&self.min_gain),
            "--min-gain: a share from 0 to 1, not {}",
            self.min_gain
        );
        anyhow::ensure!(
            self.time.is_finite() && self.time > 0.0,
            "--time: seconds above 0, not {}",
            self.time
        );
        let window = self.window.as_deref().map(|text| {
            Window::parse(text).with_context(|| format!("--window: {text:?} is not HH:MM-HH:MM"))
        });
        let options = ControllerOptions {
            apply: self.carry.options(None)?,
            move_stateful: self.move_stateful,
            interval: Duration::from_secs(self.every.clamp(1, 100_000) * 60),
            window: window.transpose()?,
            min_gain: self.min_gain,
            leave_alone: Duration::from_secs(self.leave_alone_days.min(10_000) * 86_400),
            plan_seconds: self.time,
            max_moves: self.max_moves,
            prometheus: self
                .prometheus
                .map(|url| (url, self.lookback_hours * 3600.0)),
            namespace: self
                .lease_namespace
                .or_else(|| std::env::var("POD_NAMESPACE").ok())
                .unwrap_or_else(|| "default".into()),
            metrics: self.metrics,
            dry_run: self.dry_run,
            once: self.once,
        };
        block_on(async {
            let client = connect(&self.connection.connection()).await?;
            let say = |text: &str| eprintln!("{text}");
            Ok(controller(&client, &options, stopped(), &say).await?)
        })?;
        Ok(Verdict::Holds)
    }
}
