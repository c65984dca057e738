//! A problem with what was measured in the place of what is requested.

use bayplan_formats::Note;
use bayplan_model::{ModelError, Problem, Services, Workload};

use super::Usage;

/// Demand by epoch of the day: CPU as used at the busiest time of each epoch,
/// memory at its peak, everything else (and what was not measured) as requested.
pub fn by_epoch(problem: Problem, usage: &Usage) -> Result<(Problem, Vec<Note>), ModelError> {
    let epochs = usage.iter().flatten().map(|profile| profile.epochs.len());
    let epochs = epochs.max().unwrap_or(1).max(1);
    changed(problem, usage, |services, resources| {
        let mut demand = Vec::with_capacity(services.demand.len() * epochs);
        for service in services.ids() {
            let row = services.row(service);
            let measured = usage[service.index()].as_ref();
            for (resource, units) in resources.iter().zip(row) {
                for epoch in 0..epochs {
                    let used = measured.and_then(|profile| match resource.name.as_str() {
                        "cpu" => profile.epochs.get(epoch).copied(),
                        "memory" => profile.memory,
                        _ => None,
                    });
                    demand.push(used.map_or(*units, |used| units_of(used, resource.scale)));
                }
            }
        }
        services.demand = demand;
        services.epochs = epochs;
    })
}

/// Random demand: mean and deviation of CPU over a service's pods at its
/// peak, memory at its peak and certain; what was not measured as requested.
pub fn random(problem: Problem, usage: &Usage) -> Result<(Problem, Vec<Note>), ModelError> {
    changed(problem, usage, |services, resources| {
        let width = resources.len();
        let mut variance = vec![0u128; services.len() * width];
        for service in services.ids() {
            let Some(profile) = &usage[service.index()] else {
                continue;
            };
            for (at, resource) in resources.iter().enumerate() {
                let cell = service.index() * width + at;
                match (resource.name.as_str(), profile.memory) {
                    ("cpu", _) => {
                        let scale = resource.scale;
                        let deviation = profile.fit.deviation * scale as f64;
                        services.demand[cell] = units_of(profile.fit.mean, scale);
                        variance[cell] = (deviation * deviation).ceil() as u128;
                    }
                    ("memory", Some(bytes)) => {
                        services.demand[cell] = units_of(bytes, resource.scale);
                    }
                    _ => {}
                }
            }
        }
        services.variance = variance;
    })
}

/// Rounded up, and never nothing: a pod that was idle may not stay so.
fn units_of(amount: f64, scale: u64) -> u64 {
    ((amount * scale as f64).ceil() as u64).max(1)
}

fn changed(
    problem: Problem,
    usage: &Usage,
    change: impl FnOnce(&mut Services, &[bayplan_model::Resource]),
) -> Result<(Problem, Vec<Note>), ModelError> {
    let (cluster, mut workload) = problem.into_parts();
    let mut notes = Vec::new();
    if let Workload::Services(services) = &mut workload {
        let ids = services.ids();
        let missing = ids.filter(|id| usage[id.index()].is_none());
        let names: Vec<&str> = missing.map(|id| services.names.get(id.index())).collect();
        if !names.is_empty() {
            let text = "no usage was measured for these services: planned with their requests";
            notes.push(Note::about("N034", text, names));
        }
        change(services, &cluster.resources);
    }
    Ok((Problem::new(cluster, workload)?, notes))
}
