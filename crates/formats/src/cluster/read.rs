//! Reading cluster JSON.

use bayplan_model::{
    Cluster, Compatibility, Count, Labels, Names, Node, NodeId, Placement, Pool, PoolId, Reach,
    Rounding, Service, ServiceId, Services, Traffic, Workload, parse_units,
};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::SHARE_SCALE;
use crate::bytes::utf8;
use crate::error::{Place, Sink, Source, clip};
use crate::pools::{PRICE_SCALE, resource};
use crate::read::Parts;
use crate::text::{bad_number, weight};
use crate::tree::{Fields, View, parse_json};
use crate::{MAX_NODES, MAX_REPLICAS, Note, ReadOptions};

const SERVICE: [&str; 5] = [
    "Service",
    "RequestCPU",
    "RequestMem",
    "ContainerList",
    "CompatibleMachines",
];
const MACHINE: [&str; 4] = [
    "MachineIP",
    "TotalCPU",
    "TotalMem",
    "InitialDeployingContainers",
];
const TRAFFIC: [&str; 3] = ["Service1", "Service2", "Traffic"];

pub(crate) fn read(bytes: &[u8], options: &ReadOptions, sink: &mut Sink) -> Option<Parts> {
    refuse_node_options(options, sink);
    let text = utf8(bytes, Source::Input)
        .map_err(|errors| sink.take(errors))
        .ok()?;
    let tree = parse_json(text).map_err(|error| sink.syntax(error)).ok()?;
    let root = View::root(&tree);
    let fields = root.fields(&["ServiceList", "MachineList", "TrafficList"], sink)?;
    let mut reader = Reader::default();
    let services = reader.services(&fields, sink);
    if reader.names.is_empty() && !sink.is_empty() {
        // Every name that follows would be unknown: that says nothing new.
        return None;
    }
    let cluster = reader.machines(&fields, sink);
    let reach = reader.reach(&cluster, sink);
    let traffic = reader.traffic(&fields, sink);
    let mut services = Services::new(reader.names, 1, services);
    services.compatibility = Compatibility::new(reach, cluster.nodes.len(), cluster.pools.len());
    services.placement = Placement::new(reader.counts);
    services.traffic = traffic;
    Some(Parts {
        objects: None,
        cluster,
        workload: Workload::Services(services),
        notes: reader.notes,
    })
}

/// The file lists its machines: options that describe others contradict it.
pub(crate) fn refuse_node_options(options: &ReadOptions, sink: &mut Sink) {
    let given = [
        ("--node", !options.node.is_empty()),
        ("--capacity", options.capacity.is_some()),
        ("--cpu", options.cpu.is_some()),
        ("--memory", options.memory.is_some()),
        ("--machines", options.machines.is_some()),
        ("--limits", options.limits.is_some()),
        ("--nodes", options.nodes.is_some()),
    ];
    for (option, _) in given.into_iter().filter(|(_, given)| *given) {
        sink.push("F030", Place::Option(option), || {
            (
                "the input describes its own nodes and rules",
                "leave the option out",
            )
        });
    }
}

/// Which machines a service names, with the place to say it at.
struct Compatible<'d> {
    place: Place,
    machines: Option<Vec<&'d str>>,
}

#[derive(Default)]
struct Reader<'d> {
    names: Names,
    /// Service of each container; the flag says whether it runs somewhere.
    containers: FxHashMap<&'d str, (ServiceId, bool)>,
    compatible: Vec<Compatible<'d>>,
    machines: Names,
    counts: Vec<Count>,
    notes: Vec<Note>,
}

impl<'d> Reader<'d> {
    fn services(&mut self, fields: &Fields<'_, 'd>, sink: &mut Sink) -> Vec<Service> {
        let mut services = Vec::new();
        let Some(list) = fields.required("ServiceList", sink) else {
            return services;
        };
        let mut total = 0u64;
        for view in list.list(sink) {
            let Some(fields) = view.fields(&SERVICE, sink) else {
                continue;
            };
            let name = fields
                .required("Service", sink)
                .and_then(|name| name.text(sink));
            let id = name.and_then(|name| named(&mut self.names, name, &view, sink));
            let cpu = units(&fields, "RequestCPU", Rounding::Up, sink);
            let memory = units(&fields, "RequestMem", Rounding::Up, sink);
            let mut replicas = 0u32;
            if let Some(list) = fields.required("ContainerList", sink) {
                for container in list.list(sink) {
                    replicas = replicas.saturating_add(1);
                    self.container(&container, ServiceId(id.unwrap_or_default()), sink);
                }
            }
            self.compatible.push(compatible(&fields, &view, sink));
            total += u64::from(replicas);
            if let (Some(cpu), Some(memory), Some(_)) = (cpu, memory, id) {
                let (demand, variance) = (vec![cpu, memory], Vec::new());
                services.push(Service {
                    replicas,
                    demand,
                    variance,
                    pinned: false,
                    alive: 0,
                });
            }
        }
        if total > MAX_REPLICAS {
            sink.push("F014", list.place(), || {
                (
                    format!("{total} containers"),
                    format!("at most {MAX_REPLICAS} are planned at once"),
                )
            });
        }
        services
    }

    fn container(&mut self, view: &View<'_, 'd>, service: ServiceId, sink: &mut Sink) {
        let Some(name) = view.text(sink) else { return };
        if self.containers.insert(name, (service, false)).is_some() {
            sink.push("F021", view.place(), || {
                (
                    format!("container `{}` is listed twice", clip(name)),
                    "rename or remove one",
                )
            });
        }
    }

    /// Machines of equal capacity form a pool; pools are in order of appearance.
    fn machines(&mut self, fields: &Fields<'_, 'd>, sink: &mut Sink) -> Cluster {
        let mut cluster = Cluster {
            resources: vec![
                resource("cpu", "cluster", SHARE_SCALE),
                resource("memory", "cluster", SHARE_SCALE),
            ],
            ..Cluster::default()
        };
        let Some(list) = fields.required("MachineList", sink) else {
            return cluster;
        };
        let mut pools: FxHashMap<[u64; 2], PoolId> = FxHashMap::default();
        for view in list.list(sink) {
            let Some(fields) = view.fields(&MACHINE, sink) else {
                continue;
            };
            let name = fields
                .required("MachineIP", sink)
                .and_then(|name| name.text(sink));
            let id = name.and_then(|name| named(&mut self.machines, name, &view, sink));
            let cpu = units(&fields, "TotalCPU", Rounding::Down, sink);
            let memory = units(&fields, "TotalMem", Rounding::Down, sink);
            let (Some(id), Some(cpu), Some(memory)) = (id, cpu, memory) else {
                continue;
            };
            let pool = *pools.entry([cpu, memory]).or_insert_with(|| {
                cluster
                    .pools
                    .push(pool(cluster.pools.len(), vec![cpu, memory]));
                PoolId::from(cluster.pools.len() - 1)
            });
            let count = &mut cluster.pools[pool.index()].max_count;
            *count = count.map(|count| count + 1);
            let name = self.machines.get(id as usize).to_string();
            cluster.nodes.push(Node {
                name,
                pool,
                labels: Labels::new(),
            });
            if let Some(list) = fields.get("InitialDeployingContainers") {
                for container in list.list(sink) {
                    self.runs(&container, NodeId(id), sink);
                }
            }
            if cluster.nodes.len() > MAX_NODES as usize {
                sink.push("F014", list.place(), || {
                    (format!("more than {MAX_NODES} machines"), "split the input")
                });
                break;
            }
        }
        cluster
    }

    fn runs(&mut self, view: &View<'_, 'd>, node: NodeId, sink: &mut Sink) {
        let Some(name) = view.text(sink) else { return };
        match self.containers.get_mut(name) {
            Some((service, placed)) if !*placed => {
                *placed = true;
                self.counts.push(Count {
                    service: *service,
                    node,
                    count: 1,
                });
            }
            Some(_) => sink.push("F021", view.place(), || {
                (
                    format!("container `{}` runs twice", clip(name)),
                    "it can run on one machine only",
                )
            }),
            None => sink.push("F020", view.place(), || {
                let found = format!("no container is called `{}`", clip(name));
                (found, "list it in the ContainerList of its service")
            }),
        }
    }

    fn reach(&self, cluster: &Cluster, sink: &mut Sink) -> Vec<Option<Reach>> {
        let mut all = Vec::with_capacity(self.compatible.len());
        for rule in &self.compatible {
            all.push(rule.machines.as_ref().map(|names| {
                let mut nodes = FixedBitSet::with_capacity(cluster.nodes.len());
                for name in names {
                    match self.machines.find(name) {
                        Some(id) if nodes.len() > id as usize => nodes.insert(id as usize),
                        Some(_) => {}
                        None => sink.unknown(rule.place.clone(), "machine", name, &self.machines),
                    }
                }
                Reach {
                    nodes,
                    pools: FixedBitSet::with_capacity(cluster.pools.len()),
                }
            }));
        }
        all
    }

    fn traffic(&mut self, fields: &Fields<'_, 'd>, sink: &mut Sink) -> Vec<Traffic> {
        let mut traffic = Vec::new();
        let Some(list) = fields.get("TrafficList") else {
            return traffic;
        };
        let mut with_itself: Option<Note> = None;
        for view in list.list(sink) {
            let Some(fields) = view.fields(&TRAFFIC, sink) else {
                continue;
            };
            let [a, b] = ["Service1", "Service2"].map(|field| {
                let name = fields.required(field, sink)?;
                let text = name.text(sink)?;
                let id = self.names.find(text);
                if id.is_none() {
                    sink.unknown(name.place(), "service", text, &self.names);
                }
                id.map(ServiceId)
            });
            let volume = fields.required("Traffic", sink).and_then(|view| {
                let text = view.number(sink)?;
                weight(sink, || view.place(), "Traffic", text)
            });
            let (Some(a), Some(b), Some(weight)) = (a, b, volume) else {
                continue;
            };
            if a == b {
                let text = "traffic of a service with itself is left out: it gains nothing here";
                let note = with_itself.get_or_insert_with(|| Note::general("N002", text));
                note.add(self.names.get(a.index()));
                continue;
            }
            traffic.push(Traffic { a, b, weight });
        }
        self.notes.extend(with_itself);
        traffic
    }
}

fn pool(number: usize, capacity: Vec<u64>) -> Pool {
    Pool {
        name: format!("type-{number}"),
        capacity,
        price: PRICE_SCALE,
        max_count: Some(0),
        labels: Labels::new(),
    }
}

/// `"*"` or a list of machines.
fn compatible<'d>(
    fields: &Fields<'_, 'd>,
    service: &View<'_, 'd>,
    sink: &mut Sink,
) -> Compatible<'d> {
    let Some(view) = fields.get("CompatibleMachines") else {
        return Compatible {
            place: service.place(),
            machines: None,
        };
    };
    let place = view.place();
    if !view.is_list() {
        if view.text(sink).is_some_and(|text| text != "*") {
            sink.push("F017", place.clone(), || {
                (
                    "a text that is not `*`",
                    "write \"*\" or a list of machines",
                )
            });
        }
        return Compatible {
            place,
            machines: None,
        };
    }
    let machines = view.list(sink).filter_map(|name| name.text(sink)).collect();
    Compatible {
        place,
        machines: Some(machines),
    }
}

fn named(names: &mut Names, name: &str, view: &View<'_, '_>, sink: &mut Sink) -> Option<u32> {
    if name.is_empty() {
        sink.push("F010", view.place(), || ("the name is empty", "name it"));
        return None;
    }
    let added = names.add(name);
    if added.is_err() {
        sink.push("F021", view.place(), || {
            (
                format!("`{}` is defined twice", clip(name)),
                "rename or merge them",
            )
        });
    }
    added.ok()
}

fn units(fields: &Fields<'_, '_>, name: &str, rounding: Rounding, sink: &mut Sink) -> Option<u64> {
    let view = fields.required(name, sink)?;
    let text = view.number(sink)?;
    parse_units(text, SHARE_SCALE, rounding)
        .map_err(|why| bad_number(sink, view.place(), name, text, why))
        .ok()
}
