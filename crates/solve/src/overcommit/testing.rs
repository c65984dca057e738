//! Small random problems and plain answers, for the tests of this verb.

use bayplan_model::*;
use rand::RngExt;

use super::kinds::Kind;
use super::view::View;
use crate::Random;

/// A problem small enough for brute force: two to four services, one or two
/// resources, up to three machines in use, some services to lose replicas;
/// with `rules`, limits and spread sets as well.
pub(crate) fn random_problem(random: &mut Random, rules: bool) -> Problem {
    let resources = random.random_range(1..=2usize);
    let services = random.random_range(2..=4usize);
    let capacity: Vec<u64> = (0..resources)
        .map(|_| random.random_range(60..140))
        .collect();
    let second: Vec<u64> = capacity
        .iter()
        .map(|c| c * random.random_range(5..10) / 8)
        .collect();
    let pool = |name: &str, capacity: Vec<u64>| Pool {
        name: name.into(),
        capacity,
        price: 1_000_000,
        max_count: None,
        labels: Labels::new(),
    };
    let nodes = random.random_range(0..=3usize);
    let cluster = Cluster {
        resources: (0..resources)
            .map(|r| Resource {
                name: format!("r{r}"),
                unit: "unit".into(),
                scale: 1,
            })
            .collect(),
        pools: vec![pool("large", capacity), pool("small", second)],
        nodes: (0..nodes)
            .map(|n| Node {
                name: format!("n{n}"),
                pool: PoolId(n as u32 % 2),
                labels: Labels::new(),
            })
            .collect(),
    };
    let mut counts = Vec::new();
    for node in 0..nodes {
        for service in 0..services {
            counts.push(Count {
                service: ServiceId::from(service),
                node: NodeId::from(node),
                count: random.random_range(0..=1),
            });
        }
    }
    let placement = Placement::new(counts);
    let each: Vec<Service> = (0..services)
        .map(|s| {
            let running: u32 = placement
                .of(ServiceId::from(s))
                .iter()
                .map(|c| c.count)
                .sum();
            let change = random.random_range(-1..=3i64);
            Service {
                replicas: (i64::from(running) + change).max(0) as u32,
                demand: (0..resources).map(|_| random.random_range(8..45)).collect(),
                variance: (0..resources)
                    .map(|r| {
                        if r == 0 || random.random_range(0..3) == 0 {
                            random.random_range(0..200)
                        } else {
                            0
                        }
                    })
                    .collect(),
                pinned: false,
                alive: 0,
            }
        })
        .collect();
    let mut all = Services::new(Names::numbered("s", services), 1, each);
    all.placement = placement;
    if rules {
        let mut limits = LimitsBuilder::new(services);
        limits
            .push(Limit {
                of: ServiceId(0),
                on: ServiceId(1),
                max: random.random_range(0..3),
            })
            .unwrap();
        limits
            .push(Limit {
                of: ServiceId(1),
                on: ServiceId(1),
                max: random.random_range(1..3),
            })
            .unwrap();
        all.limits = limits.build().unwrap();
        all.spread = vec![SpreadSet {
            name: "set".into(),
            members: vec![ServiceId(0), ServiceId(services as u32 - 1)],
            max: random.random_range(1..4),
            level: Level::Node,
        }];
    }
    Problem::new(cluster, Workload::Services(all)).unwrap()
}

/// Every pattern a kind of machine takes, the empty one included.
pub(crate) fn all_patterns(view: &View, kind: &Kind, left: &[u32]) -> Vec<Vec<(u32, u32)>> {
    let mut found = Vec::new();
    let mut counts = vec![0u32; view.count()];
    loop {
        let pattern: Vec<(u32, u32)> = counts
            .iter()
            .enumerate()
            .filter(|(_, n)| **n > 0)
            .map(|(s, n)| (s as u32, *n))
            .collect();
        if takes(view, kind, &pattern) {
            found.push(pattern);
        }
        // The next vector of counts, as a number with many digits.
        let most = |s: usize| kind.most[s].min(left[s]);
        let Some(at) = (0..counts.len()).find(|s| counts[*s] < most(*s)) else {
            return found;
        };
        counts[at] += 1;
        counts[..at].fill(0);
    }
}

/// Whether a machine of a kind takes a pattern: capacity, limits, spread sets,
/// each by its definition.
fn takes(view: &View, kind: &Kind, pattern: &[(u32, u32)]) -> bool {
    let count = |s: usize| {
        let of = |list: &[(u32, u32)]| {
            list.iter()
                .find(|(h, _)| *h as usize == s)
                .map_or(0, |(_, n)| *n)
        };
        of(&kind.held) + of(pattern)
    };
    for r in 0..view.resources {
        let mean = (0..view.count())
            .map(|s| view.mean_of(s)[r] * u64::from(count(s)))
            .sum();
        let variance = (0..view.count())
            .map(|s| view.variance_of(s)[r] * u128::from(count(s)))
            .sum();
        if !fits_at_confidence(mean, variance, view.d, kind.capacity[r]) {
            return false;
        }
    }
    // What is broken by what stays may stay so, but takes nothing of the kind.
    let touched = |s: usize| pattern.iter().any(|(p, _)| *p as usize == s);
    let limits = view.services.limits.iter().all(|limit| {
        let (of, on) = (limit.of.index(), limit.on.index());
        let broken = if of == on {
            count(on) > limit.max
        } else {
            count(of) > 0 && count(on) > limit.max
        };
        !broken || !(touched(of) || touched(on))
    });
    limits
        && view.services.spread.iter().all(|set| {
            let together: u32 = set.members.iter().map(|m| count(m.index())).sum();
            together <= set.max || !set.members.iter().any(|m| touched(m.index()))
        })
}
