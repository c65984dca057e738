//! How full each node is.

use bayplan_model::{NodeId, Plan, PoolId, Problem, Workload};

/// One node in use.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeUse {
    /// Its name.
    pub name: String,
    /// Its pool.
    pub pool: PoolId,
    /// Used share of each resource: the peak over epochs, or over time.
    pub used: Vec<f64>,
    /// Replicas, instances or requests on it.
    pub count: u64,
}

/// Every node of the plan, in node order; unused ones too.
pub fn node_use(problem: &Problem, plan: &Plan) -> Vec<NodeUse> {
    let cluster = problem.cluster();
    let opened = plan.opened();
    let nodes = cluster.nodes.len() + opened.len();
    let resources = cluster.resources.len();
    let (peaks, counts) = match (problem.workload(), plan) {
        (Workload::Services(services), Plan::Placement(plan)) => {
            let width = services.width();
            let mut load = vec![0u128; nodes * width];
            let mut counts = vec![0u64; nodes];
            for entry in plan.placement.counts() {
                counts[entry.node.index()] += u64::from(entry.count);
                let row = &mut load[entry.node.index() * width..][..width];
                for (sum, units) in row.iter_mut().zip(services.row(entry.service)) {
                    *sum += u128::from(*units) * u128::from(entry.count);
                }
            }
            let epochs = services.epochs;
            let peak = |n: usize, r: usize| {
                load[n * width + r * epochs..][..epochs]
                    .iter()
                    .copied()
                    .max()
                    .unwrap_or(0)
            };
            (collect(nodes, resources, peak), counts)
        }
        (Workload::Applications(applications), Plan::Division(plan)) => {
            let mut load = vec![0u128; nodes * 2];
            let mut counts = vec![0u64; nodes];
            for share in &plan.shares {
                let (n, application) = (
                    share.node.index(),
                    &applications.all[share.application.index()],
                );
                counts[n] += 1;
                load[n * 2] += u128::from(share.load);
                load[n * 2 + 1] += application.memory_at(share.load);
            }
            (collect(nodes, resources, |n, r| load[n * 2 + r]), counts)
        }
        (Workload::Requests(requests), Plan::Admission(plan)) => {
            request_peaks(requests, plan, nodes, resources)
        }
        _ => (vec![0; nodes * resources], vec![0; nodes]),
    };
    let names = cluster.node_names(opened).into_iter().enumerate();
    names
        .map(|(n, name)| {
            let id = NodeId::from(n);
            let pool = cluster
                .pool_of(id, opened)
                .expect("every node of a plan has a pool");
            let capacity = cluster.capacity(pool);
            let used = (0..resources).map(|r| match capacity[r] {
                0 => 0.0,
                capacity => peaks[n * resources + r] as f64 / capacity as f64,
            });
            NodeUse {
                name,
                pool,
                used: used.collect(),
                count: counts[n],
            }
        })
        .collect()
}

fn collect(nodes: usize, resources: usize, peak: impl Fn(usize, usize) -> u128) -> Vec<u128> {
    (0..nodes * resources)
        .map(|at| peak(at / resources, at % resources))
        .collect()
}

/// Peak over time per node and resource, by one sweep over all events.
fn request_peaks(
    requests: &bayplan_model::Requests,
    plan: &bayplan_model::AdmissionPlan,
    nodes: usize,
    resources: usize,
) -> (Vec<u128>, Vec<u64>) {
    let mut events: Vec<(i64, bool, usize, usize)> = Vec::with_capacity(plan.accepted.len() * 2);
    let mut counts = vec![0u64; nodes];
    for (request, node) in &plan.accepted {
        counts[node.index()] += 1;
        events.push((
            requests.start[request.index()],
            true,
            request.index(),
            node.index(),
        ));
        events.push((
            requests.finish[request.index()],
            false,
            request.index(),
            node.index(),
        ));
    }
    // Finishes come before starts at equal times: false sorts first.
    events.sort_unstable();
    let mut now = vec![0u128; nodes * resources];
    let mut peaks = now.clone();
    for (_, starts, request, node) in events {
        for r in 0..resources {
            let units = u128::from(requests.demand[request * resources + r]);
            let at = node * resources + r;
            if starts {
                now[at] += units;
                peaks[at] = peaks[at].max(now[at]);
            } else {
                now[at] -= units;
            }
        }
    }
    (peaks, counts)
}
