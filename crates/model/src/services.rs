//! The workload of four of the questions: services with replicas.

use crate::traffic::{fault, merged};
use crate::{Compatibility, Limits, ModelError, Names, Placement, ServiceId, SpreadSet, Traffic};

/// What one replica needs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Demand<'a> {
    /// The same at all times: units per resource.
    Constant(&'a [u64]),
    /// By epoch: for each resource, one row of units.
    Epochs {
        /// How many epochs.
        epochs: usize,
        /// `units[resource * epochs + epoch]`.
        units: &'a [u64],
    },
    /// Random, independent between replicas.
    Random {
        /// Mean per resource, in units.
        mean: &'a [u64],
        /// Variance per resource, in units squared; 0 where the demand is certain.
        variance: &'a [u128],
    },
}

/// One service, as handed to [`Services::new`].
#[derive(Clone, PartialEq, Debug)]
pub struct Service {
    /// How many replicas.
    pub replicas: u32,
    /// Units, `resource * epochs + epoch`.
    pub demand: Vec<u64>,
    /// Variance per resource; empty when no demand of the problem is random.
    pub variance: Vec<u128>,
    /// Whether its replicas must stay where they are.
    pub pinned: bool,
    /// Replicas that must be alive at all times, from a disruption budget.
    pub alive: u32,
}

/// All services and the rules between them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Services {
    /// Their names.
    pub names: Names,
    /// Replicas of each.
    pub replicas: Vec<u32>,
    /// Epochs of all demands: 1 when demand is constant or random.
    pub epochs: usize,
    /// `demand[(service * resources + resource) * epochs + epoch]`, in units.
    pub demand: Vec<u64>,
    /// `variance[service * resources + resource]`; empty when nothing is random.
    pub variance: Vec<u128>,
    /// Services whose replicas must stay where they are.
    pub pinned: Vec<bool>,
    /// Replicas of each that must be alive at all times by its own rule; 0: none.
    pub alive: Vec<u32>,
    /// Co-location limits.
    pub limits: Limits,
    /// Anti-affinity.
    pub spread: Vec<SpreadSet>,
    /// Which nodes each may use.
    pub compatibility: Compatibility,
    /// Traffic, sorted by pair; no pair twice.
    pub traffic: Vec<Traffic>,
    /// What runs where now.
    pub placement: Placement,
}

impl Services {
    /// Services with their demands, and no rule yet: set the rules' fields,
    /// then build a [`Problem`](crate::Problem), which checks everything.
    pub fn new(names: Names, epochs: usize, services: impl IntoIterator<Item = Service>) -> Self {
        let mut all = Self {
            names,
            epochs,
            ..Self::default()
        };
        for service in services {
            all.replicas.push(service.replicas);
            all.demand.extend(service.demand);
            all.variance.extend(service.variance);
            all.pinned.push(service.pinned);
            all.alive.push(service.alive);
        }
        all
    }

    /// How many services.
    pub fn len(&self) -> usize {
        self.replicas.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.replicas.is_empty()
    }

    /// All ids.
    pub fn ids(&self) -> impl Iterator<Item = ServiceId> + use<> {
        (0..self.len() as u32).map(ServiceId)
    }

    /// The units of a service in all dimensions: `resource * epochs + epoch`.
    pub fn row(&self, service: ServiceId) -> &[u64] {
        let width = self.width();
        &self.demand[service.index() * width..][..width]
    }

    /// Dimensions of a demand: resources times epochs.
    pub fn width(&self) -> usize {
        self.demand.len().checked_div(self.len()).unwrap_or(0)
    }

    /// The demand of one replica.
    pub fn demand(&self, service: ServiceId) -> Demand<'_> {
        let units = self.row(service);
        if self.epochs > 1 {
            Demand::Epochs {
                epochs: self.epochs,
                units,
            }
        } else if self.variance.is_empty() {
            Demand::Constant(units)
        } else {
            let variance = &self.variance[service.index() * units.len()..][..units.len()];
            Demand::Random {
                mean: units,
                variance,
            }
        }
    }

    /// The sum of all traffic.
    pub fn total_traffic(&self) -> f64 {
        self.traffic.iter().map(|pair| pair.weight).sum()
    }

    pub(crate) fn finish(
        &mut self,
        resources: &[crate::Resource],
        nodes: usize,
    ) -> Result<(), ModelError> {
        let count = self.len();
        let width = resources.len() * self.epochs;
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
        length("names of services", count, self.names.len())?;
        length("pinned services", count, self.pinned.len())?;
        length("alive rules", count, self.alive.len())?;
        length("demands", count * width, self.demand.len())?;
        if !self.variance.is_empty() {
            length("variances", count * resources.len(), self.variance.len())?;
            length("epochs of random demand", 1, self.epochs)?;
        }
        length(
            "limits",
            count,
            self.limits.service_count().unwrap_or(count),
        )?;
        if !self.compatibility.is_everywhere() {
            length("compatibility", count, self.compatibility.service_count())?;
        }
        let known = |what, kind, id: u32, count: usize| {
            let error = ModelError::UnknownId {
                what,
                kind,
                id,
                count,
            };
            if (id as usize) < count {
                Ok(())
            } else {
                Err(error)
            }
        };
        for set in &mut self.spread {
            set.members.sort_unstable();
            set.members.dedup();
            for member in &set.members {
                known("a spread set", "service", member.0, count)?;
            }
        }
        for entry in self.placement.counts() {
            known("the placement", "service", entry.service.0, count)?;
            known("the placement", "node", entry.node.0, nodes)?;
        }
        for pair in &self.traffic {
            known("traffic", "service", pair.a.0.max(pair.b.0), count)?;
            if let Some(problem) = fault(pair) {
                return Err(ModelError::Value {
                    what: "traffic".into(),
                    problem,
                });
            }
        }
        self.traffic = merged(std::mem::take(&mut self.traffic));
        if self.traffic.iter().any(|pair| !pair.weight.is_finite()) {
            return Err(ModelError::Value {
                what: "traffic".into(),
                problem: "the sum over one pair is too large",
            });
        }
        self.check_sums(resources)
    }

    /// Totals must fit 63 bits, so that no sum over placed replicas overflows.
    fn check_sums(&self, resources: &[crate::Resource]) -> Result<(), ModelError> {
        let width = self.width();
        let mut totals = vec![0u128; width];
        for (service, replicas) in self.replicas.iter().enumerate() {
            for (total, units) in totals.iter_mut().zip(&self.demand[service * width..]) {
                *total += u128::from(*units) * u128::from(*replicas);
            }
        }
        for (dimension, total) in totals.iter().enumerate() {
            if *total > i64::MAX as u128 {
                let resource = resources[dimension / self.epochs].name.clone();
                return Err(ModelError::Overflow {
                    resource,
                    of: "services",
                });
            }
        }
        Ok(())
    }
}
