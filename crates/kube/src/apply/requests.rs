//! What a pod asks for, in the units of a problem: as the scheduler counts it.

use std::collections::BTreeMap;

use bayplan_formats::parse_quantity;
use bayplan_model::{Resource, Rounding};
use k8s_openapi::api::core::v1::{Container, Node, Pod};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

type Amounts = BTreeMap<String, Quantity>;

/// Units of each resource, `pods` counting one.
pub(crate) fn of_pod(pod: &Pod, resources: &[Resource]) -> Vec<i64> {
    let Some(spec) = &pod.spec else {
        return vec![0; resources.len()];
    };
    let one = |resource: &Resource| {
        if resource.name == "pods" {
            return 1;
        }
        let (mut running, mut peak) = (0i64, 0i64);
        for container in spec.init_containers.iter().flatten() {
            let asked = container_asks(container, resource);
            if container.restart_policy.as_deref() == Some("Always") {
                running += asked;
                peak = peak.max(running);
            } else {
                peak = peak.max(running + asked);
            }
        }
        running += spec
            .containers
            .iter()
            .map(|c| container_asks(c, resource))
            .sum::<i64>();
        peak = peak.max(running);
        if let Some(all) = &spec.resources {
            let whole = amount(all.requests.as_ref(), resource, Rounding::Up)
                .or_else(|| amount(all.limits.as_ref(), resource, Rounding::Up));
            peak = whole.unwrap_or(peak);
        }
        peak + amount(spec.overhead.as_ref(), resource, Rounding::Up).unwrap_or(0)
    };
    resources.iter().map(one).collect()
}

/// What a node has to give.
pub(crate) fn of_node(node: &Node, resources: &[Resource]) -> Vec<i64> {
    let allocatable = node
        .status
        .as_ref()
        .and_then(|status| status.allocatable.as_ref());
    let one = |resource| amount(allocatable, resource, Rounding::Down).unwrap_or(0);
    resources.iter().map(one).collect()
}

/// Requests; where only a limit is given it is the request.
fn container_asks(container: &Container, resource: &Resource) -> i64 {
    let Some(all) = &container.resources else {
        return 0;
    };
    amount(all.requests.as_ref(), resource, Rounding::Up)
        .or_else(|| amount(all.limits.as_ref(), resource, Rounding::Up))
        .unwrap_or(0)
}

fn amount(amounts: Option<&Amounts>, resource: &Resource, rounding: Rounding) -> Option<i64> {
    let text = amounts?.get(&resource.name)?;
    let units = parse_quantity(&text.0, resource, rounding).ok()?;
    Some(
        i64::try_from(units)
            .unwrap_or(i64::MAX / 4)
            .min(i64::MAX / 4),
    )
}
