//! For a machine that died: everything an apply may have left in a cluster.

use std::time::Duration;

use http::Method;
use kube::{Client, ResourceExt};
use serde::Serialize;
use serde_json::json;

use super::api::{JSON_PATCH, MERGE, STRATEGIC, patiently, pod_path};
use super::calls::{released, scale_path, unmarked};
use super::error::ApplyError;
use super::gates;
use super::live::{Live, is_held};
use super::names::COST_BEFORE;
use super::record::Record;
use crate::{SnapshotOptions, snapshot};

/// What was put in order.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Cleaned {
    /// Policies, bindings and webhooks removed.
    pub gates: usize,
    /// Workloads whose replicas were taken back.
    pub lowered: Vec<String>,
    /// PlacementPlans given up.
    pub given_up: Vec<String>,
    /// What could not be put in order; empty when nothing is left.
    pub left_behind: Vec<String>,
}

/// Removes policies and webhooks, takes back replicas, lets held pods go,
/// takes marks off, and gives unfinished PlacementPlans up.
pub async fn cleanup(client: &Client) -> Result<Cleaned, ApplyError> {
    let mut cleaned = Cleaned {
        gates: gates::remove(client).await?,
        ..Cleaned::default()
    };
    let records = match Record::list(client).await {
        Ok(records) => records,
        Err(ApplyError::NoRecord(_)) => Vec::new(),
        Err(error) => return Err(error),
    };
    let open: Vec<Record> = records
        .into_iter()
        .filter(|record| record.state.open())
        .collect();
    if open.iter().any(|record| !record.state.raised.is_empty()) {
        let now = snapshot(client, &SnapshotOptions::default()).await?;
        for record in &open {
            lower(client, &now, record, &mut cleaned).await;
        }
    }
    for mut record in open {
        record.state.phase = "Incomplete".into();
        record.state.message = "given up by cleanup".into();
        record.state.raised.clear();
        let saved = record.save().await;
        saved.map_err(|refusal| refusal.into_error("patch placementplans/status"))?;
        cleaned.given_up.push(record.name.clone());
    }
    let live = Live::start(client).await?;
    cleaned.left_behind.extend(release_all(client, &live).await);
    Ok(cleaned)
}

/// Takes replicas back that the record says are too many.
async fn lower(client: &Client, now: &crate::Snapshot, record: &Record, cleaned: &mut Cleaned) {
    let Some(services) = now.problem().services() else {
        return;
    };
    for (name, raised) in &record.state.raised {
        let service = services.names.find(name).map(bayplan_model::ServiceId);
        let Some(known) = service.and_then(|service| now.workload(service)) else {
            continue;
        };
        let path = scale_path(&known.kind, &known.namespace, &known.name);
        let Ok(scale) = super::api::get(client, &path).await else {
            continue;
        };
        let spec = scale["spec"]["replicas"].as_u64().unwrap_or(0) as u32;
        if spec <= raised.base || spec > raised.most {
            continue;
        }
        let body = json!([
            {"op": "test", "path": "/spec/replicas", "value": spec},
            {"op": "replace", "path": "/spec/replicas", "value": raised.base},
        ]);
        match patiently(client, Method::PATCH, &path, JSON_PATCH, &body).await {
            Ok(_) => cleaned.lowered.push(name.clone()),
            Err(refusal) => cleaned.left_behind.push(format!("{name}: {refusal}")),
        }
    }
}

/// Lets every pod go that our gate holds and takes every mark off, whoever
/// the pods belong to; gives what could not be done.
pub(crate) async fn release_all(client: &Client, live: &Live) -> Vec<String> {
    let mut left = Vec::new();
    for _ in 0..20 {
        left.clear();
        let marked = |pod: &k8s_openapi::api::core::v1::Pod| {
            pod.annotations().contains_key(COST_BEFORE) && pod.metadata.deletion_timestamp.is_none()
        };
        let mut pods = live.held();
        pods.extend(live.pods.state_filter(|pod| marked(pod) && !is_held(pod)));
        if pods.is_empty() {
            return left;
        }
        for pod in pods {
            let (namespace, name) = (pod.namespace().unwrap_or_default(), pod.name_any());
            let id = pod.uid().unwrap_or_default();
            let path = pod_path(&namespace, &name);
            let (content, body) = if is_held(&pod) {
                (STRATEGIC, released(&id))
            } else {
                let before = pod.annotations().get(COST_BEFORE).map(String::as_str);
                (MERGE, unmarked(&id, before))
            };
            match patiently(client, Method::PATCH, &path, content, &body).await {
                Ok(_) => {}
                Err(refusal) if matches!(refusal.code(), Some(404 | 409)) => {}
                Err(refusal) => left.push(format!("{namespace}/{name}: {refusal}")),
            }
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    left
}
