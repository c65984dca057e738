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

/// The most of a class's room that one family of services may ask for.
const FAMILY: f64 = 0.5;

/// Machines dealt out to classes in turn, and services by families: those that
/// talk mostly share a class, as far as the class has room. Classes without
/// regard to traffic would leave three quarters of it between machines for ever
/// (a bound of 0.42 with four classes), and the paper's mean over its four
/// clusters, 54.69 points of traffic above K8s+, rules that out.
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
    let room = reach.iter().map(|(_, room, _)| *room);
    let mut families = families(services, FAMILY * room.fold(f64::INFINITY, f64::min));
    families.sort_by(|(a, s), (b, t)| b.total_cmp(a).then(s.cmp(t)));
    let mut chosen = vec![None; services.len()];
    for (asked, family) in families {
        let least = reach
            .iter_mut()
            .min_by(|a, b| (a.2 / a.1).total_cmp(&(b.2 / b.1)));
        let (reach, _, load) = least.expect("there is a class");
        *load += asked;
        for service in family {
            chosen[service as usize] = Some(reach.clone());
        }
    }
    Compatibility::new(chosen, cluster.nodes.len(), cluster.pools.len())
}

/// Services put together pair by pair, the heaviest traffic first, while what
/// they ask for stays below a limit; with what each family asks for.
fn families(services: &Services, most: f64) -> Vec<(f64, Vec<u32>)> {
    let asked = |s: ServiceId| services.row(s)[0] as f64 * f64::from(services.replicas[s.index()]);
    let mut families: Vec<(f64, Vec<u32>)> =
        services.ids().map(|s| (asked(s), vec![s.0])).collect();
    let mut family_of: Vec<usize> = (0..services.len()).collect();
    let mut pairs: Vec<_> = services.traffic.iter().collect();
    pairs.sort_by(|a, b| {
        b.weight
            .total_cmp(&a.weight)
            .then((a.a, a.b).cmp(&(b.a, b.b)))
    });
    for pair in pairs {
        let (a, b) = (family_of[pair.a.index()], family_of[pair.b.index()]);
        if a == b || families[a].0 + families[b].0 > most {
            continue;
        }
        let (asked, members) = std::mem::take(&mut families[b]);
        for service in &members {
            family_of[*service as usize] = a;
        }
        families[a].0 += asked;
        families[a].1.extend(members);
    }
    families.retain(|(_, members)| !members.is_empty());
    families
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
