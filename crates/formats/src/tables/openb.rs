//! The openb trace: pods with CPU, memory, cards and times, as requests; its
//! node list beside it.

use std::collections::BTreeMap;

use bayplan_model::{
    Cluster, Labels, Node, Pool, PoolId, Request, Requests, Resource, Rounding, WEIGHT_SCALE,
    Workload,
};

use super::header::columns;
use super::table::{Row, Table, add_name};
use crate::bytes::plain;
use crate::error::{Sink, Source, clip};
use crate::pools::{PRICE_SCALE, full_capacity, identical, resource};
use crate::read::Parts;
use crate::text::{amount, whole};
use crate::{Format, Note, ReadOptions};

/// Thousandths of a card that make a whole one.
const CARD: u64 = 1000;

fn resources() -> Vec<Resource> {
    vec![
        resource("cpu", "core", 1000),
        resource("memory", "MiB", 1),
        resource("gpu", "card", 1),
    ]
}

pub(crate) fn read(bytes: &[u8], options: &ReadOptions, sink: &mut Sink) -> Option<Parts> {
    let mut table = Table::open(bytes, sink)?;
    if !table.check(columns(Format::OpenbPods), false, sink) {
        return None;
    }
    let [name, cpu, memory, start, finish] = [
        "name",
        "cpu_milli",
        "memory_mib",
        "creation_time",
        "deletion_time",
    ]
    .map(|name| table.required(name));
    let [cards, share, spec] = ["num_gpu", "gpu_milli", "gpu_spec"].map(|name| table.column(name));
    let shared =
        "parts of a card are counted as whole cards: which pods share a card cannot be said";
    let mut shared = Note::general("N030", shared);
    let mut short = Note::general(
        "N031",
        "pods deleted when they were created count for one second",
    );
    let weight = WEIGHT_SCALE;
    let mut requests = Vec::new();
    table.rows(sink, |row, sink| {
        let cpu = count(&row, cpu, "cpu_milli", sink);
        let memory = count(&row, memory, "memory_mib", sink);
        let cards = cards.map_or(Some(0), |column| count(&row, column, "num_gpu", sink));
        let share = share.map_or(Some(CARD), |column| count(&row, column, "gpu_milli", sink));
        let start = count(&row, start, "creation_time", sink);
        let finish = count(&row, finish, "deletion_time", sink);
        if let Some(models) = spec
            .map(|column| row.text(column))
            .filter(|text| !text.is_empty())
        {
            sink.push("F034", row.place(), || {
                let found = format!("gpu_spec `{}`: requests cannot choose nodes", clip(models));
                (found, "remove such pods")
            });
        }
        let (Some(cpu), Some(memory), Some(cards), Some(share), Some(start), Some(finish)) =
            (cpu, memory, cards, share, start, finish)
        else {
            return;
        };
        if finish < start {
            sink.push("F024", row.place(), || {
                ("deleted before created", "check the times")
            });
            return;
        }
        if cards > 0 && share % CARD != 0 {
            shared.add(row.text(name));
        }
        if start == finish {
            short.add(row.text(name));
        }
        let finish = finish.max(start + 1) as i64;
        let cards = cards.saturating_mul(share.div_ceil(CARD).max(1));
        requests.push(Request {
            start: start as i64,
            finish,
            demand: vec![cpu, memory, cards],
            weight,
        });
    });
    let cluster = match &options.nodes {
        Some(nodes) => node_list(nodes, options, sink)?,
        None => {
            let capacity = full_capacity(&resources(), options, sink)?;
            identical(resources(), capacity, options, sink)
        }
    };
    let notes = [shared, short]
        .into_iter()
        .filter(|note| note.count > 0)
        .collect();
    let workload = Workload::Requests(Requests::new(1, requests));
    Some(Parts {
        objects: None,
        cluster,
        workload,
        notes,
    })
}

/// A whole number below 2^53.
fn count(row: &Row<'_>, column: usize, what: &str, sink: &mut Sink) -> Option<u64> {
    whole(sink, || row.place(), what, row.text(column), 0, 1 << 53)
}

/// Nodes with equal capacity and model are a pool.
fn node_list(bytes: &[u8], options: &ReadOptions, sink: &mut Sink) -> Option<Cluster> {
    let mut errors = Sink::new(Source::Nodes);
    let cluster = plain(bytes, Source::Nodes, options)
        .map_err(|broken| errors.take(broken))
        .ok()
        .and_then(|bytes| nodes(&bytes, &mut errors));
    let failed = !errors.is_empty();
    sink.absorb(errors);
    cluster.filter(|_| !failed)
}

fn nodes(bytes: &[u8], sink: &mut Sink) -> Option<Cluster> {
    let mut table = Table::open(bytes, sink)?;
    if !table.check(columns(Format::OpenbNodes), false, sink) {
        return None;
    }
    let [name, cpu, memory] = ["sn", "cpu_milli", "memory_mib"].map(|name| table.required(name));
    let [cards, model] = ["gpu", "model"].map(|name| table.column(name));
    let resources = resources();
    let mut cluster = Cluster {
        resources: resources.clone(),
        ..Cluster::default()
    };
    let mut names = bayplan_model::Names::default();
    let mut pools: BTreeMap<(Vec<u64>, String), PoolId> = BTreeMap::new();
    table.rows(sink, |row, sink| {
        let named = add_name(&mut names, row.text(name), &row, sink);
        let thousandths = resource("cpu_milli", "", 1);
        let cpu = amount(
            sink,
            || row.place(),
            row.text(cpu),
            &thousandths,
            Rounding::Down,
        );
        let memory = amount(
            sink,
            || row.place(),
            row.text(memory),
            &resources[1],
            Rounding::Down,
        );
        let cards = cards.map_or(Some(0), |column| {
            amount(
                sink,
                || row.place(),
                row.text(column),
                &resources[2],
                Rounding::Down,
            )
        });
        let (Some(cpu), Some(memory), Some(cards), true) = (cpu, memory, cards, named) else {
            return;
        };
        let model = model.map_or("", |column| row.text(column)).to_string();
        let key = (vec![cpu, memory, cards], model);
        let pool = *pools.entry(key).or_insert_with_key(|(capacity, model)| {
            let labels = [("model".to_string(), model.clone())];
            cluster.pools.push(Pool {
                name: format!("kind-{}", cluster.pools.len()),
                capacity: capacity.clone(),
                price: PRICE_SCALE,
                max_count: Some(0),
                labels: labels
                    .into_iter()
                    .filter(|(_, model)| !model.is_empty())
                    .collect(),
            });
            PoolId::from(cluster.pools.len() - 1)
        });
        let count = &mut cluster.pools[pool.index()].max_count;
        *count = count.map(|count| count + 1);
        cluster.nodes.push(Node {
            name: row.text(name).into(),
            pool,
            labels: Labels::new(),
        });
    });
    Some(cluster)
}
