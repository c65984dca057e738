//! A bound without an LP, for answers that must come at once.
//!
//! No machine's deviation exceeds S, so on each the root lies above its chord
//! from what stays there to S. Sums of chords need no packing.

use super::Objective;
use super::fleet::Fleet;
use super::kinds::loads;
use super::view::View;

/// No answer has less UCaC (in units) or fewer machines than this.
pub(crate) fn quick_bound(view: &View, current: &Fleet, objective: Objective) -> f64 {
    let d = view.d;
    let wanted = |s: usize| {
        if view.to_stop(s) > 0 {
            view.services.replicas[s]
        } else {
            view.to_start(s)
        }
    };
    let mut deviation = largest_deviation(view);
    let (mut stays, mut used, mut room) = (0.0, 0.0, 0.0);
    let mut base_deviation = 0.0f64;
    for machine in 0..current.len() {
        let held: Vec<(u32, u32)> = current.held[machine]
            .iter()
            .copied()
            .filter(|(s, _)| view.to_stop(*s as usize) == 0)
            .collect();
        deviation = deviation.max((current.variance_of(machine)[0] as f64).sqrt());
        if held.is_empty() {
            continue;
        }
        let (mean, variance) = loads(view, &held);
        let now = bayplan_model::at_confidence(mean[0], variance[0], d);
        base_deviation = base_deviation.max((variance[0] as f64).sqrt());
        stays += now;
        used += 1.0;
        let full = bayplan_model::at_confidence(
            current.mean_of(machine)[0],
            current.variance_of(machine)[0],
            d,
        );
        let capacity = (view.capacity(current.pool[machine])[0] as f64).max(full);
        room += (capacity * (1.0 + bayplan_model::CHANCE_TOLERANCE) - now).max(0.0);
    }
    let slope = if base_deviation + deviation > 0.0 {
        1.0 / (base_deviation + deviation)
    } else {
        0.0
    };
    let share = |s: usize| view.mean_of(s)[0] as f64 + d * view.variance_of(s)[0] as f64 * slope;
    let need: f64 = (0..view.count())
        .map(|s| share(s) * f64::from(wanted(s)))
        .sum();
    match objective {
        Objective::Ucac => (stays + need) * (1.0 - 1e-12),
        Objective::Machines => {
            let largest = view
                .cluster
                .pools
                .iter()
                .map(|pool| pool.capacity[0])
                .max()
                .unwrap_or(0);
            let over_full = (0..current.len())
                .map(|m| current.used(m, d))
                .fold(0.0, f64::max);
            let each = (largest as f64).max(over_full) * (1.0 + bayplan_model::CHANCE_TOLERANCE);
            used + if each > 0.0 {
                ((need - room) / each - 1e-9).ceil().max(0.0)
            } else {
                0.0
            }
        }
    }
}

/// The largest deviation anything that fits a machine can have: with the most
/// random service per mean alone on the largest machine, in real numbers.
fn largest_deviation(view: &View) -> f64 {
    let largest = view
        .cluster
        .pools
        .iter()
        .map(|pool| pool.capacity[0])
        .max()
        .unwrap_or(0);
    let capacity = largest as f64 * (1.0 + bayplan_model::CHANCE_TOLERANCE);
    let ratio = |s: usize| match (view.mean_of(s)[0] as f64, view.variance_of(s)[0] as f64) {
        (_, 0.0) => 0.0,
        (mean, variance) => variance / mean,
    };
    let ratio = (0..view.count()).map(ratio).fold(0.0, f64::max);
    if ratio == 0.0 || capacity == 0.0 {
        return 0.0;
    }
    // s^2 / ratio + D s = V, solved in the form that also holds for an infinite ratio.
    2.0 * capacity / (view.d + (view.d * view.d + 4.0 * capacity / ratio).sqrt())
}
