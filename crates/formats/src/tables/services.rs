//! Services with random demand: `service,mean,std,containers[,memory]`.

use std::io::Write;

use bayplan_model::{
    Cluster, Demand, Names, Resource, Rounding, Service, Services, Workload, format_units,
};

use super::header::columns;
use super::table::{Table, add_name};
use crate::error::Sink;
use crate::pools::{cpu_and_memory, full_capacity, identical};
use crate::read::Parts;
use crate::text::{amount, whole};
use crate::{Format, MAX_REPLICAS, ReadOptions, WriteError};

pub(crate) fn read(bytes: &[u8], options: &ReadOptions, sink: &mut Sink) -> Option<Parts> {
    let mut table = Table::open(bytes, sink)?;
    if !table.check(columns(Format::ServicesTable), false, sink) {
        return None;
    }
    let [name, mean, std, containers] =
        ["service", "mean", "std", "containers"].map(|name| table.required(name));
    let memory = table.column("memory");
    let mut resources = cpu_and_memory();
    if memory.is_none() {
        resources.truncate(1);
    }
    let capacity = full_capacity(&resources, options, sink);
    let (mut names, mut services, mut replicas) = (Names::default(), Vec::new(), 0u64);
    table.rows(sink, |row, sink| {
        let named = add_name(&mut names, row.text(name), &row, sink);
        let units = |sink: &mut Sink, column, resource: usize| {
            amount(
                sink,
                || row.place(),
                row.text(column),
                &resources[resource],
                Rounding::Up,
            )
        };
        let mean = units(sink, mean, 0);
        let deviation = units(sink, std, 0);
        let memory = memory.map(|column| units(sink, column, 1));
        let left = MAX_REPLICAS - replicas;
        let count = whole(
            sink,
            || row.place(),
            "containers",
            row.text(containers),
            0,
            left,
        );
        let (Some(mean), Some(deviation), Some(count), true) = (mean, deviation, count, named)
        else {
            return;
        };
        replicas += count;
        let mut service = Service {
            replicas: count as u32,
            demand: vec![mean],
            variance: vec![u128::from(deviation).pow(2)],
            pinned: false,
            alive: 0,
        };
        match memory {
            Some(Some(units)) => {
                service.demand.push(units);
                service.variance.push(0);
            }
            Some(None) => return,
            None => {}
        }
        services.push(service);
    });
    let cluster = identical(resources, capacity?, options, sink);
    let workload = Workload::Services(Services::new(names, 1, services));
    Some(Parts {
        objects: None,
        cluster,
        workload,
        notes: Vec::new(),
    })
}

/// What the table cannot say about the cluster.
pub(crate) fn fault(cluster: &Cluster) -> Option<&'static str> {
    let names: Vec<&str> = cluster.resources.iter().map(|r| r.name.as_str()).collect();
    (names != ["cpu"] && names != ["cpu", "memory"]).then_some("resources but cpu and memory")
}

/// Writes the table.
pub(crate) fn write(
    services: &Services,
    resources: &[Resource],
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let mut table = csv::Writer::from_writer(out);
    let memory = resources.len() == 2;
    let header = ["service", "mean", "std", "containers", "memory"];
    table.write_record(&header[..if memory { 5 } else { 4 }])?;
    for service in services.ids() {
        let units = services.row(service);
        let variance = match services.demand(service) {
            Demand::Random { variance, .. } => variance[0],
            _ => 0,
        };
        // A variance that is no square becomes the next deviation above.
        let root = variance.isqrt();
        let deviation = root + u128::from(root * root < variance);
        let deviation = u64::try_from(deviation).unwrap_or(u64::MAX);
        let mut fields = vec![
            services.names.get(service.index()).to_string(),
            format_units(units[0], resources[0].scale),
            format_units(deviation, resources[0].scale),
            services.replicas[service.index()].to_string(),
        ];
        if memory {
            fields.push(format_units(units[1], resources[1].scale));
        }
        table.write_record(&fields)?;
    }
    Ok(table.flush()?)
}
