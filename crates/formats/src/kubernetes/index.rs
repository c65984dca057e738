//! The cluster's own objects behind a problem: which pods are a service's
//! replicas, which workload replaces them, which Services route to them.

use bayplan_model::{NodeId, ServiceId};
use rustc_hash::FxHashMap;

use super::Listing;
use super::groups::Group;
use super::nodes::Nodes;
use super::objects::{Map, Taint};
use super::parse::key;
use super::rules::Index;
use super::selector::{Target, Wish};

/// The objects behind a problem that was read from Kubernetes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    /// The pods of each service, by service id.
    pub pods: Vec<Vec<PodRef>>,
    /// What replaces the pods of each service, by service id.
    pub workloads: Vec<WorkloadRef>,
    /// Kubernetes Services that select pods of the problem.
    pub routes: Vec<Route>,
    /// The containers of a pod of each service.
    pub containers: Vec<Vec<ContainerRef>>,
    /// Why the pods of each service stay where they are: codes of notes.
    pub stays: Vec<Vec<&'static str>>,
    pub(super) places: Places,
}

/// What says where pods may go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    wishes: Vec<Wish>,
    names: Vec<String>,
    labels: Vec<Map>,
    taints: Vec<Vec<Taint>>,
}

impl Objects {
    /// Why the scheduler would not put a pod of a service on a node, in the
    /// words of the objects; empty when nothing stands against it.
    pub fn refusals(&self, service: ServiceId, node: NodeId) -> Vec<String> {
        let places = &self.places;
        let (Some(wish), Some(labels)) = (
            places.wishes.get(service.index()),
            places.labels.get(node.index()),
        ) else {
            return Vec::new();
        };
        wish.refusals(&Target {
            name: Some(&places.names[node.index()]),
            labels,
            taints: &places.taints[node.index()],
        })
    }

    /// The pod of a name: `namespace/name`, or the plain name where one
    /// namespace has it.
    ///
    /// # Errors
    /// With the namespaces, when several have such a pod.
    pub fn pod(&self, name: &str) -> Result<Option<(ServiceId, &PodRef)>, Vec<String>> {
        let (namespace, name) = match name.split_once('/') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (None, name),
        };
        let all = self.pods.iter().enumerate();
        let all = all.flat_map(|(at, pods)| pods.iter().map(move |pod| (ServiceId::from(at), pod)));
        let found: Vec<_> = all
            .filter(|(_, pod)| pod.name == name && namespace.is_none_or(|n| n == pod.namespace))
            .collect();
        match found.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(*one)),
            several => Err(several
                .iter()
                .map(|(_, pod)| pod.namespace.clone())
                .collect()),
        }
    }

    /// Finds services by the names of their workloads.
    pub fn lookup(&self) -> Lookup<'_> {
        let mut lookup = Lookup::default();
        for (at, workload) in self.workloads.iter().enumerate() {
            let full = key(&workload.namespace, &workload.name);
            let id = ServiceId::from(at);
            let same = lookup.full.entry(full.clone()).or_default();
            same.push(id);
            // As the importer names the second template of a workload.
            if same.len() > 1 {
                let numbered = format!("{full}#{}", same.len());
                lookup.full.insert(numbered, vec![id]);
            }
            let plain = lookup.plain.entry(&workload.name).or_default();
            plain.push((&workload.namespace, id));
        }
        lookup
    }
}

/// Services by the names of their workloads.
#[derive(Default, Debug)]
pub struct Lookup<'a> {
    full: FxHashMap<String, Vec<ServiceId>>,
    plain: FxHashMap<&'a str, Vec<(&'a str, ServiceId)>>,
}

impl Lookup<'_> {
    /// The services of a workload: by `namespace/name`, by the exact name of a
    /// service, or by the plain name where one namespace has it; none when
    /// there is no such workload.
    ///
    /// # Errors
    /// With the namespaces when several have a workload of that name.
    pub fn find(&self, name: &str) -> Result<Vec<ServiceId>, Vec<String>> {
        if let Some(found) = self.full.get(name) {
            return Ok(found.clone());
        }
        let found = self.plain.get(name).map_or(&[][..], Vec::as_slice);
        let mut namespaces: Vec<String> = found.iter().map(|(n, _)| n.to_string()).collect();
        namespaces.sort_unstable();
        namespaces.dedup();
        if namespaces.len() > 1 {
            return Err(namespaces);
        }
        Ok(found.iter().map(|(_, id)| *id).collect())
    }
}

/// One pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodRef {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its unique id; empty when the listing has none.
    pub uid: String,
    /// The node it runs on, if that is in the listing.
    pub node: Option<NodeId>,
    /// The replica set that made it.
    pub replica_set: Option<String>,
}

/// What replaces a pod that goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadRef {
    /// Such as `Deployment`; `Pod` for a pod that nothing replaces.
    pub kind: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Whether an autoscaler sets its number of replicas.
    pub autoscaled: bool,
}

/// A container of a pod: thousandths of a core, and bytes of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerRef {
    /// Its name.
    pub name: String,
    /// What it requests.
    pub requests: [u64; 2],
    /// What it may use at most, where that is bounded.
    pub limits: [Option<u64>; 2],
}

/// A Kubernetes Service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The services of the problem whose pods it selects, ascending.
    pub services: Vec<ServiceId>,
    /// Whether it already keeps traffic on the node where it can.
    pub same_node: bool,
}

pub(crate) fn objects(
    listing: &Listing,
    nodes: &Nodes,
    index: &Index,
    groups: &mut [Group],
) -> Objects {
    let workloads = groups.iter().map(|group| WorkloadRef {
        kind: group.kind.clone(),
        namespace: group.namespace.clone(),
        name: group.base.clone(),
        autoscaled: listing.autoscaled.contains(&group.owner),
    });
    let workloads = workloads.collect();
    let mut routes = Vec::new();
    for route in &listing.routes {
        let namespace = [route.namespace.clone()];
        let services = index.matching(groups, Some(&route.selector), Some(&namespace));
        if !services.is_empty() {
            routes.push(Route {
                namespace: route.namespace.clone(),
                name: route.name.clone(),
                services: services.into_iter().map(ServiceId::from).collect(),
                same_node: route.same_node,
            });
        }
    }
    let pods = groups
        .iter_mut()
        .map(|group| std::mem::take(&mut group.pods));
    Objects {
        pods: pods.collect(),
        workloads,
        routes,
        containers: groups
            .iter_mut()
            .map(|group| std::mem::take(&mut group.containers))
            .collect(),
        stays: groups.iter().map(|g| g.template.stays.clone()).collect(),
        places: Places {
            wishes: groups.iter().map(|g| g.template.wish.clone()).collect(),
            names: nodes.names.iter().map(String::from).collect(),
            labels: nodes.labels.clone(),
            taints: nodes.taints.clone(),
        },
    }
}
