//! What the cluster is worth, counted from the API alone, and whether it is tidy.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;

use crate::lab::{Lab, app_of, is_ready};
use crate::workload::Workload;

/// The share of all traffic between pods that stand on the same node: for each pair and
/// node the smaller of the two apps' shares of replicas there.
pub fn gained_affinity(workload: &Workload, pods: &[Pod]) -> f64 {
    let mut on_node: BTreeMap<(String, String), f64> = BTreeMap::new();
    let mut total: BTreeMap<String, f64> = BTreeMap::new();
    for pod in pods {
        let node = pod.spec.as_ref().and_then(|spec| spec.node_name.clone());
        if let (Some(app), Some(node)) = (app_of(pod), node) {
            *on_node.entry((app.clone(), node)).or_default() += 1.0;
            *total.entry(app).or_default() += 1.0;
        }
    }
    let mut gained = 0.0;
    for (a, b, weight) in &workload.traffic {
        let (a, b) = (workload.apps[*a].id(), workload.apps[*b].id());
        for ((app, node), count) in &on_node {
            if *app == a {
                let other = on_node
                    .get(&(b.clone(), node.clone()))
                    .copied()
                    .unwrap_or(0.0);
                gained += f64::from(*weight) * (count / total[&a]).min(other / total[&b]);
            }
        }
    }
    gained
        / workload
            .traffic
            .iter()
            .map(|(_, _, weight)| f64::from(*weight))
            .sum::<f64>()
}

impl Lab {
    /// The same of the cluster as it is.
    pub async fn gained(&self, workload: &Workload) -> f64 {
        gained_affinity(workload, &self.pods().await)
    }

    /// Nothing pending, no gate, no policy, no webhook, no mark, no surge: what an apply must
    /// leave, however it ended.
    pub async fn assert_tidy(&self, workload: &Workload) {
        self.settled(workload).await;
        for pod in self.pods().await {
            let spec = pod.spec.as_ref().unwrap();
            let name = pod.name_any();
            assert!(is_ready(&pod), "{name} is not ready");
            assert!(
                spec.scheduling_gates.iter().flatten().next().is_none(),
                "{name} is gated"
            );
            let cost = "controller.kubernetes.io/pod-deletion-cost";
            assert!(
                !pod.annotations().contains_key(cost),
                "{name} is marked to go first"
            );
        }
        self.assert_no_gatekeeper().await;
        for app in &workload.apps {
            let path = format!(
                "/apis/apps/v1/namespaces/{}/deployments/{}",
                app.namespace, app.name
            );
            let deployment = self.get(&path).await;
            assert_eq!(
                deployment["spec"]["replicas"],
                app.replicas,
                "{} keeps a surge",
                app.id()
            );
        }
    }

    /// Nothing that gates pods is installed.
    pub async fn assert_no_gatekeeper(&self) {
        for kind in [
            "mutatingadmissionpolicies",
            "mutatingadmissionpolicybindings",
            "mutatingwebhookconfigurations",
        ] {
            let list = self
                .get(&format!("/apis/admissionregistration.k8s.io/v1/{kind}"))
                .await;
            let left = list["items"].as_array().unwrap();
            assert!(left.is_empty(), "{kind} left behind: {left:?}");
        }
    }
}
