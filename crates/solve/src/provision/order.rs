//! Orders of the services (section 4.2).

use bayplan_model::ServiceId;

use super::measure::{Measure, service_sizes};
use super::view::View;

/// Services as they are numbered.
pub(super) fn by_number(view: &View) -> Vec<u32> {
    (0..view.len() as u32).collect()
}

/// Largest first; equal ones as they are numbered.
pub(super) fn decreasing(sizes: &[f64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..sizes.len() as u32).collect();
    order.sort_by(|a, b| sizes[*b as usize].total_cmp(&sizes[*a as usize]));
    order
}

/// Number of services linked with each by a limit, either way (delta_i).
pub(super) fn degrees(view: &View) -> Vec<f64> {
    let limits = &view.services.limits;
    let degree = |service: usize| {
        let id = ServiceId::from(service);
        let mut into = limits.imposed_on(id).map(|(other, _)| other).peekable();
        let mut both = 0;
        for (other, _) in limits.imposed_by(id) {
            while into.next_if(|candidate| *candidate < other).is_some() {}
            both += usize::from(into.next_if_eq(&other).is_some());
        }
        (limits.in_degree(id) + limits.out_degree(id) - both) as f64
    };
    (0..view.len()).map(degree).collect()
}

/// The hybrid demand-affinity measure (Eq. 3); alpha = 1 is the size alone.
pub(super) fn hybrid_sizes(view: &View, measure: Measure, epsilon: f64, alpha: f64) -> Vec<f64> {
    let sizes = service_sizes(view, measure, epsilon);
    if alpha >= 1.0 {
        return sizes;
    }
    let degrees = degrees(view);
    let scale = |values: &[f64]| {
        let sum: f64 = values.iter().sum();
        if sum > 0.0 {
            values.len() as f64 / sum
        } else {
            0.0
        }
    };
    let (size_scale, degree_scale) = (scale(&sizes), scale(&degrees));
    let both = sizes.iter().zip(&degrees);
    both.map(|(s, d)| alpha * s * size_scale + (1.0 - alpha) * d * degree_scale)
        .collect()
}
