//! Co-location pays only where Services route to the pods beside: the ones
//! that do not yet, by name.

use std::collections::BTreeSet;

use bayplan::Outcome;
use bayplan_formats::Input;
use bayplan_model::{Plan, ServiceId};
use serde_json::json;

use crate::verbs::Extra;

/// The Kubernetes Services in front of pods that the plan puts beside their
/// traffic, and that do not prefer the same node.
pub fn report(input: &Input, outcome: &mut Outcome) -> Extra {
    let mut extra = Extra::default();
    let (Some(services), Some(objects), Plan::Placement(plan)) = (
        input.problem.services(),
        input.objects.as_deref(),
        &outcome.plan,
    ) else {
        return extra;
    };
    let together = |a: ServiceId, b: ServiceId| {
        let mut of_a = plan.placement.of(a).iter();
        of_a.any(|entry| plan.placement.count(b, entry.node) > 0)
    };
    let mut local: BTreeSet<ServiceId> = BTreeSet::new();
    for pair in &services.traffic {
        if together(pair.a, pair.b) {
            local.extend([pair.a, pair.b]);
        }
    }
    let names: Vec<String> = objects
        .routes
        .iter()
        .filter(|route| !route.same_node)
        .filter(|route| route.services.iter().any(|id| local.contains(id)))
        .map(|route| format!("{}/{}", route.namespace, route.name))
        .collect();
    if !names.is_empty() {
        outcome.notes.push(format!(
            "co-location pays once these Services have `trafficDistribution: PreferSameNode`: {}",
            names.join(", ")
        ));
    }
    extra
        .json
        .insert("services_to_route_locally".into(), json!(names));
    extra
}
