//! Leadership by a Lease: of several controllers one acts.

use std::time::{Duration, Instant};

use http::Method;
use k8s_openapi::jiff::Timestamp;
use kube::Client;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::apply::api::{JSON, call};

/// Seconds after which a leader that says nothing has lost.
const LASTS: u64 = 20;

/// Time between renewals.
const RENEW: Duration = Duration::from_secs(5);

/// The lease of this process.
pub(super) struct Lease {
    client: Client,
    path: String,
    name: String,
    namespace: String,
    identity: String,
    /// The holder's last renewal as it was written, and when we first saw it:
    /// clocks of two machines need not agree.
    seen: Option<(String, Instant)>,
}

impl Lease {
    pub fn new(client: &Client, namespace: &str, name: &str, identity: &str) -> Self {
        let path = format!("/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases");
        Self {
            client: client.clone(),
            path,
            name: name.into(),
            namespace: namespace.into(),
            identity: identity.into(),
            seen: None,
        }
    }

    /// Renews for ever; the receiver says whether we lead.
    pub fn keep(mut self) -> watch::Receiver<bool> {
        let (send, leads) = watch::channel(false);
        tokio::spawn(async move {
            let mut renewed: Option<Instant> = None;
            loop {
                match self.renew().await {
                    Some(true) => renewed = Some(Instant::now()),
                    Some(false) => renewed = None,
                    // No answer: we lead as long as nobody else may.
                    None => {}
                }
                let fresh =
                    renewed.is_some_and(|at| at.elapsed() + RENEW < Duration::from_secs(LASTS));
                let changed = *send.borrow() != fresh;
                if changed && send.send(fresh).is_err() {
                    return;
                }
                tokio::time::sleep(RENEW).await;
            }
        });
        leads
    }

    /// `Some` says who leads; `None`: nobody knows.
    async fn renew(&mut self) -> Option<bool> {
        let own = format!("{}/{}", self.path, self.name);
        match call(&self.client, Method::GET, &own, JSON, &Value::Null).await {
            Err(refusal) if refusal.code() == Some(404) => {
                let made = call(&self.client, Method::POST, &self.path, JSON, &self.body(0)).await;
                match made {
                    Ok(_) => Some(true),
                    Err(refusal) => refusal.code().map(|_| false),
                }
            }
            Err(_) => None,
            Ok(lease) => {
                let holder = lease["spec"]["holderIdentity"].as_str().unwrap_or_default();
                let transitions = lease["spec"]["leaseTransitions"].as_u64().unwrap_or(0);
                if holder != self.identity && !holder.is_empty() && !self.expired(&lease) {
                    return Some(false);
                }
                let taken = u64::from(holder != self.identity);
                let mut body = self.body(transitions + taken);
                // Whoever was faster wins.
                body["metadata"]["resourceVersion"] = lease["metadata"]["resourceVersion"].clone();
                match call(&self.client, Method::PUT, &own, JSON, &body).await {
                    Ok(_) => Some(true),
                    Err(refusal) if refusal.code() == Some(409) => Some(false),
                    Err(_) => None,
                }
            }
        }
    }

    fn expired(&mut self, lease: &Value) -> bool {
        let renewed = lease["spec"]["renewTime"]
            .as_str()
            .unwrap_or_default()
            .to_string();
        let lasts = lease["spec"]["leaseDurationSeconds"]
            .as_u64()
            .unwrap_or(LASTS);
        match &self.seen {
            Some((known, at)) if *known == renewed => at.elapsed() > Duration::from_secs(lasts),
            _ => {
                self.seen = Some((renewed, Instant::now()));
                false
            }
        }
    }

    fn body(&self, transitions: u64) -> Value {
        let now = format!("{:.6}", Timestamp::now());
        json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"name": self.name, "namespace": self.namespace},
            "spec": {
                "holderIdentity": self.identity, "leaseDurationSeconds": LASTS,
                "renewTime": now, "leaseTransitions": transitions,
            },
        })
    }
}
