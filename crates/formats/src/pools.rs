//! The nodes that options describe, for formats that list none.

use bayplan_model::{Cluster, Labels, Names, Node, Pool, PoolId, Resource, Rounding};

use crate::error::{Place, Sink, clip};
use crate::quantity::parse_quantity;
use crate::text::bad_number;
use crate::{MAX_NODES, ReadOptions};

/// Millionths of a price of one.
pub(crate) const PRICE_SCALE: u64 = 1_000_000;

/// Name of the pool when the input names none.
pub(crate) const POOL: &str = "node";

/// A resource.
pub(crate) fn resource(name: &str, unit: &str, scale: u64) -> Resource {
    Resource {
        name: name.into(),
        unit: unit.into(),
        scale,
    }
}

/// CPU in cores and memory in GB, a millionth each: what plain tables use.
pub(crate) fn cpu_and_memory() -> Vec<Resource> {
    vec![
        resource("cpu", "core", 1_000_000),
        resource("memory", "GB", 1_000_000),
    ]
}

/// The amounts that `--node`, `--capacity`, `--cpu` and `--memory` give, by
/// resource; `None` where they give none.
pub(crate) fn capacity(
    resources: &[Resource],
    options: &ReadOptions,
    sink: &mut Sink,
) -> Vec<Option<u64>> {
    let mut amounts: Vec<Option<u64>> = vec![None; resources.len()];
    let mut given: Vec<(&'static str, &str, &str)> = Vec::new();
    for (name, text) in &options.node {
        given.push(("--node", name, text));
    }
    let single = [
        ("--capacity", "cpu", &options.capacity),
        ("--cpu", "cpu", &options.cpu),
        ("--memory", "memory", &options.memory),
    ];
    for (option, name, text) in single {
        if let Some(text) = text {
            given.push((option, name, text));
        }
    }
    for (option, name, text) in given {
        let place = Place::Option(option);
        let found = resources
            .iter()
            .position(|r| r.name.eq_ignore_ascii_case(name.trim()));
        let Some(at) = found else {
            let mut known = Names::default();
            for resource in resources {
                let _ = known.add(&resource.name);
            }
            sink.unknown(place, "resource", name.trim(), &known);
            continue;
        };
        match parse_quantity(text, &resources[at], Rounding::Down) {
            Err(why) => bad_number(sink, place, &resources[at].name, text, why),
            Ok(units) if amounts[at].is_some_and(|other| other != units) => {
                sink.push("F030", place, || {
                    let found = format!("{name} of a node is given twice, also as {}", clip(text));
                    (found, "give it once")
                });
            }
            Ok(units) => amounts[at] = Some(units),
        }
    }
    amounts
}

/// Like [`capacity`], but every resource must be given.
pub(crate) fn full_capacity(
    resources: &[Resource],
    options: &ReadOptions,
    sink: &mut Sink,
) -> Option<Vec<u64>> {
    let amounts = capacity(resources, options, sink);
    if !sink.is_empty() {
        return None;
    }
    let missing: Vec<&str> = resources
        .iter()
        .zip(&amounts)
        .filter(|(_, amount)| amount.is_none())
        .map(|(resource, _)| resource.name.as_str())
        .collect();
    if missing.is_empty() {
        return amounts.into_iter().collect();
    }
    sink.push("F030", Place::Option("--node"), || {
        let shown = missing.iter().map(|name| format!("{name}=AMOUNT"));
        let found = format!(
            "the capacity of a node is not given: {}",
            missing.join(", ")
        );
        (
            found,
            format!("give --node {}", shown.collect::<Vec<_>>().join(",")),
        )
    });
    None
}

/// One pool of identical nodes; `--machines` of them exist and no more may be opened.
pub(crate) fn identical(
    resources: Vec<Resource>,
    capacity: Vec<u64>,
    options: &ReadOptions,
    sink: &mut Sink,
) -> Cluster {
    let mut machines = options.machines.unwrap_or(0);
    if machines > MAX_NODES {
        sink.push("F016", Place::Option("--machines"), || {
            (
                format!("{machines} machines"),
                format!("it must be at most {MAX_NODES}"),
            )
        });
        machines = 0;
    }
    let pool = Pool {
        name: POOL.into(),
        capacity,
        price: PRICE_SCALE,
        max_count: options.machines,
        labels: Labels::new(),
    };
    let nodes = (0..machines).map(|n| Node {
        name: format!("{POOL}-{n}"),
        pool: PoolId(0),
        labels: Labels::new(),
    });
    let nodes = nodes.collect();
    Cluster {
        resources,
        pools: vec![pool],
        nodes,
    }
}
