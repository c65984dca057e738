//! A pod: what it asks for, where it may go, what keeps it in place.

use std::collections::BTreeMap;

use bayplan_model::Rounding;

use super::objects::{
    Affinity, Amounts, Container, Map, Metadata, Owner, PodSpec, PodStatus, PodTerm, Requirements,
};
use super::parse::{part, units};
use super::selector::Wish;
use crate::error::{Place, Sink};

/// The largest amount bayplan counts with.
const MAX_UNITS: u64 = 1 << 61;

/// Units by resource.
pub(crate) type Demand = BTreeMap<String, u64>;

/// What makes pods interchangeable: pods of one owner with equal templates are
/// replicas of one service.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Template {
    pub demand: Demand,
    pub wish: Wish,
    pub labels: Map,
    /// Host ports: protocol and number.
    pub ports: Vec<(String, u32)>,
    pub affinity: Vec<PodTerm>,
    pub anti_affinity: Vec<PodTerm>,
    /// Codes of the notes that say why it stays where it is.
    pub stays: Vec<&'static str>,
    /// Whether it has preferences, which are not rules.
    pub preferences: bool,
}

pub(crate) struct Pod {
    pub name: String,
    pub namespace: String,
    pub node: Option<String>,
    pub owner: Option<(String, String)>,
    pub finished: bool,
    pub priority: i64,
    pub claims: Vec<String>,
    pub template: Template,
}

/// The owner that replaces the pod.
pub(crate) fn controller(metadata: &Metadata) -> Option<&Owner> {
    metadata
        .owner_references
        .iter()
        .flatten()
        .find(|owner| owner.controller == Some(true))
}

pub(crate) fn read(
    name: String,
    namespace: String,
    metadata: Metadata,
    spec: &str,
    status: &str,
    place: &dyn Fn() -> Place,
    sink: &mut Sink,
) -> Option<Pod> {
    let spec: PodSpec = part(spec, place, "spec", sink)?;
    let status: PodStatus = part(status, place, "status", sink)?;
    let owner = controller(&metadata).map(|owner| (owner.kind.clone(), owner.name.clone()));
    let demand = demand(&spec, place, sink)?;
    let annotations = metadata.annotations.unwrap_or_default();
    let mut stays = Vec::new();
    let movable = [
        "ReplicaSet",
        "StatefulSet",
        "ReplicationController",
        "DaemonSet",
    ];
    let owned = owner
        .as_ref()
        .is_some_and(|(kind, _)| movable.contains(&kind.as_str()));
    if !owned || metadata.deletion_timestamp.is_some() || asks_to_stay(&annotations) {
        stays.push("N012");
    }
    if hard_spreading(&spec) {
        stays.push("N015");
    }
    let volumes = spec.volumes.unwrap_or_default();
    if volumes
        .iter()
        .any(|volume| volume.host_path.is_some() || volume.ephemeral.is_some())
    {
        stays.push("N016");
    }
    let foreign = spec
        .scheduler_name
        .as_deref()
        .is_some_and(|s| s != "default-scheduler");
    if foreign
        || spec
            .resource_claims
            .as_ref()
            .is_some_and(|claims| !claims.is_empty())
    {
        stays.push("N021");
    }
    let claims = volumes
        .into_iter()
        .filter_map(|volume| volume.persistent_volume_claim);
    let claims = claims.map(|claim| claim.claim_name).collect();
    let containers = spec.containers.unwrap_or_default();
    let mut ports: Vec<(String, u32)> = Vec::new();
    for port in containers
        .iter()
        .flat_map(|container| container.ports.iter().flatten())
    {
        if let Some(number) = port.host_port.filter(|number| *number > 0) {
            let protocol = port.protocol.clone().unwrap_or_else(|| "TCP".into());
            ports.push((protocol, number));
        }
    }
    ports.sort();
    ports.dedup();
    let soft_spreading = spec.topology_spread_constraints.iter().flatten();
    let mut preferences = annotations.contains_key("controller.kubernetes.io/pod-deletion-cost")
        || soft_spreading
            .into_iter()
            .any(|rule| rule.when_unsatisfiable.as_deref() == Some("ScheduleAnyway"));
    let mut affinities = Vec::new();
    let (mut near, mut apart) = (Vec::new(), Vec::new());
    if let Some(Affinity {
        node_affinity,
        pod_affinity,
        pod_anti_affinity,
    }) = spec.affinity
    {
        if let Some(node) = node_affinity {
            affinities.extend(node.required);
            preferences |= node.preferred.is_some_and(|list| !list.is_empty());
        }
        for (affinity, into) in [(pod_affinity, &mut near), (pod_anti_affinity, &mut apart)] {
            let Some(affinity) = affinity else { continue };
            into.extend(affinity.required.into_iter().flatten());
            preferences |= affinity.preferred.is_some_and(|list| !list.is_empty());
        }
    }
    let wish = Wish {
        selector: spec.node_selector.unwrap_or_default(),
        affinities,
        tolerations: spec.tolerations.unwrap_or_default(),
    };
    let phase = status.phase.as_deref();
    Some(Pod {
        name,
        namespace,
        node: spec.node_name.filter(|node| !node.is_empty()),
        owner,
        finished: matches!(phase, Some("Succeeded" | "Failed")),
        priority: spec.priority.unwrap_or(0),
        claims,
        template: Template {
            demand,
            wish,
            labels: shared_labels(metadata.labels.unwrap_or_default()),
            ports,
            affinity: near,
            anti_affinity: apart,
            stays,
            preferences,
        },
    })
}

/// Labels that differ from pod to pod of one owner say nothing about the service.
fn shared_labels(mut labels: Map) -> Map {
    for own in [
        "pod-template-hash",
        "controller-revision-hash",
        "pod-template-generation",
        "statefulset.kubernetes.io/pod-name",
        "apps.kubernetes.io/pod-index",
    ] {
        labels.remove(own);
    }
    labels
}

fn asks_to_stay(annotations: &Map) -> bool {
    let is = |key: &str, value: &str| annotations.get(key).is_some_and(|found| found == value);
    is("karpenter.sh/do-not-disrupt", "true")
        || is("cluster-autoscaler.kubernetes.io/safe-to-evict", "false")
        || annotations.contains_key("descheduler.alpha.kubernetes.io/prefer-no-eviction")
        || annotations.contains_key("kubernetes.io/config.mirror")
}

/// A constraint without `ScheduleAnyway` is a rule.
fn hard_spreading(spec: &PodSpec) -> bool {
    let rules = spec.topology_spread_constraints.iter().flatten();
    rules
        .into_iter()
        .any(|rule| rule.when_unsatisfiable.as_deref() != Some("ScheduleAnyway"))
}

/// What the scheduler counts: all containers and side-cars together, or the
/// largest init container with the side-cars before it, plus the overhead;
/// requests of the pod as a whole win where they are given.
fn demand(spec: &PodSpec, place: &dyn Fn() -> Place, sink: &mut Sink) -> Option<Demand> {
    let mut running = Demand::new();
    let mut peak = Demand::new();
    for container in spec.init_containers.iter().flatten() {
        let asked = requests(container, place, sink)?;
        if container.restart_policy.as_deref() == Some("Always") {
            add(&mut running, &asked);
            raise(&mut peak, &running);
        } else {
            let mut at_start = running.clone();
            add(&mut at_start, &asked);
            raise(&mut peak, &at_start);
        }
    }
    for container in spec.containers.iter().flatten() {
        add(&mut running, &requests(container, place, sink)?);
    }
    raise(&mut peak, &running);
    if let Some(resources) = &spec.resources {
        for (resource, units) in asked(resources, place, sink)? {
            peak.insert(resource, units);
        }
    }
    if let Some(overhead) = &spec.overhead {
        add(&mut peak, &amounts(overhead, place, sink)?);
    }
    peak.insert("pods".into(), 1);
    peak.retain(|_, units| *units > 0);
    if peak.values().any(|units| *units > MAX_UNITS) {
        sink.push("F014", place(), || ("requests that are too large", "check the units"));
        return None;
    }
    Some(peak)
}

fn requests(container: &Container, place: &dyn Fn() -> Place, sink: &mut Sink) -> Option<Demand> {
    container
        .resources
        .as_ref()
        .map_or(Some(Demand::new()), |r| asked(r, place, sink))
}

/// Requests; where only a limit is given it is the request.
fn asked(resources: &Requirements, place: &dyn Fn() -> Place, sink: &mut Sink) -> Option<Demand> {
    let none = Amounts::new();
    let mut demand = amounts(resources.limits.as_ref().unwrap_or(&none), place, sink)?;
    demand.extend(amounts(
        resources.requests.as_ref().unwrap_or(&none),
        place,
        sink,
    )?);
    Some(demand)
}

fn amounts(amounts: &Amounts, place: &dyn Fn() -> Place, sink: &mut Sink) -> Option<Demand> {
    amounts
        .iter()
        .map(|(name, text)| Some((name.clone(), units(name, text, Rounding::Up, place, sink)?)))
        .collect()
}

fn add(to: &mut Demand, more: &Demand) {
    for (name, units) in more {
        let sum = to.entry(name.clone()).or_insert(0);
        *sum = sum.saturating_add(*units);
    }
}

fn raise(to: &mut Demand, least: &Demand) {
    for (name, units) in least {
        let most = to.entry(name.clone()).or_insert(0);
        *most = (*most).max(*units);
    }
}
