//! A table of virtual machines, from which applications are made: one for each
//! deployment, as the evaluation of the divide paper does (section VI-A).
//!
//! Memory of an instance is the largest memory bucket of the deployment's
//! machines; its load is the sum of average use times core bucket. Accepts a
//! header, or the eleven columns of the published Azure table without one.

use bayplan_model::{Application, Applications, Names, Rounding, Workload};

use super::header::{columns, detect};
use super::table::{Row, Table, rows};
use crate::error::{Place, Sink, clip};
use crate::pools::{cpu_and_memory, full_capacity, identical, resource};
use crate::read::Parts;
use crate::text::amount;
use crate::{Format, ReadOptions};

/// Positions of deployment, average use, cores and memory in the Azure table.
const AZURE: [usize; 4] = [2, 6, 9, 10];
const AZURE_WIDTH: usize = 11;

/// The largest amount bayplan counts with.
const MAX_LOAD: u128 = 1 << 61;

pub(crate) fn read(bytes: &[u8], options: &ReadOptions, sink: &mut Sink) -> Option<Parts> {
    let resources = cpu_and_memory();
    let capacity = full_capacity(&resources, options, sink);
    let percent = resource("average use", "%", 1_000_000);
    let whole_cores = resource("cores", "core", 1000);
    let (mut names, mut sums) = (Names::default(), Vec::<(u128, u64)>::new());
    let mut visit = |row: Row<'_>, at: [usize; 4], sink: &mut Sink| {
        let [deployment, used, cores, memory] = at.map(|column| row.text(column));
        for bucket in [cores, memory] {
            if let Some(lower) = bucket.strip_prefix('>') {
                sink.push("F012", row.place(), || {
                    let found = format!("bucket `{}` has no upper end", clip(bucket));
                    (
                        found,
                        format!("write the size to count with instead of >{}", clip(lower)),
                    )
                });
                return;
            }
        }
        if deployment.is_empty() {
            sink.push("F010", row.place(), || {
                ("the deployment is empty", "name it")
            });
            return;
        }
        let used = amount(sink, || row.place(), used, &percent, Rounding::Up);
        let cores = amount(sink, || row.place(), cores, &whole_cores, Rounding::Up);
        let memory = amount(sink, || row.place(), memory, &resources[1], Rounding::Up);
        let (Some(used), Some(cores), Some(memory)) = (used, cores, memory) else {
            return;
        };
        let id = names.add(deployment).unwrap_or_else(|known| known) as usize;
        if id == sums.len() {
            sums.push((0, 0));
        }
        // Millionths of a percent times thousandths of a core.
        sums[id].0 = sums[id]
            .0
            .saturating_add(u128::from(used) * u128::from(cores));
        sums[id].1 = sums[id].1.max(memory);
    };
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or(&[]);
    let line = String::from_utf8_lossy(line);
    let headless = line.split(',').count() == AZURE_WIDTH
        && detect(&line) == Some(Format::VmTable)
        && !line.contains("deployment");
    if headless {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(bytes);
        rows(&mut reader, AZURE_WIDTH, sink, |row, sink| {
            visit(row, AZURE, sink)
        });
    } else {
        let mut table = Table::open(bytes, sink)?;
        if !table.check(columns(Format::VmTable), false, sink) {
            return None;
        }
        let at = ["deployment", "avg_cpu", "cores", "memory"].map(|name| table.required(name));
        table.rows(sink, |row, sink| visit(row, at, sink));
    }
    let mut all = Vec::with_capacity(sums.len());
    for (load, memory) in sums {
        // Percent to shares and thousandths of a core to millionths.
        let load = load.div_ceil(100_000);
        if load > MAX_LOAD {
            sink.push("F014", Place::File, || {
                ("a load that is too large", "check the unit")
            });
            return None;
        }
        let (load, min_instances) = (load as u64, 1);
        all.push(Application {
            load,
            memory,
            min_instances,
            ..Application::default()
        });
    }
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
