//! Leadership by a Lease: of several controllers one acts.

use std::time::{Duration, Instant};

use http::Method;
use k8s_openapi::jiff::Timestamp;
use kube::Client;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::apply::api::{JSON, Refusal, call};

/// Seconds after which a leader that says nothing has lost.
const LASTS: u64 = 20;

/// Time between renewals.
const RENEW: Duration = Duration::from_secs(5);

/// The lease of this process.
#[derive(Clone)]
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

/// A lease that is renewed.
pub(super) struct Kept {
    lease: Lease,
    /// Whether we lead.
    pub leads: watch::Receiver<bool>,
    task: JoinHandle<()>,
}

impl Kept {
    /// Lets another one lead at once.
    pub async fn give_back(self) {
        self.task.abort();
        // A renewal on its way must not come after what we say.
        let _ = self.task.await;
        let lease = self.lease;
        let Ok(found) = lease.get().await else {
            return;
        };
        if found["spec"]["holderIdentity"].as_str() == Some(&lease.identity) {
            let mut body = found;
            body["spec"]["holderIdentity"] = "".into();
            // Whoever does not hear of it waits until the lease runs out.
            let _ = call(&lease.client, Method::PUT, &lease.own(), JSON, &body).await;
        }
    }
}

impl Lease {
    fn own(&self) -> String {
        format!("{}/{}", self.path, self.name)
    }

    async fn get(&self) -> Result<Value, Refusal> {
        call(&self.client, Method::GET, &self.own(), JSON, &Value::Null).await
    }

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

    /// Renews until it is given back.
    pub fn keep(self) -> Kept {
        let (send, leads) = watch::channel(false);
        let mut lease = self.clone();
        let task = tokio::spawn(async move {
            let mut renewed: Option<Instant> = None;
            loop {
                match lease.renew().await {
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
        Kept {
            lease: self,
            leads,
            task,
        }
    }

    /// `Some` says who leads; `None`: nobody knows.
    async fn renew(&mut self) -> Option<bool> {
        match self.get().await {
            Err(refusal) if refusal.code() == Some(404) => {
                let body = self.body(0, None);
                let made = call(&self.client, Method::POST, &self.path, JSON, &body).await;
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
                let (transitions, since) = if holder == self.identity {
                    (transitions, lease["spec"]["acquireTime"].as_str())
                } else {
                    (transitions + 1, None)
                };
                let mut body = self.body(transitions, since);
                // Whoever was faster wins.
                body["metadata"]["resourceVersion"] = lease["metadata"]["resourceVersion"].clone();
                match call(&self.client, Method::PUT, &self.own(), JSON, &body).await {
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

    fn body(&self, transitions: u64, since: Option<&str>) -> Value {
        let now = format!("{:.6}", Timestamp::now());
        let since = since.unwrap_or(&now);
        json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"name": self.name, "namespace": self.namespace},
            "spec": {
                "holderIdentity": self.identity, "leaseDurationSeconds": LASTS,
                "acquireTime": since, "renewTime": now, "leaseTransitions": transitions,
            },
        })
    }
}
