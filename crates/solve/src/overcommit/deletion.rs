//! Which replicas to stop when a service is to have fewer than run.
//!
//! The root is concave (Proposition 1): taking w replicas off one machine
//! saves D * (sqrt(B) - sqrt(B - w b)), which grows faster than w and is
//! larger where B is small. So a service leaves whole machines, those with the
//! largest saving per replica first; only the last one is left in part.

use super::Objective;
use super::fleet::Fleet;
use super::view::View;

/// Stops what is to be stopped, service by service, most random first.
pub(crate) fn stop_surplus(view: &View, fleet: &mut Fleet, objective: Objective) {
    let mut services: Vec<usize> = (0..view.count()).filter(|s| view.to_stop(*s) > 0).collect();
    services.sort_by_key(|s| (std::cmp::Reverse(view.variance_of(*s)[0]), *s));
    for service in services {
        let all = |machine| fleet_count(fleet, machine, service);
        let hosts: Vec<(usize, u32)> = (0..fleet.len()).filter_map(all).collect();
        take(
            view,
            fleet,
            objective,
            service,
            hosts,
            view.to_stop(service),
        );
    }
}

fn fleet_count(fleet: &Fleet, machine: usize, service: usize) -> Option<(usize, u32)> {
    let count = fleet.count(machine, service);
    (count > 0).then_some((machine, count))
}

/// Takes `surplus` replicas of a service off the `hosts` (machine, at most so
/// many), for the lowest UCaC that is left; for fewest machines, machines that
/// become empty go first.
pub(crate) fn take(
    view: &View,
    fleet: &mut Fleet,
    objective: Objective,
    service: usize,
    hosts: Vec<(usize, u32)>,
    surplus: u32,
) {
    let saving = |fleet: &Fleet, machine: usize, count: u32| {
        let variance = fleet.variance_of(machine)[0];
        let rest = variance - view.variance_of(service)[0] * u128::from(count);
        view.d * ((variance as f64).sqrt() - (rest as f64).sqrt())
    };
    let empties = |fleet: &Fleet, machine: usize, count: u32| {
        objective == Objective::Machines
            && fleet.held[machine].len() == 1
            && fleet.held[machine][0].1 == count
    };
    let mut ranked: Vec<(bool, f64, usize, u32)> = hosts
        .into_iter()
        .map(|(machine, count)| {
            let empties = empties(fleet, machine, count);
            // A machine that becomes empty is worth most when few replicas do it.
            let worth = if empties {
                1.0
            } else {
                saving(fleet, machine, count)
            };
            (empties, worth / f64::from(count), machine, count)
        })
        .collect();
    ranked.sort_by(|a, b| {
        (b.0, b.1)
            .partial_cmp(&(a.0, a.1))
            .expect("savings are numbers")
            .then(a.2.cmp(&b.2))
    });
    let mut left = surplus;
    let mut at = 0;
    while at < ranked.len() && ranked[at].3 <= left {
        fleet.remove(view, ranked[at].2, service, ranked[at].3);
        left -= ranked[at].3;
        at += 1;
    }
    // The rest, from the machines not left whole: best saving for exactly that many.
    while left > 0 {
        let part = |entry: &(bool, f64, usize, u32)| {
            let count = entry.3.min(left);
            saving(fleet, entry.2, count) / f64::from(count.max(1))
        };
        let best = (at..ranked.len())
            .filter(|i| ranked[*i].3 > 0)
            .max_by(|a, b| {
                part(&ranked[*a])
                    .total_cmp(&part(&ranked[*b]))
                    .then(b.cmp(a))
            })
            .expect("the hosts hold the surplus");
        let count = ranked[best].3.min(left);
        fleet.remove(view, ranked[best].2, service, count);
        ranked[best].3 -= count;
        left -= count;
    }
}
