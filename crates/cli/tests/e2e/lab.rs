//! What a test stands on: a running cluster, an administrator's client, a place for files.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use http::{Method, Request};
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::{Api, ListParams};
use kube::{Client, ResourceExt};
use serde_json::Value;

use crate::control_plane::ControlPlane;
use crate::workload::Workload;

/// Two clusters at once would only make both slow.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// How long the cluster may take to come to rest on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// A cluster of a test's own.
pub struct Lab {
    pub plane: ControlPlane,
    pub admin: Client,
    _turn: MutexGuard<'static, ()>,
}

/// Runs a test on a cluster of its own. Without a control plane the test is skipped, loudly,
/// and only where no `CI` is set.
pub fn with_lab(name: &str, test: impl AsyncFnOnce(Lab)) {
    let turn = ONE_AT_A_TIME
        .lock()
        .unwrap_or_else(|broken| broken.into_inner());
    let Some(binaries) = ControlPlane::binaries() else {
        assert!(
            std::env::var_os("CI").is_none(),
            "no control plane: run scripts/control-plane.sh before the tests"
        );
        // Not by a macro: those are silent in a test that passes.
        let notice = "no control plane; `./task e2e` builds it and runs this test";
        let notice = format!("SKIPPED {name}: {notice}\n");
        std::io::stderr().write_all(notice.as_bytes()).unwrap();
        return;
    };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("e2e-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let begin = Instant::now();
        let plane = ControlPlane::start(binaries, folder).await;
        let admin = plane.client("admin").await;
        eprintln!(
            "{name}: control plane after {:.1} s",
            begin.elapsed().as_secs_f64()
        );
        test(Lab {
            plane,
            admin,
            _turn: turn,
        })
        .await;
        eprintln!("{name}: {:.1} s", begin.elapsed().as_secs_f64());
    });
}

impl Lab {
    /// Creates the workload and waits until all of it runs.
    pub async fn populate(&self, workload: &Workload) {
        for (path, object) in workload.objects() {
            self.create(&path, &object).await;
        }
        self.settled(workload).await;
    }

    /// Creates an object in the collection at `path`.
    pub async fn create(&self, path: &str, object: &Value) {
        let answer: Result<Value, _> = self
            .admin
            .request(request(Method::POST, path, object))
            .await;
        answer.unwrap_or_else(|error| panic!("{path}: {error}\n{object}"));
    }

    /// Changes an object by a merge patch.
    pub async fn patch(&self, path: &str, change: &Value) {
        let mut request = request(Method::PATCH, path, change);
        let kind = "application/merge-patch+json".parse().unwrap();
        request
            .headers_mut()
            .insert(http::header::CONTENT_TYPE, kind);
        let answer: Result<Value, _> = self.admin.request(request).await;
        answer.unwrap_or_else(|error| panic!("{path}: {error}"));
    }

    /// Deletes what is at `path`.
    pub async fn delete(&self, path: &str) {
        let request = Request::delete(path).body(Vec::new()).unwrap();
        let answer: Result<Value, _> = self.admin.request(request).await;
        answer.unwrap_or_else(|error| panic!("{path}: {error}"));
    }

    /// What a GET of `path` says.
    pub async fn get(&self, path: &str) -> Value {
        let request = Request::get(path).body(Vec::new()).unwrap();
        self.admin
            .request(request)
            .await
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The same, or `None` where there is nothing.
    pub async fn try_get(&self, path: &str) -> Option<Value> {
        let request = Request::get(path).body(Vec::new()).unwrap();
        match self.admin.request(request).await {
            Ok(value) => Some(value),
            Err(kube::Error::Api(status)) if status.code == 404 => None,
            Err(error) => panic!("{path}: {error}"),
        }
    }

    /// Waits until every app has its replicas, all Ready and none on the way out, and every
    /// node its DaemonSets.
    pub async fn settled(&self, workload: &Workload) {
        let wanted: u32 = workload.apps.iter().map(|app| app.replicas).sum();
        let nodes = self.nodes().await;
        let tainted = nodes.iter().filter(|node| is_dedicated(node)).count();
        let wanted = wanted as usize + 2 * nodes.len() - tainted;
        self.until("all pods run", async || {
            let pods = self.pods().await;
            let ready = pods.iter().filter(|pod| is_ready(pod)).count();
            (ready == wanted && pods.len() == wanted)
                .then_some(())
                .ok_or(format!(
                    "{ready} of {} pods ready, {wanted} wanted",
                    pods.len()
                ))
        })
        .await;
    }

    /// Waits until `test` is content; panics with its last complaint.
    pub async fn until<T>(&self, what: &str, test: impl AsyncFn() -> Result<T, String>) -> T {
        let begin = Instant::now();
        loop {
            match test().await {
                Ok(value) => return value,
                Err(reason) if begin.elapsed() > PATIENCE => panic!("never: {what}: {reason}"),
                Err(_) => tokio::time::sleep(Duration::from_millis(250)).await,
            }
        }
    }

    /// All pods.
    pub async fn pods(&self) -> Vec<Pod> {
        let api = Api::<Pod>::all(self.admin.clone());
        api.list(&ListParams::default()).await.unwrap().items
    }

    /// All nodes.
    pub async fn nodes(&self) -> Vec<Node> {
        let api = Api::<Node>::all(self.admin.clone());
        api.list(&ListParams::default()).await.unwrap().items
    }
}

fn request(method: Method, path: &str, body: &Value) -> Request<Vec<u8>> {
    Request::builder()
        .method(method)
        .uri(path)
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(serde_json::to_vec(body).unwrap())
        .unwrap()
}

/// Ready, and nobody has asked it to go.
pub fn is_ready(pod: &Pod) -> bool {
    let conditions = pod
        .status
        .iter()
        .flat_map(|status| status.conditions.iter().flatten());
    pod.metadata.deletion_timestamp.is_none()
        && conditions
            .into_iter()
            .any(|c| c.type_ == "Ready" && c.status == "True")
}

/// `namespace/app` of a pod of a Deployment.
pub fn app_of(pod: &Pod) -> Option<String> {
    let app = pod.labels().get("app")?;
    Some(format!("{}/{app}", pod.namespace()?))
}

/// Only one of the two DaemonSets runs there.
fn is_dedicated(node: &Node) -> bool {
    let taints = node
        .spec
        .iter()
        .flat_map(|spec| spec.taints.iter().flatten());
    taints.into_iter().any(|taint| taint.key == "dedicated")
}
