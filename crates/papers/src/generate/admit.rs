//! Requests in time shaped like a shared cluster's: most are short and small,
//! a few long or large ones hold most of the work. The shape is of our own
//! fit: online first fit on ten machines serves about 92, 75, 55, 41 and 27 %
//! at load factors 1, 2, 3.75, 6 and 12, as the admission paper reports for
//! its trace.

use bayplan_model::{
    Cluster, Labels, Node, Pool, PoolId, Problem, Request, Requests, Resource, WEIGHT_SCALE,
    Workload,
};
use rand::RngExt;

use super::GenerateError;
use super::error::require;
use super::random::{Random, normal, stream};

/// Units of a machine's capacity of one, as in request tables.
const SCALE: f64 = 1e8;

/// Time units of one unit of time; the median request lasts one.
const TIME_SCALE: f64 = 1e6;

/// Median share of a machine that a request asks for, and the deviation of
/// its logarithm; CPU and memory differ from it each by their own.
const SIZE: (f64, f64, f64) = (0.1, 0.85, 0.3);

/// Deviation of the logarithm of the duration, and the longest.
const DURATION: (f64, f64) = (1.6, 60.0);

/// What to generate.
#[derive(Clone, PartialEq, Debug)]
pub struct AdmitOptions {
    /// How many requests.
    pub requests: usize,
    /// How many machines of capacity one.
    pub machines: usize,
    /// Load factor: work asked for, as a multiple of what the machines could do.
    pub load: f64,
    /// Whether weights differ (log-normal around one); else all are one.
    pub weights: bool,
}

impl Default for AdmitOptions {
    fn default() -> Self {
        Self {
            requests: 10_000,
            machines: 10,
            load: 3.75,
            weights: false,
        }
    }
}

/// Generates requests and the machines they compete for. Starts are uniform
/// over a horizon that makes the load factor come out.
pub fn admit(options: &AdmitOptions, seed: u64) -> Result<Problem, GenerateError> {
    require(
        options.load.is_finite() && options.load > 0.0,
        "load",
        "a number above zero is needed",
    )?;
    require(options.machines > 0, "machines", "at least one is needed")?;
    let random = &mut stream(seed, 20, 0);
    let mut drawn: Vec<(f64, f64, f64)> = Vec::with_capacity(options.requests);
    for _ in 0..options.requests {
        let size = SIZE.0 * (SIZE.1 * normal(random)).exp();
        let amount =
            |random: &mut Random| (size * (SIZE.2 * normal(random)).exp()).clamp(5e-4, 1.0);
        let duration = (DURATION.0 * normal(random)).exp().clamp(1e-3, DURATION.1);
        drawn.push((amount(random), amount(random), duration));
    }
    let work: f64 = drawn
        .iter()
        .map(|(a, b, duration)| (a + b) / 2.0 * duration)
        .sum();
    let horizon = work / (options.machines as f64 * options.load);
    let requests = drawn.iter().map(|(a, b, duration)| {
        let start = (horizon * random.random::<f64>() * TIME_SCALE).round() as i64;
        let weight = if options.weights {
            normal(random).exp()
        } else {
            1.0
        };
        Request {
            start,
            finish: start + ((duration * TIME_SCALE).round() as i64).max(1),
            demand: [a, b].map(|share| (share * SCALE).ceil() as u64).to_vec(),
            weight: ((weight * WEIGHT_SCALE as f64).round() as u64).max(1),
        }
    });
    let mut requests: Vec<Request> = requests.collect();
    requests.sort_by_key(|request| request.start);
    let requests = Requests::new(TIME_SCALE as u64, requests);
    Ok(Problem::new(
        machines(options.machines),
        Workload::Requests(requests),
    )?)
}

fn machines(count: usize) -> Cluster {
    let resource = |name: &str| Resource {
        name: name.into(),
        unit: "machine".into(),
        scale: SCALE as u64,
    };
    let node = |number: usize| Node {
        name: format!("machine{number}"),
        pool: PoolId(0),
        labels: Labels::new(),
    };
    Cluster {
        resources: vec![resource("cpu"), resource("memory")],
        pools: vec![Pool {
            name: "machine".into(),
            capacity: vec![SCALE as u64; 2],
            price: 1_000_000,
            max_count: Some(count as u32),
            labels: Labels::new(),
        }],
        nodes: (0..count).map(node).collect(),
    }
}

/// The load factor of a problem with requests: mean of CPU and memory times
/// duration, over machines times the span of the starts. `None` when the
/// problem holds no requests, no machines, or all start at once.
pub fn load_factor(problem: &Problem) -> Option<f64> {
    let requests = problem.requests()?;
    let (first, last) = (requests.start.iter().min()?, requests.start.iter().max()?);
    let capacity = |node: &Node| problem.cluster().capacity(node.pool)[0] as f64;
    let room: f64 = problem.cluster().nodes.iter().map(capacity).sum();
    let span = last.abs_diff(*first) as f64;
    let work = |at: usize| {
        let row = requests.row(bayplan_model::RequestId::from(at));
        let mean = row.iter().map(|units| *units as f64).sum::<f64>() / row.len() as f64;
        mean * requests.finish[at].abs_diff(requests.start[at]) as f64
    };
    let work: f64 = (0..requests.len()).map(work).sum();
    (room > 0.0 && span > 0.0).then(|| work / (room * span))
}
