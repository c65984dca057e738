//! "What happens if this node goes?": where each of its pods would land while
//! all others stay.

use anyhow::{Result, bail};
use bayplan::{Outcome, reason_word};
use bayplan_formats::{Input, Objects, PodRef};
use bayplan_model::{
    Compatibility, NodeId, Placement, Plan, Problem, Reach, ServiceId, Services, Workload,
};
use bayplan_report::table;
use fixedbitset::FixedBitSet;
use serde_json::json;

use crate::verbs::Extra;

/// What stood on the nodes that are thought away.
#[derive(Default, Clone)]
pub struct Gone {
    nodes: Vec<String>,
    /// Pods by service, and the node each was on.
    pods: Vec<(ServiceId, String, String)>,
    /// Pods that nothing replaces.
    lost: Vec<(String, String)>,
    /// What runs elsewhere.
    rest: Placement,
}

/// The problem without these nodes: nothing may go there, what stood there
/// has no place, everything else stands as before.
pub fn take_away(mut input: Input, names: &[String]) -> Result<(Input, Gone)> {
    let (cluster, workload) = input.problem.into_parts();
    let Workload::Services(mut services) = workload else {
        bail!("--without-node: only services run on nodes");
    };
    let mut gone = Gone::default();
    let mut away = FixedBitSet::with_capacity(cluster.nodes.len());
    for name in names {
        let Some(at) = cluster.nodes.iter().position(|node| node.name == *name) else {
            bail!("--without-node: no node is called {name:?}");
        };
        away.insert(at);
        gone.nodes.push(name.clone());
    }
    let mut stay = Vec::new();
    for entry in services.placement.counts().to_vec() {
        if !away.contains(entry.node.index()) {
            stay.push(entry);
            continue;
        }
        let node = &cluster.nodes[entry.node.index()].name;
        let pods = pods_of(input.objects.as_deref(), entry.service, entry.node);
        let replaced = is_replaced(input.objects.as_deref(), entry.service);
        for nth in 0..entry.count as usize {
            let pod = pods.get(nth).cloned().unwrap_or_else(|| {
                format!(
                    "{} ({})",
                    services.names.get(entry.service.index()),
                    nth + 1
                )
            });
            if replaced {
                gone.pods.push((entry.service, pod, node.clone()));
            } else {
                gone.lost.push((pod, node.clone()));
            }
        }
        if !replaced {
            services.replicas[entry.service.index()] -= entry.count;
        }
        // It has no place to keep any more; the others stay in any case.
        services.pinned[entry.service.index()] = false;
    }
    services.placement = Placement::new(stay);
    gone.rest = services.placement.clone();
    services.compatibility = elsewhere(&services, &away, cluster.pools.len());
    input.problem = Problem::new(cluster, Workload::Services(services))?;
    Ok((input, gone))
}

/// Names of a service's pods on a node.
fn pods_of(objects: Option<&Objects>, service: ServiceId, node: NodeId) -> Vec<String> {
    let pods = objects.and_then(|objects| objects.pods.get(service.index()));
    let here = pods
        .into_iter()
        .flatten()
        .filter(|pod: &&PodRef| pod.node == Some(node));
    here.map(|pod| format!("{}/{}", pod.namespace, pod.name))
        .collect()
}

/// Whether something starts a pod again when its node is gone.
fn is_replaced(objects: Option<&Objects>, service: ServiceId) -> bool {
    let workload = objects.and_then(|objects| objects.workloads.get(service.index()));
    workload.is_none_or(|workload| workload.kind != "Pod")
}

/// Where services may go when these nodes are away.
fn elsewhere(services: &Services, away: &FixedBitSet, pools: usize) -> Compatibility {
    let nodes = away.len();
    let reach = services.ids().map(|service| {
        let mut reach = match services.compatibility.reach(service) {
            Some(reach) => reach.clone(),
            None => {
                let mut all = Reach {
                    nodes: FixedBitSet::with_capacity(nodes),
                    pools: FixedBitSet::with_capacity(pools),
                };
                all.nodes.insert_range(..);
                all.pools.insert_range(..);
                all
            }
        };
        reach.nodes.difference_with(away);
        Some(reach)
    });
    Compatibility::new(reach.collect(), nodes, pools)
}

impl Gone {
    /// Where each pod went, or why it has no place.
    pub fn moved(&self, input: &Input, outcome: &mut Outcome) -> Extra {
        let mut extra = Extra::default();
        let (Some(services), Plan::Placement(plan)) = (input.problem.services(), &outcome.plan)
        else {
            return extra;
        };
        let names = input.problem.cluster().node_names(&plan.opened);
        // Places won, by service: what stands there now beyond what stood there.
        let mut won: Vec<Vec<usize>> = vec![Vec::new(); services.len()];
        for entry in plan.placement.counts() {
            let before = self.rest.count(entry.service, entry.node);
            for _ in before..entry.count {
                won[entry.service.index()].push(entry.node.index());
            }
        }
        let mut rows = Vec::new();
        let mut objects = Vec::new();
        for (service, pod, from) in &self.pods {
            let to = won[service.index()].pop().map(|node| names[node].clone());
            let reason = plan.unplaced.iter().find(|left| left.service == *service);
            let reason = reason.map_or("no room", |left| reason_word(left.reason));
            let shown = match &to {
                Some(node) => node.clone(),
                None => format!("nowhere: {}", reason.replace('_', " ")),
            };
            rows.push(vec![pod.clone(), from.clone(), shown]);
            objects.push(json!({"pod": pod, "from": from, "to": to,
                "reason": to.is_none().then_some(reason)}));
        }
        for (pod, from) in &self.lost {
            rows.push(vec![
                pod.clone(),
                from.clone(),
                "gone: nothing replaces it".into(),
            ]);
            objects.push(json!({"pod": pod, "from": from, "to": null, "reason": "not_replaced"}));
        }
        extra.text = format!(
            "\nWithout {}: {} pods would have to go elsewhere\n{}",
            self.nodes.join(", "),
            rows.len(),
            table(&["pod", "was on", "goes to"], &rows)
        );
        extra.json.insert("without_nodes".into(), json!(self.nodes));
        extra.json.insert("pods".into(), json!(objects));
        extra
    }
}
