//! What a replica needs: constant, by epoch, or mean and deviation.

use bayplan_model::Rounding;

use super::cluster::{Named, quantity, resource_of};
use crate::error::Sink;
use crate::error::clip;
use crate::tree::{Fields, View};

/// The demand of one service, before the epochs of all are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Demand {
    /// Per resource: one value, or one per epoch.
    pub units: Vec<Vec<u64>>,
    /// Per resource.
    pub variance: Vec<u128>,
    pub random: bool,
}

pub(crate) fn read(named: &Named, view: &View<'_, '_>, sink: &mut Sink) -> Demand {
    let count = named.cluster.resources.len();
    let mut demand =
        Demand { units: vec![vec![0]; count], variance: vec![0; count], random: false };
    for (name, view) in view.entries(sink) {
        let Some(at) = resource_of(named, name, &view, sink) else { continue };
        let resource = &named.cluster.resources[at];
        if view.is_list() {
            let list = view.list(sink);
            let units: Vec<u64> =
                list.filter_map(|v| quantity(resource, &v, Rounding::Up, sink)).collect();
            if view.is_empty_list() {
                sink.push("F037", view.place(), || ("no epoch", "give one value per epoch"));
            }
            demand.units[at] = if units.is_empty() { vec![0] } else { units };
        } else if view.is_map() {
            demand.random = true;
            let Some(fields) = view.fields(&["mean", "deviation", "variance_units"], sink) else {
                continue;
            };
            let mean = fields.required("mean", sink);
            let mean = mean.and_then(|v| quantity(resource, &v, Rounding::Up, sink));
            demand.units[at] = vec![mean.unwrap_or(0)];
            demand.variance[at] = variance(named, at, &fields, &view, sink).unwrap_or(0);
        } else {
            let units = quantity(resource, &view, Rounding::Up, sink);
            demand.units[at] = vec![units.unwrap_or(0)];
        }
    }
    demand
}

/// The deviation squared, or the variance itself in squared units.
fn variance(
    named: &Named,
    at: usize,
    fields: &Fields<'_, '_>,
    view: &View<'_, '_>,
    sink: &mut Sink,
) -> Option<u128> {
    match (fields.get("deviation"), fields.get("variance_units")) {
        (Some(deviation), None) => {
            let units =
                quantity(&named.cluster.resources[at], &deviation, Rounding::Up, sink)?;
            Some(u128::from(units).pow(2))
        }
        (None, Some(variance)) => {
            let text = variance.number(sink)?;
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            // Below the square of the largest amount.
            let units = text.parse().ok().filter(|units: &u128| digits && *units <= 1 << 122);
            if units.is_none() {
                sink.push("F015", variance.place(), || {
                    let found = format!("variance_units `{}`", clip(text));
                    (found, "write a whole number of squared units")
                });
            }
            units
        }
        _ => {
            sink.push("F010", view.place(), || {
                ("a random demand without a deviation", "give `deviation`")
            });
            None
        }
    }
}
