//! A proxy before the API server that answers some calls with an error of its own, or holds
//! changes back from a chosen one on.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use kube::Client;
use kube::client::Body;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::json;
use std::sync::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::command::Running;
use crate::lab::PATIENCE;

/// Listens until dropped.
pub struct FaultProxy {
    address: String,
    gate: Arc<Gate>,
    task: JoinHandle<()>,
}

struct Gate {
    /// Sends requests on as they come: whoever asks brings their own token.
    client: Client,
    random: Mutex<Xoshiro256PlusPlus>,
    /// Of a thousand calls so many fail.
    per_mille: u32,
    calls: AtomicUsize,
    failed: AtomicUsize,
    brake: watch::Sender<Brake>,
}

/// Where changes stop.
#[derive(Clone, Copy, Default)]
struct Brake {
    at: At,
    /// Only changes whose path contains this are counted.
    path: &'static str,
    /// How often it was set: what an earlier setting held belongs to a process that died.
    set: usize,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum At {
    /// Nowhere.
    #[default]
    Off,
    /// After so many more.
    After(usize, Held),
    /// The one to be held is on its way; all others wait.
    Closing,
    /// Here: all that come now wait.
    On,
}

/// What becomes of the change that the brake stops.
#[derive(Clone, Copy, PartialEq)]
pub enum Held {
    /// It is done, and its answer kept back.
    Done,
    /// It has not reached the server.
    Undone,
}

impl FaultProxy {
    /// Of a thousand calls `per_mille` fail, which of them depends on the seed.
    pub async fn start(client: Client, per_mille: u32, seed: u64) -> Self {
        let gate = Arc::new(Gate {
            client,
            random: Mutex::new(Xoshiro256PlusPlus::seed_from_u64(seed)),
            per_mille,
            calls: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
            brake: watch::Sender::default(),
        });
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let task = tokio::spawn(listen(listener, gate.clone()));
        Self {
            address,
            gate,
            task,
        }
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Lets `changes` through, then holds the next and all that follow. What is held already
    /// never arrives.
    pub fn hold_after(&self, changes: usize, held: Held) {
        self.set("", changes, held);
    }

    /// The same, counting only changes whose path contains `path`.
    pub fn hold_at(&self, path: &'static str, changes: usize) {
        self.set(path, changes, Held::Undone);
    }

    fn set(&self, path: &'static str, changes: usize, held: Held) {
        self.gate.brake.send_modify(|brake| {
            brake.at = At::After(changes, held);
            brake.path = path;
            brake.set += 1;
        });
    }

    /// Waits until a change of the process is held; it must not have ended before.
    pub async fn holding(&self, process: &mut Running) {
        let begin = Instant::now();
        while self.gate.brake.borrow().at != At::On {
            let (runs, patient) = (process.runs(), begin.elapsed() < PATIENCE);
            assert!(runs && patient, "not held: {}", process.err());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Lets everything through again, also what is held.
    pub fn let_go(&self) {
        self.gate.brake.send_modify(|brake| brake.at = At::Off);
    }

    /// Calls seen and calls failed on purpose.
    pub fn counts(&self) -> (usize, usize) {
        let read = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        (read(&self.gate.calls), read(&self.gate.failed))
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen(listener: TcpListener, gate: Arc<Gate>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        tokio::spawn(converse(stream, gate.clone()));
    }
}

async fn converse(stream: TcpStream, gate: Arc<Gate>) {
    let service = service_fn(move |request| {
        let gate = gate.clone();
        async move { Ok::<_, Infallible>(gate.answer(request).await) }
    });
    // A broken connection is the client's affair: it will come again.
    let _ = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

impl Gate {
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if let Some(fault) = self.fault(request.method()) {
            self.failed.fetch_add(1, Ordering::Relaxed);
            return fault;
        }
        let (parts, body) = request.into_parts();
        let Ok(body) = body.collect().await else {
            return refusal(StatusCode::BAD_REQUEST, "BadRequest");
        };
        let changes = parts.method != Method::GET;
        let path = parts.uri.path().to_string();
        let request = Request::from_parts(parts, Body::from(body.to_bytes().to_vec()));
        if !changes {
            return self.pass(request).await;
        }
        let (set, held) = self.brake(&path);
        if held == Some(Held::Done) {
            let response = self.pass(request).await;
            self.brake.send_modify(|brake| brake.at = At::On);
            return self.wait(set).await.unwrap_or(response);
        }
        if held == Some(Held::Undone) {
            self.brake.send_modify(|brake| brake.at = At::On);
        }
        match self.wait(set).await {
            Some(lost) => lost,
            None => self.pass(request).await,
        }
    }

    /// Counts a change. Which setting of the brake it meets, and whether it is the one to be held.
    fn brake(&self, path: &str) -> (usize, Option<Held>) {
        let mut met = (0, None);
        self.brake.send_modify(|brake| {
            met.0 = brake.set;
            match brake.at {
                _ if !path.contains(brake.path) => {}
                At::After(0, held) => {
                    met.1 = Some(held);
                    brake.at = At::Closing;
                }
                At::After(more, held) => brake.at = At::After(more - 1, held),
                At::Off | At::Closing | At::On => {}
            }
        });
        met
    }

    /// Waits while the brake holds; a refusal when it was set anew meanwhile.
    async fn wait(&self, set: usize) -> Option<Response<Body>> {
        let mut brake = self.brake.subscribe();
        let moving = |brake: &Brake| brake.set != set || !matches!(brake.at, At::Closing | At::On);
        let lost = brake
            .wait_for(moving)
            .await
            .is_ok_and(|brake| brake.set != set);
        lost.then(|| refusal(StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable"))
    }

    async fn pass(&self, request: Request<Body>) -> Response<Body> {
        match self.client.send(request).await {
            Ok(response) => response,
            Err(_) => refusal(StatusCode::BAD_GATEWAY, "InternalError"),
        }
    }

    fn fault(&self, method: &Method) -> Option<Response<Body>> {
        let mut random = self.random.lock().unwrap();
        if random.random_range(0..1000) >= self.per_mille {
            return None;
        }
        // A conflict is an answer to a change only.
        let kinds = if method == Method::GET { 2 } else { 3 };
        let (status, reason) = [
            (StatusCode::TOO_MANY_REQUESTS, "TooManyRequests"),
            (StatusCode::INTERNAL_SERVER_ERROR, "InternalError"),
            (StatusCode::CONFLICT, "Conflict"),
        ][random.random_range(0..kinds)];
        Some(refusal(status, reason))
    }
}

/// As the API server would say it.
fn refusal(status: StatusCode, reason: &str) -> Response<Body> {
    let body = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure",
        "message": "a fault of the test's making", "reason": reason, "code": status.as_u16()});
    let mut response = Response::builder().status(status);
    response = response.header(http::header::CONTENT_TYPE, "application/json");
    response
        .body(Body::from(serde_json::to_vec(&body).unwrap()))
        .unwrap()
}
