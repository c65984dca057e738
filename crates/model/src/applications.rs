//! The workload of `divide`: applications whose load can be split.

use crate::{ModelError, Names, Share};

/// An application: load divisible over instances, memory needed by each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Application {
    /// Total load, in units of resource 0 (CPU).
    pub load: u64,
    /// Memory of an instance, in units of resource 1, before any load.
    pub memory: u64,
    /// Memory an instance needs per million units of load it serves.
    pub memory_per_load: u64,
    /// The fewest instances, for availability.
    pub min_instances: u32,
    /// The most instances; `None`: any number.
    pub max_instances: Option<u32>,
}

impl Application {
    /// Memory of an instance that serves `load`, rounded up.
    pub fn memory_at(&self, load: u64) -> u128 {
        let growth = u128::from(self.memory_per_load) * u128::from(load);
        u128::from(self.memory) + growth.div_ceil(1_000_000)
    }
}

/// All applications. At most one instance of each on a node.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Applications {
    /// Their names.
    pub names: Names,
    /// Their loads and needs.
    pub all: Vec<Application>,
    /// The instances that run now and the load each serves.
    pub layout: Vec<Share>,
}

impl Applications {
    pub(crate) fn finish(&mut self, resources: usize, nodes: usize) -> Result<(), ModelError> {
        let length = |what, expected, found| {
            if expected == found {
                Ok(())
            } else {
                Err(ModelError::Length {
                    what,
                    expected,
                    found,
                })
            }
        };
        length("resources of applications (cpu, memory)", 2, resources)?;
        length("names of applications", self.all.len(), self.names.len())?;
        let total = |of: fn(&Application) -> u64| -> u128 {
            self.all
                .iter()
                .map(|application| u128::from(of(application)))
                .sum()
        };
        for (resource, total) in [("cpu", total(|a| a.load)), ("memory", total(|a| a.memory))] {
            if total > i64::MAX as u128 {
                return Err(ModelError::Overflow {
                    resource: resource.into(),
                    of: "applications",
                });
            }
        }
        self.layout
            .sort_unstable_by_key(|share| (share.application, share.node));
        for share in &self.layout {
            for (kind, id, count) in [
                ("application", share.application.0, self.all.len()),
                ("node", share.node.0, nodes),
            ] {
                if id as usize >= count {
                    return Err(ModelError::UnknownId {
                        what: "the layout",
                        kind,
                        id,
                        count,
                    });
                }
            }
        }
        Ok(())
    }
}
