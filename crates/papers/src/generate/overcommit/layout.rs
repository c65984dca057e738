//! The layout that runs already: all containers packed, then part of them
//! removed by the paper's rates.

use bayplan_model::{
    Cluster, Count, NodeId, Placement, Plan, Problem, ServiceId, fits_at_confidence,
};
use bayplan_solve::overcommit::{Params, solve};
use bayplan_solve::{Budget, Context};

use super::{Drawn, OvercommitOptions};
use crate::generate::GenerateError;
use crate::generate::random::{Random, shuffle};

/// Steps of CSP-UCaC for a layout: column generation for the paper's sizes, and one
/// dive, within 0.1 % of the bound in seconds. Which of two nearly equal
/// packings containers are removed from makes no difference that shows.
const STEPS: u64 = 8;

/// The layout CSP-UCaC makes of an empty cluster at the confidence asked for:
/// machine and service of each container.
pub(super) fn cutting_stock(
    problem: &Problem,
    d_alpha: f64,
    seed: u64,
) -> Result<Vec<(usize, usize)>, GenerateError> {
    let params = Params {
        algorithm: "CSP-UCaC".into(),
        d_alpha: Some(d_alpha),
        ..Params::default()
    };
    let solution = solve(
        problem,
        &params,
        &Context::new(seed, Budget::Steps(STEPS), 1),
    )?;
    let Plan::Placement(plan) = solution.plan else {
        unreachable!("overcommit answers with a placement")
    };
    let unplaced: usize = plan.unplaced.iter().map(|left| left.count as usize).sum();
    if unplaced > 0 {
        return Err(GenerateError::NoRoom { unplaced });
    }
    let each = |entry: &Count| {
        let place = (entry.node.index(), entry.service.index());
        std::iter::repeat_n(place, entry.count as usize)
    };
    Ok(plan.placement.counts().iter().flat_map(each).collect())
}

/// All containers in random order, each on the first machine that takes it:
/// machine and service of each.
pub(super) fn first_fit(
    options: &OvercommitOptions,
    cluster: &Cluster,
    drawn: &[Drawn],
    random: &mut Random,
) -> Result<Vec<(usize, usize)>, GenerateError> {
    let capacity = &cluster.pools[0].capacity;
    let counts = drawn.iter().map(|service| service.containers as usize);
    let mut order: Vec<usize> = counts
        .enumerate()
        .flat_map(|(service, count)| std::iter::repeat_n(service, count))
        .collect();
    shuffle(random, &mut order);
    // Mean, variance and memory of the machines in use.
    let mut machines: Vec<(u64, u128, u64)> = Vec::new();
    let mut placed = Vec::with_capacity(order.len());
    // For each service the first machine that may still take it: machines
    // only fill up, so what refused one refuses all later ones.
    let mut first = vec![0; drawn.len()];
    for service in order {
        let Drawn {
            mean,
            variance,
            memory,
            ..
        } = drawn[service];
        let takes = |machine: &(u64, u128, u64)| {
            let cpu = (machine.0 + mean, machine.1 + variance);
            fits_at_confidence(cpu.0, cpu.1, options.d_alpha, capacity[0])
                && capacity
                    .get(1)
                    .is_none_or(|most| machine.2 + memory <= *most)
        };
        while machines
            .get(first[service])
            .is_some_and(|machine| !takes(machine))
        {
            first[service] += 1;
        }
        let at = first[service];
        if at == machines.len() {
            if at == options.machines || !takes(&(0, 0, 0)) {
                let unplaced = drawn.iter().map(|s| s.containers as usize).sum::<usize>();
                let unplaced = unplaced - placed.len();
                return Err(GenerateError::NoRoom { unplaced });
            }
            machines.push((0, 0, 0));
        }
        let machine = &mut machines[at];
        *machine = (machine.0 + mean, machine.1 + variance, machine.2 + memory);
        placed.push((at, service));
    }
    Ok(placed)
}

/// Each service loses its share of containers, anywhere.
pub(super) fn thinned(
    drawn: &[Drawn],
    mut placed: Vec<(usize, usize)>,
    random: &mut Random,
) -> Placement {
    shuffle(random, &mut placed);
    let mut to_remove: Vec<u32> = (drawn.iter())
        .map(|service| (f64::from(service.containers) * service.remove).round() as u32)
        .collect();
    placed.retain(|(_, service)| {
        let gone = to_remove[*service] > 0;
        to_remove[*service] -= u32::from(gone);
        !gone
    });
    let count = |(machine, service): (usize, usize)| Count {
        service: ServiceId::from(service),
        node: NodeId::from(machine),
        count: 1,
    };
    Placement::new(placed.into_iter().map(count).collect())
}
