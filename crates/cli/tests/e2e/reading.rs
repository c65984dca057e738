//! Planning needs no right to write, and what it says of the live cluster is true.

use kube::ResourceExt;
use serde_json::{Value, json};

use crate::command::User;
use crate::lab::{Lab, with_lab};
use crate::roles::cluster_roles;
use crate::watch::Watch;
use crate::workload::{Size, Workload};

#[test]
fn the_nodes_that_suffice_do_suffice() {
    with_lab("shrink", async |lab| {
        let size = Size {
            nodes: 12,
            deployments: 5,
            pods: 110,
        };
        let workload = Workload::generate(size, 31);
        lab.install_chart().await;
        lab.populate(&workload).await;
        let kept = shrunk(&lab.user("planner"), &workload, &[]);
        lab.cordon_all_but(&kept).await;
        for app in &workload.apps {
            lab.delete(&format!(
                "/api/v1/namespaces/{}/pods?labelSelector=app%3D{}",
                app.namespace, app.name
            ))
            .await;
        }
        lab.settled(&workload).await;
        lab.assert_all_on(&kept).await;
    });
}

/// The stock scheduler takes pods as they come, and with pods spread over zones it may paint
/// itself into a corner on nodes that are nearly full: here the plan itself is carried out.
#[test]
fn the_nodes_that_suffice_hold_what_is_spread_over_zones_too() {
    with_lab("drain", async |lab| {
        let size = Size {
            nodes: 12,
            deployments: 12,
            pods: 150,
        };
        let workload = Workload::generate(size, 32);
        assert!(workload.apps.iter().filter(|app| app.spread).count() >= 2);
        lab.install_chart().await;
        lab.populate(&workload).await;
        let watch = Watch::begin(&lab.admin, &workload, &lab.nodes().await).await;
        let kept = shrunk(&lab.user("planner"), &workload, &["--plan", "plan.json"]);
        let applier = lab.user("applier");
        applier
            .run(&["apply", "plan.json", "--hard", "--yes"])
            .exits(0);
        lab.cordon_all_but(&kept).await;
        lab.assert_tidy(&workload).await;
        lab.assert_all_on(&kept).await;
        let findings = watch.end();
        assert!(findings.broken.is_empty(), "{:#?}", findings.broken);
    });
}

/// The nodes that `provision --cluster` keeps; fewer than there are.
fn shrunk(planner: &User, workload: &Workload, more: &[&str]) -> Vec<String> {
    let ask = ["provision", "--cluster", "--repack", "--time=5", "-o=json"];
    let said = planner.run(&[&ask[..], more].concat()).exits(0).json();
    let kept = said["nodes_kept"].as_array().unwrap().iter();
    let kept: Vec<_> = kept.filter_map(Value::as_str).map(String::from).collect();
    assert_eq!(said["nodes"].as_u64(), Some(kept.len() as u64), "{said}");
    eprintln!("{} of {} nodes suffice", kept.len(), workload.nodes);
    assert!((1..workload.nodes as usize).contains(&kept.len()), "{said}");
    kept
}

impl Lab {
    async fn cordon_all_but(&self, kept: &[String]) {
        let nodes = self.nodes().await;
        for node in nodes.iter().filter(|node| !kept.contains(&node.name_any())) {
            let path = format!("/api/v1/nodes/{}", node.name_any());
            self.patch(&path, &json!({"spec": {"unschedulable": true}}))
                .await;
        }
    }

    /// Every pod of an app stands on one of these.
    async fn assert_all_on(&self, kept: &[String]) {
        let pods = self.pods().await;
        for pod in pods.iter().filter(|pod| pod.labels().contains_key("app")) {
            let spec = pod.spec.as_ref();
            let node = spec.and_then(|spec| spec.node_name.clone()).unwrap();
            assert!(kept.contains(&node), "{} stands on {node}", pod.name_any());
        }
    }
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
