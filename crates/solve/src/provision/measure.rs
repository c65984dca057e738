//! Size measures of services and of the residual capacity of nodes (section
//! 4.2, Table 1), in shares of a node's capacity.

use super::state::State;
use super::view::View;

/// How one number is made of the demands in all dimensions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Measure {
    /// Mean over dimensions.
    Average,
    /// The largest dimension.
    Max,
    /// Weighted by the exponential of the average demand (eps is scaled by it).
    AverageExponential,
    /// Weighted by the share of a dimension in the whole demand.
    Surrogate,
    /// Total demand of all replicas over the total of all services.
    ExtendedSum,
    /// One dimension alone, the most loaded (section 4.5).
    Bottleneck,
}

impl Measure {
    pub const ALL: [Self; 6] = [
        Self::Average,
        Self::Max,
        Self::AverageExponential,
        Self::Surrogate,
        Self::ExtendedSum,
        Self::Bottleneck,
    ];

    /// The name in algorithm names, and the spelling of the published tables.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Average => &["Avg", "Average"],
            Self::Max => &["Max"],
            Self::AverageExponential => &["AvgExp", "AvgExpo"],
            Self::Surrogate => &["Surrogate"],
            Self::ExtendedSum => &["ExtendedSum", "ExtSum"],
            Self::Bottleneck => &["Bottleneck"],
        }
    }
}

/// The weight of each dimension; `None` for the maximum.
pub(super) struct Weighing {
    weights: Option<Vec<f64>>,
}

impl Weighing {
    /// From the mean per dimension (D_h, in shares of capacity) and the total W_h.
    fn new(measure: Measure, means: &[f64], totals: &[f64], epsilon: f64) -> Self {
        let width = means.len();
        let all: f64 = totals.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let weights = match measure {
            Measure::Max => None,
            Measure::Average => Some(vec![1.0 / width as f64; width]),
            Measure::AverageExponential => {
                Some(means.iter().map(|mean| (epsilon * mean).exp()).collect())
            }
            Measure::Surrogate => Some(totals.iter().map(|total| total / all).collect()),
            Measure::ExtendedSum => {
                let inverse = |total: &f64| if *total > 0.0 { 1.0 / total } else { 0.0 };
                Some(totals.iter().map(inverse).collect())
            }
            Measure::Bottleneck => {
                let most = (0..width).max_by(|a, b| totals[*a].total_cmp(&totals[*b]));
                let weight = |h| if Some(h) == most { 1.0 } else { 0.0 };
                Some((0..width).map(weight).collect())
            }
        };
        Self { weights }
    }

    fn of(&self, shares: impl Iterator<Item = f64>) -> f64 {
        match &self.weights {
            None => shares.fold(0.0, f64::max),
            Some(weights) => shares
                .zip(weights)
                .map(|(share, weight)| share * weight)
                .sum(),
        }
    }
}

/// Inverse of the largest capacity of any pool, per dimension.
pub(super) fn inverse_capacity(view: &View) -> Vec<f64> {
    let per_resource = (0..view.resources).map(|r| {
        let largest = view
            .kinds
            .iter()
            .map(|kind| kind.capacity[r])
            .max()
            .unwrap_or(1);
        1.0 / largest.max(1) as f64
    });
    per_resource
        .flat_map(|inverse| std::iter::repeat_n(inverse, view.epochs))
        .collect()
}

/// Total demand W_h of all replicas per dimension, in shares of a node.
pub(super) fn total_demand(view: &View) -> Vec<f64> {
    let inverse = inverse_capacity(view);
    let mut totals = vec![0.0; view.width];
    for (service, wanted) in view.wanted.iter().enumerate() {
        for (total, units) in totals.iter_mut().zip(view.row(service)) {
            *total += *units as f64 * f64::from(*wanted);
        }
    }
    totals
        .iter_mut()
        .zip(&inverse)
        .for_each(|(total, inverse)| *total *= inverse);
    totals
}

/// s_i of every service.
pub(super) fn service_sizes(view: &View, measure: Measure, epsilon: f64) -> Vec<f64> {
    let inverse = inverse_capacity(view);
    let totals = total_demand(view);
    let replicas: f64 = view.wanted.iter().map(|wanted| f64::from(*wanted)).sum();
    let means: Vec<f64> = totals
        .iter()
        .map(|total| total / replicas.max(1.0))
        .collect();
    let weighing = Weighing::new(measure, &means, &totals, epsilon);
    let size = |service: usize| {
        let row = view.row(service).iter().zip(&inverse);
        let size = weighing.of(row.map(|(units, inverse)| *units as f64 * inverse));
        match measure {
            Measure::ExtendedSum => size * f64::from(view.wanted[service]),
            _ => size,
        }
    };
    (0..view.len()).map(size).collect()
}

/// Residual capacity measures of nodes: the same formulas with the residual in
/// place of the demand and one in place of the number of replicas.
pub(super) struct NodeMeasure {
    measure: Measure,
    epsilon: f64,
    inverse: Vec<f64>,
    /// Residual of all nodes per dimension, in units.
    totals: Vec<f64>,
    weighing: Weighing,
}

impl NodeMeasure {
    pub fn new(state: &State, measure: Measure, epsilon: f64) -> Self {
        let mut totals = vec![0.0; state.view.width];
        for node in (0..state.nodes()).filter(|node| !state.is_shut(*node)) {
            add(&mut totals, state.residual(node));
        }
        let mut made = Self {
            measure,
            epsilon,
            inverse: inverse_capacity(state.view),
            totals,
            weighing: Weighing { weights: None },
        };
        made.refresh(state.nodes());
        made
    }

    /// A node was opened.
    pub fn note_opened(&mut self, state: &State, node: usize) {
        add(&mut self.totals, state.residual(node));
    }

    /// Replicas were placed.
    pub fn note_placed(&mut self, row: &[u64], count: u32) {
        for (total, units) in self.totals.iter_mut().zip(row) {
            *total -= *units as f64 * f64::from(count);
        }
    }

    /// Works the weights out again from the current residuals. Done once per
    /// service: within a service they hardly change.
    pub fn refresh(&mut self, nodes: usize) {
        let scaled = self.totals.iter().zip(&self.inverse);
        let totals: Vec<f64> = scaled.map(|(total, inverse)| total * inverse).collect();
        let means: Vec<f64> = totals.iter().map(|t| t / nodes.max(1) as f64).collect();
        self.weighing = Weighing::new(self.measure, &means, &totals, self.epsilon);
    }

    pub fn of(&self, residual: &[i64]) -> f64 {
        let shares = residual.iter().zip(&self.inverse);
        self.weighing
            .of(shares.map(|(units, inverse)| *units as f64 * inverse))
    }
}

fn add(totals: &mut [f64], residual: &[i64]) {
    for (total, units) in totals.iter_mut().zip(residual) {
        *total += *units as f64;
    }
}
