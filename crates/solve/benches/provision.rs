//! Instruction counts of the provisioning engine on a fixed generated input:
//! first fit and the default solver. More instructions than the count recorded
//! here, with a tenth to spare for another compiler, fail the run.

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
use gungraun::{
    Callgrind, EventKind, LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main,
};
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

/// Counted when recorded; lower it when the engine gets faster.
const FIRST_FIT: u64 = 14_200_000;
const DEFAULT_SOLVER: u64 = 89_700_000;

fn at_most(instructions: u64) -> LibraryBenchmarkConfig {
    let mut tool = Callgrind::default();
    tool.hard_limits([(EventKind::Ir, instructions + instructions / 10)]);
    let mut config = LibraryBenchmarkConfig::default();
    config.tool(tool);
    config
}

#[library_benchmark]
#[bench::first_fit(args = (generated(), "FF"), config = at_most(FIRST_FIT))]
#[bench::default_solver(args = (generated(), "auto"), config = at_most(DEFAULT_SOLVER))]
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
