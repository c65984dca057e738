//! Why a pod of a cluster can or cannot go to each node.

use std::collections::BTreeMap;
use std::fmt::Write;

use bayplan_formats::{Objects, PodRef};
use bayplan_model::{NodeId, Problem, ServiceId};

use super::{LISTED, Scene};

/// Up to so many nodes each gets a line; beyond, nodes with the same answer share one.
const ONE_BY_ONE: usize = 40;

/// The answer about `[NAMESPACE/]NAME[@NODE]`: the pod is thought away from
/// where it is, then every rule is asked of every node. `Err` when there is no
/// such pod or node, or several pods have the name.
pub fn why_pod(problem: &Problem, objects: &Objects, name: &str) -> Result<String, String> {
    let services = problem.services().ok_or("only services have pods")?;
    let (name, at) = match name.split_once('@') {
        Some((name, node)) => (name, Some(node)),
        None => (name, None),
    };
    let found = objects.pod(name).map_err(|namespaces| {
        let names = namespaces.iter().map(|n| format!("pod/{n}/{name}"));
        let names: Vec<String> = names.collect();
        format!("several pods are called {name:?}: {}", names.join(", "))
    })?;
    let (service, pod) = found.ok_or_else(|| {
        format!("no pod is called {name:?} among those planned (finished pods and those of daemon sets are not)")
    })?;
    let mut scene = Scene::new(problem, services, &services.placement, &[]);
    if let Some(node) = pod.node {
        let content = &mut scene.content[node.index()];
        for (other, count) in content.iter_mut().filter(|(other, _)| *other == service) {
            debug_assert_eq!(*other, service);
            *count -= 1;
        }
        content.retain(|(_, count)| *count > 0);
    }
    let mut text = heading(&scene, objects, service, pod);
    if let Some(node) = at {
        let id = scene
            .node(node)
            .ok_or_else(|| format!("no node is called {node:?}"))?;
        let answer = verdict(&scene, objects, service, pod, id);
        let _ = writeln!(text, "  {node}: {answer}");
        return Ok(text);
    }
    let answers: Vec<(NodeId, String)> = scene
        .nodes()
        .map(|node| (node, verdict(&scene, objects, service, pod, node)))
        .collect();
    if answers.len() <= ONE_BY_ONE {
        for (node, answer) in &answers {
            let _ = writeln!(text, "  {}: {answer}", scene.node_name(*node));
        }
        return Ok(text);
    }
    let mut groups: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
    for (node, answer) in &answers {
        groups.entry(answer).or_default().push(*node);
    }
    for (answer, nodes) in groups {
        let names: Vec<&str> = nodes
            .iter()
            .take(LISTED)
            .map(|n| scene.node_name(*n))
            .collect();
        let more = if nodes.len() > LISTED { ", ..." } else { "" };
        let names = names.join(", ");
        let _ = writeln!(text, "  {} nodes: {answer} ({names}{more})", nodes.len());
    }
    Ok(text)
}

fn heading(scene: &Scene<'_>, objects: &Objects, service: ServiceId, pod: &PodRef) -> String {
    let place = match pod.node {
        Some(node) => format!("runs on {}", scene.node_name(node)),
        None => "runs nowhere yet".into(),
    };
    let mut text = format!(
        "pod {}/{} of {} {place}\n",
        pod.namespace,
        pod.name,
        scene.name(service)
    );
    if scene.services.pinned[service.index()] {
        let codes = objects
            .stays
            .get(service.index())
            .map_or(&[][..], Vec::as_slice);
        let why = match codes {
            [] => "a rule about other pods that a plan cannot keep otherwise".to_string(),
            codes => codes.join(", "),
        };
        let _ = writeln!(text, "plans leave it where it is: {why}");
    }
    text
}

/// One node's answer.
fn verdict(
    scene: &Scene<'_>,
    objects: &Objects,
    service: ServiceId,
    pod: &PodRef,
    node: NodeId,
) -> String {
    // The scheduler's own rules in the objects' words, then the plan's.
    let mut reasons = objects.refusals(service, node);
    let obstacles = scene.obstacles(service, node).into_iter();
    let others = obstacles.filter(|(rule, _)| *rule != "compatibility");
    reasons.extend(others.map(|(rule, words)| format!("{rule}: {words}")));
    let here = pod.node == Some(node);
    match (here, reasons.is_empty()) {
        (true, true) => "it is here, and fits".into(),
        (true, false) => format!(
            "it is here, but would not be put here again: {}",
            reasons.join("; ")
        ),
        (false, true) => "it can go there".into(),
        (false, false) => format!("it cannot: {}", reasons.join("; ")),
    }
}
