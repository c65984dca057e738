//! Plans as JSON, with everything a plan holds.

use std::fmt::Write;

use bayplan_model::{NodeId, Plan, Problem, Reason, Rounding, ServiceId, WaveKind, Workload};

use crate::quantity::amount_text;
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

/// Reasons by the words used for them.
pub(crate) const REASONS: [(&str, Reason); 4] = [
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
