//! Pods spread over a label, such as zones: overcommit knows no such rule, so
//! on Kubernetes these pods stay where they are, and their requests are
//! recommended all the same.

use anyhow::Result;
use bayplan_formats::{Input, Note};
use bayplan_model::{Level, Problem, ServiceId, Workload};

/// The input with those services kept where they are. A set whose members all
/// stay cannot be broken and is not asked for any more.
pub fn keep(mut input: Input) -> Result<Input> {
    let by_label = |level: &Level| matches!(level, Level::Label(_));
    let services = input.problem.services();
    let mut members: Vec<ServiceId> = services
        .into_iter()
        .flat_map(|services| services.spread.iter())
        .filter(|set| by_label(&set.level))
        .flat_map(|set| set.members.iter().copied())
        .collect();
    if input.objects.is_none() || members.is_empty() {
        return Ok(input);
    }
    members.sort_unstable();
    members.dedup();
    let (cluster, mut workload) = input.problem.into_parts();
    if let Workload::Services(services) = &mut workload {
        for member in &members {
            services.pinned[member.index()] = true;
            // One that waits for a place may not go just anywhere.
            let placed = services.placement.of(*member).iter();
            services.replicas[member.index()] = placed.map(|entry| entry.count).sum();
        }
        services.spread.retain(|set| !by_label(&set.level));
        let names = members.iter().map(|id| services.names.get(id.index()));
        let note = Note::about(
            "N036",
            "overcommit does not move pods that are spread over a label: these services stay \
             where they are, and those of their pods that have no place yet are left out",
            names,
        );
        eprintln!("note: {note}");
        input.notes.push(note);
    }
    input.problem = Problem::new(cluster, workload)?;
    Ok(input)
}
