//! Planning: how much is served by how many nodes (paper Figures 4 to 6), and
//! how many nodes a target takes.

use bayplan_model::{Cluster, Node, PoolId, Problem, Workload};

use super::bounds;
use super::view::View;
use crate::{Budget, Context, Solution, SolveError};

/// One point of the curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Point<T> {
    /// Nodes.
    pub machines: u32,
    /// The answer on that many nodes.
    pub answer: T,
}

/// What the search for a target must know of an answer.
pub trait Valued {
    /// The weight admitted.
    fn value(&self) -> f64;
    /// What no plan can beat.
    fn bound(&self) -> Option<f64>;
}

impl Valued for Solution {
    fn value(&self) -> f64 {
        self.objective
    }

    fn bound(&self) -> Option<f64> {
        self.bound
    }
}

/// Load factors of the paper's evaluation.
const LOAD_FACTORS: [f64; 6] = [12.0, 6.0, 3.75, 2.0, 1.0, 0.5];

/// Numbers of nodes at which the load factor is that of the paper's figures.
pub fn telling_machines(problem: &Problem) -> Result<Vec<u32>, SolveError> {
    let one = resized(problem, 1)?;
    let load = View::new(&one)?.load_factor();
    let mut counts: Vec<u32> = LOAD_FACTORS
        .iter()
        .map(|rho| (load / rho).ceil().clamp(1.0, 1e6) as u32)
        .collect();
    counts.dedup();
    Ok(counts)
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
pub fn curve<T, E: From<SolveError>>(
    problem: &Problem,
    machines: &[u32],
    context: &Context,
    ask: impl Fn(&Problem, &Context) -> Result<T, E>,
) -> Result<Vec<Point<T>>, E> {
    let mut points = Vec::new();
    for (done, count) in machines.iter().copied().enumerate() {
        if context.must_stop() {
            break;
        }
        let shares = machines.len() - done;
        points.push(point(problem, count, context, shares, &ask)?);
    }
    Ok(points)
}

fn point<T, E: From<SolveError>>(
    problem: &Problem,
    machines: u32,
    context: &Context,
    shares: usize,
    ask: &impl Fn(&Problem, &Context) -> Result<T, E>,
) -> Result<Point<T>, E> {
    let resized = resized(problem, machines)?;
    // Steps are for each point, so that a point is what the run alone would give.
    let budget = match context.budget() {
        Budget::Steps(steps) => Budget::Steps(steps),
        Budget::Seconds(_) => Budget::Seconds(context.seconds_left() / shares as f64),
    };
    let own = Context::new(context.seed(), budget, context.threads())
        .with_stop(context.stop_flag().clone());
    let answer = ask(&resized, &own)?;
    Ok(Point { machines, answer })
}

/// What the fewest nodes for a share are known to be.
#[derive(Clone, PartialEq, Debug)]
pub struct Needed<T> {
    /// The fewest nodes with which a plan serving the share was found.
    pub point: Point<T>,
    /// Fewer nodes than this cannot serve the share: a bound proves it.
    pub at_least: u32,
}

/// The fewest nodes on which a plan with `share` of the weight is found, at
/// most `most`: up from the fewest that bounds allow, in growing steps until
/// it is enough, then bisection. `None` when even `most` are not enough, or
/// the run was stopped before any were.
pub fn machines_for<T: Valued, E: From<SolveError>>(
    problem: &Problem,
    share: f64,
    most: u32,
    context: &Context,
    ask: impl Fn(&Problem, &Context) -> Result<T, E>,
) -> Result<Option<Needed<T>>, E> {
    /// About as many as the search takes; further ones share what is left.
    const TRIES: usize = 10;
    let total = problem.requests().map_or(0, |r| r.total_weight()) as f64 / 1e6;
    // Sums of weights are exact to a millionth.
    let target = share * total - 5e-7;
    let mut at_least = fewest_by_bound(problem, target, most, context)?;
    let mut too_few = at_least - 1;
    let mut enough: Option<Point<T>> = None;
    for tries in 0.. {
        let count = match &enough {
            Some(point) => u32::midpoint(too_few, point.machines),
            None => too_few.saturating_add(1 << tries.min(20)).min(most),
        };
        if count <= too_few || context.must_stop() {
            break;
        }
        let shares = TRIES.saturating_sub(tries).max(2);
        let tried = point(problem, count, context, shares, &ask)?;
        if tried.answer.bound().is_some_and(|bound| bound < target) {
            at_least = at_least.max(count + 1);
        }
        if tried.answer.value() >= target {
            enough = Some(tried);
        } else {
            too_few = count;
        }
    }
    Ok(enough.map(|point| Needed { point, at_least }))
}

/// The fewest nodes whose bound reaches the target: doubling, then bisection;
/// `most + 1` when none does. Each bound takes a small share of the budget.
fn fewest_by_bound(
    problem: &Problem,
    target: f64,
    most: u32,
    context: &Context,
) -> Result<u32, SolveError> {
    let hopeless = |count: u32| -> Result<bool, SolveError> {
        let resized = resized(problem, count)?;
        let budget = match context.budget() {
            Budget::Steps(steps) => Budget::Steps(steps),
            Budget::Seconds(_) => Budget::Seconds(context.seconds_left() * 0.05),
        };
        let own = Context::new(context.seed(), budget, context.threads())
            .with_stop(context.stop_flag().clone());
        let bound = bounds::quick(&View::new(&resized)?, &own);
        Ok((bound as f64 / 1e6) < target)
    };
    let (mut low, mut high) = (0, 1.min(most));
    while high <= most && hopeless(high)? {
        low = high;
        if high == most {
            return Ok(most + 1);
        }
        high = high.saturating_mul(2).min(most);
    }
    while low + 1 < high && !context.must_stop() {
        let middle = u32::midpoint(low, high);
        if hopeless(middle)? {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(low + 1)
}
