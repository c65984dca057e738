//! Each action of the core as calls to the API server.

use std::time::Duration;

use http::Method;
use kube::Client;
use serde_json::{Value, json};

use super::api::{JSON, JSON_PATCH, MERGE, Refusal, STRATEGIC, call, pod_path};
use super::board::Board;
use super::core::{Action, Outcome};
use super::live::Live;
use super::names::{COST, COST_BEFORE, GATE, HOSTNAME, LOWEST, PINNED};

/// Pauses, in seconds, before a refusal of rights is believed: an API server that has
/// just started refuses everybody until it has read its roles.
const UNTIL_RIGHTS_ARE_READ: [u64; 4] = [1, 2, 4, 8];

/// Takes our gate off.
fn ungate(id: &str) -> Value {
    json!({
        "metadata": {"uid": id},
        "spec": {"schedulingGates": [{"name": GATE, "$patch": "delete"}]},
    })
}

/// A caller of actions.
pub(crate) struct Caller<'a> {
    pub client: &'a Client,
    pub board: &'a Board,
    pub live: &'a Live,
    pub hard: bool,
    /// Asks the server to check everything and do nothing.
    pub dry: bool,
}

impl Caller<'_> {
    /// Carries an action out; `Err` only for what no repetition mends.
    pub async fn perform(&self, action: &Action) -> Result<Outcome, crate::Error> {
        let mut answer = self.attempt(action).await;
        for seconds in UNTIL_RIGHTS_ARE_READ {
            let forbidden = matches!(&answer, Some(Err(refusal)) if refusal.code() == Some(403));
            if self.dry || !forbidden {
                break;
            }
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            answer = self.attempt(action).await;
        }
        answer.map_or(Ok(Outcome::Gone), |answer| outcome(answer, &what(action)))
    }

    /// One try; `None` when the pod is gone.
    async fn attempt(&self, action: &Action) -> Option<Result<(), Refusal>> {
        if let Action::Scale { workload, from, to } = action {
            return Some(self.scale(*workload, *from, *to).await);
        }
        let id = action.pod().unwrap_or_default();
        let (namespace, name, before) = self.board.pods.get(id)?;
        let path = pod_path(namespace, name);
        Some(match action {
            Action::Evict { .. } => self.evict(namespace, name, id).await,
            Action::Steer { node, .. } => self.steer(&path, id, *node).await,
            Action::Release { .. } => self.patch(&path, STRATEGIC, &ungate(id)).await,
            Action::Mark { .. } => self.mark(&path, id).await,
            _ => self.unmark(&path, id, before.as_deref()).await,
        })
    }

    fn path(&self, path: &str) -> String {
        if self.dry {
            format!("{path}?dryRun=All")
        } else {
            path.to_string()
        }
    }

    async fn patch(&self, path: &str, content: &str, body: &Value) -> Result<(), Refusal> {
        let path = self.path(path);
        call(self.client, Method::PATCH, &path, content, body)
            .await
            .map(|_| ())
    }

    async fn evict(&self, namespace: &str, name: &str, id: &str) -> Result<(), Refusal> {
        let mut options = json!({"preconditions": {"uid": id}});
        if self.dry {
            options["dryRun"] = json!(["All"]);
        }
        let body = json!({
            "apiVersion": "policy/v1", "kind": "Eviction",
            "metadata": {"namespace": namespace, "name": name},
            "deleteOptions": options,
        });
        let path = self.path(&format!("{}/eviction", pod_path(namespace, name)));
        call(self.client, Method::POST, &path, JSON, &body)
            .await
            .map(|_| ())
    }

    async fn steer(&self, path: &str, id: &str, node: u32) -> Result<(), Refusal> {
        let name = &self.board.node_names[node as usize];
        let mut body = ungate(id);
        if self.hard {
            let host = self
                .board
                .host(self.live, node)
                .unwrap_or_else(|| name.clone());
            body["metadata"]["annotations"] = json!({PINNED: name});
            body["spec"]["nodeSelector"] = json!({HOSTNAME: host});
        } else {
            let wish = json!({"metadata": {"uid": id}, "status": {"nominatedNodeName": name}});
            self.patch(&format!("{path}/status"), MERGE, &wish).await?;
        }
        self.patch(path, STRATEGIC, &body).await
    }

    async fn mark(&self, path: &str, id: &str) -> Result<(), Refusal> {
        let pod = super::api::get(self.client, path).await?;
        let before = &pod["metadata"]["annotations"][COST];
        let before = before.as_str().unwrap_or_default();
        let body = json!({"metadata": {
            "uid": id, "annotations": {COST: LOWEST, COST_BEFORE: before},
        }});
        self.patch(path, MERGE, &body).await
    }

    async fn unmark(&self, path: &str, id: &str, before: Option<&str>) -> Result<(), Refusal> {
        self.patch(path, MERGE, &unmarked(id, before)).await
    }

    async fn scale(&self, workload: usize, from: u32, to: u32) -> Result<(), Refusal> {
        let known = &self.board.refs[workload];
        let path = scale_path(&known.kind, &known.namespace, &known.name);
        let body = json!([
            {"op": "test", "path": "/spec/replicas", "value": from},
            {"op": "replace", "path": "/spec/replicas", "value": to},
        ]);
        self.patch(&path, JSON_PATCH, &body).await
    }
}

/// The patch that takes a mark off and puts back what was there.
pub(crate) fn unmarked(id: &str, before: Option<&str>) -> Value {
    let cost = before.filter(|before| !before.is_empty());
    json!({"metadata": {"uid": id, "annotations": {COST: cost, COST_BEFORE: null}}})
}

/// The patch that takes our gate off.
pub(crate) fn released(id: &str) -> Value {
    ungate(id)
}

/// Where the number of replicas of a workload is.
pub(crate) fn scale_path(kind: &str, namespace: &str, name: &str) -> String {
    let plural = format!("{}s", kind.to_lowercase());
    format!("/apis/apps/v1/namespaces/{namespace}/{plural}/{name}/scale")
}

fn what(action: &Action) -> String {
    match action {
        Action::Evict { .. } => "evict pods".into(),
        Action::Scale { .. } => "patch the scale of workloads".into(),
        Action::Steer { .. } => "patch pods and their status".into(),
        _ => "patch pods".into(),
    }
}

fn outcome(answer: Result<(), Refusal>, what: &str) -> Result<Outcome, crate::Error> {
    let refusal = match answer {
        Ok(()) => return Ok(Outcome::Done),
        Err(refusal) => refusal,
    };
    match &refusal {
        Refusal::Status { budget: true, .. } => Ok(Outcome::Budget),
        Refusal::Status { code: 404, .. } => Ok(Outcome::Gone),
        // A test that does not hold, a pod of the same name but another id.
        Refusal::Status { code: 422, .. } => Ok(Outcome::Gone),
        Refusal::Status {
            code: 401 | 403, ..
        } => Err(refusal.into_error(what)),
        _ => Ok(Outcome::Unknown),
    }
}
