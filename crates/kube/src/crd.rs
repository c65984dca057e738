//! The PlacementPlan resource: what is being carried out, and how far it is.

use serde_json::{Value, json};

/// The definition, as the chart and `bayplan apply` install it.
pub fn definition() -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "placementplans.bayplan.dev"},
        "spec": {
            "group": "bayplan.dev",
            "scope": "Cluster",
            "names": {
                "kind": "PlacementPlan", "listKind": "PlacementPlanList",
                "plural": "placementplans", "singular": "placementplan",
                "shortNames": ["pplan"],
            },
            "versions": [{
                "name": "v1alpha1", "served": true, "storage": true,
                "subresources": {"status": {}},
                "additionalPrinterColumns": [
                    {"name": "Phase", "type": "string", "jsonPath": ".status.phase"},
                    {"name": "Workloads", "type": "integer", "jsonPath": ".spec.workloads"},
                    {"name": "Waves", "type": "string", "jsonPath": ".status.waves"},
                    {"name": "Message", "type": "string", "jsonPath": ".status.message", "priority": 1},
                    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
                ],
                "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "properties": {
                        "spec": {"type": "object", "properties": {
                            "data": text("Where the pods of each workload stand before and after, gzip and base64."),
                            "workloads": {"type": "integer", "description": "Workloads that move."},
                        }},
                        "status": {"type": "object", "properties": {
                            "phase": text("Applying, RollingBack, Paused, Completed, Incomplete or RolledBack."),
                            "waves": text("One letter for each wave: d done, r running, . to come."),
                            "message": text("What a person should know."),
                            "raised": {"type": "object",
                                "description": "Workloads that may have more replicas than they should for a while.",
                                "additionalProperties": {"type": "object", "properties": {
                                    "base": {"type": "integer"}, "most": {"type": "integer"},
                                }}},
                            "leftAlone": {"type": "object",
                                "description": "Services not to be planned, with the second until when.",
                                "additionalProperties": {"type": "integer", "format": "int64"}},
                        }},
                    },
                }},
            }],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chart_installs_the_same() {
        let file = include_str!("../../../deploy/chart/crds/placementplans.json");
        assert_eq!(serde_json::from_str::<Value>(file).unwrap(), definition());
    }
}
