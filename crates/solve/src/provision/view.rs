//! The problem as the flat arrays the provisioning algorithms work on.

use bayplan_model::{Count, Level, NodeId, PoolId, Problem, Reason, ServiceId, Services, Unplaced};

use super::Params;
use crate::SolveError;

/// No limit on the number of replicas.
pub(super) const UNLIMITED: u32 = u32::MAX;

/// A pool as the algorithms see it.
pub(super) struct Kind {
    /// Capacity per resource, less headroom.
    pub capacity: Vec<i64>,
    /// Price of a node in millionths.
    pub price: u64,
    /// How many nodes may still be opened.
    pub openable: u32,
}

/// A spread set that counts over nodes sharing a label.
pub(super) struct LabelSet {
    /// The label.
    pub key: String,
    /// The most replicas together.
    pub max: u32,
}

/// The problem, flat.
pub(super) struct View<'p> {
    pub problem: &'p Problem,
    pub services: &'p Services,
    pub resources: usize,
    pub epochs: usize,
    /// Dimensions: resources times epochs.
    pub width: usize,
    /// Replicas of each service that must have a place, those that stay included.
    pub wanted: Vec<u32>,
    /// The most replicas of a service on one node by rules that name it alone.
    pub cap: Vec<u32>,
    pub kinds: Vec<Kind>,
    /// Pool of each existing node.
    pub existing: Vec<u32>,
    /// Replicas that stay where they are.
    pub fixed: Vec<Count>,
    /// Sets of several services counted per node: members and maximum.
    pub node_sets: Vec<(Vec<u32>, u32)>,
    /// For each service the node sets it belongs to.
    pub node_sets_of: Vec<Vec<u32>>,
    pub label_sets: Vec<LabelSet>,
    pub label_sets_of: Vec<Vec<u32>>,
    /// What fits no node there is or could be, with the reason.
    pub hopeless: Vec<Unplaced>,
}

impl<'p> View<'p> {
    pub fn new(problem: &'p Problem, params: &Params) -> Result<Self, SolveError> {
        let services = problem.services().ok_or(SolveError::WrongWorkload {
            verb: "provision",
            needs: "services",
        })?;
        if !services.variance.is_empty() && services.variance.iter().any(|v| *v > 0) {
            return Err(SolveError::UnsupportedRule {
                by: "provision".into(),
                rule: "random demand",
                fix: "use `overcommit`, or give demand by epoch".into(),
            });
        }
        let cluster = problem.cluster();
        if cluster.pools.is_empty() {
            return Err(SolveError::Infeasible {
                why: "the cluster has no pool to open nodes in".into(),
            });
        }
        let resources = cluster.resources.len();
        let epochs = services.epochs.max(1);
        let mut view = Self {
            problem,
            services,
            resources,
            epochs,
            width: resources * epochs,
            wanted: services.replicas.clone(),
            cap: services
                .ids()
                .map(|s| services.limits.cap(s).unwrap_or(UNLIMITED))
                .collect(),
            kinds: kinds(problem, params),
            existing: cluster.nodes.iter().map(|node| node.pool.0).collect(),
            fixed: fixed(services, params.repack),
            node_sets: Vec::new(),
            node_sets_of: vec![Vec::new(); services.len()],
            label_sets: Vec::new(),
            label_sets_of: vec![Vec::new(); services.len()],
            hopeless: Vec::new(),
        };
        view.add_spread_sets();
        view.set_hopeless_aside();
        Ok(view)
    }

    pub fn len(&self) -> usize {
        self.wanted.len()
    }

    /// Units of a replica in every dimension.
    pub fn row(&self, service: usize) -> &[u64] {
        &self.services.demand[service * self.width..][..self.width]
    }

    /// What a replica needs of a resource in its quietest epoch: a node whose
    /// tightest epoch has less than this has no room for it.
    pub fn least(&self, service: usize, resource: usize) -> i64 {
        let row = &self.row(service)[resource * self.epochs..][..self.epochs];
        row.iter().copied().min().unwrap_or(0) as i64
    }

    /// What a replica needs of a resource in its busiest epoch.
    pub fn peak(&self, service: usize, resource: usize) -> i64 {
        let row = &self.row(service)[resource * self.epochs..][..self.epochs];
        row.iter().copied().max().unwrap_or(0) as i64
    }

    /// How many replicas an empty node of a pool holds by capacity alone.
    pub fn per_empty_node(&self, service: usize, pool: usize) -> u32 {
        let capacity = &self.kinds[pool].capacity;
        let row = self.row(service).chunks_exact(self.epochs);
        let most = row.zip(capacity).map(|(units, capacity)| {
            let peak = units.iter().copied().max().unwrap_or(0);
            (*capacity as u64).checked_div(peak).unwrap_or(u64::MAX)
        });
        most.min().unwrap_or(u64::MAX).min(u64::from(UNLIMITED)) as u32
    }

    pub fn allows_pool(&self, service: usize, pool: usize) -> bool {
        let compatibility = &self.services.compatibility;
        compatibility.allows_pool(ServiceId::from(service), PoolId::from(pool))
    }

    pub fn allows_existing(&self, service: usize, node: usize) -> bool {
        let compatibility = &self.services.compatibility;
        compatibility.allows_node(ServiceId::from(service), NodeId::from(node))
    }

    /// Whether a service may use a node, existing or new.
    pub fn allows(&self, service: usize, node: usize, pool: usize) -> bool {
        if self.services.compatibility.is_everywhere() {
            true
        } else if node < self.existing.len() {
            self.allows_existing(service, node)
        } else {
            self.allows_pool(service, pool)
        }
    }

    /// Whether rules beyond limits bind the service: compatibility or spread sets.
    pub fn is_bound(&self, service: usize) -> bool {
        self.services
            .compatibility
            .reach(ServiceId::from(service))
            .is_some()
            || !self.node_sets_of[service].is_empty()
            || !self.label_sets_of[service].is_empty()
    }

    /// Whether all nodes are of one kind and nothing exists yet: the paper's setting.
    pub fn is_uniform(&self) -> bool {
        self.kinds.len() == 1 && self.existing.is_empty()
    }

    fn add_spread_sets(&mut self) {
        for set in &self.services.spread {
            match &set.level {
                Level::Node if set.members.len() == 1 => {
                    let cap = &mut self.cap[set.members[0].index()];
                    *cap = (*cap).min(set.max);
                }
                Level::Node => {
                    let id = self.node_sets.len() as u32;
                    for member in &set.members {
                        self.node_sets_of[member.index()].push(id);
                        let cap = &mut self.cap[member.index()];
                        *cap = (*cap).min(set.max);
                    }
                    let members = set.members.iter().map(|m| m.0).collect();
                    self.node_sets.push((members, set.max));
                }
                Level::Label(key) => {
                    let id = self.label_sets.len() as u32;
                    for member in &set.members {
                        self.label_sets_of[member.index()].push(id);
                    }
                    self.label_sets.push(LabelSet {
                        key: key.clone(),
                        max: set.max,
                    });
                }
            }
        }
    }

    /// Takes out replicas that fit no node, so that no algorithm looks for a place.
    fn set_hopeless_aside(&mut self) {
        let mut staying = vec![0u32; self.len()];
        for entry in &self.fixed {
            staying[entry.service.index()] += entry.count;
        }
        for (service, staying) in staying.into_iter().enumerate() {
            let missing = self.wanted[service] - staying;
            if missing == 0 {
                continue;
            }
            let pools = (0..self.kinds.len())
                .filter(|p| self.kinds[*p].openable > 0 && self.allows_pool(service, *p));
            let nodes = (0..self.existing.len())
                .filter(|n| self.allows_existing(service, *n))
                .map(|n| self.existing[n] as usize);
            let mut places = pools.chain(nodes).peekable();
            let reason = if places.peek().is_none() {
                Reason::NoCompatibleNode
            } else if places.all(|pool| self.per_empty_node(service, pool) == 0) {
                Reason::TooLarge
            } else if self.cap[service] == 0 {
                Reason::Rules
            } else {
                continue;
            };
            self.hopeless.push(Unplaced {
                service: ServiceId::from(service),
                count: missing,
                reason,
            });
            self.wanted[service] = staying;
        }
    }
}

fn kinds(problem: &Problem, params: &Params) -> Vec<Kind> {
    let cluster = problem.cluster();
    let mut existing = vec![0u32; cluster.pools.len()];
    for node in &cluster.nodes {
        existing[node.pool.index()] += 1;
    }
    let usable = |resource: usize, units: u64| {
        let kept = params.headroom.get(resource).copied().unwrap_or(0);
        let share = 1_000_000u128.saturating_sub(u128::from(kept));
        // Capacities above 63 bits cannot be filled: the model keeps sums below.
        i64::try_from(u128::from(units) * share / 1_000_000).unwrap_or(i64::MAX)
    };
    let pools = cluster.pools.iter().zip(existing);
    pools
        .map(|(pool, existing)| Kind {
            capacity: pool
                .capacity
                .iter()
                .enumerate()
                .map(|(r, c)| usable(r, *c))
                .collect(),
            price: pool.price,
            openable: pool
                .max_count
                .map_or(UNLIMITED, |max| max.saturating_sub(existing)),
        })
        .collect()
}

/// What stays: the current placement up to the number of replicas wanted; when
/// repacking only what is pinned.
fn fixed(services: &Services, repack: bool) -> Vec<Count> {
    let mut kept = Vec::new();
    let mut service = ServiceId(u32::MAX);
    let mut room = 0;
    for entry in services.placement.counts() {
        if entry.service != service {
            service = entry.service;
            room = services.replicas[service.index()];
        }
        let count = entry.count.min(room);
        room -= count;
        if count > 0 && (!repack || services.pinned[service.index()]) {
            kept.push(Count { count, ..*entry });
        }
    }
    kept
}
