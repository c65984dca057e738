//! The clusters: the one public one, and generated ones of the sizes of the
//! paper's Table II.

use std::path::PathBuf;

use bayplan_formats::ReadOptions;
use bayplan_model::Problem;

use crate::experiments::setting::read_problem;
use crate::experiments::{ExperimentError, Extent, Setting};
use crate::generate::{ColocateOptions, Shape, colocate as generate};

/// A cluster.
#[derive(Clone)]
pub(super) enum Cluster {
    /// M3 of the public data.
    Public(PathBuf),
    /// Generated, by name and size.
    Generated(&'static str, ColocateOptions),
}

/// The clusters of a run, small ones first.
pub(super) fn all(setting: &Setting) -> Vec<Cluster> {
    let like = |name, shape| Cluster::Generated(name, ColocateOptions::shaped(shape));
    let public = setting.data_file("rasa/M3.json").map(Cluster::Public);
    match setting.extent {
        Extent::Check => {
            let small = ColocateOptions {
                services: 150,
                containers: 900,
                machines: 30,
                ..ColocateOptions::shaped(Shape::M3)
            };
            vec![Cluster::Generated("small", small)]
        }
        Extent::Quick => vec![public.unwrap_or_else(|| like("M3-like", Shape::M3))],
        Extent::Full => {
            let mut all: Vec<Cluster> = public.into_iter().collect();
            all.push(like("M3-like", Shape::M3));
            all.push(like("M1-like", Shape::M1));
            all.push(like("M4-like", Shape::M4));
            all.push(like("M2-like", Shape::M2));
            all
        }
    }
}

impl Cluster {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Public(_) => "M3".into(),
            Self::Generated(name, _) => (*name).into(),
        }
    }

    /// The public cluster is always the same; the seed is the solver's.
    pub(super) fn make(&self, seed: u64) -> Result<Problem, ExperimentError> {
        match self {
            Self::Public(path) => read_problem(path, &ReadOptions::default()),
            Self::Generated(_, options) => Ok(generate(options, seed)?),
        }
    }
}
