//! An object as kubectl would print it in a list, without what plans do not
//! need: managed fields are half of many objects, and the environment, command
//! and arguments of containers may hold secrets that a file would carry away.

use std::collections::BTreeMap;

use serde_json::Error;
use serde_json::value::{RawValue, to_raw_value};

use super::kinds::Kind;

type Fields<'a> = BTreeMap<&'a str, &'a RawValue>;

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Appends one object.
pub(crate) fn write_item(kind: &Kind, item: &RawValue, out: &mut Vec<u8>) -> Result<(), Error> {
    let mut fields: Fields<'_> = serde_json::from_str(item.get())?;
    // Objects of a typed list carry neither.
    let own = (to_raw_value(kind.version)?, to_raw_value(kind.kind)?);
    fields.insert("apiVersion", &own.0);
    fields.insert("kind", &own.1);
    let metadata = fields
        .get("metadata")
        .map(|raw| metadata(raw))
        .transpose()?;
    if let Some(metadata) = &metadata {
        fields.insert("metadata", metadata);
    }
    let spec = match fields.get("spec") {
        Some(raw) => spec(kind, raw)?,
        None => None,
    };
    if let Some(spec) = &spec {
        fields.insert("spec", spec);
    }
    if kind.kind != "Node" && kind.kind != "Pod" && kind.kind != "PodDisruptionBudget" {
        fields.remove("status");
    }
    serde_json::to_writer(out, &fields)
}

fn metadata(raw: &RawValue) -> Result<Box<RawValue>, Error> {
    let mut fields: Fields<'_> = serde_json::from_str(raw.get())?;
    fields.remove("managedFields");
    let annotations = match fields.get("annotations") {
        Some(raw) if raw.get().contains(LAST_APPLIED) => {
            let mut annotations: BTreeMap<String, String> = serde_json::from_str(raw.get())?;
            annotations.remove(LAST_APPLIED);
            Some(to_raw_value(&annotations)?)
        }
        _ => None,
    };
    if let Some(annotations) = &annotations {
        fields.insert("annotations", annotations);
    }
    to_raw_value(&fields)
}

/// The spec without what is private; `None`: as it is.
fn spec(kind: &Kind, raw: &RawValue) -> Result<Option<Box<RawValue>>, Error> {
    match kind.kind {
        "Pod" => Ok(Some(pod_spec(raw)?)),
        // Pods say what runs; of their owners only the wish and the selector matter.
        "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" => {
            let mut fields: Fields<'_> = serde_json::from_str(raw.get())?;
            fields.remove("template");
            Ok(Some(to_raw_value(&fields)?))
        }
        _ => Ok(None),
    }
}

fn pod_spec(raw: &RawValue) -> Result<Box<RawValue>, Error> {
    let mut fields: Fields<'_> = serde_json::from_str(raw.get())?;
    let mut kept = Vec::new();
    for name in ["containers", "initContainers", "ephemeralContainers"] {
        let Some(raw) = fields.get(name) else {
            continue;
        };
        let mut all: Option<Vec<Fields<'_>>> = serde_json::from_str(raw.get())?;
        for container in all.iter_mut().flatten() {
            for private in ["env", "envFrom", "command", "args", "lifecycle"] {
                container.remove(private);
            }
        }
        kept.push((name, to_raw_value(&all)?));
    }
    for (name, raw) in &kept {
        fields.insert(name, raw);
    }
    to_raw_value(&fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::kinds::KINDS;
    use serde_json::{Value, json};

    fn stripped(kind: &str, item: &Value) -> Value {
        let kind = KINDS.iter().find(|known| known.kind == kind).unwrap();
        let raw = to_raw_value(item).unwrap();
        let mut out = Vec::new();
        write_item(kind, &raw, &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn what_may_be_secret_or_is_never_read_is_left_out() {
        let pod = json!({
            "metadata": {"name": "web", "managedFields": [{"manager": "x"}],
                "annotations": {LAST_APPLIED: "{}", "kept": "yes"}},
            "spec": {"nodeName": "n0", "containers": [{"name": "a", "env": [{"name": "PASSWORD"}],
                "command": ["x"], "resources": {"requests": {"cpu": "1"}}}]},
            "status": {"phase": "Running"}});
        let expected = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "web", "annotations": {"kept": "yes"}},
            "spec": {"nodeName": "n0",
                "containers": [{"name": "a", "resources": {"requests": {"cpu": "1"}}}]},
            "status": {"phase": "Running"}});
        assert_eq!(stripped("Pod", &pod), expected);
    }

    #[test]
    fn owners_keep_their_wish_and_lose_their_template() {
        let owner = json!({"metadata": {"name": "web"}, "spec": {"replicas": 3, "template": {}},
            "status": {"replicas": 3}});
        let expected = json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web"}, "spec": {"replicas": 3}});
        assert_eq!(stripped("Deployment", &owner), expected);
    }
}
