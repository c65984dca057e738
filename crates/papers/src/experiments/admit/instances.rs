//! The instances: generated requests by load and machines, and with public
//! data samples of the Azure trace.

use std::path::PathBuf;

use bayplan_formats::ReadOptions;
use bayplan_model::{Labels, Node, PoolId, Problem, Request, RequestId, Requests, Workload};
use rand::RngExt;

use crate::experiments::setting::read_problem;
use crate::experiments::{ExperimentError, Extent, Setting};
use crate::generate::{AdmitOptions, admit as generate, load_factor};

/// The load factors of the paper's figures.
pub(super) const LOADS: [f64; 5] = [1.0, 2.0, 3.75, 6.0, 12.0];

/// One instance.
#[derive(Clone)]
pub(super) enum Instance {
    /// Generated, by the load at ten machines (Fig. 3 to 6).
    Load(f64),
    /// Generated, by machines and load (Fig. 2).
    Machines(usize, f64),
    /// A share of the requests of a trace, on as many machines as the load
    /// says (how the paper samples its own trace).
    Trace(PathBuf, f64, f64),
}

/// Every instance of one seed.
pub(super) fn all(setting: &Setting, seed: u64) -> Vec<Instance> {
    let mut all: Vec<Instance> = match setting.extent {
        Extent::Check => [2.0, 12.0].map(|load| Instance::Machines(3, load)).to_vec(),
        _ => LOADS.map(Instance::Load).to_vec(),
    };
    // Large ones take minutes: fewer seeds.
    let machines: &[usize] = match (setting.extent, seed) {
        (Extent::Check, _) => &[],
        (Extent::Quick, 1) => &[3, 30],
        (Extent::Quick, _) => &[],
        (Extent::Full, 1) => &[30, 100, 300, 1000],
        (Extent::Full, _) => &[30, 100],
    };
    for machines in machines {
        for load in [1.0, 3.75, 12.0] {
            // Beyond half a million requests nothing new is seen.
            if *machines as f64 * load <= 1200.0 {
                all.push(Instance::Machines(*machines, load));
            }
        }
    }
    if let Some(trace) = setting.data_file("requests/azure_v1_norm_10pct.csv") {
        let part = setting.pick(0.5, 0.1, 0.1);
        all.extend(LOADS.map(|load| Instance::Trace(trace.clone(), part, load)));
    }
    all
}

impl Instance {
    pub(super) fn study(&self) -> &'static str {
        match self {
            Self::Load(_) => "load",
            Self::Machines(..) => "machines",
            Self::Trace(..) => "azure",
        }
    }

    pub(super) fn x(&self) -> String {
        match self {
            Self::Load(load) | Self::Trace(_, _, load) => format!("load {load}"),
            Self::Machines(machines, load) => format!("{machines} machines, load {load}"),
        }
    }

    pub(super) fn make(&self, seed: u64) -> Result<Problem, ExperimentError> {
        let (machines, load) = match self {
            Self::Load(load) => (10, *load),
            Self::Machines(machines, load) => (*machines, *load),
            Self::Trace(path, part, load) => return sampled(path, *part, *load, seed),
        };
        let options = AdmitOptions {
            machines,
            load,
            ..AdmitOptions::default()
        };
        Ok(generate(&options, seed)?)
    }
}

/// Each request with the same chance, and the machines that give the load.
fn sampled(
    path: &std::path::Path,
    part: f64,
    load: f64,
    seed: u64,
) -> Result<Problem, ExperimentError> {
    let options = ReadOptions {
        machines: Some(1),
        ..ReadOptions::default()
    };
    let all = read_problem(path, &options)?;
    let (mut cluster, workload) = all.into_parts();
    let Workload::Requests(requests) = workload else {
        return Err(ExperimentError::data(path, "it holds no requests"));
    };
    let random = &mut crate::generate::stream(seed, 50, 0);
    let chosen = (0..requests.len()).filter(|_| random.random::<f64>() < part);
    let request = |at: usize| Request {
        start: requests.start[at],
        finish: requests.finish[at],
        demand: requests.row(RequestId::from(at)).to_vec(),
        weight: requests.weight[at],
    };
    let sample = Requests::new(requests.time_scale, chosen.map(request));
    let problem = |cluster, sample| {
        Problem::new(cluster, Workload::Requests(sample))
            .map_err(|error| ExperimentError::data(path, error))
    };
    // The load on one machine is the load factor times the machines.
    let on_one = problem(cluster.clone(), sample.clone())?;
    let machines = load_factor(&on_one).unwrap_or(1.0) / load;
    let machines = machines.round().max(1.0) as u32;
    cluster.pools[0].max_count = Some(machines);
    cluster.nodes = (0..machines)
        .map(|number| Node {
            name: format!("machine{number}"),
            pool: PoolId(0),
            labels: Labels::new(),
        })
        .collect();
    problem(cluster, sample)
}
