//! What runs where: full machines, nearly empty ones, and no regard to traffic.

use bayplan_model::{Cluster, Compatibility, Count, NodeId, Placement, Reach, ServiceId, Services};
use fixedbitset::FixedBitSet;
use rand::RngExt;

use super::ColocateOptions;
use crate::generate::GenerateError;
use crate::generate::random::{Random, below, shuffle};

/// Share of machines meant to stay rather empty, and how full those get.
const EMPTY: (f64, f64, f64) = (0.16, 0.05, 0.5);

/// How full the other machines get.
const FULL: (f64, f64) = (0.93, 1.0);

/// Machines looked at before the fullest that fits is searched for.
const LOOKS: usize = 24;

/// Machines dealt out to classes in turn; each service to the class with the
/// smallest share of its CPU asked for.
pub(super) fn classes(
    options: &ColocateOptions,
    cluster: &Cluster,
    services: &Services,
) -> Compatibility {
    if options.classes == 1 {
        return Compatibility::everywhere();
    }
    let mut reach: Vec<(Reach, f64, f64)> = (0..options.classes)
        .map(|_| {
            let reach = Reach {
                nodes: FixedBitSet::with_capacity(cluster.nodes.len()),
                pools: FixedBitSet::with_capacity(cluster.pools.len()),
            };
            (reach, 0.0, 0.0)
        })
        .collect();
    for (number, node) in cluster.nodes.iter().enumerate() {
        let (reach, room, _) = &mut reach[number % options.classes];
        reach.nodes.insert(number);
        *room += cluster.capacity(node.pool)[0] as f64;
    }
    let mut order: Vec<ServiceId> = services.ids().collect();
    let asked = |s: ServiceId| services.row(s)[0] as f64 * f64::from(services.replicas[s.index()]);
    order.sort_by(|a, b| asked(*b).total_cmp(&asked(*a)).then(a.cmp(b)));
    let mut chosen = vec![None; services.len()];
    for service in order {
        let least = reach
            .iter_mut()
            .min_by(|a, b| (a.2 / a.1).total_cmp(&(b.2 / b.1)));
        let (reach, _, load) = least.expect("there is a class");
        *load += asked(service);
        chosen[service.index()] = Some(reach.clone());
    }
    Compatibility::new(chosen, cluster.nodes.len(), cluster.pools.len())
}

struct Machines<'a> {
    services: &'a Services,
    free: Vec<[u64; 2]>,
    /// CPU that should stay free, by the machine's own mood.
    spare: Vec<u64>,
    counts: Vec<std::collections::BTreeMap<u32, u32>>,
    /// The most replicas of each service on a machine.
    most: Vec<u32>,
}

impl Machines<'_> {
    fn takes(&self, node: usize, service: ServiceId, spare: u64) -> bool {
        let row = self.services.row(service);
        let here = self.counts[node].get(&service.0).copied().unwrap_or(0);
        self.free[node][0] >= row[0] + spare
            && self.free[node][1] >= row[1]
            && here < self.most[service.index()]
            && self
                .services
                .compatibility
                .allows_node(service, NodeId::from(node))
    }

    fn put(&mut self, node: usize, service: ServiceId) {
        let row = self.services.row(service);
        self.free[node][0] -= row[0];
        self.free[node][1] -= row[1];
        *self.counts[node].entry(service.0).or_insert(0) += 1;
    }

    /// A random machine with room to spare, else the one with most room.
    fn find(&self, service: ServiceId, random: &mut Random) -> Option<usize> {
        let nodes = self.free.len();
        for _ in 0..LOOKS {
            let node = below(random, nodes as u64) as usize;
            if self.takes(node, service, self.spare[node]) {
                return Some(node);
            }
        }
        let start = below(random, nodes as u64) as usize;
        let around = || (0..nodes).map(|at| (start + at) % nodes);
        around()
            .find(|node| self.takes(*node, service, self.spare[*node]))
            .or_else(|| {
                around()
                    .filter(|node| self.takes(*node, service, 0))
                    .max_by_key(|node| self.free[*node][0])
            })
    }
}

/// Places every container, or says how many found no place.
pub(super) fn current(
    cluster: &Cluster,
    services: &Services,
    random: &mut Random,
) -> Result<Placement, GenerateError> {
    let mut most = vec![u32::MAX; services.len()];
    for set in &services.spread {
        most[set.members[0].index()] = set.max;
    }
    let capacity = |node: usize| cluster.capacity(cluster.nodes[node].pool);
    let nodes = cluster.nodes.len();
    let mut mood = |node: usize| {
        let empty = random.random::<f64>() < EMPTY.0;
        let (low, high) = if empty { (EMPTY.1, EMPTY.2) } else { FULL };
        let wanted = low + (high - low) * random.random::<f64>();
        ((1.0 - wanted) * capacity(node)[0] as f64) as u64
    };
    let spare = (0..nodes).map(&mut mood).collect();
    let mut machines = Machines {
        services,
        free: (0..nodes)
            .map(|node| [capacity(node)[0], capacity(node)[1]])
            .collect(),
        spare,
        counts: vec![Default::default(); nodes],
        most,
    };
    let mut order: Vec<ServiceId> = services
        .ids()
        .flat_map(|s| std::iter::repeat_n(s, services.replicas[s.index()] as usize))
        .collect();
    shuffle(random, &mut order);
    // Large ones first, or the last large ones find no room.
    order.sort_by_key(|service| std::cmp::Reverse(services.row(*service)[0]));
    let mut unplaced = 0;
    for service in order {
        match machines.find(service, random) {
            Some(node) => machines.put(node, service),
            None => unplaced += 1,
        }
    }
    if unplaced > 0 {
        return Err(GenerateError::NoRoom { unplaced });
    }
    let counts = machines
        .counts
        .iter()
        .enumerate()
        .flat_map(|(node, counts)| {
            counts.iter().map(move |(service, count)| Count {
                service: ServiceId(*service),
                node: NodeId::from(node),
                count: *count,
            })
        });
    Ok(Placement::new(counts.collect()))
}
