//! What the controller did, for Prometheus.

use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;

/// The figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Plans by how they ended: (phase, count).
    pub plans: Vec<(String, u64)>,
    /// Pods sent to a node.
    pub moves: u64,
    /// Pods evicted.
    pub evicted: u64,
    /// Share of traffic that stays local.
    pub gained_affinity: Option<f64>,
    /// Nodes with at least one pod that is planned.
    pub nodes: Option<u64>,
    /// Wall seconds of the last round.
    pub seconds: f64,
    /// Whether this one leads.
    pub leads: bool,
}

/// The figures, shared with the server.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Arc<Mutex<Figures>>);

impl Metrics {
    /// Changes figures.
    pub fn change(&self, change: impl FnOnce(&mut Figures)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Counts a plan.
    pub fn plan(&self, phase: &str) {
        self.change(
            |figures| match figures.plans.iter_mut().find(|(p, _)| p == phase) {
                Some((_, count)) => *count += 1,
                None => figures.plans.push((phase.into(), 1)),
            },
        );
    }

    /// In the text format of Prometheus.
    pub fn text(&self) -> String {
        let figures = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut text = String::new();
        let mut head = |name: &str, kind: &str, help: &str, samples: &[(String, f64)]| {
            let _ = writeln!(
                text,
                "# HELP bayplan_{name} {help}\n# TYPE bayplan_{name} {kind}"
            );
            for (labels, value) in samples {
                let _ = writeln!(text, "bayplan_{name}{labels} {value}");
            }
        };
        let one = |value: f64| vec![(String::new(), value)];
        let plans = figures.plans.iter();
        let plans: Vec<_> = plans
            .map(|(phase, count)| (format!("{{phase=\"{phase}\"}}"), *count as f64))
            .collect();
        head("plans_total", "counter", "Plans by how they ended.", &plans);
        head(
            "moves_total",
            "counter",
            "Pods sent to a node.",
            &one(figures.moves as f64),
        );
        let evicted = one(figures.evicted as f64);
        head("pods_evicted_total", "counter", "Pods evicted.", &evicted);
        let gain: Vec<_> = figures.gained_affinity.into_iter().flat_map(one).collect();
        head(
            "gained_affinity_ratio",
            "gauge",
            "Share of traffic that stays on a node.",
            &gain,
        );
        let nodes: Vec<_> = figures
            .nodes
            .into_iter()
            .flat_map(|n| one(n as f64))
            .collect();
        head(
            "nodes_required",
            "gauge",
            "Nodes in use by planned pods.",
            &nodes,
        );
        head(
            "duration_seconds",
            "gauge",
            "Wall seconds of the last round.",
            &one(figures.seconds),
        );
        let leads = one(f64::from(u8::from(figures.leads)));
        head("leader", "gauge", "Whether this process leads.", &leads);
        let version = format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
        head("build_info", "gauge", "The version.", &[(version, 1.0)]);
        text
    }

    /// Serves `/metrics` and `/healthz` until the process ends.
    pub async fn serve(self, address: SocketAddr) -> std::io::Result<()> {
        let listener = TcpListener::bind(address).await?;
        let app = Router::new()
            .route("/metrics", get(move || async move { self.text() }))
            .route("/healthz", get(|| async { "ok\n" }));
        axum::serve(listener, app).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_its_name() {
        let metrics = Metrics::default();
        metrics.plan("Completed");
        metrics.plan("Completed");
        metrics.change(|figures| (figures.moves, figures.gained_affinity) = (7, Some(0.25)));
        let text = metrics.text();
        for line in [
            "bayplan_plans_total{phase=\"Completed\"} 2",
            "bayplan_moves_total 7",
            "bayplan_pods_evicted_total 0",
            "bayplan_gained_affinity_ratio 0.25",
            "bayplan_duration_seconds 0",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
        assert!(text.contains("bayplan_build_info{version="));
    }
}
