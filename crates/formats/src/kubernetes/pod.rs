//! A pod: what it asks for, where it may go, what keeps it in place.

use std::collections::BTreeMap;

use bayplan_model::Rounding;

use super::index::ContainerRef;
use super::nodes::HOSTNAME;
use super::objects::{
    Affinity, Amounts, Container, LabelSelector, Map, Metadata, Owner, PodSpec, PodStatus, PodTerm,
    Requirements,
};
use super::parse::{part, units};
use super::selector::Wish;
use super::spreads;
use crate::error::{Place, Sink};

/// The largest amount bayplan counts with.
const MAX_UNITS: u64 = 1 << 61;

/// On pods that `bayplan apply --hard` pinned: the host name in their selector
/// is not the workload's wish.
const PINNED_BY_US: &str = "bayplan.dev/pinned-to";

/// On pods whose deletion cost is ours for a moment.
const MARKED_BY_US: &str = "bayplan.dev/deletion-cost-before";

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
    pub spreads: Vec<Spreading>,
    /// Codes of the notes that say why it stays where it is.
    pub stays: Vec<&'static str>,
    /// Whether it has preferences, which are not rules.
    pub preferences: bool,
}

/// A hard topology spread constraint.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Spreading {
    pub skew: u32,
    pub key: String,
    pub selector: LabelSelector,
    pub min_domains: u32,
    /// Only pods of the same revision count.
    pub by_revision: bool,
    /// Nodes that the pod's selectors refuse count as domains too.
    pub ignores_affinity: bool,
    /// Nodes whose taints the pod does not tolerate do not count.
    pub honours_taints: bool,
}

pub(crate) struct Pod {
    pub name: String,
    pub uid: String,
    pub namespace: String,
    pub node: Option<String>,
    pub owner: Option<(String, String)>,
    pub finished: bool,
    pub priority: i64,
    pub claims: Vec<String>,
    pub containers: Vec<ContainerRef>,
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
    if owner
        .as_ref()
        .is_some_and(|(kind, _)| kind == "StatefulSet")
    {
        stays.push("N032");
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
    let named = containers
        .iter()
        .map(|container| container_ref(container, place, sink))
        .collect::<Option<Vec<ContainerRef>>>()?;
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
    let cost = annotations.contains_key("controller.kubernetes.io/pod-deletion-cost");
    let mut preferences = cost && !annotations.contains_key(MARKED_BY_US)
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
    let spreads = spreads::hard(spec.topology_spread_constraints);
    affinities.extend(spreads.iter().map(|rule| spreads::needs_label(&rule.key)));
    let mut selector = spec.node_selector.unwrap_or_default();
    if annotations.contains_key(PINNED_BY_US) {
        selector.remove(HOSTNAME);
    }
    let wish = Wish {
        selector,
        affinities,
        tolerations: spec.tolerations.unwrap_or_default(),
    };
    let phase = status.phase.as_deref();
    Some(Pod {
        name,
        uid: metadata.uid.unwrap_or_default(),
        namespace,
        node: spec.node_name.filter(|node| !node.is_empty()),
        owner,
        finished: matches!(phase, Some("Succeeded" | "Failed")),
        priority: spec.priority.unwrap_or(0),
        claims,
        containers: named,
        template: Template {
            demand,
            wish,
            labels: shared_labels(metadata.labels.unwrap_or_default()),
            ports,
            affinity: near,
            anti_affinity: apart,
            spreads,
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
        // Copied from the node when a pod is bound, since Kubernetes 1.35.
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
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
        sink.push("F014", place(), || {
            ("requests that are too large", "check the units")
        });
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

fn container_ref(
    container: &Container,
    place: &dyn Fn() -> Place,
    sink: &mut Sink,
) -> Option<ContainerRef> {
    let asked = requests(container, place, sink)?;
    let none = Amounts::new();
    let limits = container.resources.as_ref();
    let limits = limits.and_then(|r| r.limits.as_ref()).unwrap_or(&none);
    let limits = amounts(limits, place, sink)?;
    Some(ContainerRef {
        name: container.name.clone().unwrap_or_default(),
        requests: ["cpu", "memory"].map(|name| asked.get(name).copied().unwrap_or(0)),
        limits: ["cpu", "memory"].map(|name| limits.get(name).copied()),
    })
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

pub(crate) fn raise(to: &mut Demand, least: &Demand) {
    for (name, units) in least {
        let most = to.entry(name.clone()).or_insert(0);
        *most = (*most).max(*units);
    }
}
