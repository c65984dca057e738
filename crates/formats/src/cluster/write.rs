//! Writing cluster JSON. Containers are numbered: the model does not name them.

use std::io::{self, Write};

use bayplan_model::{Cluster, NodeId, Reach, ServiceId, Services, format_units};

use crate::write::json_text;

/// What the format cannot say.
pub(crate) fn fault(cluster: &Cluster, services: &Services) -> Option<&'static str> {
    let resources = cluster
        .resources
        .iter()
        .map(|resource| resource.name.as_str());
    if !resources.eq(["cpu", "memory"]) {
        return Some("resources but cpu and memory");
    }
    let surplus = |service: ServiceId| {
        let placed = services
            .placement
            .of(service)
            .iter()
            .map(|entry| u64::from(entry.count));
        placed.sum::<u64>() > u64::from(services.replicas[service.index()])
    };
    services
        .ids()
        .any(surplus)
        .then_some("more replicas placed than there are")
}

/// Writes a cluster; the caller has checked that the format can hold it.
pub(crate) fn write(cluster: &Cluster, services: &Services, out: &mut dyn Write) -> io::Result<()> {
    let scale = |resource: usize| cluster.resources[resource].scale;
    // The first container of each service, and those that run on each machine.
    let mut first = Vec::with_capacity(services.len());
    let mut next = 0u64;
    for replicas in &services.replicas {
        first.push(next);
        next += u64::from(*replicas);
    }
    let mut runs: Vec<Vec<u64>> = vec![Vec::new(); cluster.nodes.len()];
    let mut used = first.clone();
    for entry in services.placement.counts() {
        for _ in 0..entry.count {
            runs[entry.node.index()].push(used[entry.service.index()]);
            used[entry.service.index()] += 1;
        }
    }
    write!(out, "{{\n \"ServiceList\": [")?;
    for service in services.ids() {
        let at = service.index();
        let units = services.row(service);
        write!(
            out,
            "{}\n  {{\"Service\": {}, \"RequestCPU\": {}, \"RequestMem\": {}, \"ContainerList\": ",
            comma(at),
            json_text(services.names.get(at)),
            format_units(units[0], scale(0)),
            format_units(units[1], scale(1))
        )?;
        containers(first[at]..first[at] + u64::from(services.replicas[at]), out)?;
        write!(out, ", \"CompatibleMachines\": ")?;
        match services.compatibility.reach(service) {
            Some(reach) if !everywhere(reach, cluster) => {
                write!(out, "[")?;
                for (position, node) in reach.nodes.ones().enumerate() {
                    let name = cluster.node_name(NodeId::from(node), &[]);
                    write!(out, "{}{}", comma(position), json_text(&name))?;
                }
                write!(out, "]}}")?;
            }
            _ => write!(out, "\"*\"}}")?,
        }
    }
    write!(out, "\n ],\n \"MachineList\": [")?;
    for (at, node) in cluster.nodes.iter().enumerate() {
        let capacity = cluster.capacity(node.pool);
        write!(
            out,
            "{}\n  {{\"MachineIP\": {}, \"TotalCPU\": {}, \"TotalMem\": {}, ",
            comma(at),
            json_text(&node.name),
            format_units(capacity[0], scale(0)),
            format_units(capacity[1], scale(1))
        )?;
        write!(out, "\"InitialDeployingContainers\": ")?;
        containers(runs[at].iter().copied(), out)?;
        write!(out, "}}")?;
    }
    write!(out, "\n ],\n \"TrafficList\": [")?;
    for (at, pair) in services.traffic.iter().enumerate() {
        write!(
            out,
            "{}\n  {{\"Service1\": {}, \"Service2\": {}, \"Traffic\": {:?}}}",
            comma(at),
            json_text(services.names.get(pair.a.index())),
            json_text(services.names.get(pair.b.index())),
            pair.weight
        )?;
    }
    writeln!(out, "\n ]\n}}")
}

/// Whether every machine is allowed: then the list is written as `*`.
fn everywhere(reach: &Reach, cluster: &Cluster) -> bool {
    reach.nodes.count_ones(..) == cluster.nodes.len()
}

fn comma(at: usize) -> &'static str {
    if at == 0 { "" } else { "," }
}

fn containers(numbers: impl Iterator<Item = u64>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "[")?;
    for (at, number) in numbers.enumerate() {
        write!(out, "{}\"Container{number}\"", comma(at))?;
    }
    write!(out, "]")
}
