//! Applications with divisible load:
//! `application,cpu,memory[,min_instances,max_instances,memory_per_load]`.

use std::io::Write;

use bayplan_model::{Application, Applications, Names, Resource, Rounding, Workload, format_units};

use super::header::columns;
use super::table::{Row, Table, add_name};
use crate::error::{Place, Sink};
use crate::pools::{cpu_and_memory, full_capacity, identical, resource};
use crate::quantity::{amount_text, per_load};
use crate::read::Parts;
use crate::text::{amount, whole};
use crate::{Format, ReadOptions, WriteError};

pub(crate) fn read(bytes: &[u8], options: &ReadOptions, sink: &mut Sink) -> Option<Parts> {
    let mut table = Table::open(bytes, sink)?;
    if !table.check(columns(Format::ApplicationsTable), false, sink) {
        return None;
    }
    let [name, cpu, memory] = ["application", "cpu", "memory"].map(|name| table.required(name));
    let [least, most, growth] =
        ["min_instances", "max_instances", "memory_per_load"].map(|name| table.column(name));
    let resources = cpu_and_memory();
    let capacity = full_capacity(&resources, options, sink);
    // Memory per core of load. With a millionth as the unit of both, the model's
    // memory per million units of load is the same number.
    let growth_unit = resource("memory_per_load", "GB per core", resources[1].scale);
    let (mut names, mut all) = (Names::default(), Vec::new());
    table.rows(sink, |row, sink| {
        let named = add_name(&mut names, row.text(name), &row, sink);
        let load = amount(
            sink,
            || row.place(),
            row.text(cpu),
            &resources[0],
            Rounding::Up,
        );
        let memory = amount(
            sink,
            || row.place(),
            row.text(memory),
            &resources[1],
            Rounding::Up,
        );
        let given = |column: Option<usize>| column.filter(|column| !row.text(*column).is_empty());
        let memory_per_load = given(growth).map_or(Some(0), |column| {
            amount(
                sink,
                || row.place(),
                row.text(column),
                &growth_unit,
                Rounding::Up,
            )
        });
        let min = instances(sink, &row, "min_instances", given(least));
        let max = instances(sink, &row, "max_instances", given(most));
        let (Some(load), Some(memory), Some(memory_per_load), Some(min), Some(max), true) =
            (load, memory, memory_per_load, min, max, named)
        else {
            return;
        };
        let min_instances = min.unwrap_or(1);
        if max.is_some_and(|max| max < min_instances) {
            sink.push("F024", row.place(), || {
                (
                    format!(
                        "max_instances {} below min_instances {min_instances}",
                        max.unwrap_or(0)
                    ),
                    "raise it or lower the other",
                )
            });
            return;
        }
        all.push(Application {
            load,
            memory,
            memory_per_load,
            min_instances,
            max_instances: max,
        });
    });
    let cluster = identical(resources, capacity?, options, sink);
    let applications = Applications {
        names,
        all,
        layout: Vec::new(),
    };
    Some(Parts {
        objects: None,
        cluster,
        workload: Workload::Applications(applications),
        notes: Vec::new(),
    })
}

/// A number of instances that may be left out: `Some(None)`.
fn instances(
    sink: &mut Sink,
    row: &Row<'_>,
    what: &str,
    column: Option<usize>,
) -> Option<Option<u32>> {
    let place = || -> Place { row.place() };
    match column {
        None => Some(None),
        Some(column) => {
            let number = whole(sink, place, what, row.text(column), 0, u64::from(u32::MAX))?;
            Some(Some(number as u32))
        }
    }
}

/// Writes the table.
pub(crate) fn write(
    applications: &Applications,
    resources: &[Resource],
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let (cpu, memory) = (resources[0].scale, resources[1].scale);
    let mut table = csv::Writer::from_writer(out);
    let known = columns(Format::ApplicationsTable);
    let (scale, divisor) = per_load(resources).unwrap_or((memory, 1));
    let growth =
        |units: u64| amount_text(u128::from(units) * u128::from(divisor), scale, Rounding::Up);
    table.write_record(known.required.iter().chain(known.optional))?;
    for (at, application) in applications.all.iter().enumerate() {
        table.write_record([
            applications.names.get(at),
            &format_units(application.load, cpu),
            &format_units(application.memory, memory),
            &application.min_instances.to_string(),
            &application
                .max_instances
                .map(|most| most.to_string())
                .unwrap_or_default(),
            &growth(application.memory_per_load),
        ])?;
    }
    Ok(table.flush()?)
}
