//! From the pods and workloads that metrics name to services.

use std::collections::BTreeMap;

use bayplan_formats::{Lookup, Objects};
use bayplan_model::ServiceId;

/// Services by what metrics call them.
pub(crate) struct Owners<'a> {
    pods: BTreeMap<(&'a str, &'a str), ServiceId>,
    workloads: Lookup<'a>,
}

impl<'a> Owners<'a> {
    pub fn new(objects: &'a Objects) -> Self {
        let all = objects.pods.iter().enumerate();
        let pods = all.flat_map(|(at, pods)| {
            let id = ServiceId::from(at);
            pods.iter()
                .map(move |pod| ((pod.namespace.as_str(), pod.name.as_str()), id))
        });
        Self {
            pods: pods.collect(),
            workloads: objects.lookup(),
        }
    }

    /// The service of a pod; of one that is gone, by the name its workload gave it.
    pub fn of_pod(&self, namespace: &str, pod: &str) -> Option<ServiceId> {
        if let Some(id) = self.pods.get(&(namespace, pod)) {
            return Some(*id);
        }
        // `web-5d6f-x2x9z` of a deployment, `db-0` of a stateful set.
        let (without_last, _) = pod.rsplit_once('-')?;
        let name = |name: &str| self.workload(namespace, name).first().copied();
        name(without_last).or_else(|| name(without_last.rsplit_once('-')?.0))
    }

    /// The services of a workload.
    pub fn workload(&self, namespace: &str, name: &str) -> Vec<ServiceId> {
        let found = self.workloads.find(&format!("{namespace}/{name}"));
        found.unwrap_or_default()
    }
}
