//! The machines while an algorithm works on them: place, remove, open.

use bayplan_model::{
    Count, NodeId, Placement, PlacementPlan, PoolId, Reason, ServiceId, Unplaced, at_confidence,
};

use super::view::View;

/// Loads and contents of all machines: existing nodes first, then opened ones.
#[derive(Clone)]
pub(crate) struct Fleet {
    /// The pool of each machine.
    pub pool: Vec<PoolId>,
    /// `mean[machine * resources + resource]`.
    pub mean: Vec<u64>,
    /// `variance[machine * resources + resource]`.
    pub variance: Vec<u128>,
    /// (service, count) of each machine, by service, no zero.
    pub held: Vec<Vec<(u32, u32)>>,
    /// Nodes of each pool that may still be opened.
    pub can_open: Vec<u64>,
    resources: usize,
}

impl Fleet {
    /// The machines with what runs now.
    pub fn current(view: &View) -> Self {
        let cluster = view.cluster;
        let mut can_open: Vec<u64> = cluster
            .pools
            .iter()
            .map(|pool| pool.max_count.map_or(u64::MAX, u64::from))
            .collect();
        for node in &cluster.nodes {
            let left = &mut can_open[node.pool.index()];
            if *left != u64::MAX {
                *left = left.saturating_sub(1);
            }
        }
        let machines = cluster.nodes.len();
        let mut fleet = Self {
            pool: cluster.nodes.iter().map(|node| node.pool).collect(),
            mean: vec![0; machines * view.resources],
            variance: vec![0; machines * view.resources],
            held: vec![Vec::new(); machines],
            can_open,
            resources: view.resources,
        };
        for entry in view.services.placement.counts() {
            fleet.place(view, entry.node.index(), entry.service.index(), entry.count);
        }
        fleet
    }

    /// How many machines, opened ones included.
    pub fn len(&self) -> usize {
        self.pool.len()
    }

    /// Mean load per resource of a machine.
    pub fn mean_of(&self, machine: usize) -> &[u64] {
        &self.mean[machine * self.resources..][..self.resources]
    }

    /// Variance per resource of a machine.
    pub fn variance_of(&self, machine: usize) -> &[u128] {
        &self.variance[machine * self.resources..][..self.resources]
    }

    /// U of a machine on resource 0.
    pub fn used(&self, machine: usize, d: f64) -> f64 {
        let at = machine * self.resources;
        at_confidence(self.mean[at], self.variance[at], d)
    }

    /// The sum of U over all machines.
    pub fn ucac(&self, d: f64) -> f64 {
        (0..self.len()).map(|machine| self.used(machine, d)).sum()
    }

    /// Machines with at least one replica.
    pub fn machines(&self) -> u64 {
        self.held.iter().filter(|held| !held.is_empty()).count() as u64
    }

    /// Opens a new machine of a pool, which must allow one more.
    pub fn open(&mut self, pool: PoolId) -> usize {
        let left = &mut self.can_open[pool.index()];
        assert!(*left > 0, "the pool is used up");
        if *left != u64::MAX {
            *left -= 1;
        }
        self.pool.push(pool);
        self.mean.resize(self.mean.len() + self.resources, 0);
        self.variance
            .resize(self.variance.len() + self.resources, 0);
        self.held.push(Vec::new());
        self.pool.len() - 1
    }

    /// Gives the machine opened last back; it must be empty.
    pub fn close_last(&mut self) {
        let pool = self.pool.pop().expect("a machine was opened");
        assert!(self.held.pop().is_some_and(|held| held.is_empty()));
        self.mean.truncate(self.mean.len() - self.resources);
        self.variance.truncate(self.variance.len() - self.resources);
        let left = &mut self.can_open[pool.index()];
        *left = left.saturating_add(1);
    }

    /// Adds replicas of a service to a machine.
    pub fn place(&mut self, view: &View, machine: usize, service: usize, count: u32) {
        if count == 0 {
            return;
        }
        for r in 0..self.resources {
            self.mean[machine * self.resources + r] += view.mean_of(service)[r] * u64::from(count);
            self.variance[machine * self.resources + r] +=
                view.variance_of(service)[r] * u128::from(count);
        }
        let (held, id) = (&mut self.held[machine], service as u32);
        match held.binary_search_by_key(&id, |(s, _)| *s) {
            Ok(at) => held[at].1 += count,
            Err(at) => held.insert(at, (id, count)),
        }
    }

    /// Takes replicas of a service off a machine, which must hold them.
    pub fn remove(&mut self, view: &View, machine: usize, service: usize, count: u32) {
        if count == 0 {
            return;
        }
        for r in 0..self.resources {
            self.mean[machine * self.resources + r] -= view.mean_of(service)[r] * u64::from(count);
            self.variance[machine * self.resources + r] -=
                view.variance_of(service)[r] * u128::from(count);
        }
        let held = &mut self.held[machine];
        let at = held
            .binary_search_by_key(&(service as u32), |(s, _)| *s)
            .expect("the machine holds the service");
        held[at].1 -= count;
        if held[at].1 == 0 {
            held.remove(at);
        }
    }

    /// How many replicas of a service a machine holds.
    pub fn count(&self, machine: usize, service: usize) -> u32 {
        let held = &self.held[machine];
        held.binary_search_by_key(&(service as u32), |(s, _)| *s)
            .map_or(0, |at| held[at].1)
    }

    /// The most replicas of a service, up to `at_most`, that a machine takes:
    /// compatibility, limits, spread sets and every resource.
    pub fn most(&self, view: &View, machine: usize, service: usize, at_most: u32) -> u32 {
        if !view.allows(self, machine, service) {
            return 0;
        }
        let by_rules = at_most.min(view.room_by_rules(&self.held[machine], service));
        if by_rules == 0 {
            return 0;
        }
        let (mean, variance) = (self.mean_of(machine), self.variance_of(machine));
        view.most_that_fit(self.pool[machine], mean, variance, service, by_rules)
    }

    /// Pools in the order in which new machines are taken: largest first, as
    /// a larger machine pools more risk.
    pub fn pools_by_size(&self, view: &View) -> Vec<PoolId> {
        let mut pools: Vec<PoolId> = (0..view.cluster.pools.len()).map(PoolId::from).collect();
        pools.sort_by_key(|pool| (std::cmp::Reverse(view.capacity(*pool)[0]), *pool));
        pools
    }

    /// The plan: what stands now; `missing[service]` replicas have no place.
    pub fn plan(&self, view: &View, missing: &[u32]) -> PlacementPlan {
        let existing = view.cluster.nodes.len();
        // Opened machines that stayed empty are not in the plan.
        let mut opened = Vec::new();
        let mut counts = Vec::new();
        for (machine, held) in self.held.iter().enumerate() {
            let node = if machine < existing {
                machine
            } else if held.is_empty() {
                continue;
            } else {
                opened.push(self.pool[machine]);
                existing + opened.len() - 1
            };
            counts.extend(held.iter().map(|(service, count)| Count {
                service: ServiceId(*service),
                node: NodeId::from(node),
                count: *count,
            }));
        }
        let missing = missing.iter().enumerate().filter(|(_, count)| **count > 0);
        let unplaced = missing
            .map(|(service, count)| Unplaced {
                service: ServiceId::from(service),
                count: *count,
                reason: self.reason(view, service),
            })
            .collect();
        PlacementPlan {
            opened,
            placement: Placement::new(counts),
            unplaced,
            waves: Vec::new(),
        }
    }

    /// Why a replica of a service has no place in this fleet.
    fn reason(&self, view: &View, service: usize) -> Reason {
        let id = ServiceId::from(service);
        let compatibility = &view.services.compatibility;
        let empty = (vec![0; self.resources], vec![0; self.resources]);
        let (mut compatible, mut fits_empty) = (false, false);
        let nodes = (0..view.cluster.nodes.len())
            .map(|n| (compatibility.allows_node(id, NodeId::from(n)), self.pool[n]));
        let pools = (0..view.cluster.pools.len())
            .map(PoolId::from)
            .filter(|pool| view.cluster.pools[pool.index()].max_count != Some(0))
            .map(|pool| (compatibility.allows_pool(id, pool), pool));
        for (allowed, pool) in nodes.chain(pools) {
            compatible |= allowed;
            if allowed && !fits_empty {
                fits_empty = view.most_that_fit(pool, &empty.0, &empty.1, service, 1) == 1;
            }
        }
        if !compatible {
            return Reason::NoCompatibleNode;
        }
        if !fits_empty {
            return Reason::TooLarge;
        }
        let room = |machine: &usize| {
            view.allows(self, *machine, service)
                && view.most_that_fit(
                    self.pool[*machine],
                    self.mean_of(*machine),
                    self.variance_of(*machine),
                    service,
                    1,
                ) == 1
        };
        if (0..self.len()).any(|machine| room(&machine)) {
            Reason::Rules
        } else {
            Reason::NoRoom
        }
    }
}
