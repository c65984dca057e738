//! TClab's table: tab-separated, one service a line, its limits as a list.
//!
//! ```text
//! app_id  nb_instances  core  memory  inter_degree  inter_aff
//! 5       18            2     8       1             [(8382, 2)]
//! ```
//! `core` and `memory` are numbers, or lists with one number per epoch. Files
//! reach hundreds of megabytes, nearly all of it limits, so the text is parsed
//! as bytes, in chunks that threads share.

mod chunks;
mod list;
mod rows;
mod targets;
mod write;

use bayplan_model::{LimitsBuilder, ModelError, Names, ServiceId, Services, Workload};
use rayon::prelude::*;

use crate::error::{Place, Sink, clip};
use crate::pools::{capacity, cpu_and_memory, identical};
use crate::read::Parts;
use crate::{MAX_REPLICAS, MAX_ROWS, Note, ReadOptions, interference};
use chunks::Chunk;
use rows::{Header, Rows};
use targets::Targets;
pub(crate) use write::{fault, write};

/// Node of the authors' experiments: 64 cores, 128 GB.
const DEFAULT_NODE: [u64; 2] = [64, 128];

pub(crate) fn read(bytes: &[u8], options: &ReadOptions, sink: &mut Sink) -> Option<Parts> {
    let resources = cpu_and_memory();
    let (header, body) = Header::read(bytes, sink)?;
    let (chunks, lines) = chunks::split(body, header.lines);
    if lines > MAX_ROWS {
        sink.push("F014", Place::File, || {
            (format!("{lines} rows"), "split the input")
        });
        return None;
    }
    let parsed: Vec<(Rows<'_>, Sink)> = chunks
        .par_iter()
        .map(|chunk: &Chunk<'_>| rows::parse(chunk, &header, &resources))
        .collect();
    let mut rows = Rows::default();
    for (part, errors) in parsed {
        sink.absorb(errors);
        rows.append(part);
    }
    let names = intern(&rows, sink);
    let epochs = epochs(&rows, sink);
    check_replicas(&rows, sink);
    if !sink.is_empty() {
        return None;
    }
    let mut builder = limits(&rows, &names, sink)?;
    if let Some(extra) = &options.limits {
        interference::read(extra, options, &names, &mut builder)
            .map_err(|errors| sink.take(errors))
            .ok()?;
    }
    let limits = match builder.build() {
        Ok(limits) => limits,
        Err(error) => {
            contradictions(&rows, &names, &error, sink);
            return None;
        }
    };
    let amounts = capacity(&resources, options, sink);
    let mut notes = Vec::new();
    if amounts.iter().any(Option::is_none) {
        let text =
            "no --node given: a node has 64 cores and 128 GB, as in the authors' experiments";
        notes.push(Note::general("N001", text));
    }
    let capacity = amounts.into_iter().zip(DEFAULT_NODE).zip(&resources);
    let capacity = capacity.map(|((units, default), r)| units.unwrap_or(default * r.scale));
    let capacity = capacity.collect();
    let cluster = identical(resources, capacity, options, sink);
    let count = rows.replicas.len();
    let services = Services {
        names,
        epochs,
        replicas: rows.replicas,
        demand: rows.demand,
        pinned: vec![false; count],
        alive: vec![0; count],
        limits,
        ..Services::default()
    };
    Some(Parts {
        objects: None,
        cluster,
        workload: Workload::Services(services),
        notes,
    })
}

fn intern(rows: &Rows<'_>, sink: &mut Sink) -> Names {
    let mut names = Names::default();
    for (id, line) in rows.ids.iter().zip(&rows.lines) {
        if names.add(id).is_err() {
            sink.push("F021", Place::line(*line), || {
                (
                    format!("app_id `{}` is defined twice", clip(id)),
                    "rename or merge them",
                )
            });
        }
    }
    names
}

/// Every demand must have the same number of epochs.
fn epochs(rows: &Rows<'_>, sink: &mut Sink) -> usize {
    let expected = rows.epochs.first().copied().unwrap_or([1, 1])[0];
    for (found, line) in rows.epochs.iter().zip(&rows.lines) {
        if *found != [expected; 2] {
            sink.push("F032", Place::line(*line), || {
                let [core, memory] = found;
                let found = format!("{core} values of core and {memory} of memory");
                (
                    found,
                    format!("the first row has {expected}: give each row as many"),
                )
            });
        }
    }
    expected as usize
}

fn check_replicas(rows: &Rows<'_>, sink: &mut Sink) {
    let total: u64 = rows.replicas.iter().map(|count| u64::from(*count)).sum();
    if total > MAX_REPLICAS {
        sink.push("F014", Place::File, || {
            let found = format!("{total} instances in all");
            (found, format!("at most {MAX_REPLICAS} are planned at once"))
        });
    }
}

/// Rows per piece of work when the lists are read.
const ROWS_AT_ONCE: usize = 256;

fn limits(rows: &Rows<'_>, names: &Names, sink: &mut Sink) -> Option<LimitsBuilder> {
    let targets = Targets::new(names);
    let all: Vec<usize> = (0..rows.ids.len()).collect();
    let parts: Vec<_> = all
        .par_chunks(ROWS_AT_ONCE)
        .map(|part| {
            let mut errors = list::Faults::default();
            let mut builder = LimitsBuilder::new(names.len());
            builder.reserve(part.iter().map(|row| rows.lists[*row].len() / 9).sum());
            let mut row_limits = Vec::new();
            for row in part {
                row_limits.clear();
                list::parse(rows, *row, &targets, &mut row_limits, &mut errors);
                if let Err(error) = builder.extend(ServiceId::from(*row), row_limits.drain(..)) {
                    errors.contradiction(rows.lines[*row], &error);
                }
            }
            (builder, errors)
        })
        .collect();
    let mut whole = LimitsBuilder::new(names.len());
    whole.reserve(parts.iter().map(|(part, _)| part.len()).sum());
    for (part, faults) in parts {
        faults.report(names, sink);
        if whole.append(part).is_err() {
            // Rows are distinct services, so no two parts hold the same pair.
            sink.push("F022", Place::File, || {
                ("contradicting limits", "give each pair once")
            });
        }
    }
    sink.is_empty().then_some(whole)
}

/// Pairs with two values, each with the line of its service. The builder names
/// only the first, so the lists are read once more.
fn contradictions(rows: &Rows<'_>, names: &Names, error: &ModelError, sink: &mut Sink) {
    let targets = Targets::new(names);
    let (mut limits, mut ignored) = (Vec::new(), list::Faults::default());
    for row in 0..rows.ids.len() {
        limits.clear();
        list::parse(rows, row, &targets, &mut limits, &mut ignored);
        limits.sort_unstable();
        limits.dedup();
        for pair in limits.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            sink.push("F022", Place::line(rows.lines[row]), || {
                let (of, on) = (clip(rows.ids[row]), clip(names.get(pair[0].0.index())));
                let found = format!("the limit {of} -> {on} is {} and {}", pair[0].1, pair[1].1);
                (found, "give each pair once")
            });
        }
    }
    if sink.is_empty() {
        // Between this file and the limits beside it.
        sink.push("F022", Place::File, || {
            (error.to_string(), "give each pair once")
        });
    }
}
