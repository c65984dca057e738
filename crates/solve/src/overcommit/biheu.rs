//! BiHeu (section 5.2, algorithm 2): machines by variance, services by
//! variance per mean, each machine filled as far as it goes. Machines are
//! sorted once; ties: in use first, larger capacity, lower index.

use std::cmp::Reverse;

use super::fleet::Fleet;
use super::view::View;

/// Places all replicas to start; returns what found no place, per service.
pub(crate) fn bi_level(view: &View, fleet: &mut Fleet) -> Vec<u32> {
    let mut left: Vec<u32> = (0..view.count()).map(|s| view.to_start(s)).collect();
    let mut machines: Vec<usize> = (0..fleet.len()).collect();
    let capacity = |machine: usize| view.capacity(fleet.pool[machine])[0];
    machines.sort_by_key(|m| {
        let used = !fleet.held[*m].is_empty();
        (
            Reverse(fleet.variance_of(*m)[0]),
            !used,
            Reverse(capacity(*m)),
            *m,
        )
    });
    fill_in_order(view, fleet, &mut left, &services_by_ratio(view), machines);
    left
}

/// Fills machines in index order with services in input order: the answer
/// CSP-Mac starts from, and so the rule by which its ties are broken.
pub(crate) fn first_fit(view: &View, fleet: &mut Fleet) -> Vec<u32> {
    let mut left: Vec<u32> = (0..view.count()).map(|s| view.to_start(s)).collect();
    let services: Vec<usize> = (0..view.count()).collect();
    // Machines in use first: an empty one costs.
    let (used, empty): (Vec<usize>, Vec<usize>) =
        (0..fleet.len()).partition(|m| !fleet.held[*m].is_empty());
    fill_in_order(
        view,
        fleet,
        &mut left,
        &services,
        used.into_iter().chain(empty),
    );
    left
}

/// Services by b/mu descending; ties by id.
fn services_by_ratio(view: &View) -> Vec<usize> {
    let ratio = |s: usize| {
        let (mean, variance) = (view.mean_of(s)[0] as f64, view.variance_of(s)[0] as f64);
        if variance == 0.0 {
            0.0
        } else {
            variance / mean
        }
    };
    let mut order: Vec<usize> = (0..view.count()).collect();
    order.sort_by(|a, b| ratio(*b).total_cmp(&ratio(*a)).then(a.cmp(b)));
    order
}

/// Fills the machines one after the other, then new ones, taking services in
/// the given order.
fn fill_in_order(
    view: &View,
    fleet: &mut Fleet,
    left: &mut [u32],
    services: &[usize],
    machines: impl IntoIterator<Item = usize>,
) {
    let mut waiting: Vec<usize> = services.iter().copied().filter(|s| left[*s] > 0).collect();
    let mut filler = Filler::default();
    for machine in machines {
        if waiting.is_empty() {
            return;
        }
        filler.fill(view, fleet, machine, left, &mut waiting);
    }
    for pool in fleet.pools_by_size(view) {
        while !waiting.is_empty() && fleet.can_open[pool.index()] > 0 {
            let machine = fleet.open(pool);
            filler.fill(view, fleet, machine, left, &mut waiting);
            if fleet.held[machine].is_empty() {
                fleet.close_last();
                break;
            }
        }
    }
}

/// Fills machines one by one. Empty machines of one pool get the same replicas
/// until a service runs short, so their filling is remembered.
#[derive(Default)]
struct Filler {
    pattern: Vec<(usize, u32)>,
    /// For how many waiting services and on which machine the pattern was found.
    found_for: Option<(usize, usize)>,
}

impl Filler {
    fn fill(
        &mut self,
        view: &View,
        fleet: &mut Fleet,
        machine: usize,
        left: &mut [u32],
        waiting: &mut Vec<usize>,
    ) {
        let was_empty = fleet.held[machine].is_empty();
        if !(was_empty && self.repeats(view, fleet, machine, left, waiting)) {
            self.pattern.clear();
            let capacity = view.capacity(fleet.pool[machine])[0];
            for &service in waiting.iter() {
                if fleet.mean_of(machine)[0].saturating_add(view.mean_of(service)[0]) > capacity {
                    continue;
                }
                let count = fleet.most(view, machine, service, left[service]);
                if count > 0 {
                    fleet.place(view, machine, service, count);
                    self.pattern.push((service, count));
                }
            }
            self.found_for = was_empty.then_some((waiting.len(), machine));
        } else {
            for &(service, count) in &self.pattern {
                fleet.place(view, machine, service, count);
            }
        }
        for &(service, count) in &self.pattern {
            left[service] -= count;
        }
        if self.pattern.iter().any(|(s, _)| left[*s] == 0) {
            waiting.retain(|s| left[*s] > 0);
        }
    }

    /// Whether filling this empty machine would find the remembered pattern:
    /// same pool, same services waiting, and enough of each left.
    fn repeats(
        &self,
        view: &View,
        fleet: &Fleet,
        machine: usize,
        left: &[u32],
        waiting: &[usize],
    ) -> bool {
        let Some((services, model)) = self.found_for else {
            return false;
        };
        let existing = view.cluster.nodes.len();
        let same_reach = view.services.compatibility.is_everywhere()
            || (model >= existing && machine >= existing);
        same_reach
            && services == waiting.len()
            && fleet.pool[model] == fleet.pool[machine]
            && self.pattern.iter().all(|(s, count)| left[*s] >= *count)
    }
}
