//! Random problems and plans for the property tests.

use bayplan_model::*;
use fixedbitset::FixedBitSet;

/// A small seeded generator (SplitMix64).
pub(crate) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn chance(&mut self) -> bool {
        self.next() % 2 == 0
    }

    /// Small, middling and large amounts.
    pub fn amount(&mut self) -> u64 {
        let bits = self.below(45);
        self.next() >> (63 - bits)
    }
}

/// Names that formats like to trip over.
const ODD: &[&str] = &[
    "a", "7", "true", "No", "null", "~", "1e3", "x y", "quote\"d", "comma,d", "ünï", "a/b", "a#b",
    "- x", "{x}", "[y", "&z", "*w", "!v", "%u", "@t", "a: b", "'s'", "back\\slash", "tab\tbed",
    "new\nline", "0x10", "1_000", ".5", "-1", "on",
];

pub(crate) fn names(random: &mut Random, count: usize, odd: bool) -> Names {
    let mut names = Names::default();
    while names.len() < count {
        let number = random.below(1000);
        let plain = format!("s{number}");
        let name = if odd && random.chance() { ODD[random.below(ODD.len())] } else { &plain };
        let _ = names.add(name);
    }
    names
}

fn labels(random: &mut Random) -> Labels {
    let mut labels = Labels::new();
    for key in ["zone", "disk", "a b"] {
        if random.below(3) == 0 {
            labels.insert(key.into(), ["a", "b", "1"][random.below(3)].into());
        }
    }
    labels
}

pub(crate) fn cluster(random: &mut Random, resources: usize, scales: &[u64]) -> Cluster {
    let units = [("cpu", "core"), ("memory", "GB"), ("gpu", "")];
    let resources: Vec<Resource> = units[..resources]
        .iter()
        .map(|(name, unit)| Resource {
            name: (*name).into(),
            unit: (*unit).into(),
            scale: scales[random.below(scales.len())],
        })
        .collect();
    let count = 1 + random.below(3);
    let pool_names = names(random, count, true);
    let mut pools: Vec<Pool> = (0..count)
        .map(|at| Pool {
            name: pool_names.get(at).into(),
            capacity: resources.iter().map(|_| random.amount()).collect(),
            price: random.amount(),
            max_count: random.chance().then(|| 10 + random.below(10) as u32),
            labels: labels(random),
        })
        .collect();
    let node_count = random.below(6);
    let node_names = names(random, node_count, true);
    let nodes = (0..node_count).map(|at| Node {
        name: format!("n{}", node_names.get(at)),
        pool: PoolId::from(random.below(count)),
        labels: labels(random),
    });
    let nodes: Vec<Node> = nodes.collect();
    for pool in &mut pools {
        pool.max_count = pool.max_count.map(|most| most.max(node_count as u32));
    }
    Cluster { resources, pools, nodes }
}

/// Services with every kind of rule.
pub(crate) fn services(random: &mut Random, cluster: &Cluster, odd: bool) -> Services {
    let count = 1 + random.below(6);
    let width = cluster.resources.len();
    let epochs = if random.below(3) == 0 { 2 + random.below(3) } else { 1 };
    let with_variance = epochs == 1 && random.below(3) == 0;
    let names = names(random, count, odd);
    let all: Vec<Service> = (0..count)
        .map(|_| {
            let replicas = random.below(20) as u32;
            Service {
                replicas,
                demand: (0..width * epochs).map(|_| random.amount()).collect(),
                variance: (0..if with_variance { width } else { 0 })
                    .map(|_| match random.below(3) {
                        0 => 0,
                        1 => u128::from(random.amount()).pow(2),
                        _ => u128::from(random.amount()) * 3,
                    })
                    .collect(),
                pinned: random.below(4) == 0,
                alive: random.below(replicas as usize + 1) as u32,
            }
        })
        .collect();
    let mut services = Services::new(names, epochs, all);
    let service = |random: &mut Random| ServiceId::from(random.below(count));
    let mut limits = LimitsBuilder::new(count);
    let mut taken = std::collections::BTreeSet::new();
    for _ in 0..random.below(8) {
        let (of, on) = (service(random), service(random));
        if taken.insert((of, on)) {
            let max = [0, 1, 254, 255, 256, 4_000_000_000][random.below(6)];
            limits.push(Limit { of, on, max }).unwrap();
        }
    }
    services.limits = limits.build().unwrap();
    for at in 0..random.below(3) {
        let members = (0..1 + random.below(3)).map(|_| service(random)).collect();
        let label = if random.chance() { Level::Node } else { Level::Label("zone".into()) };
        let max = random.below(5) as u32;
        services.spread.push(SpreadSet { name: format!("set {at}"), members, max, level: label });
    }
    services.compatibility = compatibility(random, cluster, count);
    for _ in 0..random.below(5) {
        let (a, b) = (service(random), service(random));
        if a != b {
            let weight = random.amount() as f64 / 1000.0 + 1e-9;
            services.traffic.push(Traffic { a, b, weight });
        }
    }
    if !cluster.nodes.is_empty() {
        let entries = (0..random.below(6)).map(|_| Count {
            service: service(random),
            node: NodeId::from(random.below(cluster.nodes.len())),
            count: random.below(4) as u32,
        });
        services.placement = Placement::new(entries.collect());
    }
    services
}

fn compatibility(random: &mut Random, cluster: &Cluster, services: usize) -> Compatibility {
    let (nodes, pools) = (cluster.nodes.len(), cluster.pools.len());
    let mut all: Vec<Option<Reach>> = (0..services)
        .map(|_| {
            if random.chance() {
                return None;
            }
            let mut reach = Reach {
                nodes: FixedBitSet::with_capacity(nodes),
                pools: FixedBitSet::with_capacity(pools),
            };
            (0..nodes).for_each(|node| reach.nodes.set(node, random.chance()));
            (0..pools).for_each(|pool| reach.pools.set(pool, random.chance()));
            // A set of all places is the same rule as none.
            (!(reach.nodes.is_full() && reach.pools.is_full())).then_some(reach)
        })
        .collect();
    if random.chance() {
        all.fill(None);
    }
    Compatibility::new(all, nodes, pools)
}

pub(crate) fn applications(random: &mut Random, cluster: &Cluster) -> Applications {
    let count = 1 + random.below(6);
    let names = names(random, count, true);
    let all = (0..count).map(|_| Application {
        load: random.amount(),
        memory: random.amount(),
        memory_per_load: if random.chance() { 0 } else { random.amount() >> 20 },
        min_instances: random.below(3) as u32,
        max_instances: random.chance().then(|| 3 + random.below(3) as u32),
    });
    let all = all.collect();
    let mut layout = Vec::new();
    if !cluster.nodes.is_empty() {
        for _ in 0..random.below(4) {
            layout.push(Share {
                application: ApplicationId::from(random.below(count)),
                node: NodeId::from(random.below(cluster.nodes.len())),
                load: random.amount(),
            });
        }
    }
    layout.sort_unstable();
    Applications { names, all, layout }
}

pub(crate) fn requests(random: &mut Random, cluster: &Cluster, time_scale: u64) -> Requests {
    let all = (0..1 + random.below(8)).map(|_| {
        let start = random.amount() as i64 * if random.chance() { 1 } else { -1 };
        Request {
            start,
            finish: start + 1 + random.amount() as i64,
            demand: cluster.resources.iter().map(|_| random.amount()).collect(),
            weight: random.amount(),
        }
    });
    Requests::new(time_scale, all.collect::<Vec<_>>())
}

/// Any problem.
pub(crate) fn problem(seed: u64) -> Problem {
    let random = &mut Random(seed);
    let scales = [1, 7, 1000, 1 << 20, 1_000_000, 1 << 30];
    let workload = random.below(3);
    let width = if workload == 1 { 2 } else { 1 + random.below(3) };
    let cluster = cluster(random, width, &scales);
    let workload = match workload {
        0 => Workload::Services(services(random, &cluster, true)),
        1 => Workload::Applications(applications(random, &cluster)),
        _ => {
            let time_scale = [1, 1000, 1_000_000, 3][random.below(4)];
            Workload::Requests(requests(random, &cluster, time_scale))
        }
    };
    Problem::new(cluster, workload).unwrap()
}

/// A plan for a problem; it need not be legal.
pub(crate) fn plan(random: &mut Random, problem: &Problem) -> Plan {
    let cluster = problem.cluster();
    let mut opened: Vec<PoolId> =
        (0..random.below(4)).map(|_| PoolId::from(random.below(cluster.pools.len()))).collect();
    if cluster.nodes.is_empty() && opened.is_empty() {
        opened.push(PoolId(0));
    }
    let nodes = cluster.nodes.len() + opened.len();
    let node = |random: &mut Random| NodeId::from(random.below(nodes));
    match problem.workload() {
        Workload::Services(services) => {
            let moved = |random: &mut Random| Move {
                service: ServiceId::from(random.below(services.len())),
                node: node(random),
                count: 1 + random.below(5) as u32,
            };
            let entry = |random: &mut Random| {
                let Move { service, node, count } = moved(random);
                Count { service, node, count }
            };
            let reasons =
                [Reason::TooLarge, Reason::NoCompatibleNode, Reason::NoRoom, Reason::Rules];
            let unplaced = (0..random.below(3))
                .map(|_| Unplaced {
                    service: ServiceId::from(random.below(services.len())),
                    count: 1 + random.below(5) as u32,
                    reason: reasons[random.below(4)],
                })
                .collect();
            let waves = (0..random.below(3))
                .map(|_| Wave {
                    kind: if random.chance() { WaveKind::Create } else { WaveKind::Delete },
                    moves: (0..random.below(3)).map(|_| moved(random)).collect(),
                })
                .collect();
            let placement = Placement::new((0..random.below(8)).map(|_| entry(random)).collect());
            Plan::Placement(PlacementPlan { opened, placement, unplaced, waves })
        }
        Workload::Applications(applications) => {
            let mut shares: Vec<Share> = (0..random.below(8))
                .map(|_| Share {
                    application: ApplicationId::from(random.below(applications.all.len())),
                    node: node(random),
                    load: random.amount(),
                })
                .collect();
            shares.sort_unstable();
            Plan::Division(DivisionPlan { opened, shares })
        }
        Workload::Requests(requests) => {
            let mut accepted: Vec<(RequestId, NodeId)> = (0..random.below(8))
                .map(|_| (RequestId::from(random.below(requests.len())), node(random)))
                .collect();
            accepted.sort_unstable();
            Plan::Admission(AdmissionPlan { opened, accepted })
        }
    }
}
