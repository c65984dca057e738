//! The state of an apply in the cluster: a PlacementPlan.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use http::Method;
use kube::Client;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::api::{JSON, Refusal, get, patiently};
use super::error::ApplyError;
use super::job::Places;
use super::names::{GROUP, PLURAL, VERSION};
use crate::crd;

/// The most bytes of a plan in one object; a cluster's store takes 1.5 MB.
const LARGEST: usize = 1_200_000;

/// What a plan says, as it is kept: compressed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Saved {
    pub start: Places,
    pub target: Places,
}

/// How far an apply is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct State {
    /// Applying, RollingBack, Completed, Incomplete, Paused, RolledBack.
    pub phase: String,
    /// One letter for each wave of this round: d done, r running, . to come.
    pub waves: String,
    /// Workloads that may have more replicas than they should: kind,
    /// namespace and name, with what they should have and the most we set.
    pub raised: BTreeMap<String, Raised>,
    /// What a person should know.
    pub message: String,
    /// Services to be left alone, with the second until when.
    pub left_alone: BTreeMap<String, i64>,
}

/// Replicas a workload should have, and the most we asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Raised {
    pub base: u32,
    pub most: u32,
}

impl State {
    /// Whether somebody works on it, or should.
    pub fn open(&self) -> bool {
        matches!(self.phase.as_str(), "Applying" | "RollingBack" | "Paused")
    }
}

/// One PlacementPlan.
pub(crate) struct Record {
    client: Client,
    pub name: String,
    pub saved: Saved,
    pub state: State,
}

fn all() -> String {
    format!("/apis/{GROUP}/{VERSION}/{PLURAL}")
}

impl Record {
    /// Writes a new one.
    pub async fn create(client: &Client, name: &str, saved: Saved) -> Result<Self, ApplyError> {
        let data = pack(&saved)?;
        let body = json!({
            "apiVersion": format!("{GROUP}/{VERSION}"), "kind": "PlacementPlan",
            "metadata": {"name": name}, "spec": {"data": data, "workloads": saved.target.len()},
        });
        let made = patiently(client, Method::POST, &all(), JSON, &body).await;
        made.map_err(|refusal| refusal.into_error("create placementplans"))?;
        Ok(Self {
            client: client.clone(),
            name: name.into(),
            saved,
            state: State::default(),
        })
    }

    /// Reads all that exist.
    pub async fn list(client: &Client) -> Result<Vec<Self>, ApplyError> {
        let found = match get(client, &all()).await {
            Ok(found) => found,
            Err(refusal) if refusal.code() == Some(404) => {
                return Err(ApplyError::NoRecord("it is not installed".into()));
            }
            Err(refusal) => return Err(refusal.into_error("list placementplans").into()),
        };
        let mut records = Vec::new();
        for item in found["items"].as_array().into_iter().flatten() {
            let name = item["metadata"]["name"].as_str().unwrap_or_default();
            records.push(Self {
                client: client.clone(),
                name: name.into(),
                // One that we cannot read is not ours to judge.
                saved: item["spec"]["data"]
                    .as_str()
                    .and_then(unpack)
                    .unwrap_or_default(),
                state: serde_json::from_value(item["status"].clone()).unwrap_or_default(),
            });
        }
        Ok(records)
    }

    /// Writes the state down; what follows may rely on it.
    pub async fn save(&self) -> Result<(), Refusal> {
        let path = format!("{}/{}/status", all(), self.name);
        // Maps are written whole: entries that are gone must go.
        let raised: Value = json!(self.state.raised);
        let body = json!([{"op": "add", "path": "/status", "value": {
            "phase": self.state.phase, "waves": self.state.waves, "raised": raised,
            "message": self.state.message, "leftAlone": self.state.left_alone,
        }}]);
        let content = super::api::JSON_PATCH;
        patiently(&self.client, Method::PATCH, &path, content, &body)
            .await
            .map(|_| ())
    }

    /// Removes it.
    pub async fn delete(&self) -> Result<(), ApplyError> {
        let gone = super::api::delete(&self.client, &format!("{}/{}", all(), self.name)).await;
        Ok(gone.map_err(|refusal| refusal.into_error("delete placementplans"))?)
    }
}

/// Makes sure that the resource is known, installing it if that is allowed.
pub(crate) async fn ensure(client: &Client) -> Result<(), ApplyError> {
    let refusal = match get(client, &format!("{}?limit=1", all())).await {
        Ok(_) => return Ok(()),
        Err(refusal) if refusal.code() == Some(404) => refusal,
        Err(refusal) => return Err(refusal.into_error("list placementplans").into()),
    };
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    if let Err(refused) = super::api::create(client, path, &crd::definition()).await {
        return Err(ApplyError::NoRecord(format!(
            "{refusal}; installing it: {refused}"
        )));
    }
    for _ in 0..120 {
        if get(client, &format!("{}?limit=1", all())).await.is_ok() {
            return Ok(());
        }
        tokio::time::sleep(std::time::Duration::from_millis(250)).await;
    }
    Err(ApplyError::NoRecord(
        "it was installed but is not served".into(),
    ))
}

fn pack(saved: &Saved) -> Result<String, ApplyError> {
    let text = serde_json::to_vec(saved).unwrap_or_default();
    let mut gz = GzEncoder::new(Vec::new(), Compression::best());
    let packed = gz.write_all(&text).and_then(|()| gz.finish());
    let packed = packed.map_err(|error| ApplyError::Unusable(error.to_string()))?;
    let data = STANDARD.encode(packed);
    if data.len() > LARGEST {
        return Err(ApplyError::TooLarge(data.len()));
    }
    Ok(data)
}

fn unpack(data: &str) -> Option<Saved> {
    let packed = STANDARD.decode(data).ok()?;
    let mut text = Vec::new();
    // A plan of millions of pods is below this; a bomb is not.
    GzDecoder::new(packed.as_slice())
        .take(1 << 30)
        .read_to_end(&mut text)
        .ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back() {
        let nodes = |n: u32| (0..n).map(|i| (format!("node-{i}"), i + 1)).collect();
        let saved = Saved {
            start: Places::from([("shop/web".into(), nodes(50))]),
            target: Places::from([("shop/web".into(), nodes(20))]),
        };
        assert_eq!(unpack(&pack(&saved).unwrap()), Some(saved));
        assert_eq!(unpack("bm90IGd6aXA="), None);
    }
}
