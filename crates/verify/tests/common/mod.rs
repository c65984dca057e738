//! Small problems and plans, in one line each.

#![allow(dead_code)]

pub mod plain;
pub mod small;

use bayplan_model::*;
use bayplan_verify::{Report, Rule};

/// Nodes `n0`, `n1` ... of one pool `small`, resources `cpu`, `memory` ... of
/// scale 1, as many as the capacity has.
pub fn cluster(nodes: usize, capacity: &[u64]) -> Cluster {
    let names = ["cpu", "memory", "disk"];
    let units = ["core", "GB", "TB"];
    Cluster {
        resources: (0..capacity.len())
            .map(|r| Resource {
                name: names[r].into(),
                unit: units[r].into(),
                scale: 1,
            })
            .collect(),
        pools: vec![Pool {
            name: "small".into(),
            capacity: capacity.to_vec(),
            price: 1_500_000,
            max_count: None,
            labels: Labels::new(),
        }],
        nodes: (0..nodes)
            .map(|n| Node {
                name: format!("n{n}"),
                pool: PoolId(0),
                labels: Labels::new(),
            })
            .collect(),
    }
}

/// Labels node `n` with `zone: zones[n]`.
pub fn zoned(mut cluster: Cluster, zones: &[&str]) -> Cluster {
    for (node, zone) in cluster.nodes.iter_mut().zip(zones) {
        node.labels.insert("zone".into(), (*zone).into());
    }
    cluster
}

/// Services `s0`, `s1` ... with (replicas, demand).
pub fn services(all: &[(u32, &[u64])]) -> Services {
    let list = all.iter().map(|(replicas, demand)| Service {
        replicas: *replicas,
        demand: demand.to_vec(),
        variance: Vec::new(),
        pinned: false,
        alive: 0,
    });
    Services::new(Names::numbered("s", all.len()), 1, list)
}

pub fn limits(services: usize, all: &[(u32, u32, u32)]) -> Limits {
    let mut builder = LimitsBuilder::new(services);
    for (of, on, max) in all {
        let limit = Limit {
            of: ServiceId(*of),
            on: ServiceId(*on),
            max: *max,
        };
        builder.push(limit).unwrap();
    }
    builder.build().unwrap()
}

/// From (service, node, count).
pub fn placement(entries: &[(u32, u32, u32)]) -> Placement {
    let count = |(service, node, count): &(u32, u32, u32)| Count {
        service: ServiceId(*service),
        node: NodeId(*node),
        count: *count,
    };
    Placement::new(entries.iter().map(count).collect())
}

pub fn problem(cluster: Cluster, services: Services) -> Problem {
    Problem::new(cluster, Workload::Services(services)).unwrap()
}

/// A plan that places (service, node, count).
pub fn plan(entries: &[(u32, u32, u32)]) -> Plan {
    Plan::Placement(PlacementPlan {
        placement: placement(entries),
        ..PlacementPlan::default()
    })
}

pub fn wave(kind: WaveKind, moves: &[(u32, u32, u32)]) -> Wave {
    let step = |(service, node, count): &(u32, u32, u32)| Move {
        service: ServiceId(*service),
        node: NodeId(*node),
        count: *count,
    };
    Wave {
        kind,
        moves: moves.iter().map(step).collect(),
    }
}

/// A plan with waves.
pub fn moving(entries: &[(u32, u32, u32)], waves: Vec<Wave>) -> Plan {
    Plan::Placement(PlacementPlan {
        placement: placement(entries),
        waves,
        ..PlacementPlan::default()
    })
}

pub fn application(load: u64, memory: u64) -> Application {
    Application {
        load,
        memory,
        ..Application::default()
    }
}

pub fn division_problem(cluster: Cluster, all: &[Application], layout: &[Share]) -> Problem {
    let applications = Applications {
        names: Names::numbered("a", all.len()),
        all: all.to_vec(),
        layout: layout.to_vec(),
    };
    Problem::new(cluster, Workload::Applications(applications)).unwrap()
}

pub fn share(application: u32, node: u32, load: u64) -> Share {
    Share {
        application: ApplicationId(application),
        node: NodeId(node),
        load,
    }
}

pub fn division(shares: &[Share]) -> Plan {
    Plan::Division(DivisionPlan {
        opened: Vec::new(),
        shares: shares.to_vec(),
    })
}

/// Requests from (start, finish, demand), each of weight one.
pub fn requests(cluster: Cluster, all: &[(i64, i64, &[u64])]) -> Problem {
    let list = all.iter().map(|(start, finish, demand)| Request {
        start: *start,
        finish: *finish,
        demand: demand.to_vec(),
        weight: WEIGHT_SCALE,
    });
    Problem::new(cluster, Workload::Requests(Requests::new(1, list))).unwrap()
}

pub fn admission(accepted: &[(u32, u32)]) -> Plan {
    let pair = |(request, node): &(u32, u32)| (RequestId(*request), NodeId(*node));
    Plan::Admission(AdmissionPlan {
        opened: Vec::new(),
        accepted: accepted.iter().map(pair).collect(),
    })
}

/// The rules the plan itself breaks, each once.
pub fn broken(report: &Report) -> Vec<Rule> {
    let mut rules: Vec<Rule> = (report.violations.iter())
        .filter(|violation| !violation.on_arrival)
        .map(|violation| violation.rule)
        .collect();
    rules.dedup();
    rules
}
