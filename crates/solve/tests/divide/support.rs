//! Problems, and the check every answer goes through.

use bayplan_model::{
    Application, Applications, Cluster, Labels, Names, Node, Pool, PoolId, Problem, Resource,
    Share, Workload,
};
use bayplan_solve::divide::{Objective, Params, solve};
use bayplan_solve::{Budget, Context, Solution};
use bayplan_verify::{Rules, check};
use rand::{RngExt, SeedableRng};

pub use bayplan_solve::Random;

/// An application with one instance at least.
pub fn app(load: u64, memory: u64) -> Application {
    Application {
        load,
        memory,
        min_instances: 1,
        ..Application::default()
    }
}

/// A pool of nodes.
pub fn pool(cpu: u64, memory: u64, price: u64, max_count: Option<u32>) -> Pool {
    Pool {
        name: format!("pool-{cpu}-{memory}-{price}"),
        capacity: vec![cpu, memory],
        price,
        max_count,
        labels: Labels::new(),
    }
}

/// A problem with existing nodes given by their pools, and what runs on them.
pub fn problem(
    all: Vec<Application>,
    pools: Vec<Pool>,
    nodes: &[u32],
    layout: Vec<Share>,
) -> Problem {
    let resource = |name: &str| Resource {
        name: name.into(),
        unit: name.into(),
        scale: 1,
    };
    let nodes = nodes.iter().enumerate().map(|(n, pool)| Node {
        name: format!("node-{n}"),
        pool: PoolId(*pool),
        labels: Labels::new(),
    });
    let cluster = Cluster {
        resources: vec![resource("cpu"), resource("memory")],
        pools,
        nodes: nodes.collect(),
    };
    let names = Names::numbered("app", all.len());
    let workload = Workload::Applications(Applications { names, all, layout });
    Problem::new(cluster, workload).expect("a sound problem")
}

/// Solves and puts the plan through the verifier: complete, nothing broken,
/// the objective as claimed, the bound not above it.
pub fn solved(problem: &Problem, params: &Params, budget: Budget) -> Solution {
    let ctx = Context::new(1, budget, 1);
    let solution = solve(problem, params, &ctx).expect("an answer");
    let rules = Rules {
        headroom: vec![
            1_000_000 - params.cpu_threshold,
            1_000_000 - params.memory_threshold,
        ],
        ..Rules::default()
    };
    let report = check(problem, &solution.plan, &rules);
    let first = report.violations.first().map(ToString::to_string);
    assert_eq!(first, None, "{}: {:?}", solution.algorithm, solution.notes);
    let pools = &problem.cluster().pools;
    let kind = match params.objective {
        Objective::Balance => bayplan_verify::Objective::MaxLoad,
        _ if pools.iter().any(|p| p.price != pools[0].price) => bayplan_verify::Objective::Cost,
        _ => bayplan_verify::Objective::Nodes,
    };
    assert_eq!(report.figures.value(kind), Some(solution.objective));
    let bound = solution.bound.expect("a complete answer has a bound");
    assert!(
        bound <= solution.objective,
        "bound {bound} above {}",
        solution.objective
    );
    assert_eq!(solution.proven, bound == solution.objective);
    solution
}

/// Parameters with an algorithm and objective.
pub fn params(algorithm: &str, objective: Objective) -> Params {
    Params {
        algorithm: algorithm.into(),
        objective,
        ..Params::default()
    }
}

/// The paper's marginals: p in [1, 32] cores with median 5 and mean about 8.4,
/// q in {2, 4, 8, 32, 64} GB with median 8 and mean about 14.
pub fn trace_like(count: usize, memory: u64, seed: u64) -> Problem {
    let mut random = Random::seed_from_u64(seed);
    let all = (0..count).map(|_| {
        let load = loop {
            let (u, v): (f64, f64) = (random.random(), random.random());
            let normal = (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos();
            let cores = (4.9f64.ln() + 1.25 * normal).exp();
            if (1.0..=32.0).contains(&cores) {
                break cores;
            }
        };
        let drawn: f64 = random.random();
        let shares = [(0.17, 2), (0.35, 4), (0.70, 8), (0.98, 32), (1.0, 64)];
        let memory = shares
            .iter()
            .find(|(below, _)| drawn < *below)
            .expect("below one")
            .1;
        app((load * 1e6) as u64, memory)
    });
    problem(
        all.collect(),
        vec![pool(32_000_000, memory, 0, None)],
        &[],
        vec![],
    )
}
