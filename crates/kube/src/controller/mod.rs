//! The loop in a cluster: collect, plan, carry out what is worth it, go back
//! from what went wrong and leave that alone for a while.

mod lease;
mod metrics;
mod round;
mod window;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use kube::Client;
use tokio::sync::watch;

use crate::apply::record::Record;
use crate::apply::{ApplyError, ApplyOptions, Start, apply, record};
use lease::Lease;
pub use metrics::{Figures, Metrics};
use round::Round;
pub use window::Window;

/// How the controller works.
#[derive(Clone, Debug)]
pub struct ControllerOptions {
    /// How plans are carried out.
    pub apply: ApplyOptions,
    /// Time between rounds.
    pub interval: Duration,
    /// When changes may be made; `None`: at any time.
    pub window: Option<Window>,
    /// Share of all traffic that a plan must gain to be carried out.
    pub min_gain: f64,
    /// How long services that went wrong are left alone.
    pub leave_alone: Duration,
    /// Seconds of planning.
    pub plan_seconds: f64,
    /// The most pods moved by one plan.
    pub max_moves: Option<u64>,
    /// Where traffic is measured, and seconds to look back; otherwise it is in
    /// the read options.
    pub prometheus: Option<(String, f64)>,
    /// Namespace of the Lease.
    pub namespace: String,
    /// Where metrics are served; `None`: nowhere.
    pub metrics: Option<SocketAddr>,
    /// Plan and say what would be done, and never do it.
    pub dry_run: bool,
    /// One round, then end.
    pub once: bool,
}

/// The PlacementPlan that remembers what to leave alone.
const MEMORY: &str = "bayplan-controller";

/// Prefix of the controller's own plans.
const OWN: &str = "controller-";

/// Works until `stop` turns true.
pub async fn controller(
    client: &Client,
    options: &ControllerOptions,
    mut stop: watch::Receiver<bool>,
    say: &(dyn Fn(&str) + Send + Sync),
) -> Result<(), ApplyError> {
    let metrics = Metrics::default();
    if let Some(address) = options.metrics {
        let served = metrics.clone();
        tokio::spawn(async move {
            if let Err(error) = served.serve(address).await {
                eprintln!("no metrics on {address}: {error}");
            }
        });
    }
    let host = std::env::var("HOSTNAME").unwrap_or_else(|_| "bayplan".into());
    let identity = format!("{host}-{}", std::process::id());
    let mut leads = Lease::new(client, &options.namespace, MEMORY, &identity).keep();
    record::ensure(client).await?;
    loop {
        if !lead(&mut leads, &mut stop).await {
            return Ok(());
        }
        metrics.change(|figures| figures.leads = true);
        say("leading");
        let halt = either(leads.clone(), stop.clone());
        let begin = Instant::now();
        let done = one(client, options, &metrics, &halt, say).await;
        let seconds = begin.elapsed().as_secs_f64();
        metrics.change(|figures| figures.seconds = seconds);
        if let Err(error) = done {
            if options.once {
                return Err(error);
            }
            metrics.plan("Failed");
            say(&format!("this round failed: {error} [{}]", error.code()));
        }
        if options.once || *stop.borrow() {
            return Ok(());
        }
        metrics.change(|figures| figures.leads = *leads.borrow());
        tokio::select! {
            () = tokio::time::sleep(options.interval) => {}
            _ = stop.wait_for(|stop| *stop) => return Ok(()),
        }
    }
}

/// What was left is ended first; then one round.
async fn one(
    client: &Client,
    options: &ControllerOptions,
    metrics: &Metrics,
    halt: &watch::Receiver<bool>,
    say: &(dyn Fn(&str) + Send + Sync),
) -> Result<(), ApplyError> {
    let records = Record::list(client).await?;
    for left in records
        .iter()
        .filter(|r| r.name.starts_with(OWN) && r.state.open())
    {
        say(&format!("going on with {}", left.name));
        let again = ApplyOptions {
            name: Some(left.name.clone()),
            ..options.apply.clone()
        };
        let report = apply(client, Start::Resume, &again, halt.clone(), say).await?;
        metrics.plan(&report.phase);
    }
    Round {
        client,
        options,
        metrics,
        halt,
        say,
    }
    .run()
    .await
}

/// Waits until we lead; false when asked to stop before.
async fn lead(leads: &mut watch::Receiver<bool>, stop: &mut watch::Receiver<bool>) -> bool {
    tokio::select! {
        led = leads.wait_for(|leads| *leads) => led.is_ok(),
        _ = stop.wait_for(|stop| *stop) => false,
    }
}

/// True once we are asked to stop or do not lead any more.
fn either(
    mut leads: watch::Receiver<bool>,
    mut stop: watch::Receiver<bool>,
) -> watch::Receiver<bool> {
    let (send, halt) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = leads.wait_for(|leads| !*leads) => {}
            _ = stop.wait_for(|stop| *stop) => {}
            () = send.closed() => return,
        }
        let _ = send.send(true);
        send.closed().await;
    });
    halt
}
