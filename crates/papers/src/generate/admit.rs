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

/// Time units of one unit of time.
const TIME_SCALE: f64 = 1e6;

/// The span from the first start to the last finish, in units of time.
const HORIZON: f64 = 100.0;

/// Median share of a machine that a request asks for, and how much of its
/// logarithm's variance CPU and memory have in common.
const SIZE: (f64, f64) = (0.05, 0.6);

/// Median duration as a share of the horizon, when the number of requests
/// follows from the load, and the deviation of its logarithm.
const DURATION: (f64, f64) = (0.0065, 1.92);

/// The most requests drawn to reach a load.
const MOST: usize = 10_000_000;

/// What to generate.
#[derive(Clone, PartialEq, Debug)]
pub struct AdmitOptions {
    /// How many requests; `None`: as many as the load needs at the usual
    /// durations. A given number is reached by longer or shorter requests.
    pub requests: Option<usize>,
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
            requests: None,
            machines: 10,
            load: 3.75,
            weights: false,
        }
    }
}

/// One request before its duration is scaled.
struct Drawn {
    a: f64,
    b: f64,
    /// Start as a share of the horizon.
    start: f64,
    /// Duration as a multiple of the median.
    length: f64,
    weight: f64,
}

impl Drawn {
    fn new(random: &mut Random, weights: bool) -> Self {
        let common = SIZE.1.sqrt() * normal(random);
        let own = (1.0 - SIZE.1).sqrt();
        let amount = |random: &mut Random| {
            (SIZE.0 * (common + own * normal(random)).exp()).clamp(0.001, 1.0)
        };
        Self {
            a: amount(random),
            b: amount(random),
            start: random.random::<f64>(),
            length: (DURATION.1 * normal(random)).exp(),
            weight: if weights { normal(random).exp() } else { 1.0 },
        }
    }

    /// Work on machines over the whole horizon, which cuts off late requests.
    fn work(&self, median: f64) -> f64 {
        (self.a + self.b) / 2.0 * (median * self.length).min(1.0 - self.start)
    }
}

/// Generates requests and the machines they compete for. Starts are uniform
/// over the horizon, and what would run beyond it is cut off, so that the load
/// factor is the paper's: work over machines times the whole span.
pub fn admit(options: &AdmitOptions, seed: u64) -> Result<Problem, GenerateError> {
    require(
        options.load.is_finite() && options.load > 0.0,
        "load",
        "a number above zero is needed",
    )?;
    require(options.machines > 0, "machines", "at least one is needed")?;
    let random = &mut stream(seed, 20, 0);
    let wanted = options.load * options.machines as f64;
    let (drawn, median) = match options.requests {
        Some(count) => {
            let drawn: Vec<Drawn> = (0..count)
                .map(|_| Drawn::new(random, options.weights))
                .collect();
            let median = median_for(&drawn, wanted)?;
            (drawn, median)
        }
        None => (enough_for(wanted, options.weights, random)?, DURATION.0),
    };
    let units = HORIZON * TIME_SCALE;
    let requests = drawn.iter().map(|request| {
        let start = (request.start * units).floor();
        let finish = (start + median * request.length * units).min(units).round();
        Request {
            start: start as i64,
            finish: (finish as i64).max(start as i64 + 1),
            demand: [request.a, request.b]
                .map(|share| (share * SCALE).ceil() as u64)
                .to_vec(),
            weight: ((request.weight * WEIGHT_SCALE as f64).round() as u64).max(1),
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

/// Requests until their work reaches what is wanted.
fn enough_for(
    wanted: f64,
    weights: bool,
    random: &mut Random,
) -> Result<Vec<Drawn>, GenerateError> {
    let (mut drawn, mut work) = (Vec::new(), 0.0);
    while work < wanted {
        require(
            drawn.len() < MOST,
            "load",
            "ten million requests do not reach it; give their number",
        )?;
        let request = Drawn::new(random, weights);
        work += request.work(DURATION.0);
        drawn.push(request);
    }
    Ok(drawn)
}

/// The median duration that gives a number of requests the work wanted: work
/// grows with it, so bisection finds it.
fn median_for(drawn: &[Drawn], wanted: f64) -> Result<f64, GenerateError> {
    let work = |median: f64| {
        drawn
            .iter()
            .map(|request| request.work(median))
            .sum::<f64>()
    };
    require(
        drawn.is_empty() || work(f64::MAX) >= wanted,
        "load",
        "so few requests do not reach it however long they run; ask for more requests or a lower load",
    )?;
    let (mut low, mut high) = (1e-9f64, 1e3f64);
    for _ in 0..80 {
        let middle = (low * high).sqrt();
        if work(middle) < wanted {
            low = middle
        } else {
            high = middle
        }
    }
    Ok(high)
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
/// duration, over machines times the span from the first start to the last
/// finish. `None` when the problem holds no requests or no machines.
pub fn load_factor(problem: &Problem) -> Option<f64> {
    let requests = problem.requests()?;
    let (first, last) = (requests.start.iter().min()?, requests.finish.iter().max()?);
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
