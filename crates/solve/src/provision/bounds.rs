//! What no plan can beat.

use super::view::View;

/// The area bound (Eq. 5) over all dimensions: fewest nodes of the largest
/// capacity whose sum holds all demand.
pub(super) fn area(view: &View) -> u64 {
    let mut totals = vec![0u128; view.width];
    for (service, wanted) in view.wanted.iter().enumerate() {
        for (total, units) in totals.iter_mut().zip(view.row(service)) {
            *total += u128::from(*units) * u128::from(*wanted);
        }
    }
    let nodes = totals.iter().enumerate().map(|(h, total)| {
        let capacity = view.kinds.iter().map(|kind| kind.capacity[h / view.epochs]).max();
        let capacity = capacity.unwrap_or(0).max(0) as u128;
        total.checked_div(capacity).map_or(0, |_| total.div_ceil(capacity)) as u64
    });
    nodes.max().unwrap_or(0)
}
