//! The requests as the solvers see them: time cut into slots, nodes as rows
//! of capacities.

use std::sync::Arc;

use bayplan_model::{AdmissionPlan, NodeId, PoolId, Problem, RequestId, Requests};

use crate::SolveError;

/// No node: the request is not admitted.
pub const NOWHERE: u32 = u32::MAX;

/// A problem of `admit` as flat arrays.
///
/// Loads only rise at starts, so the time after each distinct start is a slot
/// and a request occupies the slots `lo..hi`: its start up to the last start
/// before its finish. A plan that holds in every slot holds at all times.
pub struct View<'a> {
    /// The requests themselves.
    pub requests: &'a Requests,
    /// Resources.
    pub resources: usize,
    /// Nodes.
    pub nodes: usize,
    /// `capacity[node * resources + resource]`.
    pub capacity: Vec<u64>,
    /// Whether all nodes have the same capacity.
    pub identical: bool,
    /// The largest capacity of each resource: sizes are shares of it.
    pub reference: Vec<u64>,
    /// Start of each slot, ascending.
    pub slot_start: Arc<Vec<i64>>,
    /// First slot of each request.
    pub lo: Arc<Vec<u32>>,
    /// One past the last slot of each request.
    pub hi: Arc<Vec<u32>>,
    /// Pools of nodes beyond the existing ones.
    pub opened: Vec<PoolId>,
}

impl<'a> View<'a> {
    /// The problem's own nodes: those that exist or, when none does, as many
    /// of each pool as there may be.
    pub fn new(problem: &'a Problem) -> Result<Self, SolveError> {
        let cluster = problem.cluster();
        let mut opened = Vec::new();
        if cluster.nodes.is_empty() {
            for (id, pool) in cluster.pools.iter().enumerate() {
                let Some(count) = pool.max_count else {
                    return Err(SolveError::Parameter {
                        name: "machines",
                        problem: format!(
                            "the cluster has no nodes and pool {} may have any number: say how many",
                            pool.name
                        ),
                    });
                };
                opened.extend(std::iter::repeat_n(PoolId::from(id), count as usize));
            }
        }
        let existing = cluster.nodes.iter().map(|node| node.pool);
        let pools: Vec<PoolId> = existing.chain(opened.iter().copied()).collect();
        Self::on(problem, &pools, opened)
    }

    fn on(problem: &'a Problem, pools: &[PoolId], opened: Vec<PoolId>) -> Result<Self, SolveError> {
        let requests = problem.requests().ok_or(SolveError::WrongWorkload {
            verb: "admit",
            needs: "requests",
        })?;
        let cluster = problem.cluster();
        let resources = cluster.resources.len();
        let rows = pools.iter().map(|pool| cluster.capacity(*pool));
        let capacity: Vec<u64> = rows.flatten().copied().collect();
        let reference = (0..resources)
            .map(|r| capacity.iter().skip(r).step_by(resources).max().copied())
            .map(|largest| largest.unwrap_or(0))
            .collect();
        let identical = pools
            .windows(2)
            .all(|pair| cluster.capacity(pair[0]) == cluster.capacity(pair[1]));
        let mut slot_start = requests.start.clone();
        slot_start.sort_unstable();
        slot_start.dedup();
        let slot = |time: &i64| slot_start.partition_point(|start| start < time) as u32;
        let lo = requests.start.iter().map(slot).collect::<Vec<_>>().into();
        let hi = requests.finish.iter().map(slot).collect::<Vec<_>>().into();
        Ok(Self {
            requests,
            resources,
            nodes: pools.len(),
            capacity,
            identical,
            reference,
            slot_start: slot_start.into(),
            lo,
            hi,
            opened,
        })
    }

    /// The same requests on some of the nodes, which are numbered anew.
    pub fn on_nodes(&self, nodes: &[u32]) -> View<'a> {
        let rows = nodes.iter().map(|node| self.capacity(*node as usize));
        View {
            requests: self.requests,
            resources: self.resources,
            nodes: nodes.len(),
            capacity: rows.flatten().copied().collect(),
            identical: self.identical,
            reference: self.reference.clone(),
            slot_start: self.slot_start.clone(),
            lo: self.lo.clone(),
            hi: self.hi.clone(),
            opened: Vec::new(),
        }
    }

    /// How many requests.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Whether there is no request.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// Demand of a request, per resource, in units.
    pub fn demand(&self, request: u32) -> &[u64] {
        &self.requests.demand[request as usize * self.resources..][..self.resources]
    }

    /// Capacity of a node, per resource, in units.
    pub fn capacity(&self, node: usize) -> &[u64] {
        &self.capacity[node * self.resources..][..self.resources]
    }

    /// Weight of a request, in millionths.
    pub fn weight(&self, request: u32) -> u64 {
        self.requests.weight[request as usize]
    }

    /// Demand of one resource as a share of the largest node.
    pub fn size(&self, request: u32, resource: usize) -> f64 {
        let demand = self.demand(request)[resource];
        if demand == 0 {
            return 0.0;
        }
        demand as f64 / self.reference[resource] as f64
    }

    /// The sum of the sizes over the resources: a + b of the paper.
    pub fn total_size(&self, request: u32) -> f64 {
        (0..self.resources).map(|r| self.size(request, r)).sum()
    }

    /// Length of the interval, in time units.
    pub fn duration(&self, request: u32) -> f64 {
        let j = request as usize;
        self.requests.finish[j].abs_diff(self.requests.start[j]) as f64
    }

    /// Whether the request takes more than half of a resource (of the
    /// largest node): the paper's wide. Exact.
    pub fn is_wide(&self, request: u32, resource: usize) -> bool {
        let demand = u128::from(self.demand(request)[resource]);
        2 * demand > u128::from(self.reference[resource])
    }

    /// Whether the request is wide in no resource.
    pub fn is_narrow(&self, request: u32) -> bool {
        (0..self.resources).all(|r| !self.is_wide(request, r))
    }

    /// Capacity of all nodes in one resource, in sizes: k when all are alike.
    pub fn total_capacity(&self, resource: usize) -> f64 {
        if self.reference[resource] == 0 {
            return 0.0;
        }
        let units = self.capacity.iter().skip(resource).step_by(self.resources);
        units.map(|units| u128::from(*units)).sum::<u128>() as f64 / self.reference[resource] as f64
    }

    /// The requests that fit an empty node, in order: all others are out from
    /// the start.
    pub fn placeable(&self) -> Vec<u32> {
        let mut kinds: Vec<&[u64]> = (0..self.nodes).map(|node| self.capacity(node)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let fits = |request: &u32| {
            let demand = self.demand(*request);
            kinds
                .iter()
                .any(|kind| demand.iter().zip(*kind).all(|(need, has)| need <= has))
        };
        (0..self.len() as u32).filter(fits).collect()
    }

    /// The paper's load factor: demand over capacity, averaged over resources
    /// and time.
    pub fn load_factor(&self) -> f64 {
        let demand: f64 = (0..self.len() as u32)
            .map(|j| self.total_size(j) / self.resources as f64 * self.duration(j))
            .sum();
        let first = self.requests.start.iter().min();
        let last = self.requests.finish.iter().max();
        match (first, last) {
            (Some(first), Some(last)) => {
                demand / (self.nodes as f64 * last.abs_diff(*first) as f64)
            }
            _ => 0.0,
        }
    }

    /// The plan that puts each request on its node.
    pub fn plan(&self, node_of: &[u32]) -> AdmissionPlan {
        let accepted = node_of
            .iter()
            .enumerate()
            .filter(|(_, node)| **node != NOWHERE)
            .map(|(request, node)| (RequestId::from(request), NodeId(*node)))
            .collect();
        AdmissionPlan {
            opened: self.opened.clone(),
            accepted,
        }
    }

    /// Weight of the admitted requests, in millionths.
    pub fn value(&self, node_of: &[u32]) -> u64 {
        let placed = node_of.iter().enumerate().filter(|(_, n)| **n != NOWHERE);
        placed.map(|(request, _)| self.weight(request as u32)).sum()
    }
}
