//! Plans as tables.

use bayplan_model::{
    AdmissionPlan, ApplicationId, Count, DivisionPlan, Placement, PlacementPlan, Plan, Problem,
    RequestId, Rounding, ServiceId, Share, Workload,
};

use super::columns;
use super::nodes::NodeNames;
use crate::MAX_REPLICAS;
use crate::error::{Sink, clip};
use crate::quantity::amount_text;
use crate::tables::table::Table;
use crate::text::{amount, whole};

pub(crate) fn read(bytes: &[u8], problem: &Problem, sink: &mut Sink) -> Option<Plan> {
    let mut table = Table::open(bytes, sink)?;
    let columns = columns(problem.workload());
    if !table.check(columns, false, sink) {
        return None;
    }
    let at: Vec<usize> = columns
        .required
        .iter()
        .map(|name| table.required(name))
        .collect();
    let mut nodes = NodeNames::new(problem.cluster());
    match problem.workload() {
        Workload::Services(services) => {
            let mut counts = Vec::new();
            table.rows(sink, |row, sink| {
                let service = services.names.find(row.text(at[0]));
                if service.is_none() {
                    sink.unknown(row.place(), "service", row.text(at[0]), &services.names);
                }
                let node = nodes.find(row.text(at[1]), || row.place(), sink);
                let count = whole(
                    sink,
                    || row.place(),
                    "count",
                    row.text(at[2]),
                    0,
                    MAX_REPLICAS,
                );
                if let (Some(service), Some(node), Some(count)) = (service, node, count) {
                    let service = ServiceId(service);
                    counts.push(Count {
                        service,
                        node,
                        count: count as u32,
                    });
                }
            });
            let placement = Placement::new(counts);
            let opened = nodes.opened();
            Some(Plan::Placement(PlacementPlan {
                opened,
                placement,
                ..Default::default()
            }))
        }
        Workload::Applications(applications) => {
            let cpu = &problem.cluster().resources[0];
            let mut shares = Vec::new();
            table.rows(sink, |row, sink| {
                let id = applications.names.find(row.text(at[0]));
                if id.is_none() {
                    sink.unknown(
                        row.place(),
                        "application",
                        row.text(at[0]),
                        &applications.names,
                    );
                }
                let node = nodes.find(row.text(at[1]), || row.place(), sink);
                let load = amount(sink, || row.place(), row.text(at[2]), cpu, Rounding::Down);
                if let (Some(id), Some(node), Some(load)) = (id, node, load) {
                    shares.push(Share {
                        application: ApplicationId(id),
                        node,
                        load,
                    });
                }
            });
            shares.sort_unstable();
            Some(Plan::Division(DivisionPlan {
                opened: nodes.opened(),
                shares,
            }))
        }
        Workload::Requests(requests) => {
            let mut accepted = Vec::new();
            table.rows(sink, |row, sink| {
                let id = request(row.text(at[0]), requests.len());
                if id.is_none() {
                    sink.push("F020", row.place(), || {
                        let found = format!("no request `{}`", clip(row.text(at[0])));
                        (
                            found,
                            "requests are numbered from 0 in the order of the input",
                        )
                    });
                }
                let node = nodes.find(row.text(at[1]), || row.place(), sink);
                accepted.extend(id.zip(node));
            });
            accepted.sort_unstable();
            Some(Plan::Admission(AdmissionPlan {
                opened: nodes.opened(),
                accepted,
            }))
        }
    }
}

/// A request by its number.
pub(crate) fn request(text: &str, count: usize) -> Option<RequestId> {
    let number: usize = text.parse().ok()?;
    (number < count).then(|| RequestId::from(number))
}

/// A plan as a table: `service,node,count`, `application,node,load` or
/// `request,node`.
pub fn write_plan_csv(problem: &Problem, plan: &Plan) -> String {
    let cluster = problem.cluster();
    let names = super::json::node_names(problem, plan);
    let mut out = ::csv::Writer::from_writer(Vec::new());
    let mut row = |fields: &[&str]| {
        // Writing to memory does not fail.
        let _ = out.write_record(fields);
    };
    match (plan, problem.workload()) {
        (Plan::Placement(plan), Workload::Services(services)) => {
            row(&["service", "node", "count"]);
            for entry in plan.placement.counts() {
                let service = services.names.get(entry.service.index());
                row(&[
                    service,
                    &names[entry.node.index()],
                    &entry.count.to_string(),
                ]);
            }
        }
        (Plan::Division(plan), Workload::Applications(applications)) => {
            row(&["application", "node", "load"]);
            let scale = cluster.resources[0].scale;
            for share in &plan.shares {
                let application = applications.names.get(share.application.index());
                let load = amount_text(u128::from(share.load), scale, Rounding::Down);
                row(&[application, &names[share.node.index()], &load]);
            }
        }
        (Plan::Admission(plan), _) => {
            row(&["request", "node"]);
            for (request, node) in &plan.accepted {
                row(&[&request.0.to_string(), &names[node.index()]]);
            }
        }
        // A plan of another question than the problem's: nothing to write.
        _ => {}
    }
    out.into_inner()
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .unwrap_or_default()
}
