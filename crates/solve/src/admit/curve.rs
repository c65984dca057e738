//! Planning: how much is served by how many nodes (paper Figures 4 to 6), and
//! how many nodes a target takes.

use bayplan_model::{Cluster, Node, PoolId, Problem, Workload};

use super::{Params, solve};
use crate::{Budget, Context, Figure, Solution, SolveError};

/// One point of the curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// Nodes.
    pub machines: u32,
    /// The answer on that many nodes.
    pub solution: Solution,
}

impl Point {
    fn number(&self, name: &str) -> f64 {
        let found = self.solution.figures.iter().find(|(n, _)| *n == name);
        match found {
            Some((_, Figure::Number(number))) => *number,
            _ => f64::NAN,
        }
    }

    /// Share of the requests admitted.
    pub fn served(&self) -> f64 {
        self.number("served")
    }

    /// Share of the weight admitted.
    pub fn served_weight(&self) -> f64 {
        self.number("served_weight")
    }

    /// Demand over capacity.
    pub fn load_factor(&self) -> f64 {
        self.number("load_factor")
    }
}

/// The problem on `machines` nodes of its first kind.
pub fn resized(problem: &Problem, machines: u32) -> Result<Problem, SolveError> {
    let cluster = problem.cluster();
    let kind = cluster.nodes.first().map_or(PoolId(0), |node| node.pool);
    let Some(pool) = cluster.pools.get(kind.index()) else {
        return Err(SolveError::Parameter {
            name: "machines",
            problem: "the cluster has no pool to take nodes from".into(),
        });
    };
    let mut pool = pool.clone();
    pool.max_count = Some(machines);
    let nodes = (0..machines).map(|n| Node {
        name: format!("{}-{n}", pool.name),
        pool: PoolId(0),
        labels: Default::default(),
    });
    let cluster = Cluster {
        resources: cluster.resources.clone(),
        nodes: nodes.collect(),
        pools: vec![pool],
    };
    let Workload::Requests(requests) = problem.workload() else {
        return Err(SolveError::WrongWorkload {
            verb: "admit",
            needs: "requests",
        });
    };
    Problem::new(cluster, Workload::Requests(requests.clone())).map_err(|error| {
        SolveError::Parameter {
            name: "machines",
            problem: error.to_string(),
        }
    })
}

/// The answer for each number of nodes; the budget is shared out evenly. Ends
/// early, with the points so far, when the run is stopped.
pub fn curve(
    problem: &Problem,
    machines: &[u32],
    params: &Params,
    context: &Context,
) -> Result<Vec<Point>, SolveError> {
    let mut points = Vec::new();
    for (done, count) in machines.iter().copied().enumerate() {
        if context.must_stop() {
            break;
        }
        let left = machines.len() - done;
        points.push(point(problem, count, params, context, left)?);
    }
    Ok(points)
}

fn point(
    problem: &Problem,
    machines: u32,
    params: &Params,
    context: &Context,
    shares: usize,
) -> Result<Point, SolveError> {
    let resized = resized(problem, machines)?;
    let budget = match context.budget() {
        Budget::Steps(steps) => Budget::Steps(steps / shares as u64),
        Budget::Seconds(_) => Budget::Seconds(context.seconds_left() / shares as f64),
    };
    let own = Context::new(context.seed(), budget, context.threads())
        .with_stop(context.stop_flag().clone());
    let solution = solve(&resized, params, &own)?;
    Ok(Point { machines, solution })
}

/// What the fewest nodes for a share are known to be.
#[derive(Clone, PartialEq, Debug)]
pub struct Needed {
    /// The fewest nodes with which a plan serving the share was found.
    pub point: Point,
    /// Fewer nodes than this cannot serve the share: the bound proves it.
    pub at_least: u32,
}

/// The fewest nodes that serve `share` of the weight, by bisection: between
/// runs the budget is halved over about twenty tries.
pub fn machines_for(
    problem: &Problem,
    share: f64,
    most: u32,
    params: &Params,
    context: &Context,
) -> Result<Option<Needed>, SolveError> {
    const TRIES: usize = 20;
    let total = problem.requests().map_or(0, |r| r.total_weight()) as f64 / 1e6;
    let reaches = |solution: &Solution| solution.objective >= share * total - 1e-9;
    let mut at_least = 1;
    // Double until enough, then halve the interval.
    let (mut low, mut count, mut tries) = (0, 1u32, 0);
    let mut enough: Option<Point> = None;
    while enough.as_ref().is_none_or(|point| point.machines > low + 1) {
        if context.must_stop() || tries >= 2 * TRIES {
            break;
        }
        let shares = TRIES.saturating_sub(tries).max(2);
        let tried = point(problem, count, params, context, shares)?;
        tries += 1;
        let hopeless = tried
            .solution
            .bound
            .is_some_and(|bound| bound < share * total - 1e-9);
        if hopeless {
            at_least = at_least.max(count + 1);
        }
        if reaches(&tried.solution) {
            enough = Some(tried);
        } else {
            if count >= most {
                return Ok(None);
            }
            low = low.max(count);
        }
        count = match &enough {
            Some(point) => low + (point.machines - low) / 2,
            None => count.saturating_mul(2).min(most),
        };
        if enough.is_some() && count <= low {
            break;
        }
    }
    Ok(enough.map(|point| Needed { point, at_least }))
}
