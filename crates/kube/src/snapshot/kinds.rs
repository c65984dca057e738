//! The kinds a snapshot holds, in the order they are read.

/// A kind and where its list is.
#[derive(Debug)]
pub(crate) struct Kind {
    /// Such as `Pod`.
    pub kind: &'static str,
    /// Such as `v1` or `apps/v1`.
    pub version: &'static str,
    /// Such as `pods`.
    pub plural: &'static str,
}

impl Kind {
    /// The path of the list over all namespaces.
    pub fn path(&self) -> String {
        let root = if self.version.contains('/') {
            "apis"
        } else {
            "api"
        };
        format!("/{root}/{}/{}", self.version, self.plural)
    }
}

const fn kind(kind: &'static str, version: &'static str, plural: &'static str) -> Kind {
    Kind {
        kind,
        version,
        plural,
    }
}

pub(crate) const KINDS: &[Kind] = &[
    kind("Pod", "v1", "pods"),
    kind("Node", "v1", "nodes"),
    kind("ReplicaSet", "apps/v1", "replicasets"),
    kind("Deployment", "apps/v1", "deployments"),
    kind("StatefulSet", "apps/v1", "statefulsets"),
    kind("DaemonSet", "apps/v1", "daemonsets"),
    kind("PodDisruptionBudget", "policy/v1", "poddisruptionbudgets"),
    kind(
        "HorizontalPodAutoscaler",
        "autoscaling/v2",
        "horizontalpodautoscalers",
    ),
    kind("PersistentVolumeClaim", "v1", "persistentvolumeclaims"),
    kind("PersistentVolume", "v1", "persistentvolumes"),
    kind("Service", "v1", "services"),
    kind("Namespace", "v1", "namespaces"),
];
