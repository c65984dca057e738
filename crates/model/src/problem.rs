//! A problem: where things can run, and what should.

use crate::{Applications, Cluster, ModelError, Requests, Services};

/// What should run.
#[derive(Clone, PartialEq, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a program holds one or two of these, never many"
)]
pub enum Workload {
    /// Services with replicas: `provision`, `colocate`, `overcommit`.
    Services(Services),
    /// Applications with divisible load: `divide`.
    Applications(Applications),
    /// Requests in time: `admit`.
    Requests(Requests),
}

/// A cluster and a workload, checked and from then on immutable.
#[derive(Clone, PartialEq, Debug)]
pub struct Problem {
    cluster: Cluster,
    workload: Workload,
}

impl Problem {
    /// Checks that every id exists, every array has its length and every sum
    /// fits; brings rules into their sorted form.
    pub fn new(cluster: Cluster, mut workload: Workload) -> Result<Self, ModelError> {
        cluster.check()?;
        match &mut workload {
            Workload::Services(services) => {
                services.finish(&cluster.resources, cluster.nodes.len())?;
            }
            Workload::Applications(applications) => {
                applications.finish(cluster.resources.len(), cluster.nodes.len())?;
            }
            Workload::Requests(requests) => requests.finish(&cluster.resources)?,
        }
        Ok(Self { cluster, workload })
    }

    /// Where things can run.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// What should run.
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// The services, if that is the workload.
    pub fn services(&self) -> Option<&Services> {
        match &self.workload {
            Workload::Services(services) => Some(services),
            _ => None,
        }
    }

    /// The applications, if that is the workload.
    pub fn applications(&self) -> Option<&Applications> {
        match &self.workload {
            Workload::Applications(applications) => Some(applications),
            _ => None,
        }
    }

    /// The requests, if that is the workload.
    pub fn requests(&self) -> Option<&Requests> {
        match &self.workload {
            Workload::Requests(requests) => Some(requests),
            _ => None,
        }
    }

    /// Takes the problem apart, to build a changed one.
    pub fn into_parts(self) -> (Cluster, Workload) {
        (self.cluster, self.workload)
    }
}
