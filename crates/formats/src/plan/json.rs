//! Plans as JSON, with everything a plan holds.

use std::fmt::Write;

use bayplan_model::{
    AdmissionPlan, ApplicationId, Count, DivisionPlan, Move, NodeId, Placement, PlacementPlan,
    Plan, Problem, Reason, Rounding, ServiceId, Share, Unplaced, Wave, WaveKind, Workload,
};

use super::nodes::NodeNames;
use crate::MAX_REPLICAS;
use crate::bytes::utf8;
use crate::error::{Sink, Source};
use crate::quantity::amount_text;
use crate::text::{amount, whole};
use crate::tree::{Fields, View, parse_json};
use crate::write::json_text;

/// Names of all nodes of a plan, made in one pass: the n-th new node of a
/// pool is `pool/n`.
pub(crate) fn node_names(problem: &Problem, plan: &Plan) -> Vec<String> {
    let cluster = problem.cluster();
    let mut opened = vec![0usize; cluster.pools.len()];
    let existing = cluster.nodes.iter().map(|node| node.name.clone());
    let new = plan.opened().iter().map(|pool| {
        opened[pool.index()] += 1;
        format!(
            "{}/{}",
            cluster.pools[pool.index()].name,
            opened[pool.index()]
        )
    });
    existing.chain(new).collect()
}

const REASONS: [(&str, Reason); 4] = [
    ("too large", Reason::TooLarge),
    ("no compatible node", Reason::NoCompatibleNode),
    ("no room", Reason::NoRoom),
    ("rules", Reason::Rules),
];

/// A plan as JSON.
pub fn write_plan_json(problem: &Problem, plan: &Plan) -> String {
    let cluster = problem.cluster();
    let nodes: Vec<String> = node_names(problem, plan)
        .iter()
        .map(|n| json_text(n))
        .collect();
    let opened: Vec<String> = plan
        .opened()
        .iter()
        .map(|pool| json_text(&cluster.pools[pool.index()].name))
        .collect();
    let mut out = format!(
        "{{\n \"version\": 1,\n \"opened\": [{}],\n",
        opened.join(", ")
    );
    match (plan, problem.workload()) {
        (Plan::Placement(plan), Workload::Services(services)) => {
            let name = |service: ServiceId| json_text(services.names.get(service.index()));
            let entry = |service, node: NodeId, count: u32| {
                let (service, node) = (name(service), &nodes[node.index()]);
                format!("{{\"service\": {service}, \"node\": {node}, \"count\": {count}}}")
            };
            let counts = plan.placement.counts().iter();
            list(
                &mut out,
                "placement",
                counts.map(|c| entry(c.service, c.node, c.count)),
                ",",
            );
            let unplaced = plan.unplaced.iter().map(|u| {
                let reason = REASONS.iter().find(|(_, reason)| *reason == u.reason);
                let reason = reason.map_or("", |(text, _)| text);
                let service = name(u.service);
                format!(
                    "{{\"service\": {service}, \"count\": {}, \"reason\": \"{reason}\"}}",
                    u.count
                )
            });
            list(&mut out, "unplaced", unplaced, ",");
            let waves = plan.waves.iter().map(|wave| {
                let kind = if wave.kind == WaveKind::Delete {
                    "delete"
                } else {
                    "create"
                };
                let moves = wave.moves.iter().map(|m| entry(m.service, m.node, m.count));
                let moves = moves.collect::<Vec<_>>().join(",\n    ");
                format!("{{\"kind\": \"{kind}\", \"moves\": [\n    {moves}]}}")
            });
            list(&mut out, "waves", waves, "");
        }
        (Plan::Division(plan), Workload::Applications(applications)) => {
            let scale = cluster.resources[0].scale;
            let shares = plan.shares.iter().map(|share| {
                format!(
                    "{{\"application\": {}, \"node\": {}, \"load\": {}}}",
                    json_text(applications.names.get(share.application.index())),
                    nodes[share.node.index()],
                    amount_text(u128::from(share.load), scale, Rounding::Down)
                )
            });
            list(&mut out, "shares", shares, "");
        }
        (Plan::Admission(plan), _) => {
            let accepted = plan.accepted.iter().map(|(request, node)| {
                format!(
                    "{{\"request\": {}, \"node\": {}}}",
                    request.0,
                    nodes[node.index()]
                )
            });
            list(&mut out, "accepted", accepted, "");
        }
        _ => {}
    }
    out.push_str("}\n");
    out
}

fn list(out: &mut String, name: &str, items: impl Iterator<Item = String>, after: &str) {
    let _ = write!(out, " \"{name}\": [");
    for (at, item) in items.enumerate() {
        let _ = write!(out, "{}\n  {item}", if at == 0 { "" } else { "," });
    }
    let _ = writeln!(out, "]{after}");
}

pub(crate) fn read(bytes: &[u8], problem: &Problem, sink: &mut Sink) -> Option<Plan> {
    let text = utf8(bytes, Source::Plan)
        .map_err(|errors| sink.take(errors))
        .ok()?;
    let tree = parse_json(text).map_err(|error| sink.syntax(error)).ok()?;
    let root = View::root(&tree);
    let known: &[&str] = match problem.workload() {
        Workload::Services(_) => &["version", "opened", "placement", "unplaced", "waves"],
        Workload::Applications(_) => &["version", "opened", "shares"],
        Workload::Requests(_) => &["version", "opened", "accepted"],
    };
    let fields = root.fields(known, sink)?;
    let version = fields
        .required("version", sink)
        .and_then(|view| view.number(sink));
    if version.is_some_and(|version| version != "1") {
        sink.push("F008", root.place(), || {
            ("a version other than 1", "write version 1")
        });
    }
    let mut reader = Reader {
        problem,
        nodes: NodeNames::new(problem.cluster()),
    };
    reader.opened(&fields, sink);
    Some(match problem.workload() {
        Workload::Services(_) => reader.placement(&fields, sink),
        Workload::Applications(_) => reader.division(&fields, sink),
        Workload::Requests(_) => reader.admission(&fields, sink),
    })
}

struct Reader<'a> {
    problem: &'a Problem,
    nodes: NodeNames<'a>,
}

impl Reader<'_> {
    fn opened(&mut self, fields: &Fields<'_, '_>, sink: &mut Sink) {
        let Some(list) = fields.get("opened") else {
            return;
        };
        for view in list.list(sink) {
            let Some(name) = view.text(sink) else {
                continue;
            };
            match self.nodes.pool(name) {
                Some(pool) => {
                    self.nodes.open(pool);
                }
                None => {
                    let mut pools = bayplan_model::Names::default();
                    for pool in &self.problem.cluster().pools {
                        let _ = pools.add(&pool.name);
                    }
                    sink.unknown(view.place(), "pool", name, &pools);
                }
            }
        }
    }

    fn placement(mut self, fields: &Fields<'_, '_>, sink: &mut Sink) -> Plan {
        let mut plan = PlacementPlan::default();
        let mut counts = Vec::new();
        if let Some(list) = fields.required("placement", sink) {
            for view in list.list(sink) {
                if let Some((service, node, count)) = self.entry(&view, sink) {
                    counts.push(Count {
                        service,
                        node,
                        count,
                    });
                }
            }
        }
        plan.placement = Placement::new(counts);
        if let Some(list) = fields.get("unplaced") {
            plan.unplaced = list
                .list(sink)
                .filter_map(|v| self.unplaced(&v, sink))
                .collect();
        }
        if let Some(list) = fields.get("waves") {
            plan.waves = list
                .list(sink)
                .filter_map(|v| self.wave(&v, sink))
                .collect();
        }
        plan.opened = self.nodes.opened();
        Plan::Placement(plan)
    }

    fn service(&self, fields: &Fields<'_, '_>, sink: &mut Sink) -> Option<ServiceId> {
        let names = &self.problem.services()?.names;
        let view = fields.required("service", sink)?;
        let text = view.text(sink)?;
        let id = names.find(text);
        if id.is_none() {
            sink.unknown(view.place(), "service", text, names);
        }
        id.map(ServiceId)
    }

    fn node(&mut self, fields: &Fields<'_, '_>, sink: &mut Sink) -> Option<NodeId> {
        let view = fields.required("node", sink)?;
        let name = view.text(sink)?;
        self.nodes.find(name, || view.place(), sink)
    }

    fn count(&self, fields: &Fields<'_, '_>, sink: &mut Sink) -> Option<u32> {
        let view = fields.required("count", sink)?;
        let text = view.number(sink)?;
        whole(sink, || view.place(), "count", text, 0, MAX_REPLICAS).map(|count| count as u32)
    }

    fn entry(&mut self, view: &View<'_, '_>, sink: &mut Sink) -> Option<(ServiceId, NodeId, u32)> {
        let fields = view.fields(&["service", "node", "count"], sink)?;
        let service = self.service(&fields, sink);
        let node = self.node(&fields, sink);
        let count = self.count(&fields, sink);
        Some((service?, node?, count?))
    }

    fn unplaced(&self, view: &View<'_, '_>, sink: &mut Sink) -> Option<Unplaced> {
        let fields = view.fields(&["service", "count", "reason"], sink)?;
        let service = self.service(&fields, sink);
        let count = self.count(&fields, sink);
        let reason = choice(&fields, "reason", &REASONS, sink);
        Some(Unplaced {
            service: service?,
            count: count?,
            reason: reason?,
        })
    }

    fn wave(&mut self, view: &View<'_, '_>, sink: &mut Sink) -> Option<Wave> {
        let fields = view.fields(&["kind", "moves"], sink)?;
        let kinds = [("delete", WaveKind::Delete), ("create", WaveKind::Create)];
        let kind = choice(&fields, "kind", &kinds, sink);
        let list = fields.required("moves", sink)?;
        let mut moves = Vec::new();
        for view in list.list(sink) {
            if let Some((service, node, count)) = self.entry(&view, sink) {
                moves.push(Move {
                    service,
                    node,
                    count,
                });
            }
        }
        Some(Wave { kind: kind?, moves })
    }

    fn division(mut self, fields: &Fields<'_, '_>, sink: &mut Sink) -> Plan {
        let mut shares = Vec::new();
        let list = fields.required("shares", sink);
        let items = list.as_ref().map(|list| list.list(sink));
        for view in items.into_iter().flatten() {
            let Some(fields) = view.fields(&["application", "node", "load"], sink) else {
                continue;
            };
            let names = self
                .problem
                .applications()
                .map(|applications| &applications.names);
            let application = fields.required("application", sink).and_then(|view| {
                let text = view.text(sink)?;
                let id = names?.find(text);
                if id.is_none() {
                    sink.unknown(view.place(), "application", text, names?);
                }
                id.map(ApplicationId)
            });
            let node = self.node(&fields, sink);
            let cpu = &self.problem.cluster().resources[0];
            let load = fields.required("load", sink).and_then(|view| {
                let text = view.number(sink)?;
                amount(sink, || view.place(), text, cpu, Rounding::Down)
            });
            if let (Some(application), Some(node), Some(load)) = (application, node, load) {
                shares.push(Share {
                    application,
                    node,
                    load,
                });
            }
        }
        shares.sort_unstable();
        Plan::Division(DivisionPlan {
            opened: self.nodes.opened(),
            shares,
        })
    }

    fn admission(mut self, fields: &Fields<'_, '_>, sink: &mut Sink) -> Plan {
        let count = self
            .problem
            .requests()
            .map_or(0, bayplan_model::Requests::len);
        let mut accepted = Vec::new();
        let list = fields.required("accepted", sink);
        let items = list.as_ref().map(|list| list.list(sink));
        for view in items.into_iter().flatten() {
            let Some(fields) = view.fields(&["request", "node"], sink) else {
                continue;
            };
            let request = fields.required("request", sink).and_then(|view| {
                let id = super::csv::request(view.number(sink)?, count);
                if id.is_none() {
                    sink.push("F020", view.place(), || {
                        (
                            "no such request",
                            "requests are numbered from 0 in the order of the input",
                        )
                    });
                }
                id
            });
            let node = self.node(&fields, sink);
            accepted.extend(request.zip(node));
        }
        accepted.sort_unstable();
        Plan::Admission(AdmissionPlan {
            opened: self.nodes.opened(),
            accepted,
        })
    }
}

fn choice<T: Copy>(
    fields: &Fields<'_, '_>,
    name: &str,
    choices: &[(&str, T)],
    sink: &mut Sink,
) -> Option<T> {
    let view = fields.required(name, sink)?;
    let text = view.text(sink)?;
    let found = choices.iter().find(|(choice, _)| *choice == text);
    if found.is_none() {
        sink.push("F018", view.place(), || {
            let known: Vec<&str> = choices.iter().map(|(choice, _)| *choice).collect();
            (
                format!("{name} `{}`", crate::error::clip(text)),
                format!("one of: {}", known.join(", ")),
            )
        });
    }
    found.map(|(_, value)| *value)
}
