//! Gates by a webhook that this process serves, for servers without policies.
//! Its certificate is made at run time and never leaves the process.

use std::net::{Ipv4Addr, UdpSocket};
use std::sync::Arc;

use axum::Router;
use axum::extract::Json;
use axum::routing::post;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use kube::Client;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::super::api::create;
use super::super::error::ApplyError;
use super::super::names::{GATE, GROUP, PLURAL, VERSION};
use super::{ADMISSION, KINDS, PROBED, Scope, labels};

/// Owners in one webhook: there is a longest expression a server takes.
const OWNERS: usize = 1000;

/// Where the API server reaches this process.
#[derive(Clone, Debug, Default)]
pub struct Address {
    /// Host name or address; found from the way out when not given.
    pub host: Option<String>,
    /// Port; 0: any free one.
    pub port: u16,
}

/// The server; dropped, it ends.
pub(crate) struct Server(JoinHandle<()>);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Serves, then tells the API server.
pub(super) async fn install(
    client: &Client,
    scope: &Scope,
    address: &Address,
) -> Result<Server, ApplyError> {
    let wrong =
        |what: &str, error: &dyn std::fmt::Display| ApplyError::NoGates(format!("{what}: {error}"));
    let host = address.host.clone().unwrap_or_else(own_address);
    let made = rcgen::generate_simple_self_signed(vec![host.clone()]);
    let made = made.map_err(|error| wrong("no certificate", &error))?;
    let pem = made.cert.pem();
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let provider = tokio_rustls::rustls::crypto::ring::default_provider();
    let config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong("no TLS", &error))?
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .map_err(|error| wrong("no TLS", &error))?;
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, address.port)).await;
    let listener = listener.map_err(|error| wrong("cannot listen", &error))?;
    let port = listener
        .local_addr()
        .map_err(|error| wrong("cannot listen", &error))?
        .port();
    let server = Server(tokio::spawn(serve(
        listener,
        TlsAcceptor::from(Arc::new(config)),
    )));
    let url = format!("https://{host}:{port}/gate");
    let body = configuration(scope, &url, &STANDARD.encode(pem));
    let made = create(client, &format!("{ADMISSION}/{}", KINDS[2]), &body).await;
    made.map_err(|refusal| wrong("the API server refuses the webhook", &refusal))?;
    Ok(server)
}

fn configuration(scope: &Scope, url: &str, bundle: &str) -> Value {
    let hook = |name: String, group: &str, version: &str, resource: &str| {
        json!({
            "name": name,
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            // A pod is never refused for our sake.
            "failurePolicy": "Ignore",
            "timeoutSeconds": 5,
            "clientConfig": {"url": url, "caBundle": bundle},
            "rules": [{
                "apiGroups": [group], "apiVersions": [version],
                "operations": ["CREATE"], "resources": [resource],
            }],
        })
    };
    let mut hooks = Vec::new();
    for (at, owners) in scope.owners.chunks(OWNERS).enumerate() {
        let mut one = hook(format!("hold-{at}.bayplan.dev"), "", "v1", "pods");
        one["namespaceSelector"] = scope.namespace_selector();
        one["matchConditions"] = json!([{"name": "moved", "expression": Scope::condition(owners)}]);
        hooks.push(one);
    }
    let mut probe = hook("probe.bayplan.dev".into(), GROUP, VERSION, PLURAL);
    probe["matchConditions"] =
        json!([{"name": "probe", "expression": "object.metadata.name == 'bayplan-probe'"}]);
    hooks.push(probe);
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "bayplan-hold", "labels": labels()},
        "webhooks": hooks,
    })
}

async fn serve(listener: TcpListener, tls: TlsAcceptor) {
    let app = Router::new().route("/gate", post(review));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let (tls, app) = (tls.clone(), app.clone());
        tokio::spawn(async move {
            // Whoever speaks no TLS is not the API server.
            if let Ok(stream) = tls.accept(stream).await {
                let service = TowerToHyperService::new(app);
                let server = http1::Builder::new();
                let _ = server.serve_connection(TokioIo::new(stream), service).await;
            }
        });
    }
}

/// The API server asks only about pods that are concerned: the conditions are
/// its own to check.
async fn review(Json(review): Json<Value>) -> Json<Value> {
    let object = &review["request"]["object"];
    let patch = if review["request"]["resource"]["resource"] == "pods" {
        if object["spec"]["schedulingGates"].is_array() {
            json!([{"op": "add", "path": "/spec/schedulingGates/-", "value": {"name": GATE}}])
        } else {
            json!([{"op": "add", "path": "/spec/schedulingGates", "value": [{"name": GATE}]}])
        }
    } else {
        json!([{"op": "add", "path": "/metadata/annotations", "value": {PROBED: "yes"}}])
    };
    Json(json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "response": {
            "uid": review["request"]["uid"], "allowed": true,
            "patchType": "JSONPatch", "patch": STANDARD.encode(patch.to_string()),
        },
    }))
}

/// The address we would be seen from: that of the pod, or of the way out.
fn own_address() -> String {
    if let Ok(address) = std::env::var("POD_IP") {
        return address;
    }
    // Nothing is sent: connecting a datagram socket only chooses the way.
    let chosen = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))
        .and_then(|socket| socket.connect(("192.0.2.1", 9)).map(|()| socket))
        .and_then(|socket| socket.local_addr());
    chosen.map_or_else(|_| "127.0.0.1".into(), |address| address.ip().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_pod_gets_a_gate_beside_those_it_has() {
        for (spec, path) in [
            (json!({}), "/spec/schedulingGates"),
            (
                json!({"schedulingGates": [{"name": "x"}]}),
                "/spec/schedulingGates/-",
            ),
        ] {
            let review_of = json!({"request": {
                "uid": "u", "resource": {"resource": "pods"}, "object": {"spec": spec},
            }});
            let Json(answer) = review(Json(review_of)).await;
            let patch = answer["response"]["patch"].as_str().unwrap();
            let patch: Value = serde_json::from_slice(&STANDARD.decode(patch).unwrap()).unwrap();
            assert_eq!(patch[0]["path"], path);
            assert_eq!(answer["response"]["uid"], "u");
        }
    }
}
