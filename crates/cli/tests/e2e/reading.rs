//! Planning needs no right to write, and what it says of the live cluster is true.

use kube::ResourceExt;
use serde_json::json;

use crate::lab::with_lab;
use crate::roles::cluster_roles;
use crate::workload::{Size, Workload};

#[test]
fn the_nodes_that_suffice_do_suffice() {
    with_lab("shrink", async |lab| {
        let workload = Workload::generate(
            Size {
                nodes: 12,
                deployments: 5,
                pods: 110,
            },
            31,
        );
        lab.install_chart().await;
        lab.populate(&workload).await;
        let planner = lab.user("planner");
        let said = planner.run(&[
            "provision",
            "--cluster",
            "--repack",
            "--time",
            "5",
            "-o",
            "json",
        ]);
        let said = said.exits(0).json();
        let nodes = said["nodes"].as_u64().unwrap() as u32;
        assert!(
            (1..workload.nodes).contains(&nodes),
            "{nodes} of {} nodes",
            workload.nodes
        );

        let kept = said["nodes_kept"].as_array().unwrap().iter();
        let kept: Vec<_> = kept
            .map(|name| name.as_str().unwrap().to_string())
            .collect();
        assert_eq!(kept.len(), nodes as usize, "{said}");
        for node in lab
            .nodes()
            .await
            .iter()
            .filter(|node| !kept.contains(&node.name_any()))
        {
            let path = format!("/api/v1/nodes/{}", node.name_any());
            lab.patch(&path, &json!({"spec": {"unschedulable": true}}))
                .await;
        }
        for app in &workload.apps {
            lab.delete(&format!(
                "/api/v1/namespaces/{}/pods?labelSelector=app%3D{}",
                app.namespace, app.name
            ))
            .await;
        }
        lab.settled(&workload).await;
        for pod in lab
            .pods()
            .await
            .iter()
            .filter(|pod| pod.labels().contains_key("app"))
        {
            let node = pod
                .spec
                .as_ref()
                .and_then(|spec| spec.node_name.clone())
                .unwrap();
            assert!(kept.contains(&node), "{} stands on {node}", pod.name_any());
        }
    });
}

#[test]
fn the_planner_may_only_read() {
    for role in cluster_roles() {
        if role["metadata"]["name"]
            .as_str()
            .unwrap()
            .ends_with("planner")
        {
            for rule in role["rules"].as_array().unwrap() {
                for verb in rule["verbs"].as_array().unwrap() {
                    let verb = verb.as_str().unwrap();
                    assert!(matches!(verb, "get" | "list" | "watch"), "{verb} in {rule}");
                }
            }
            return;
        }
    }
    panic!("the chart has no role of a planner");
}
