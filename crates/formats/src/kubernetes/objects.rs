//! The fields of Kubernetes objects that matter here. Everything may be
//! missing or null; what is not listed is skipped without being built.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Labels, annotations and selectors.
pub(crate) type Map = BTreeMap<String, String>;

/// Amounts by resource.
pub(crate) type Amounts = BTreeMap<String, Scalar>;

/// A list as `kubectl get -o json` prints it.
#[derive(Deserialize)]
pub(crate) struct List<'a> {
    #[serde(default)]
    pub kind: Option<String>,
    #[serde(borrow)]
    pub items: Option<Vec<&'a RawValue>>,
}

/// An object whose spec is read once its kind is known.
#[derive(Deserialize)]
pub(crate) struct Object<'a> {
    pub kind: Option<String>,
    pub metadata: Option<Metadata>,
    #[serde(borrow)]
    pub spec: Option<&'a RawValue>,
    #[serde(borrow)]
    pub status: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Metadata {
    pub name: Option<String>,
    pub namespace: Option<String>,
    pub labels: Option<Map>,
    pub annotations: Option<Map>,
    pub owner_references: Option<Vec<Owner>>,
    pub deletion_timestamp: Option<String>,
    pub uid: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Owner {
    pub kind: String,
    pub name: String,
    pub controller: Option<bool>,
}

/// A number or a text, kept as written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Scalar(pub Box<str>);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        if raw.starts_with('"') {
            let text: String = serde_json::from_str(raw).map_err(serde::de::Error::custom)?;
            return Ok(Self(text.into()));
        }
        Ok(Self(raw.into()))
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeSpec {
    pub taints: Option<Vec<Taint>>,
    pub unschedulable: Option<bool>,
}

#[derive(Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Taint {
    pub key: String,
    pub value: Option<String>,
    pub effect: String,
}

#[derive(Deserialize, Default)]
pub(crate) struct NodeStatus {
    pub allocatable: Option<Amounts>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PodSpec {
    pub node_name: Option<String>,
    pub node_selector: Option<Map>,
    pub affinity: Option<Affinity>,
    pub tolerations: Option<Vec<Toleration>>,
    pub topology_spread_constraints: Option<Vec<SpreadConstraint>>,
    pub containers: Option<Vec<Container>>,
    pub init_containers: Option<Vec<Container>>,
    pub overhead: Option<Amounts>,
    pub resources: Option<Requirements>,
    pub volumes: Option<Vec<Volume>>,
    pub scheduler_name: Option<String>,
    pub resource_claims: Option<Vec<serde::de::IgnoredAny>>,
    pub priority: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Container {
    pub name: Option<String>,
    pub resources: Option<Requirements>,
    pub ports: Option<Vec<Port>>,
    pub restart_policy: Option<String>,
}

#[derive(Deserialize, Default)]
pub(crate) struct Requirements {
    pub requests: Option<Amounts>,
    pub limits: Option<Amounts>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Port {
    pub host_port: Option<u32>,
    pub protocol: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Volume {
    pub persistent_volume_claim: Option<ClaimSource>,
    pub host_path: Option<serde::de::IgnoredAny>,
    pub ephemeral: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClaimSource {
    pub claim_name: String,
}

#[derive(Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Toleration {
    pub key: Option<String>,
    pub operator: Option<String>,
    pub value: Option<String>,
    pub effect: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SpreadConstraint {
    pub when_unsatisfiable: Option<String>,
    pub max_skew: Option<u32>,
    pub topology_key: Option<String>,
    pub label_selector: Option<LabelSelector>,
    pub min_domains: Option<u32>,
    pub match_label_keys: Option<Vec<String>>,
    pub node_affinity_policy: Option<String>,
    pub node_taints_policy: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Affinity {
    pub node_affinity: Option<NodeAffinity>,
    pub pod_affinity: Option<PodAffinity>,
    pub pod_anti_affinity: Option<PodAffinity>,
}

#[derive(Deserialize)]
pub(crate) struct NodeAffinity {
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    pub required: Option<NodeSelector>,
    #[serde(rename = "preferredDuringSchedulingIgnoredDuringExecution")]
    pub preferred: Option<Vec<serde::de::IgnoredAny>>,
}

#[derive(Deserialize)]
pub(crate) struct PodAffinity {
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    pub required: Option<Vec<PodTerm>>,
    #[serde(rename = "preferredDuringSchedulingIgnoredDuringExecution")]
    pub preferred: Option<Vec<serde::de::IgnoredAny>>,
}

#[derive(Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PodTerm {
    pub label_selector: Option<LabelSelector>,
    pub topology_key: Option<String>,
    pub namespaces: Option<Vec<String>>,
    pub namespace_selector: Option<LabelSelector>,
    pub match_label_keys: Option<Vec<String>>,
    pub mismatch_label_keys: Option<Vec<String>>,
}

#[derive(Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LabelSelector {
    pub match_labels: Option<Map>,
    pub match_expressions: Option<Vec<Expression>>,
}

#[derive(Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Expression {
    pub key: String,
    pub operator: String,
    pub values: Option<Vec<String>>,
}

#[derive(Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeSelector {
    pub node_selector_terms: Option<Vec<NodeTerm>>,
}

#[derive(Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeTerm {
    pub match_expressions: Option<Vec<Expression>>,
    pub match_fields: Option<Vec<Expression>>,
}

#[derive(Deserialize, Default)]
pub(crate) struct PodStatus {
    pub phase: Option<String>,
}

/// Deployments, stateful sets: how many are wanted.
#[derive(Deserialize, Default)]
pub(crate) struct WorkloadSpec {
    pub replicas: Option<u32>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BudgetSpec {
    pub selector: Option<LabelSelector>,
    pub min_available: Option<Scalar>,
    pub max_unavailable: Option<Scalar>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClaimSpec {
    pub volume_name: Option<String>,
    pub access_modes: Option<Vec<String>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VolumeSpec {
    pub node_affinity: Option<VolumeAffinity>,
}

#[derive(Deserialize)]
pub(crate) struct VolumeAffinity {
    pub required: Option<NodeSelector>,
}

/// A Kubernetes Service.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RouteSpec {
    pub selector: Option<Map>,
    pub traffic_distribution: Option<String>,
    pub internal_traffic_policy: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AutoscalerSpec {
    pub scale_target_ref: Option<ScaleTarget>,
}

#[derive(Deserialize)]
pub(crate) struct ScaleTarget {
    pub kind: String,
    pub name: String,
}
