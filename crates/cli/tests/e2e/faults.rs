//! A proxy before the API server that answers some calls with an error of its own.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

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
use tokio::task::JoinHandle;

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
        let request = Request::from_parts(parts, Body::from(body.to_bytes().to_vec()));
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
