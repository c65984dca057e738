//! Parse, write, parse: what is written is read back as the same problem.

use bayplan_formats::{
    Format, ReadOptions, read, write_problem_json, write_problem_yaml, write_table,
};
use bayplan_model::*;

use crate::random::{self, Random};

#[test]
fn native_documents_hold_every_problem_exactly() {
    for seed in 0..1500 {
        let problem = random::problem(seed);
        for text in [write_problem_json(&problem), write_problem_yaml(&problem)] {
            let input = read(text.as_bytes(), &ReadOptions::default())
                .unwrap_or_else(|errors| panic!("seed {seed}: {errors}\n{text}"));
            assert_eq!(input.format, Format::Native);
            assert_eq!(input.problem, problem, "seed {seed}\n{text}");
        }
    }
}

fn resources(unit: &str, scale: u64) -> Vec<Resource> {
    let unit_of = |name: &str| if unit.is_empty() {
        if name == "cpu" { "core" } else { "GB" }
    } else {
        unit
    };
    ["cpu", "memory"]
        .map(|name| Resource { name: name.into(), unit: unit_of(name).into(), scale })
        .into()
}

fn one_pool(resources: Vec<Resource>, capacity: Vec<u64>) -> Cluster {
    let pool = Pool {
        name: "node".into(),
        capacity,
        price: 1_000_000,
        max_count: None,
        labels: Labels::new(),
    };
    Cluster { resources, pools: vec![pool], nodes: Vec::new() }
}

fn table(problem: &Problem, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_table(problem, format, &mut bytes).unwrap();
    bytes
}

fn same(problem: &Problem, format: Format, options: &ReadOptions) {
    let bytes = table(problem, format);
    let text = String::from_utf8_lossy(&bytes);
    let input = read(&bytes, options).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    assert_eq!(input.format, format, "{text}");
    assert_eq!(&input.problem, problem, "{text}");
}

#[test]
fn tables_of_services_are_read_back() {
    for seed in 0..600 {
        let random = &mut Random(seed);
        let cluster = one_pool(resources("", 1_000_000), vec![10_000_000, 20_500_000]);
        let mut all = random::services(random, &cluster, false);
        let clean = |all: &mut Services| {
            all.spread.clear();
            all.traffic.clear();
            all.compatibility = Compatibility::everywhere();
            all.pinned.fill(false);
            all.alive.fill(0);
        };
        clean(&mut all);
        if all.variance.is_empty() {
            let problem = Problem::new(cluster.clone(), Workload::Services(all.clone())).unwrap();
            let node = [("cpu", "10"), ("memory", "20.5")].map(|(k, v)| (k.into(), v.into()));
            let options = ReadOptions { node: node.into(), ..Default::default() };
            same(&problem, Format::TClab, &options);
            continue;
        }
        // Random demand: memory is certain, deviations are whole units.
        all.limits = Limits::default();
        for (at, variance) in all.variance.iter_mut().enumerate() {
            *variance = if at % 2 == 0 { variance.isqrt().pow(2) } else { 0 };
        }
        let problem = Problem::new(cluster, Workload::Services(all)).unwrap();
        let (capacity, memory) = (Some("10".to_string()), Some("20.5".to_string()));
        same(&problem, Format::ServicesTable, &ReadOptions { capacity, memory, ..Default::default() });
    }
}

#[test]
fn tables_of_applications_and_requests_are_read_back() {
    for seed in 0..600 {
        let random = &mut Random(seed);
        let cluster = one_pool(resources("", 1_000_000), vec![10_000_000, 20_500_000]);
        let mut applications = random::applications(random, &cluster);
        applications.layout.clear();
        let mut plain = Names::default();
        for at in 0..applications.names.len() {
            plain.add(&format!("a, {at}\"")).unwrap();
        }
        applications.names = plain;
        let problem = Problem::new(cluster, Workload::Applications(applications)).unwrap();
        let (cpu, memory) = (Some("10".to_string()), Some("20.5".to_string()));
        same(&problem, Format::ApplicationsTable, &ReadOptions { cpu, memory, ..Default::default() });

        let mut shares = resources("node", 100_000_000);
        if random.chance() {
            shares.push(Resource { name: "gpu".into(), unit: "node".into(), scale: 100_000_000 });
        }
        let capacity = vec![100_000_000; shares.len()];
        let cluster = one_pool(shares, capacity);
        let mut requests = random::requests(random, &cluster, 1_000_000);
        requests.start[0] = 1;
        requests.finish[0] = requests.finish[0].max(2);
        let problem = Problem::new(cluster, Workload::Requests(requests)).unwrap();
        same(&problem, Format::RequestsTable, &ReadOptions::default());
    }
}

#[test]
fn clusters_are_read_back() {
    for seed in 0..600 {
        let random = &mut Random(seed);
        let mut cluster = random::cluster(random, 2, &[1_000_000_000_000]);
        // The format knows machines only: a pool is what machines of one size are.
        let mut pools: Vec<Pool> = Vec::new();
        for (at, node) in cluster.nodes.iter_mut().enumerate() {
            let capacity = cluster.pools[node.pool.index()].capacity.clone();
            let found = pools.iter().position(|pool| pool.capacity == capacity);
            let pool = found.unwrap_or_else(|| {
                pools.push(Pool {
                    name: format!("type-{}", pools.len()),
                    capacity,
                    price: 1_000_000,
                    max_count: Some(0),
                    labels: Labels::new(),
                });
                pools.len() - 1
            });
            pools[pool].max_count = pools[pool].max_count.map(|count| count + 1);
            *node = Node { name: format!("m{at}"), pool: PoolId::from(pool), labels: Labels::new() };
        }
        cluster.pools = pools;
        for resource in &mut cluster.resources {
            resource.unit = "cluster".into();
        }
        let mut all = random::services(random, &cluster, true);
        let counts = all.placement.counts().to_vec();
        let mut left = all.replicas.clone();
        let fitting = counts.into_iter().map(|mut entry| {
            let left = &mut left[entry.service.index()];
            entry.count = entry.count.min(*left);
            *left -= entry.count;
            entry
        });
        all = Services {
            placement: Placement::new(fitting.collect()),
            limits: Limits::default(),
            spread: Vec::new(),
            compatibility: Compatibility::everywhere(),
            pinned: vec![false; all.len()],
            alive: vec![0; all.len()],
            ..all
        };
        if all.epochs > 1 || !all.variance.is_empty() {
            let problem = Problem::new(cluster, Workload::Services(all)).unwrap();
            assert!(write_table(&problem, Format::Cluster, &mut Vec::new()).is_err());
            continue;
        }
        let problem = Problem::new(cluster, Workload::Services(all)).unwrap();
        same(&problem, Format::Cluster, &ReadOptions::default());
    }
}

#[test]
fn a_table_refuses_what_it_cannot_hold() {
    let mut refused = 0;
    for seed in 0..300 {
        let problem = random::problem(seed);
        for format in Format::ALL {
            let mut bytes = Vec::new();
            if write_table(&problem, format, &mut bytes).is_err() {
                assert!(bytes.is_empty(), "half a table was written");
                refused += 1;
            }
        }
    }
    assert!(refused > 2000, "{refused}");
}
