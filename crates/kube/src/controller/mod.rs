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

use crate::apply::{ApplyError, ApplyOptions, record};
use lease::Lease;
pub use metrics::{Figures, Metrics};
use round::Round;
pub use window::Window;

/// How the controller works.
#[derive(Clone, Debug)]
pub struct ControllerOptions {
    /// How plans are carried out.
    pub apply: ApplyOptions,
    /// Whether pods of stateful sets may be planned.
    pub move_stateful: bool,
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
    let lease = Lease::new(client, &options.namespace, MEMORY, &identity).keep();
    tokio::spawn(show_leadership(lease.leads.clone(), metrics.clone()));
    let mut leads = lease.leads.clone();
    let done = rounds(client, options, &metrics, &mut leads, &mut stop, say).await;
    lease.give_back().await;
    done
}

async fn rounds(
    client: &Client,
    options: &ControllerOptions,
    metrics: &Metrics,
    leads: &mut watch::Receiver<bool>,
    stop: &mut watch::Receiver<bool>,
    say: &(dyn Fn(&str) + Send + Sync),
) -> Result<(), ApplyError> {
    record::ensure(client).await?;
    loop {
        if !lead(leads, stop).await {
            return Ok(());
        }
        say("leading");
        let open = options.open();
        let round = Round {
            client,
            options,
            metrics,
            halt: &halted(leads.clone(), stop.clone(), open),
            allowed: open.is_some(),
            say,
        };
        let begin = Instant::now();
        let done = round.run().await;
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
        tokio::select! {
            () = tokio::time::sleep(options.interval) => {}
            _ = stop.wait_for(|stop| *stop) => return Ok(()),
        }
    }
}

impl ControllerOptions {
    /// For how long changes may be made from now on; `None`: not now.
    fn open(&self) -> Option<Duration> {
        match self.window {
            _ if self.dry_run => None,
            Some(window) => window.left(crate::clock::now()),
            None => Some(Duration::MAX),
        }
    }
}

async fn show_leadership(mut leads: watch::Receiver<bool>, metrics: Metrics) {
    loop {
        let now = *leads.borrow_and_update();
        metrics.change(|figures| figures.leads = now);
        if leads.changed().await.is_err() {
            return;
        }
    }
}

/// Waits until we lead; false when asked to stop before.
async fn lead(leads: &mut watch::Receiver<bool>, stop: &mut watch::Receiver<bool>) -> bool {
    tokio::select! {
        led = leads.wait_for(|leads| *leads) => led.is_ok(),
        _ = stop.wait_for(|stop| *stop) => false,
    }
}

/// True once we are asked to stop, do not lead any more, or the window that
/// is `open` for so long closes.
fn halted(
    mut leads: watch::Receiver<bool>,
    mut stop: watch::Receiver<bool>,
    open: Option<Duration>,
) -> watch::Receiver<bool> {
    let (send, halt) = watch::channel(open.is_none());
    tokio::spawn(async move {
        let closing = tokio::time::sleep(open.unwrap_or(Duration::MAX));
        tokio::select! {
            _ = leads.wait_for(|leads| !*leads) => {}
            _ = stop.wait_for(|stop| *stop) => {}
            () = closing => {}
            () = send.closed() => return,
        }
        let _ = send.send(true);
        send.closed().await;
    });
    halt
}
