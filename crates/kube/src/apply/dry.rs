//! A dry run: the waves, and whether the server would take each kind of call.

use bayplan_model::WaveKind;
use http::Method;
use kube::Client;
use serde::Serialize;
use serde_json::{Value, json};

use super::api::{JSON, JSON_PATCH, MERGE, Refusal, call, pod_path};
use super::calls::scale_path;
use super::carry::{ApplyOptions, read};
use super::error::ApplyError;
use super::gates::GateKind;
use super::job::{check_plan, first_job, gain_at};
use super::names::{COST_BEFORE, GROUP, PLURAL, VERSION};
use crate::Snapshot;

/// Lines shown of a wave.
const SHOWN: usize = 12;

/// What would be done.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DryRun {
    /// The waves: what each starts or stops.
    pub waves: Vec<Vec<String>>,
    /// Pods that would be started and stopped.
    pub started: u64,
    /// Pods that would be stopped.
    pub stopped: u64,
    /// Share of traffic that stays local now; absent without traffic.
    pub gained_affinity_before: Option<f64>,
    /// The share the plan promises.
    pub gained_affinity_promised: Option<f64>,
    /// Each kind of call with the server's objection, if it has one.
    pub calls: Vec<(String, Option<String>)>,
}

impl DryRun {
    /// Whether the server would take every kind of call.
    pub fn holds(&self) -> bool {
        self.calls.iter().all(|(_, objection)| objection.is_none())
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut lines = Vec::new();
        for (at, wave) in self.waves.iter().enumerate() {
            lines.push(format!("wave {}: {} moves", at + 1, wave.len()));
            lines.extend(wave.iter().take(SHOWN).map(|line| format!("  {line}")));
            if wave.len() > SHOWN {
                lines.push(format!("  and {} more", wave.len() - SHOWN));
            }
        }
        lines.push(format!(
            "{} pods to start, {} to stop",
            self.started, self.stopped
        ));
        if let (Some(before), Some(promised)) =
            (self.gained_affinity_before, self.gained_affinity_promised)
        {
            let (before, promised) = (before * 100.0, promised * 100.0);
            lines.push(format!(
                "local traffic {before:.2} % now, {promised:.2} % then"
            ));
        }
        for (what, objection) in &self.calls {
            let said = objection.as_deref().unwrap_or("the server would take it");
            lines.push(format!("{what}: {said}"));
        }
        lines.push("dry run: nothing was changed; --dry-run=none carries it out".into());
        lines.join("\n") + "\n"
    }
}

/// Checks a plan and asks the server about each kind of call (`server`), or
/// only prints (`client`).
pub async fn dry_run(
    client: &Client,
    plan: &[u8],
    options: &ApplyOptions,
    server: bool,
) -> Result<DryRun, ApplyError> {
    let snapshot = read(client, options).await?;
    let checked = check_plan(plan, &snapshot, options.alive)?;
    first_job(&snapshot, &checked, options.alive)?;
    let mut dry = DryRun {
        gained_affinity_before: bayplan_verify::check_current(
            snapshot.problem(),
            &Default::default(),
        )
        .figures
        .gained_affinity,
        gained_affinity_promised: gain_at(&snapshot, &checked.target),
        ..DryRun::default()
    };
    let Some(services) = snapshot.problem().services() else {
        return Ok(dry);
    };
    let nodes = &snapshot.problem().cluster().nodes;
    for wave in &checked.plan.waves {
        let (verb, sum) = match wave.kind {
            WaveKind::Create => ("start", &mut dry.started),
            WaveKind::Delete => ("stop", &mut dry.stopped),
        };
        let line = |step: &bayplan_model::Move| {
            let name = services.names.get(step.service.index());
            format!(
                "{verb} {} of {name} on {}",
                step.count,
                nodes[step.node.index()].name
            )
        };
        *sum += wave
            .moves
            .iter()
            .map(|step| u64::from(step.count))
            .sum::<u64>();
        dry.waves.push(wave.moves.iter().map(line).collect());
    }
    let moved = checked
        .plan
        .waves
        .iter()
        .flat_map(|wave| &wave.moves)
        .next();
    if let Some(step) = moved.filter(|_| server) {
        dry.calls = ask(client, &snapshot, step.service, options).await;
    }
    Ok(dry)
}

/// Each kind of call, as a dry run of the server's own.
async fn ask(
    client: &Client,
    snapshot: &Snapshot,
    service: bayplan_model::ServiceId,
    options: &ApplyOptions,
) -> Vec<(String, Option<String>)> {
    let mut calls = Vec::new();
    let plan = json!({
        "apiVersion": format!("{GROUP}/{VERSION}"), "kind": "PlacementPlan",
        "metadata": {"name": "bayplan-dry-run"}, "spec": {},
    });
    let path = format!("/apis/{GROUP}/{VERSION}/{PLURAL}?dryRun=All");
    let said = call(client, Method::POST, &path, JSON, &plan).await;
    // Without the resource the apply would try to install it first.
    let said = match said {
        Err(refusal) if refusal.code() == Some(404) => {
            let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
            call(client, Method::POST, path, JSON, &crate::crd::definition()).await
        }
        other => other,
    };
    calls.push(("keep the state in a PlacementPlan".into(), objection(said)));
    let (kind, plural) = match options.gates {
        Some(GateKind::Webhook) => (
            "MutatingWebhookConfiguration",
            "mutatingwebhookconfigurations",
        ),
        _ => (
            "MutatingAdmissionPolicyBinding",
            "mutatingadmissionpolicybindings",
        ),
    };
    let mut body = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
        "metadata": {"name": "bayplan-dry-run"},
    });
    if options.gates != Some(GateKind::Webhook) {
        body["spec"] = json!({"policyName": "bayplan-dry-run"});
    }
    let path = format!("/apis/admissionregistration.k8s.io/v1/{plural}?dryRun=All");
    let said = call(client, Method::POST, &path, JSON, &body).await;
    calls.push((format!("install gates by {kind}"), objection(said)));
    if let Some(pod) = snapshot.pods(service).first() {
        let path = pod_path(&pod.namespace, &pod.name);
        let body = json!({
            "apiVersion": "policy/v1", "kind": "Eviction",
            "metadata": {"namespace": pod.namespace, "name": pod.name},
            "deleteOptions": {"dryRun": ["All"]},
        });
        let evict = format!("{path}/eviction?dryRun=All");
        let said = match call(client, Method::POST, &evict, JSON, &body).await {
            // A budget that says "not now" is no objection to evicting as such.
            Err(Refusal::Status { budget: true, .. }) => Ok(Value::Null),
            other => other,
        };
        calls.push(("evict pods".into(), objection(said)));
        let mark = json!({"metadata": {"annotations": {COST_BEFORE: ""}}});
        let path_dry = format!("{path}?dryRun=All");
        let said = call(client, Method::PATCH, &path_dry, MERGE, &mark).await;
        calls.push(("patch pods".into(), objection(said)));
        let status = format!("{path}/status?dryRun=All");
        let said = call(
            client,
            Method::PATCH,
            &status,
            MERGE,
            &json!({"status": {}}),
        )
        .await;
        calls.push(("patch the status of pods".into(), objection(said)));
    }
    if let Some(known) = snapshot.workload(service) {
        let path = scale_path(&known.kind, &known.namespace, &known.name);
        let body = json!([{"op": "test", "path": "/kind", "value": "Scale"}]);
        let path = format!("{path}?dryRun=All");
        let said = call(client, Method::PATCH, &path, JSON_PATCH, &body).await;
        calls.push(("change the number of replicas".into(), objection(said)));
    }
    calls
}

fn objection(answer: Result<Value, Refusal>) -> Option<String> {
    answer.err().map(|refusal| refusal.to_string())
}
