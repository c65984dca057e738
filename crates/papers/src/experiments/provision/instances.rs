//! The instances: the base set as it is under graphs of three densities, and
//! resampled to many services at half a percent.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use bayplan_formats::ReadOptions;
use bayplan_model::Problem;

use super::PROGRAM;
use crate::experiments::setting::read_problem;
use crate::experiments::{ExperimentError, Extent, Setting};
use crate::generate::{Graph, ProvisionOptions, provision as generate};

/// The base sets of the public data, read when first needed.
#[derive(Clone)]
pub(super) struct Base {
    files: Arc<[Option<PathBuf>; 2]>,
    read: Arc<[OnceLock<Problem>; 2]>,
}

impl Base {
    pub(super) fn new(setting: &Setting) -> Self {
        let files = [
            "tclab/TClab_dataset_2D.csv",
            "tclab/TClab_dataset_TS.csv.gz",
        ];
        Self {
            files: Arc::new(files.map(|file| setting.data_file(file))),
            read: Arc::default(),
        }
    }

    /// `None` without public data: the generator has a base of its own.
    fn get(&self, varying: bool) -> Result<Option<&Problem>, ExperimentError> {
        let at = usize::from(varying);
        let Some(path) = &self.files[at] else {
            return Ok(None);
        };
        if self.read[at].get().is_none() {
            let options = ReadOptions {
                node: [("cpu", "64"), ("memory", "128")]
                    .map(|(name, amount)| (name.into(), amount.into()))
                    .to_vec(),
                ..ReadOptions::default()
            };
            let problem = read_problem(path, &options)?;
            return Ok(Some(self.read[at].get_or_init(|| problem)));
        }
        Ok(self.read[at].get())
    }
}

/// One instance but for its seed.
#[derive(Clone)]
pub(super) struct Instance {
    pub(super) study: &'static str,
    graph: Graph,
    /// In tenths of a percent.
    density: u32,
    /// `None`: those of the base.
    services: Option<usize>,
}

/// Every instance of one seed. The graphs the paper draws and the small
/// instances come first: a run cut short has them.
pub(super) fn all(setting: &Setting) -> Vec<Instance> {
    let public = setting.data_file("tclab").is_some();
    let graphs: &[Graph] = setting.pick(
        &[Graph::Arbitrary, Graph::Normal, Graph::Threshold],
        &[Graph::Arbitrary, Graph::Threshold],
        &[Graph::Threshold],
    );
    // A quick run keeps the public base, which is what the published figures
    // are about, and shrinks a generated one.
    let base = match (setting.extent, public) {
        (Extent::Full, _) | (Extent::Quick, true) => None,
        (Extent::Quick, false) => Some(1500),
        (Extent::Check, _) => Some(600),
    };
    let varying = setting.pick(base, Some(300), Some(120));
    let sizes: &[usize] = setting.pick(&[10_000, 50_000, 100_000], &[2_000, 10_000], &[1_000]);
    let varying_sizes: &[usize] = setting.pick(&[10_000, 50_000, 100_000], &[400], &[]);
    let densities: &[u32] = setting.pick(&[10, 50, 100], &[10, 50, 100], &[10, 100]);
    let few: &[u32] = setting.pick(densities, &[10, 100], &[100]);
    let mut all = Vec::new();
    let mut add = |study, graphs: &[Graph], densities: &[u32], sizes: &[Option<usize>]| {
        for density in densities {
            for services in sizes {
                all.extend(graphs.iter().map(|graph| Instance {
                    study,
                    graph: *graph,
                    density: *density,
                    services: *services,
                }));
            }
        }
    };
    let some = |sizes: &[usize]| sizes.iter().copied().map(Some).collect::<Vec<_>>();
    // The public base under ten percent takes a quick run too long.
    let dense = if setting.extent == Extent::Quick && public {
        &densities[..2]
    } else {
        densities
    };
    add("density", graphs, dense, &[base]);
    add(PROGRAM, graphs, dense, &[base]);
    add(
        "density-ts",
        &graphs[..setting.pick(3, 1, 1)],
        few,
        &[varying],
    );
    add(
        "large",
        &graphs[..setting.pick(3, 1, 1)],
        &[5],
        &some(sizes),
    );
    add(
        "large-ts",
        &graphs[..setting.pick(3, 1, 1)],
        &[5],
        &some(varying_sizes),
    );
    all.sort_by_key(|instance: &Instance| {
        let large = instance.services.is_some_and(|count| count > 10_000);
        let graph = match instance.graph {
            Graph::Arbitrary => 0,
            Graph::Threshold => 1,
            _ => 2,
        };
        (large, graph)
    });
    all
}

/// Whether the instances of a study are those of the published figures: the
/// same services, or as many generated like them.
pub(super) fn comparable(setting: &Setting, study: &str) -> bool {
    let public = setting.data_file("tclab").is_some();
    match setting.extent {
        Extent::Full => true,
        Extent::Quick => public && !study.ends_with("ts"),
        Extent::Check => false,
    }
}

impl Instance {
    /// The least dense graphs, which cost least.
    pub(super) fn is_sparse(&self) -> bool {
        self.density <= 10
    }

    pub(super) fn varying(&self) -> bool {
        self.study.ends_with("ts")
    }

    pub(super) fn x(&self) -> String {
        let graph = match self.graph {
            Graph::None => "none",
            Graph::Arbitrary => "arbitrary",
            Graph::Normal => "normal",
            Graph::Threshold => "threshold",
        };
        match self.study {
            "large" | "large-ts" => format!("{graph} {}", self.services.unwrap_or(0)),
            _ => format!("{graph} {} %", f64::from(self.density) / 10.0),
        }
    }

    pub(super) fn make(&self, base: &Base, seed: u64) -> Result<Problem, ExperimentError> {
        let base = base.get(self.varying())?;
        let options = ProvisionOptions {
            services: self.services,
            graph: self.graph,
            density: f64::from(self.density) / 1000.0,
            epochs: if self.varying() { 98 } else { 1 },
            ..ProvisionOptions::default()
        };
        Ok(generate(&options, base, seed)?)
    }
}
