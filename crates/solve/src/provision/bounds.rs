//! What no plan can beat.
//!
//! Where all nodes are of one kind, over all dimensions: the area bound (Eq. 5) and Martello and Toth's L2 on
//! what is left after setting aside replicas that fill a node alone; and from
//! the rules: services that exclude each other need nodes of their own.

use bayplan_model::ServiceId;

use super::goal::Goal;
use super::state::State;
use super::view::View;
use super::{plain, pools};

/// The best bound known on the goal, for plans that place everything wanted.
pub(super) fn of(view: &View, goal: Goal) -> u128 {
    let start = State::new(view);
    let kept = goal.rank(&start).0;
    if broken_on_arrival(&start) {
        // More than fits stands on some node: capacity proves nothing then.
        return kept;
    }
    if view.kinds.len() == 1 {
        return kept.max(u128::from(nodes(view)));
    }
    kept.max(pools::bound(view, goal).unwrap_or(0))
}

/// Bounds on the number of nodes, where there is one kind of node.
pub(super) fn nodes(view: &View) -> u64 {
    packing(view).max(exclusion(view))
}

fn broken_on_arrival(start: &State) -> bool {
    start.view.fixed.iter().any(|entry| {
        let (node, service) = (entry.node.index(), entry.service.index());
        start.residual(node).iter().any(|left| *left < 0) || plain::breaks(start, node, service)
    })
}

/// Units wanted per dimension, of all services or some.
pub(super) fn totals(view: &View, counts: impl Fn(usize) -> u64) -> Vec<u128> {
    let mut totals = vec![0u128; view.width];
    for service in 0..view.len() {
        let count = u128::from(counts(service));
        if count > 0 {
            for (total, units) in totals.iter_mut().zip(view.row(service)) {
                *total += u128::from(*units) * count;
            }
        }
    }
    totals
}

/// Area and L2 bounds over all dimensions.
fn packing(view: &View) -> u64 {
    let alone = alone(view);
    let counts: Vec<u64> = (0..view.len())
        .map(|s| {
            if alone[s] {
                0
            } else {
                u64::from(view.wanted[s])
            }
        })
        .collect();
    let set_aside: u64 = (0..view.len())
        .filter(|s| alone[*s])
        .map(|s| u64::from(view.wanted[s]))
        .sum();
    let totals = totals(view, |s| counts[s]);
    let mut most = 0;
    let mut sizes: Vec<(u64, u64)> = Vec::new();
    for (h, total) in totals.iter().enumerate() {
        let capacity = view.kinds[0].capacity[h / view.epochs].max(0) as u64;
        if capacity == 0 {
            continue;
        }
        most = most.max(total.div_ceil(u128::from(capacity)) as u64);
        sizes.clear();
        let placed = (0..view.len()).filter(|s| counts[*s] > 0);
        sizes.extend(placed.map(|s| (view.row(s)[h], counts[s])));
        most = most.max(martello_toth(&mut sizes, capacity));
    }
    set_aside + most
}

/// Services no replica of which can share a node with any replica of those
/// not set aside before: in some dimension even the smallest does not fit beside.
fn alone(view: &View) -> Vec<bool> {
    let capacity = &view.kinds[0].capacity;
    let mut alone = vec![false; view.len()];
    loop {
        let mut least = vec![u64::MAX; view.width];
        for service in (0..view.len()).filter(|s| !alone[*s] && view.wanted[*s] > 0) {
            for (least, units) in least.iter_mut().zip(view.row(service)) {
                *least = (*least).min(*units);
            }
        }
        let mut found = false;
        for (service, alone) in alone.iter_mut().enumerate() {
            if *alone || view.wanted[service] == 0 {
                continue;
            }
            let row = view.row(service).iter().zip(&least).enumerate();
            let mut beside = row.map(|(h, (own, other))| (h, own.saturating_add(*other)));
            if beside.any(|(h, both)| both > capacity[h / view.epochs].max(0) as u64) {
                *alone = true;
                found = true;
            }
        }
        if !found {
            return alone;
        }
    }
}

/// L2 of one dimension: for every threshold, items above half a node need one
/// each, those too large to share with anything above the threshold leave no
/// room, and the rest fills up what remains.
fn martello_toth(sizes: &mut [(u64, u64)], capacity: u64) -> u64 {
    let half = capacity / 2;
    if sizes.iter().all(|(size, _)| *size <= half) {
        return 0;
    }
    sizes.sort_unstable();
    let large = sizes.partition_point(|(size, _)| *size <= half);
    let large_count: u64 = sizes[large..].iter().map(|(_, count)| count).sum();
    // Sums of the items above half that can share, shrinking as the threshold grows.
    let (mut shared, mut shared_sum): (u64, u128) = (0, 0);
    let mut top = large;
    while top < sizes.len() {
        shared += sizes[top].1;
        shared_sum += u128::from(sizes[top].0) * u128::from(sizes[top].1);
        top += 1;
    }
    let mut small_sum: u128 = sizes[..large]
        .iter()
        .map(|(s, c)| u128::from(*s) * u128::from(*c))
        .sum();
    let mut most = large_count;
    let mut at = 0;
    while at < large {
        let threshold = sizes[at].0;
        while top > large && sizes[top - 1].0 > capacity - threshold {
            top -= 1;
            shared -= sizes[top].1;
            shared_sum -= u128::from(sizes[top].0) * u128::from(sizes[top].1);
        }
        let room = u128::from(shared) * u128::from(capacity) - shared_sum;
        let extra = small_sum
            .saturating_sub(room)
            .div_ceil(u128::from(capacity)) as u64;
        most = most.max(large_count + extra);
        while at < large && sizes[at].0 == threshold {
            small_sum -= u128::from(sizes[at].0) * u128::from(sizes[at].1);
            at += 1;
        }
    }
    most
}

/// Nodes a service needs by itself: its replicas over the most that fit one node.
fn own_nodes(view: &View, service: usize) -> u64 {
    let most = view
        .per_empty_node(service, 0)
        .min(view.cap[service])
        .max(1);
    u64::from(view.wanted[service].div_ceil(most))
}

/// Services of which no two may share a node, grown from the neediest ones.
fn exclusion(view: &View) -> u64 {
    const STARTS: usize = 32;
    let limits = &view.services.limits;
    let needs: Vec<u64> = (0..view.len())
        .map(|service| own_nodes(view, service))
        .collect();
    let mut order: Vec<u32> = (0..view.len() as u32).collect();
    order.sort_by_key(|service| std::cmp::Reverse(needs[*service as usize]));
    let excludes = |a: u32, b: u32| {
        let forbids = |of, on| limits.get(ServiceId(of), ServiceId(on)) == Some(0);
        forbids(a, b) || forbids(b, a)
    };
    let mut most = 0;
    for start in order.iter().take(STARTS) {
        let mut group = vec![*start];
        let id = ServiceId(*start);
        let zero = |(other, max): (ServiceId, u32)| (max == 0).then_some(other.0);
        let mut near: Vec<u32> = limits.imposed_by(id).filter_map(zero).collect();
        near.extend(limits.imposed_on(id).filter_map(zero));
        near.sort_unstable_by_key(|other| (std::cmp::Reverse(needs[*other as usize]), *other));
        near.dedup();
        for other in near {
            if group.iter().all(|member| excludes(*member, other)) {
                group.push(other);
            }
        }
        most = most.max(group.iter().map(|member| needs[*member as usize]).sum());
    }
    most
}
