//! Services and the rules between them.

use bayplan_model::{Names, Service, Services};

use super::cluster::{Named, add};
use super::demand::{self, Demand};
use super::{compatibility, rules};
use crate::MAX_REPLICAS;
use crate::error::Sink;
use crate::text::whole;
use crate::tree::{Fields, View};

const SERVICE: [&str; 5] = ["name", "replicas", "demand", "pinned", "alive"];

pub(crate) fn read(fields: &Fields<'_, '_>, named: &Named, sink: &mut Sink) -> Services {
    let mut names = Names::default();
    let mut all: Vec<(Service, Demand)> = Vec::new();
    let mut replicas_left = MAX_REPLICAS;
    let list = fields.required("services", sink);
    let items = list.as_ref().map(|list| list.list(sink));
    let (mut epochs, mut random) = (1, false);
    for view in items.into_iter().flatten() {
        let Some(fields) = view.fields(&SERVICE, sink) else { continue };
        let name = fields.required("name", sink);
        let id = name.and_then(|name| add(&mut names, &name, "service", sink));
        let [replicas, alive] = [("replicas", 1), ("alive", 0)].map(|(name, default)| {
            let Some(view) = fields.get(name) else { return Some(default) };
            let text = view.number(sink)?;
            whole(sink, || view.place(), name, text, 0, replicas_left)
        });
        let pinned = fields.get("pinned").map_or(Some(false), |view| view.bool(sink));
        let demand = fields.required("demand", sink).map(|view| demand::read(named, &view, sink));
        let (Some(_), Some(replicas), Some(alive), Some(pinned), Some(demand)) =
            (id, replicas, alive, pinned, demand)
        else {
            continue;
        };
        if alive > replicas {
            sink.push("F024", view.place(), || {
                (format!("alive {alive} of {replicas} replicas"), "lower `alive`")
            });
        }
        replicas_left -= replicas;
        let wide = demand.units.iter().map(Vec::len).filter(|length| *length > 1);
        for length in wide {
            if epochs > 1 && length != epochs {
                sink.push("F032", view.place(), || {
                    let found = format!("{length} epochs where another demand has {epochs}");
                    (found, "give every list the same length")
                });
            } else {
                epochs = length;
            }
        }
        random |= demand.random;
        let (replicas, alive) = (replicas as u32, alive as u32);
        let service =
            Service { replicas, demand: Vec::new(), variance: Vec::new(), pinned, alive };
        all.push((service, demand));
    }
    if let Some(list) = list.filter(View::is_empty_list) {
        sink.push("F037", list.place(), || ("no service", "describe at least one"));
    }
    if random && epochs > 1 {
        sink.push("F024", crate::Place::Path("services".into()), || {
            ("demand by epoch beside random demand", "use one of the two in a file")
        });
    }
    if !sink.is_empty() {
        // Rules are still checked against the names, so that all errors show.
        epochs = 1;
        random = false;
    }
    for (service, demand) in &mut all {
        for values in &demand.units {
            let constant = values.len() == 1;
            service.demand.extend((0..epochs).map(|e| values[if constant { 0 } else { e }]));
        }
        if random {
            service.variance = std::mem::take(&mut demand.variance);
        }
    }
    let count = names.len();
    let mut services = Services::new(names, epochs, all.into_iter().map(|(service, _)| service));
    if count == 0 {
        // Every name that follows would be unknown: that says nothing new.
        return services;
    }
    services.limits = rules::limits(fields, &services.names, sink);
    services.spread = rules::spread(fields, &services.names, sink);
    services.traffic = rules::traffic(fields, &services.names, sink);
    services.placement = rules::placement(fields, &services.names, &named.nodes, sink);
    services.compatibility = compatibility::read(fields, named, &services.names, count, sink);
    services
}
