//! Holding replacements: a scheduling gate on every new pod of the workloads
//! concerned, put there by an admission policy or a webhook that exists only
//! while a plan is carried out.

mod policy;
mod webhook;

use std::time::Duration;

use http::Method;
use kube::Client;
use serde_json::{Value, json};

use super::api::{JSON, Refusal, call, delete, get};
use super::error::ApplyError;
use super::names::{GATES, GROUP, PART, PLURAL, VERSION};

pub use webhook::Address;

/// Where policies and webhooks are.
const ADMISSION: &str = "/apis/admissionregistration.k8s.io/v1";

/// What we create there, in the order it is removed.
const KINDS: [&str; 3] = [
    "mutatingadmissionpolicybindings",
    "mutatingadmissionpolicies",
    "mutatingwebhookconfigurations",
];

/// What the probe carries once gates are put on.
const PROBED: &str = "bayplan.dev/probed";

/// Who puts the gates on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateKind {
    /// A MutatingAdmissionPolicy: nothing of ours has to be reachable.
    Policy,
    /// A webhook that this process serves.
    Webhook,
}

/// Gates that are installed.
pub(crate) struct Gates {
    /// Dropping it ends the server.
    _server: Option<webhook::Server>,
}

/// The pods concerned: their owners and the namespaces of these.
pub(crate) struct Scope {
    pub owners: Vec<String>,
    pub namespaces: Vec<String>,
}

impl Scope {
    /// Says in CEL whether an object is a pod of one of these owners.
    fn condition(owners: &[String]) -> String {
        let list: Vec<String> = owners.iter().map(|id| format!("'{id}'")).collect();
        format!(
            "has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o, \
             has(o.controller) && o.controller && o.uid in [{}]) && \
             (!has(object.spec.nodeName) || object.spec.nodeName == '')",
            list.join(", ")
        )
    }

    fn namespace_selector(&self) -> Value {
        json!({"matchExpressions": [{
            "key": "kubernetes.io/metadata.name", "operator": "In", "values": self.namespaces,
        }]})
    }
}

/// Labels of everything we create.
fn labels() -> Value {
    json!({PART: GATES, "app.kubernetes.io/managed-by": "bayplan"})
}

/// Installs gates and waits until they work.
pub(crate) async fn install(
    client: &Client,
    scope: &Scope,
    wanted: Option<GateKind>,
    address: &Address,
) -> Result<Gates, ApplyError> {
    let kind = match wanted {
        Some(kind) => kind,
        None => best(client).await?,
    };
    let refused = |refusal: Refusal| ApplyError::NoGates(format!("the API server says {refusal}"));
    let server = match kind {
        GateKind::Policy => {
            policy::install(client, scope).await.map_err(refused)?;
            None
        }
        GateKind::Webhook => Some(webhook::install(client, scope, address).await?),
    };
    probe(client).await?;
    Ok(Gates { _server: server })
}

/// Policies where the server has them.
async fn best(client: &Client) -> Result<GateKind, ApplyError> {
    let list = get(client, ADMISSION).await;
    let list = list.map_err(|refusal| refusal.into_error("read the API's resources"))?;
    let names = list["resources"].as_array().into_iter().flatten();
    let has = names
        .into_iter()
        .any(|resource| resource["name"] == KINDS[1]);
    Ok(if has {
        GateKind::Policy
    } else {
        GateKind::Webhook
    })
}

/// A policy takes a moment to take effect. The last one we create changes a
/// PlacementPlan that is created as a dry run; once it does, those before it
/// work too, since a server learns of them in order.
async fn probe(client: &Client) -> Result<(), ApplyError> {
    let path = format!("/apis/{GROUP}/{VERSION}/{PLURAL}?dryRun=All");
    let body = json!({
        "apiVersion": format!("{GROUP}/{VERSION}"), "kind": "PlacementPlan",
        "metadata": {"name": "bayplan-probe"}, "spec": {},
    });
    let mut said = String::from("the probe is not changed");
    for _ in 0..240 {
        match call(client, Method::POST, &path, JSON, &body).await {
            Ok(made) if made["metadata"]["annotations"][PROBED].is_string() => {
                // Other servers of the same cluster may be a little behind.
                tokio::time::sleep(Duration::from_millis(500)).await;
                return Ok(());
            }
            Ok(_) => {}
            Err(refusal) => said = refusal.to_string(),
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    Err(ApplyError::NoGates(format!(
        "no effect after a minute: {said}"
    )))
}

/// Removes every policy, binding and webhook of ours, whoever made it; gives
/// the number removed.
pub(crate) async fn remove(client: &Client) -> Result<usize, ApplyError> {
    let mut removed = 0;
    for kind in KINDS {
        let list = get(
            client,
            &format!("{ADMISSION}/{kind}?labelSelector={PART}%3D{GATES}"),
        )
        .await;
        let list = match list {
            Ok(list) => list,
            // A server without policies has none of ours.
            Err(refusal) if refusal.code() == Some(404) => continue,
            Err(refusal) => return Err(refusal.into_error(&format!("list {kind}")).into()),
        };
        for item in list["items"].as_array().into_iter().flatten() {
            let name = item["metadata"]["name"].as_str().unwrap_or_default();
            let gone = delete(client, &format!("{ADMISSION}/{kind}/{name}")).await;
            gone.map_err(|refusal| refusal.into_error(&format!("delete {kind}")))?;
            removed += 1;
        }
    }
    Ok(removed)
}
