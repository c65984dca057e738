//! Small random problems kept as dense tables, with a recount of every rule
//! in plain loops over everything: the verifier's opposite number.

use std::collections::{BTreeMap, BTreeSet};

use bayplan_model::*;
use bayplan_verify::{Rule, Rules};
use fixedbitset::FixedBitSet;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

pub type Random = Xoshiro256PlusPlus;
/// Replicas by service and node.
pub type Table = Vec<Vec<u64>>;
/// Rule and objects, to found and allowed.
pub type Broken = BTreeMap<(Rule, Vec<String>), (f64, f64)>;

pub fn random(seed: u64) -> Random {
    Random::seed_from_u64(seed)
}

/// A problem as tables. Nodes from `existing` on are opened by the plan.
pub struct Small {
    pub existing: usize,
    pub zones: Vec<Option<&'static str>>,
    pub pool: Vec<usize>,
    pub capacity: Vec<Vec<u64>>,
    pub max_count: Vec<Option<u32>>,
    pub replicas: Vec<u32>,
    pub epochs: usize,
    /// By service, resource, epoch.
    pub demand: Vec<Vec<Vec<u64>>>,
    /// By service, resource.
    pub variance: Option<Vec<Vec<u128>>>,
    pub pinned: Vec<bool>,
    pub alive: Vec<u32>,
    pub limit: BTreeMap<(usize, usize), u32>,
    /// Members, most, by zone?
    pub sets: Vec<(BTreeSet<usize>, u32, bool)>,
    /// By service: nodes and pools it may use.
    pub reach: Option<Vec<(Vec<bool>, Vec<bool>)>>,
    pub traffic: Vec<(usize, usize, f64)>,
    pub current: Table,
    pub rules: Rules,
}

const ZONES: [&str; 2] = ["east", "west"];

impl Small {
    pub fn new(random: &mut Random) -> Self {
        let (services, existing) = (random.random_range(1..=4), random.random_range(1..=3));
        let (opened, pools) = (random.random_range(0..=2), random.random_range(1..=2));
        let resources = random.random_range(1..=2);
        let nodes = existing + opened;
        let kind = random.random_range(0..3);
        let epochs = if kind == 1 { 3 } else { 1 };
        let some = |random: &mut Random, of: u32| random.random_range(0..of) == 0;
        let by_service = 0..services;
        let mut limit = BTreeMap::new();
        for _ in 0..random.random_range(0..4) {
            let pair = (
                random.random_range(0..services),
                random.random_range(0..services),
            );
            limit.insert(pair, random.random_range(0..4));
        }
        let sets = (0..random.random_range(0..3)).map(|_| {
            let members = by_service.clone().filter(|_| some(random, 2)).collect();
            (members, random.random_range(0..5), some(random, 2))
        });
        let sets = sets.collect();
        let small = Self {
            existing,
            zones: (0..nodes)
                .map(|n| (n < existing && !some(random, 3)).then(|| ZONES[n % 2]))
                .collect(),
            pool: (0..nodes).map(|_| random.random_range(0..pools)).collect(),
            capacity: (0..pools)
                .map(|_| (0..resources).map(|_| random.random_range(3..20)).collect())
                .collect(),
            max_count: (0..pools)
                .map(|_| some(random, 3).then(|| random.random_range(0..4)))
                .collect(),
            replicas: by_service
                .clone()
                .map(|_| random.random_range(0..5))
                .collect(),
            epochs,
            demand: by_service
                .clone()
                .map(|_| {
                    let row = |random: &mut Random| {
                        (0..epochs).map(|_| random.random_range(0..5)).collect()
                    };
                    (0..resources).map(|_| row(random)).collect()
                })
                .collect(),
            variance: (kind == 2).then(|| {
                let row = |random: &mut Random| {
                    (0..resources).map(|_| random.random_range(0..4)).collect()
                };
                by_service.clone().map(|_| row(random)).collect()
            }),
            pinned: by_service.clone().map(|_| some(random, 5)).collect(),
            alive: by_service
                .clone()
                .map(|_| random.random_range(0..3))
                .collect(),
            limit,
            sets,
            reach: some(random, 2).then(|| {
                let bits = |random: &mut Random, of| (0..of).map(|_| !some(random, 4)).collect();
                by_service
                    .clone()
                    .map(|_| (bits(random, existing), bits(random, pools)))
                    .collect()
            }),
            traffic: Vec::new(),
            current: vec![vec![0; nodes]; services],
            rules: Rules {
                d_alpha: [0.0, 1.5][random.random_range(0..2)],
                headroom: (0..random.random_range(0..=resources))
                    .map(|_| random.random_range(0..400_000))
                    .collect(),
                outage: false,
                alive: [0, 500_000, 750_000][random.random_range(0..3)],
                complete: some(random, 2),
                gain_level: some(random, 2).then(|| "zone".into()),
                survive: None,
            },
        };
        small.with_traffic_and_current(random)
    }

    fn with_traffic_and_current(mut self, random: &mut Random) -> Self {
        let services = self.replicas.len();
        for a in 0..services {
            for b in a + 1..services {
                if random.random_range(0..2) == 0 {
                    self.traffic
                        .push((a, b, f64::from(random.random_range(1..9))));
                }
            }
        }
        self.current = self.table(random, self.existing);
        self
    }

    /// A random placement: mostly complete, sometimes short or over.
    pub fn table(&self, random: &mut Random, nodes: usize) -> Table {
        let all = self.pool.len();
        let place = |replicas: u32, random: &mut Random| {
            let mut row = vec![0; all];
            let off: i64 = [0, 0, 0, 0, -1, 1][random.random_range(0..6)];
            for _ in 0..(i64::from(replicas) + off).max(0) {
                row[random.random_range(0..nodes)] += 1;
            }
            row
        };
        self.replicas.iter().map(|r| place(*r, random)).collect()
    }

    pub fn placement(table: &Table) -> Placement {
        let mut counts = Vec::new();
        for (s, row) in table.iter().enumerate() {
            for (n, count) in row.iter().enumerate() {
                counts.push(Count {
                    service: ServiceId::from(s),
                    node: NodeId::from(n),
                    count: *count as u32,
                });
            }
        }
        Placement::new(counts)
    }

    pub fn opened(&self) -> Vec<PoolId> {
        let pools = self.pool[self.existing..].iter();
        pools.map(|p| PoolId::from(*p)).collect()
    }

    pub fn problem(&self) -> Problem {
        let resources = self.capacity[0].len();
        let mut cluster = super::cluster(self.existing, &self.capacity[0]);
        cluster.pools = (0..self.capacity.len())
            .map(|p| Pool {
                name: format!("pool{p}"),
                capacity: self.capacity[p].clone(),
                price: p as u64 + 1,
                max_count: self.max_count[p],
                labels: Labels::new(),
            })
            .collect();
        for (n, node) in cluster.nodes.iter_mut().enumerate() {
            node.pool = PoolId::from(self.pool[n]);
            let zone = self.zones[n].map(|zone| ("zone".into(), zone.into()));
            node.labels.extend(zone);
        }
        let list = (0..self.replicas.len()).map(|s| Service {
            replicas: self.replicas[s],
            demand: self.demand[s].concat(),
            variance: self.variance.as_ref().map_or(Vec::new(), |v| v[s].clone()),
            pinned: self.pinned[s],
            alive: self.alive[s],
        });
        let count = self.replicas.len();
        let mut all = Services::new(Names::numbered("s", count), self.epochs, list);
        assert_eq!(all.width(), resources * self.epochs);
        let limits: Vec<_> = (self.limit.iter())
            .map(|((of, on), max)| (*of as u32, *on as u32, *max))
            .collect();
        all.limits = super::limits(count, &limits);
        let sets = self.sets.iter().enumerate();
        all.spread = sets
            .map(|(k, (members, max, by_zone))| SpreadSet {
                name: format!("set{k}"),
                members: members.iter().map(|s| ServiceId::from(*s)).collect(),
                max: *max,
                level: if *by_zone {
                    Level::Label("zone".into())
                } else {
                    Level::Node
                },
            })
            .collect();
        let bits = |bits: &[bool]| -> FixedBitSet {
            let mut set = FixedBitSet::with_capacity(bits.len());
            (0..bits.len()).for_each(|at| set.set(at, bits[at]));
            set
        };
        if let Some(reach) = &self.reach {
            let reach = reach.iter().map(|(nodes, pools)| {
                Some(Reach {
                    nodes: bits(nodes),
                    pools: bits(pools),
                })
            });
            all.compatibility =
                Compatibility::new(reach.collect(), self.existing, self.capacity.len());
        }
        let pairs = self.traffic.iter().map(|(a, b, weight)| Traffic {
            a: ServiceId::from(*a),
            b: ServiceId::from(*b),
            weight: *weight,
        });
        all.traffic = pairs.collect();
        all.placement = Self::placement(&self.current);
        super::problem(cluster, all)
    }
}
