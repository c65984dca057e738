//! Items of a listing, each to the few facts that matter.

use bayplan_model::{DecimalError, Resource, Rounding};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::objects::{
    AutoscalerSpec, BudgetSpec, ClaimSpec, LabelSelector, Map, Metadata, NodeSpec, NodeStatus,
    Object, RouteSpec, Scalar, Taint, VolumeSpec, WorkloadSpec,
};
use super::pod::{self, Pod};
use crate::error::{Place, Sink, clip};
use crate::quantity::parse_quantity;
use crate::text::bad_number;

/// One item of a listing.
pub(crate) enum Item {
    Node(Node),
    Pod(Box<Pod>),
    /// A deployment or stateful set: key and replicas wanted.
    Workload {
        key: String,
        replicas: Option<u32>,
    },
    /// A replica set and the deployment that owns it.
    ReplicaSet {
        key: String,
        owner: Option<String>,
    },
    Budget(Budget),
    Claim {
        key: String,
        volume: Option<String>,
        shared: bool,
    },
    Volume {
        name: String,
        spec: VolumeSpec,
    },
    /// A Kubernetes Service that selects pods.
    Route(Option<Route>),
    /// An autoscaler: kind and full name of what it scales.
    Autoscaler {
        target: Option<String>,
    },
    /// Of no use for placing.
    Other(String),
}

pub(crate) struct Node {
    pub name: String,
    pub labels: Map,
    pub taints: Vec<Taint>,
    pub allocatable: Vec<(String, u64)>,
}

pub(crate) struct Route {
    pub namespace: String,
    pub name: String,
    pub selector: LabelSelector,
    pub same_node: bool,
}

pub(crate) struct Budget {
    pub namespace: String,
    pub name: String,
    pub spec: BudgetSpec,
}

/// `namespace/name`.
pub(crate) fn key(namespace: &str, name: &str) -> String {
    format!("{namespace}/{name}")
}

/// Reads one item; `None` after an error.
pub(crate) fn item(at: usize, raw: &RawValue, list: Option<&str>, sink: &mut Sink) -> Option<Item> {
    let place = || Place::Path(format!("items[{at}]"));
    let object: Object<'_> = typed(raw.get(), &place, sink)?;
    // Items of a typed list such as PodList carry no kind of their own.
    let kind = object.kind.as_deref().or(list).unwrap_or("");
    let metadata = object.metadata.unwrap_or_default();
    let Some(name) = metadata.name.clone().filter(|name| !name.is_empty()) else {
        sink.push("F010", place(), || {
            (format!("a {kind} without a name"), "add metadata.name")
        });
        return None;
    };
    let namespace = metadata
        .namespace
        .clone()
        .unwrap_or_else(|| "default".into());
    let spec = object.spec.map_or("null", RawValue::get);
    let status = object.status.map_or("null", RawValue::get);
    Some(match kind {
        "Node" => {
            let spec: NodeSpec = part(spec, &place, "spec", sink)?;
            let status: NodeStatus = part(status, &place, "status", sink)?;
            Item::Node(node(name, metadata, spec, status, &place, sink)?)
        }
        "Pod" => Item::Pod(Box::new(pod::read(
            name, namespace, metadata, spec, status, &place, sink,
        )?)),
        "Deployment" | "StatefulSet" => {
            let spec: WorkloadSpec = part(spec, &place, "spec", sink)?;
            let key = format!("{kind} {}", key(&namespace, &name));
            Item::Workload {
                key,
                replicas: spec.replicas,
            }
        }
        "ReplicaSet" => {
            let owner = pod::controller(&metadata).filter(|owner| owner.kind == "Deployment");
            let owner = owner.map(|owner| owner.name.clone());
            Item::ReplicaSet {
                key: key(&namespace, &name),
                owner,
            }
        }
        "PodDisruptionBudget" => {
            let spec = part(spec, &place, "spec", sink)?;
            Item::Budget(Budget {
                namespace,
                name,
                spec,
            })
        }
        "PersistentVolumeClaim" => {
            let spec: ClaimSpec = part(spec, &place, "spec", sink)?;
            let modes = spec.access_modes.unwrap_or_default();
            let shared = modes.iter().any(|mode| mode.ends_with("Many"));
            Item::Claim {
                key: key(&namespace, &name),
                volume: spec.volume_name,
                shared,
            }
        }
        "PersistentVolume" => Item::Volume {
            name,
            spec: part(spec, &place, "spec", sink)?,
        },
        "Service" => {
            let spec: RouteSpec = part(spec, &place, "spec", sink)?;
            Item::Route(route(namespace, name, spec))
        }
        "HorizontalPodAutoscaler" => {
            let spec: AutoscalerSpec = part(spec, &place, "spec", sink)?;
            let target = spec.scale_target_ref;
            let target = target.map(|to| format!("{} {}", to.kind, key(&namespace, &to.name)));
            Item::Autoscaler { target }
        }
        other => Item::Other(other.to_string()),
    })
}

/// A Service without a selector routes to no pods of its own.
fn route(namespace: String, name: String, spec: RouteSpec) -> Option<Route> {
    let selector = spec.selector.filter(|selector| !selector.is_empty())?;
    let same_node = spec.traffic_distribution.as_deref() == Some("PreferSameNode")
        || spec.internal_traffic_policy.as_deref() == Some("Local");
    Some(Route {
        namespace,
        name,
        selector: LabelSelector {
            match_labels: Some(selector),
            match_expressions: None,
        },
        same_node,
    })
}

fn node(
    name: String,
    metadata: Metadata,
    spec: NodeSpec,
    status: NodeStatus,
    place: &dyn Fn() -> Place,
    sink: &mut Sink,
) -> Option<Node> {
    let mut taints = spec.taints.unwrap_or_default();
    if spec.unschedulable == Some(true) {
        let key = "node.kubernetes.io/unschedulable".to_string();
        let taint = Taint {
            key,
            value: None,
            effect: "NoSchedule".into(),
        };
        if !taints.iter().any(|other| other.key == taint.key) {
            taints.push(taint);
        }
    }
    let Some(amounts) = status.allocatable else {
        sink.push("F010", place(), || {
            (
                format!("node {} has no status.allocatable", clip(&name)),
                "list nodes with -o json",
            )
        });
        return None;
    };
    let mut allocatable = Vec::new();
    for (resource, amount) in amounts {
        let units = units(&resource, &amount, Rounding::Down, place, sink)?;
        allocatable.push((resource, units));
    }
    Some(Node {
        name,
        labels: metadata.labels.unwrap_or_default(),
        taints,
        allocatable,
    })
}

/// How a resource is counted: CPU in thousandths, bytes and counts as they are.
pub(crate) fn resource(name: &str) -> Resource {
    let (unit, scale) = match name {
        "cpu" => ("core", 1000),
        "memory" | "ephemeral-storage" => ("B", 1),
        name if name.starts_with("hugepages-") => ("B", 1),
        "pods" => ("pod", 1),
        _ => ("", 1),
    };
    Resource {
        name: name.into(),
        unit: unit.into(),
        scale,
    }
}

/// An amount of a resource in units.
pub(crate) fn units(
    name: &str,
    amount: &Scalar,
    rounding: Rounding,
    place: &dyn Fn() -> Place,
    sink: &mut Sink,
) -> Option<u64> {
    if name.is_empty() {
        sink.push("F010", place(), || ("a resource without a name", "name it"));
        return None;
    }
    let scale = if name == "cpu" { 1000 } else { 1 };
    // No unit of its own here: suffixes multiply, which is right for bytes too.
    let counted = Resource {
        name: String::new(),
        unit: String::new(),
        scale,
    };
    parse_quantity(&amount.0, &counted, rounding)
        .map_err(|why: DecimalError| bad_number(sink, place(), name, &amount.0, why))
        .ok()
}

/// A part of an object; null and missing are the default.
pub(crate) fn part<'de, T: Deserialize<'de> + Default>(
    text: &'de str,
    place: &dyn Fn() -> Place,
    what: &str,
    sink: &mut Sink,
) -> Option<T> {
    let place = || match place() {
        Place::Path(path) => Place::Path(format!("{path}.{what}")),
        other => other,
    };
    typed::<Option<T>>(text, &place, sink).map(Option::unwrap_or_default)
}

fn typed<'de, T: Deserialize<'de>>(
    text: &'de str,
    place: &dyn Fn() -> Place,
    sink: &mut Sink,
) -> Option<T> {
    serde_json::from_str(text)
        .map_err(|error| {
            sink.push("F017", place(), || {
                (
                    clip(&error.to_string()),
                    "give what kubectl prints, unchanged",
                )
            });
        })
        .ok()
}
