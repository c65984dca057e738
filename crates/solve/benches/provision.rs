//! Instruction counts of the provisioning engine on a fixed generated input:
//! first fit and the default solver.

#![allow(
    missing_docs,
    reason = "the benchmark macros write items without documentation"
)]

use std::hint::black_box;

use bayplan_model::{
    Cluster, Labels, LimitsBuilder, Names, Pool, Problem, Resource, Service, ServiceId, Services,
    Workload,
};
use bayplan_solve::provision::{Params, solve};
use bayplan_solve::{Budget, Context, Solution};
use gungraun::{library_benchmark, library_benchmark_group, main};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// 1,000 services with 1 % of all pairs limited.
fn generated() -> Problem {
    const SERVICES: usize = 1_000;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut service = || Service {
        replicas: random.random_range(1..12),
        demand: vec![random.random_range(1..9), random.random_range(1..17)],
        variance: Vec::new(),
        pinned: false,
        alive: 0,
    };
    let rows: Vec<Service> = (0..SERVICES).map(|_| service()).collect();
    let mut services = Services::new(Names::numbered("s", SERVICES), 1, rows);
    let mut limits = LimitsBuilder::new(SERVICES);
    for of in 0..SERVICES {
        let mut targets: Vec<usize> = (0..10).map(|_| random.random_range(0..SERVICES)).collect();
        targets.sort_unstable();
        targets.dedup();
        targets.retain(|on| *on != of);
        let row = targets
            .into_iter()
            .map(|on| (ServiceId::from(on), random.random_range(0..3)));
        let row: Vec<(ServiceId, u32)> = row.collect();
        limits
            .extend(ServiceId::from(of), row)
            .expect("no limit twice");
    }
    services.limits = limits.build().expect("no limit twice");
    let resource = |name: &str| Resource {
        name: name.into(),
        unit: "unit".into(),
        scale: 1,
    };
    let cluster = Cluster {
        resources: vec![resource("cpu"), resource("memory")],
        pools: vec![Pool {
            name: "node".into(),
            capacity: vec![64, 128],
            price: 0,
            max_count: None,
            labels: Labels::new(),
        }],
        nodes: Vec::new(),
    };
    Problem::new(cluster, Workload::Services(services)).expect("a valid problem")
}

#[library_benchmark]
#[bench::first_fit(generated(), "FF")]
#[bench::default_solver(generated(), "auto")]
fn provision(problem: Problem, algorithm: &str) -> Solution {
    let params = Params {
        algorithm: algorithm.into(),
        ..Params::default()
    };
    let context = Context::new(1, Budget::Steps(200), 1);
    black_box(solve(black_box(&problem), &params, &context)).expect("a plan")
}

library_benchmark_group!(name = engine, benchmarks = provision);
main!(library_benchmark_groups = engine);
