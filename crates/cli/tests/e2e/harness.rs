//! The harness itself: what must be seen is seen, what must fail fails.

use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::api::{Api, DeleteParams, ListParams};

use crate::faults::FaultProxy;
use crate::lab::{app_of, with_lab};
use crate::watch::Watch;
use crate::workload::{Size, Workload};

#[test]
fn the_watch_sees_an_app_below_its_share_and_the_proxy_fails_calls() {
    with_lab("harness", async |lab| {
        let workload = Workload::generate(Size::small(), 1);
        lab.populate(&workload).await;
        assert!((0.0..=1.0).contains(&lab.gained(&workload).await));
        lab.assert_tidy(&workload).await;

        let watch = Watch::begin(&lab.admin, &workload, &lab.nodes().await).await;
        let app = workload.apps[0].clone();
        let pods = Api::<Pod>::namespaced(lab.admin.clone(), &app.namespace);
        let mine = |pod: &&Pod| app_of(pod) == Some(app.id());
        let all = lab.pods().await;
        let too_many = (app.replicas - app.floor() + 1) as usize;
        for pod in all.iter().filter(mine).take(too_many) {
            pods.delete(&pod.name_any(), &DeleteParams::default().grace_period(0))
                .await
                .unwrap();
        }
        lab.settled(&workload).await;
        let findings = watch.end();
        assert_eq!(findings.broken.len(), 1, "{findings:?}");
        assert_eq!(findings.stopped, too_many);

        let proxy = FaultProxy::start(lab.plane.forwarder().await, 300, 1).await;
        let through = lab.plane.client_at("admin", proxy.address()).await;
        let mut failed = 0;
        for _ in 0..50 {
            let list = Api::<Pod>::all(through.clone())
                .list(&ListParams::default())
                .await;
            failed += usize::from(list.is_err());
        }
        assert_eq!(proxy.counts(), (50, failed));
        assert!((5..25).contains(&failed), "{failed} of 50 calls failed");
    });
}
