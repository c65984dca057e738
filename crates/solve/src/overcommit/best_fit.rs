//! BF-UCaC (section 5.1) and BF-n-sigma (section 6): online best fit.
//!
//! Replicas arrive service by service, in the order of the input. Best fit
//! takes the machine that is fullest after placing among those that fit. While
//! one service arrives only the chosen machine changes, and it stays the
//! fullest; so one ordered list of machines per service, each filled in turn,
//! gives exactly the choices of a scan per replica.

use bayplan_model::at_confidence;

use super::fleet::Fleet;
use super::view::View;

/// How a best fit measures machines.
trait Measure {
    /// How full a machine is once it has one more replica.
    fn after(&self, view: &View, fleet: &Fleet, machine: usize, service: usize) -> f64;
    /// How many replicas, up to `at_most`, a machine takes.
    fn most(&self, view: &View, fleet: &Fleet, machine: usize, service: usize, at_most: u32)
    -> u32;
}

/// BF-UCaC: machines measured by U. Returns what found no place, per service.
pub(crate) fn best_fit_ucac(view: &View, fleet: &mut Fleet) -> Vec<u32> {
    best_fit(view, fleet, &ByUcac)
}

/// BF-n-sigma: every replica has the fixed size mean + n * deviation. With
/// `held_to_confidence` a machine must also keep the confidence, which sizes of
/// fewer than D deviations do not ensure by themselves.
pub(crate) fn best_fit_n_sigma(
    view: &View,
    fleet: &mut Fleet,
    n: f64,
    held_to_confidence: bool,
) -> Vec<u32> {
    let size = BySize {
        held_to_confidence,
        ..BySize::new(view, n)
    };
    best_fit(view, fleet, &size)
}

fn best_fit(view: &View, fleet: &mut Fleet, measure: &impl Measure) -> Vec<u32> {
    (0..view.count())
        .map(|service| place_service(view, fleet, measure, service, view.to_start(service)))
        .collect()
}

/// Places `left` replicas of one service; returns how many found no place.
fn place_service(
    view: &View,
    fleet: &mut Fleet,
    measure: &impl Measure,
    service: usize,
    mut left: u32,
) -> u32 {
    if left == 0 {
        return 0;
    }
    let used = |machine: &usize| !fleet.held[*machine].is_empty();
    let takes = |machine: &usize| measure.most(view, fleet, *machine, service, 1) > 0;
    let mut order: Vec<(f64, usize)> = (0..fleet.len())
        .filter(used)
        .filter(takes)
        .map(|machine| (measure.after(view, fleet, machine, service), machine))
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let empty = (0..fleet.len()).filter(|m| fleet.held[*m].is_empty());
    let machines: Vec<usize> = order.into_iter().map(|(_, m)| m).chain(empty).collect();
    for machine in machines {
        if left == 0 {
            return 0;
        }
        let count = measure.most(view, fleet, machine, service, left);
        fleet.place(view, machine, service, count);
        left -= count;
    }
    for pool in fleet.pools_by_size(view) {
        while left > 0 && fleet.can_open[pool.index()] > 0 {
            let machine = fleet.open(pool);
            let count = measure.most(view, fleet, machine, service, left);
            if count == 0 {
                fleet.close_last();
                break;
            }
            fleet.place(view, machine, service, count);
            left -= count;
        }
    }
    left
}

struct ByUcac;

impl Measure for ByUcac {
    fn after(&self, view: &View, fleet: &Fleet, machine: usize, service: usize) -> f64 {
        let mean = fleet.mean_of(machine)[0] + view.mean_of(service)[0];
        let variance = fleet.variance_of(machine)[0] + view.variance_of(service)[0];
        at_confidence(mean, variance, view.d)
    }

    fn most(
        &self,
        view: &View,
        fleet: &Fleet,
        machine: usize,
        service: usize,
        at_most: u32,
    ) -> u32 {
        fleet.most(view, machine, service, at_most)
    }
}

/// Fixed sizes, `size[service * resources + resource]`, rounded up.
struct BySize {
    size: Vec<u64>,
    held_to_confidence: bool,
}

impl BySize {
    fn new(view: &View, n: f64) -> Self {
        let deviations = view.variance.iter().map(|v| (*v as f64).sqrt());
        let sizes = view.mean.iter().zip(deviations);
        Self {
            size: sizes
                .map(|(mean, sd)| mean.saturating_add((n * sd).ceil() as u64))
                .collect(),
            held_to_confidence: false,
        }
    }

    fn load(&self, view: &View, fleet: &Fleet, machine: usize, r: usize) -> u128 {
        let held = fleet.held[machine].iter();
        held.map(|(s, count)| {
            u128::from(self.size[*s as usize * view.resources + r]) * u128::from(*count)
        })
        .sum()
    }
}

impl Measure for BySize {
    fn after(&self, view: &View, fleet: &Fleet, machine: usize, service: usize) -> f64 {
        (self.load(view, fleet, machine, 0) + u128::from(self.size[service * view.resources]))
            as f64
    }

    fn most(
        &self,
        view: &View,
        fleet: &Fleet,
        machine: usize,
        service: usize,
        at_most: u32,
    ) -> u32 {
        if !view.allows(fleet, machine, service) {
            return 0;
        }
        let mut most = at_most.min(view.room_by_rules(&fleet.held[machine], service));
        for (r, capacity) in view.capacity(fleet.pool[machine]).iter().enumerate() {
            let size = u128::from(self.size[service * view.resources + r]);
            // A machine over its size on arrival accepts nothing.
            let Some(room) = u128::from(*capacity).checked_sub(self.load(view, fleet, machine, r))
            else {
                return 0;
            };
            most = u128::from(most).min(room.checked_div(size).unwrap_or(u128::MAX)) as u32;
        }
        if self.held_to_confidence && most > 0 {
            most = most.min(fleet.most(view, machine, service, most));
        }
        most
    }
}
