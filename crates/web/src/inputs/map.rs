//! A problem and its placement as columns, for the page's map. All amounts are
//! integers in units; a resource's `scale` units make one of its `unit`.

use bayplan_model::{Cluster, Count, NodeId, Plan, PoolId, Problem, RequestId, Services, Workload};
use serde::Serialize;
use utoipa::ToSchema;

/// A resource.
#[derive(Serialize, ToSchema)]
pub struct ResourceView {
    /// Such as `cpu`.
    pub name: String,
    /// Such as `core`.
    pub unit: String,
    /// Units that make one.
    pub scale: u64,
}

/// A kind of node.
#[derive(Serialize, ToSchema)]
pub struct PoolView {
    /// Its name.
    pub name: String,
    /// Price of a node.
    pub price: f64,
}

/// Nodes as columns.
#[derive(Default, Serialize, ToSchema)]
pub struct NodesView {
    /// Names.
    pub name: Vec<String>,
    /// Places in the list of pools.
    pub pool: Vec<u32>,
    /// The label `zone`, or empty.
    pub zone: Vec<String>,
    /// Units per resource.
    pub capacity: Vec<Vec<u64>>,
}

/// What runs, as columns: services, applications or requests.
#[derive(Default, Serialize, ToSchema)]
pub struct ServicesView {
    /// Names.
    pub name: Vec<String>,
    /// Replicas wanted; 1 for an application or request.
    pub replicas: Vec<u32>,
    /// Units per resource of one replica (the mean where demand is random, the
    /// most where it varies by epoch), of an application's whole load, or of a request.
    pub demand: Vec<Vec<u64>>,
    /// Standard deviation of the demand, where it is random.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deviation: Vec<Vec<f64>>,
    /// Starts of requests, in the input's time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<f64>,
    /// Finishes of requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub finish: Vec<f64>,
}

/// What runs where, as columns.
#[derive(Default, Serialize, ToSchema)]
pub struct PlacementView {
    /// Places in the list of services.
    pub service: Vec<u32>,
    /// Places in the list of nodes: existing ones, then new ones.
    pub node: Vec<u32>,
    /// Replicas.
    pub count: Vec<u32>,
    /// Units per resource in use, where that is not count times demand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used: Vec<Vec<u64>>,
}

/// A cluster and what runs on it.
#[derive(Serialize, ToSchema)]
pub struct MapView {
    /// The resources.
    pub resources: Vec<ResourceView>,
    /// The kinds of nodes.
    pub pools: Vec<PoolView>,
    /// The nodes that exist.
    pub nodes: NodesView,
    /// What should run.
    pub services: ServicesView,
    /// What runs now.
    pub placement: PlacementView,
}

/// The map of a problem.
pub fn map(problem: &Problem) -> MapView {
    let cluster = problem.cluster();
    let resources = cluster.resources.iter().map(|resource| ResourceView {
        name: resource.name.clone(),
        unit: resource.unit.clone(),
        scale: resource.scale,
    });
    let pools = cluster.pools.iter().map(|pool| PoolView {
        name: pool.name.clone(),
        price: pool.price as f64 / 1e6,
    });
    let placement = match problem.workload() {
        Workload::Services(services) => counts(services.placement.counts()),
        Workload::Applications(all) => shares(problem, &all.layout),
        Workload::Requests(_) => PlacementView::default(),
    };
    MapView {
        resources: resources.collect(),
        pools: pools.collect(),
        nodes: nodes(cluster, &[], 0..cluster.nodes.len()),
        services: services(problem),
        placement,
    }
}

/// The nodes a plan opens.
pub fn new_nodes(problem: &Problem, plan: &Plan) -> NodesView {
    let cluster = problem.cluster();
    let existing = cluster.nodes.len();
    nodes(
        cluster,
        plan.opened(),
        existing..existing + plan.opened().len(),
    )
}

/// The placement of a plan.
pub fn placement_of_plan(problem: &Problem, plan: &Plan) -> PlacementView {
    match plan {
        Plan::Placement(plan) => counts(plan.placement.counts()),
        Plan::Division(plan) => shares(problem, &plan.shares),
        Plan::Admission(plan) => PlacementView {
            service: plan.accepted.iter().map(|(request, _)| request.0).collect(),
            node: plan.accepted.iter().map(|(_, node)| node.0).collect(),
            count: vec![1; plan.accepted.len()],
            used: Vec::new(),
        },
    }
}

fn nodes(cluster: &Cluster, opened: &[PoolId], range: std::ops::Range<usize>) -> NodesView {
    let names = cluster.node_names(opened);
    let mut view = NodesView::default();
    for at in range {
        let node = NodeId::from(at);
        let Some(pool) = cluster.pool_of(node, opened) else {
            continue;
        };
        view.name.push(names[at].clone());
        view.pool.push(pool.0);
        let zone = ["zone", "topology.kubernetes.io/zone"]
            .iter()
            .find_map(|key| cluster.label(node, opened, key));
        view.zone.push(zone.unwrap_or("").to_string());
        view.capacity.push(cluster.capacity(pool).to_vec());
    }
    view
}

fn services(problem: &Problem) -> ServicesView {
    match problem.workload() {
        Workload::Services(services) => ServicesView {
            name: services.names.iter().map(ToString::to_string).collect(),
            replicas: services.replicas.clone(),
            demand: services
                .ids()
                .map(|id| peak(services, services.row(id)))
                .collect(),
            deviation: deviation(services),
            ..ServicesView::default()
        },
        Workload::Applications(applications) => ServicesView {
            name: applications.names.iter().map(ToString::to_string).collect(),
            replicas: vec![1; applications.all.len()],
            demand: applications
                .all
                .iter()
                .map(|a| vec![a.load, a.memory])
                .collect(),
            ..ServicesView::default()
        },
        Workload::Requests(requests) => {
            let time = |times: &[i64]| {
                let scale = requests.time_scale.max(1) as f64;
                times.iter().map(|t| *t as f64 / scale).collect()
            };
            let row = |at: usize| requests.row(RequestId::from(at)).to_vec();
            ServicesView {
                name: (0..requests.len()).map(|at| at.to_string()).collect(),
                replicas: vec![1; requests.len()],
                demand: (0..requests.len()).map(row).collect(),
                start: time(&requests.start),
                finish: time(&requests.finish),
                deviation: Vec::new(),
            }
        }
    }
}

/// The most of each resource over the epochs.
fn peak(services: &Services, row: &[u64]) -> Vec<u64> {
    let epochs = row.chunks(services.epochs.max(1));
    epochs
        .map(|units| units.iter().copied().max().unwrap_or(0))
        .collect()
}

fn deviation(services: &Services) -> Vec<Vec<f64>> {
    if services.variance.is_empty() {
        return Vec::new();
    }
    let width = services.variance.len() / services.len();
    let rows = services.variance.chunks(width.max(1));
    rows.map(|row| row.iter().map(|v| (*v as f64).sqrt()).collect())
        .collect()
}

fn counts(counts: &[Count]) -> PlacementView {
    PlacementView {
        service: counts.iter().map(|entry| entry.service.0).collect(),
        node: counts.iter().map(|entry| entry.node.0).collect(),
        count: counts.iter().map(|entry| entry.count).collect(),
        used: Vec::new(),
    }
}

fn shares(problem: &Problem, shares: &[bayplan_model::Share]) -> PlacementView {
    let Some(applications) = problem.applications() else {
        return PlacementView::default();
    };
    let used = shares.iter().map(|share| {
        let memory = applications.all[share.application.index()].memory_at(share.load);
        vec![share.load, u64::try_from(memory).unwrap_or(u64::MAX)]
    });
    PlacementView {
        service: shares.iter().map(|share| share.application.0).collect(),
        node: shares.iter().map(|share| share.node.0).collect(),
        count: vec![1; shares.len()],
        used: used.collect(),
    }
}
