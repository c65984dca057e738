//! Gates by MutatingAdmissionPolicy: the API server does it all by itself.

use kube::Client;
use serde_json::{Value, json};

use super::super::api::{Refusal, create};
use super::super::names::{GATE, GROUP, PLURAL, VERSION};
use super::{ADMISSION, KINDS, PROBED, Scope, labels};

/// Owners in one policy: its condition must stay well below the longest
/// expression a server takes.
const OWNERS: usize = 1000;

/// Creates the policies for all owners, and the one for the probe last.
pub(super) async fn install(client: &Client, scope: &Scope) -> Result<(), Refusal> {
    for (at, owners) in scope.owners.chunks(OWNERS).enumerate() {
        let name = format!("bayplan-hold-{at}");
        let spec = json!({
            "failurePolicy": "Ignore",
            "reinvocationPolicy": "Never",
            "matchConstraints": {
                "namespaceSelector": scope.namespace_selector(),
                "resourceRules": [{
                    "apiGroups": [""], "apiVersions": ["v1"],
                    "operations": ["CREATE"], "resources": ["pods"],
                }],
            },
            "matchConditions": [{"name": "moved", "expression": Scope::condition(owners)}],
            "mutations": [{
                "patchType": "ApplyConfiguration",
                "applyConfiguration": {"expression": format!(
                    "Object{{spec: Object.spec{{schedulingGates: \
                     [Object.spec.schedulingGates{{name: '{GATE}'}}]}}}}"
                )},
            }],
        });
        both(client, &name, spec).await?;
    }
    let spec = json!({
        "failurePolicy": "Ignore",
        "reinvocationPolicy": "Never",
        "matchConstraints": {"resourceRules": [{
            "apiGroups": [GROUP], "apiVersions": [VERSION],
            "operations": ["CREATE"], "resources": [PLURAL],
        }]},
        "matchConditions": [{
            "name": "probe", "expression": "object.metadata.name == 'bayplan-probe'",
        }],
        "mutations": [{
            "patchType": "JSONPatch",
            "jsonPatch": {"expression": format!(
                "[JSONPatch{{op: 'add', path: '/metadata/annotations', value: {{'{PROBED}': 'yes'}}}}]"
            )},
        }],
    });
    both(client, "bayplan-probe", spec).await
}

/// A policy and its binding.
async fn both(client: &Client, name: &str, spec: Value) -> Result<(), Refusal> {
    let api = "admissionregistration.k8s.io/v1";
    let metadata = json!({"name": name, "labels": labels()});
    let policy = json!({
        "apiVersion": api, "kind": "MutatingAdmissionPolicy",
        "metadata": metadata, "spec": spec,
    });
    create(client, &format!("{ADMISSION}/{}", KINDS[1]), &policy).await?;
    let binding = json!({
        "apiVersion": api, "kind": "MutatingAdmissionPolicyBinding",
        "metadata": metadata, "spec": {"policyName": name},
    });
    create(client, &format!("{ADMISSION}/{}", KINDS[0]), &binding).await
}
