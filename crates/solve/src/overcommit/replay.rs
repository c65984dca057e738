//! Several days on a cluster that carries over (section 6.2).

use bayplan_model::{Node, Plan, Problem, Workload};

use crate::SolveError;

/// The problem of the next day: what the plan placed runs, machines it opened
/// exist, and each service wants `wanted` replicas.
///
/// # Errors
/// When the problem restricts services to nodes: what a restriction means for
/// a machine opened meanwhile is not known.
pub fn next_day(problem: &Problem, plan: &Plan, wanted: &[u32]) -> Result<Problem, SolveError> {
    let Plan::Placement(plan) = plan else {
        return Err(SolveError::WrongWorkload {
            verb: "overcommit",
            needs: "a placement",
        });
    };
    let (mut cluster, mut workload) = problem.clone().into_parts();
    let Workload::Services(services) = &mut workload else {
        return Err(SolveError::WrongWorkload {
            verb: "overcommit",
            needs: "services",
        });
    };
    if !services.compatibility.is_everywhere() {
        return Err(SolveError::UnsupportedRule {
            by: "replay".into(),
            rule: "compatibility",
            fix: "leave it out of the replayed problem".into(),
        });
    }
    if wanted.len() != services.len() {
        return Err(SolveError::Parameter {
            name: "replay",
            problem: format!("{} totals for {} services", wanted.len(), services.len()),
        });
    }
    for (opened, pool) in plan.opened.iter().enumerate() {
        // A name no later day gives again: the node's place in the cluster.
        let name = format!(
            "{}/{}",
            cluster.pools[pool.index()].name,
            problem.cluster().nodes.len() + opened + 1
        );
        cluster.nodes.push(Node {
            name,
            pool: *pool,
            labels: Default::default(),
        });
    }
    services.placement = plan.placement.clone();
    services.replicas = wanted.to_vec();
    Problem::new(cluster, workload).map_err(|error| SolveError::Infeasible {
        why: error.to_string(),
    })
}
