//! Traffic between workloads, from the metrics of a service mesh in Prometheus.

use std::collections::BTreeMap;

use bayplan_formats::Objects;
use bayplan_model::{ServiceId, Services, Traffic};

use crate::owners::Owners;
use crate::{Error, Prometheus};

/// A mesh, what it counts, and how it names both ends.
struct Mesh {
    name: &'static str,
    query: &'static str,
    /// Labels of namespace and workload (or pod) of the two ends.
    ends: [(&'static str, &'static str); 2],
    /// Whether an end is named by its pod.
    by_pod: bool,
}

/// Requests per second as one end reports them, the first mesh that has any.
const MESHES: &[Mesh] = &[
    Mesh {
        name: "Istio",
        query: "sum by (source_workload_namespace, source_workload, \
            destination_workload_namespace, destination_workload) \
            (rate(istio_requests_total{reporter=\"destination\"}[RANGE]) or \
            rate(istio_tcp_sent_bytes_total{reporter=\"destination\"}[RANGE]))",
        ends: [
            ("source_workload_namespace", "source_workload"),
            ("destination_workload_namespace", "destination_workload"),
        ],
        by_pod: false,
    },
    Mesh {
        name: "Linkerd",
        query: "sum by (namespace, deployment, dst_namespace, dst_deployment) \
            (rate(response_total{direction=\"outbound\"}[RANGE]))",
        ends: [
            ("namespace", "deployment"),
            ("dst_namespace", "dst_deployment"),
        ],
        by_pod: false,
    },
    Mesh {
        name: "Hubble workloads",
        query: "sum by (source_namespace, source_workload, destination_namespace, \
            destination_workload) (rate(hubble_flows_processed_total[RANGE]))",
        ends: [
            ("source_namespace", "source_workload"),
            ("destination_namespace", "destination_workload"),
        ],
        by_pod: false,
    },
    Mesh {
        name: "Hubble pods",
        query: "sum by (source_namespace, source_pod, destination_namespace, destination_pod) \
            (rate(hubble_flows_processed_total[RANGE]))",
        ends: [
            ("source_namespace", "source_pod"),
            ("destination_namespace", "destination_pod"),
        ],
        by_pod: true,
    },
];

/// Traffic between services over the last `range` seconds before `now`, and
/// the mesh it comes from.
pub async fn traffic(
    prometheus: &Prometheus,
    services: &Services,
    objects: &Objects,
    now: f64,
    range: f64,
) -> Result<(Vec<Traffic>, &'static str), Error> {
    let owners = Owners::new(objects);
    for mesh in MESHES {
        let query = mesh.query.replace("RANGE", &format!("{}s", range.ceil()));
        let mut pairs: BTreeMap<(ServiceId, ServiceId), f64> = BTreeMap::new();
        for series in prometheus.at(&query, now).await? {
            let weight = series.samples.first().map_or(0.0, |(_, value)| *value);
            let [from, to] = mesh.ends.map(|(namespace, name)| {
                let (namespace, name) = (series.label(namespace), series.label(name));
                match mesh.by_pod {
                    // Metrics may name a pod with its namespace before it.
                    true => {
                        let pod = name.rsplit_once('/').map_or(name, |(_, pod)| pod);
                        owners.of_pod(namespace, pod).into_iter().collect()
                    }
                    false => owners.workload(namespace, name),
                }
            });
            if weight > 0.0 {
                divide(services, &from, &to, weight, &mut pairs);
            }
        }
        if !pairs.is_empty() {
            let traffic = pairs
                .into_iter()
                .map(|((a, b), weight)| Traffic { a, b, weight });
            return Ok((traffic.collect(), mesh.name));
        }
    }
    Err(Error::NoData(
        "traffic between workloads of this cluster (Istio, Linkerd or Hubble metrics)".into(),
    ))
}

/// Divides traffic between two workloads over their services by replicas.
fn divide(
    services: &Services,
    from: &[ServiceId],
    to: &[ServiceId],
    weight: f64,
    pairs: &mut BTreeMap<(ServiceId, ServiceId), f64>,
) {
    let replicas = |id: &ServiceId| f64::from(services.replicas[id.index()]);
    let sum = |ids: &[ServiceId]| ids.iter().map(replicas).sum::<f64>();
    let all = sum(from) * sum(to);
    if all <= 0.0 {
        return;
    }
    for a in from {
        for b in to.iter().filter(|b| *b != a) {
            let share = weight * replicas(a) * replicas(b) / all;
            *pairs.entry((*a.min(b), *a.max(b))).or_insert(0.0) += share;
        }
    }
}
