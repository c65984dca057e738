//! Traffic from a table beside the input: `service,service,weight`.

use bayplan_model::{Names, ServiceId, Traffic, Workload};

use crate::bytes::plain;
use crate::error::{Place, Sink, Source, clip};
use crate::read::Parts;
use crate::tables::table::Table;
use crate::text::weight;
use crate::{Errors, Lookup, Note, Objects, ReadOptions};

/// Sets the traffic between services.
pub(crate) fn apply(parts: &mut Parts, bytes: &[u8], options: &ReadOptions) -> Result<(), Errors> {
    let bytes = plain(bytes, Source::Traffic, options)?;
    let mut sink = Sink::new(Source::Traffic);
    let Workload::Services(services) = &mut parts.workload else {
        sink.push("F030", Place::Option("--traffic"), || {
            ("only services have traffic", "leave the option out")
        });
        return sink.finish();
    };
    let mut pairs = Vec::new();
    if let Some(mut table) = Table::open(&bytes, &mut sink) {
        let weight_last = table.header.last().is_some_and(|name| name == "weight");
        if table.header.len() != 3 || !weight_last {
            sink.push("F010", Place::line(1), || {
                let header = clip(&table.header.join(","));
                (
                    format!("the header is `{header}`"),
                    "name the columns service,service,weight",
                )
            });
            return sink.finish();
        }
        let who = Who::new(
            &services.names,
            &services.replicas,
            parts.objects.as_deref(),
        );
        table.rows(&mut sink, |row, sink| {
            let place = || row.place();
            let volume = weight(sink, place, "weight", row.text(2));
            let [a, b] = [0, 1].map(|at| who.find(row.text(at), place, sink));
            if let (Some(volume), Some(a), Some(b)) = (volume, a, b) {
                pairs.extend(divided(&a, &b, volume));
            }
        });
    }
    sink.finish()?;
    let (own, pairs): (Vec<Traffic>, Vec<Traffic>) = pairs.into_iter().partition(|p| p.a == p.b);
    if !own.is_empty() {
        let names = own.iter().map(|pair| services.names.get(pair.a.index()));
        let text = "traffic of a service with itself is left out";
        parts.notes.push(Note::about("N002", text, names));
    }
    if !services.traffic.is_empty() {
        let text = "the traffic given replaces the traffic in the input";
        parts.notes.push(Note::general("N004", text));
    }
    services.traffic = pairs;
    Ok(())
}

/// Services of one name, each with its share of the replicas.
type Shares = Vec<(ServiceId, f64)>;

/// Traffic between two workloads, divided over their services by replicas.
fn divided(a: &Shares, b: &Shares, weight: f64) -> impl Iterator<Item = Traffic> {
    a.iter().flat_map(move |(a, of_a)| {
        b.iter().map(move |(b, of_b)| Traffic {
            a: *a,
            b: *b,
            weight: weight * of_a * of_b,
        })
    })
}

/// Whom a name means: a service; or, of a cluster's listing, all services of
/// the workload `namespace/name`, whose namespace may be left out where only
/// one has it.
struct Who<'a> {
    names: &'a Names,
    replicas: &'a [u32],
    lookup: Option<Lookup<'a>>,
}

impl<'a> Who<'a> {
    fn new(names: &'a Names, replicas: &'a [u32], objects: Option<&'a Objects>) -> Self {
        Self {
            names,
            replicas,
            lookup: objects.map(Objects::lookup),
        }
    }

    fn find(&self, name: &str, place: impl Fn() -> Place, sink: &mut Sink) -> Option<Shares> {
        let found = match &self.lookup {
            Some(lookup) => match lookup.find(name) {
                Ok(found) => found,
                Err(namespaces) => {
                    sink.push("F020", place(), || {
                        let found = format!("`{}` is in several namespaces", clip(name));
                        let shown: Vec<String> = namespaces
                            .iter()
                            .map(|space| format!("{space}/{name}"))
                            .collect();
                        (found, format!("name one of {}", shown.join(", ")))
                    });
                    return None;
                }
            },
            None => self.names.find(name).map(ServiceId).into_iter().collect(),
        };
        if found.is_empty() {
            sink.unknown(place(), "service", name, self.names);
            return None;
        }
        let of = |id: &ServiceId| f64::from(self.replicas[id.index()]);
        let all: f64 = found.iter().map(of).sum();
        let share = |id: &ServiceId| if all > 0.0 { of(id) / all } else { 0.0 };
        Some(found.iter().map(|id| (*id, share(id))).collect())
    }
}
