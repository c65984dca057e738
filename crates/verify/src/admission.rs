//! Checks of an admission: requests in time on nodes.

use std::collections::BTreeMap;

use bayplan_model::{AdmissionPlan, NodeId, RequestId, Requests, format_units};

use crate::findings::{Findings, Numbers};
use crate::site::{Site, unknown};
use crate::{Figures, Rule, Rules};

/// An admission plan, its requests by node.
pub(crate) struct AdmissionSubject<'a> {
    site: Site<'a>,
    requests: &'a Requests,
    rules: &'a Rules,
    plan: &'a AdmissionPlan,
    by_node: BTreeMap<NodeId, Vec<RequestId>>,
    /// How often each request was admitted to a known node.
    times: Vec<u32>,
}

/// The highest load of a resource on a node, and when.
#[derive(Clone, Copy, Default)]
struct Peak {
    units: u128,
    time: i64,
}

impl<'a> AdmissionSubject<'a> {
    pub fn new(
        site: Site<'a>,
        requests: &'a Requests,
        rules: &'a Rules,
        plan: &'a AdmissionPlan,
    ) -> Self {
        let mut by_node: BTreeMap<NodeId, Vec<RequestId>> = BTreeMap::new();
        let mut times = vec![0u32; requests.len()];
        for (request, node) in &plan.accepted {
            if request.index() < requests.len() && site.pool(*node).is_some() {
                by_node.entry(*node).or_default().push(*request);
                times[request.index()] = times[request.index()].saturating_add(1);
            }
        }
        Self {
            site,
            requests,
            rules,
            plan,
            by_node,
            times,
        }
    }

    /// The highest load of each resource. A request runs in (start, finish]:
    /// at one moment those that finish go before those that start come.
    fn peaks(&self, requests: &[RequestId]) -> Vec<Peak> {
        let mut events: Vec<(i64, bool, RequestId)> = Vec::with_capacity(requests.len() * 2);
        for request in requests {
            events.push((self.requests.start[request.index()], true, *request));
            events.push((self.requests.finish[request.index()], false, *request));
        }
        events.sort_unstable();
        let resources = self.site.cluster.resources.len();
        let (mut load, mut peaks) = (vec![0u128; resources], vec![Peak::default(); resources]);
        for (time, starts, request) in events {
            let row = self.requests.row(request);
            for (r, units) in row.iter().enumerate() {
                if !starts {
                    load[r] -= u128::from(*units);
                    continue;
                }
                load[r] += u128::from(*units);
                if load[r] > peaks[r].units {
                    peaks[r] = Peak {
                        units: load[r],
                        time,
                    };
                }
            }
        }
        peaks
    }

    fn time(&self, time: i64) -> String {
        let sign = if time < 0 { "-" } else { "" };
        let scale = self.requests.time_scale.max(1);
        format!("{sign}{}", format_units(time.unsigned_abs(), scale))
    }

    /// Every figure of the admission.
    pub fn figures(&self) -> Figures {
        let weights = self.times.iter().zip(&self.requests.weight);
        let admitted = weights.filter(|(times, _)| **times > 0);
        let busiest = self
            .by_node
            .values()
            .filter_map(|requests| self.peaks(requests).first().map(|peak| peak.units))
            .max()
            .unwrap_or(0);
        Figures {
            nodes: self.by_node.len() as u64,
            cost: self
                .by_node
                .keys()
                .map(|n| u128::from(self.site.price(*n)))
                .sum(),
            max_load: Some(u64::try_from(busiest).unwrap_or(u64::MAX)),
            admitted: Some(admitted.clone().count() as u64),
            weight: Some(admitted.map(|(_, weight)| u128::from(*weight)).sum()),
            ..Figures::default()
        }
    }
}

/// Every resource of every node within its capacity at every time.
pub(crate) fn capacity(subject: &AdmissionSubject<'_>, findings: &mut Findings) {
    for (node, requests) in &subject.by_node {
        let allowed = subject.site.allowed(*node);
        for (r, peak) in subject.peaks(requests).into_iter().enumerate() {
            let resource = &subject.site.cluster.resources[r];
            let most = u128::from(allowed[r]);
            if peak.units > most {
                let key = (Rule::Capacity, [node.0, r as u32, 0]);
                findings.add(key, Numbers::of(resource, peak.units, most), || {
                    vec![
                        ("node", subject.site.name(*node)),
                        ("resource", resource.name.clone()),
                        ("time", subject.time(peak.time)),
                    ]
                });
            }
        }
    }
}

/// Each request at most once.
pub(crate) fn each_once(subject: &AdmissionSubject<'_>, findings: &mut Findings) {
    for (request, times) in subject.times.iter().enumerate().filter(|(_, t)| **t > 1) {
        let numbers = Numbers::counted(u128::from(*times), 1, "times");
        findings.add((Rule::Twice, [request as u32, 0, 0]), numbers, || {
            vec![("request", request.to_string())]
        });
    }
}

/// No pool larger than it may be.
pub(crate) fn pool_size(subject: &AdmissionSubject<'_>, findings: &mut Findings) {
    subject.site.pool_sizes(findings);
}

/// Ids beyond the problem.
pub(crate) fn unknown_objects(subject: &AdmissionSubject<'_>, findings: &mut Findings) {
    subject.site.unknown_pools(findings);
    for (request, node) in &subject.plan.accepted {
        if request.index() >= subject.requests.len() {
            unknown(findings, "request", request.0);
        }
        if subject.site.pool(*node).is_none() {
            unknown(findings, "node", node.0);
        }
    }
}

/// Survival is not defined for requests: asked for, it is refused.
pub(crate) fn survives(subject: &AdmissionSubject<'_>, findings: &mut Findings) {
    if subject.rules.survive.is_some() {
        let numbers = Numbers::counted(subject.plan.accepted.len() as u128, 0, "requests");
        findings.add((Rule::Survive, [0; 3]), numbers, || {
            vec![("any", "node: survival is checked for services only".into())]
        });
    }
}
