//! The workload of `admit`: requests with an interval, a demand and a weight.

use crate::{ModelError, RequestId};

/// Integer units of a weight of one.
pub const WEIGHT_SCALE: u64 = 1_000_000;

/// One request, as handed to [`Requests::new`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Start of the interval (exclusive: a request that ends then is gone).
    pub start: i64,
    /// End of the interval, after the start.
    pub finish: i64,
    /// Units per resource.
    pub demand: Vec<u64>,
    /// Value when admitted, in millionths.
    pub weight: u64,
}

/// All requests, as flat arrays. Time is in units of `1 / time_scale`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Requests {
    /// Starts.
    pub start: Vec<i64>,
    /// Finishes.
    pub finish: Vec<i64>,
    /// `demand[request * resources + resource]`, in units.
    pub demand: Vec<u64>,
    /// Weights, in millionths.
    pub weight: Vec<u64>,
    /// Integer time units that make one unit of the input.
    pub time_scale: u64,
}

impl Requests {
    /// From a list, in order: a request's id is its place in the list.
    pub fn new(time_scale: u64, requests: impl IntoIterator<Item = Request>) -> Self {
        let mut all = Self {
            time_scale,
            ..Self::default()
        };
        for request in requests {
            all.start.push(request.start);
            all.finish.push(request.finish);
            all.demand.extend(request.demand);
            all.weight.push(request.weight);
        }
        all
    }

    /// How many requests.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// The demand of one request, per resource.
    pub fn row(&self, request: RequestId) -> &[u64] {
        let width = self.demand.len() / self.len();
        &self.demand[request.index() * width..][..width]
    }

    /// The sum of all weights.
    pub fn total_weight(&self) -> u128 {
        self.weight.iter().map(|weight| u128::from(*weight)).sum()
    }

    pub(crate) fn finish(&self, resources: &[crate::Resource]) -> Result<(), ModelError> {
        let (expected, found) = (self.len() * resources.len(), self.demand.len());
        if expected != found || self.weight.len() != self.len() || self.finish.len() != self.len() {
            return Err(ModelError::Length {
                what: "demands of requests",
                expected,
                found,
            });
        }
        let times = self.start.iter().zip(&self.finish);
        if let Some(at) = times
            .into_iter()
            .position(|(start, finish)| start >= finish)
        {
            let what = format!("request {at}");
            return Err(ModelError::Value {
                what,
                problem: "it finishes before it starts",
            });
        }
        for (r, resource) in resources.iter().enumerate() {
            let units = self.demand.iter().skip(r).step_by(resources.len());
            if units.map(|units| u128::from(*units)).sum::<u128>() > i64::MAX as u128 {
                return Err(ModelError::Overflow {
                    resource: resource.name.clone(),
                    of: "requests",
                });
            }
        }
        if self.total_weight() > i64::MAX as u128 {
            return Err(ModelError::Overflow {
                resource: "weight".into(),
                of: "requests",
            });
        }
        Ok(())
    }
}
