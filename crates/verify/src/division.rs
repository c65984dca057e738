//! Checks of a division of load over instances.

use std::collections::BTreeMap;

use bayplan_model::{ApplicationId, Applications, DivisionPlan, NodeId, Share};

use crate::findings::{Findings, Numbers};
use crate::site::{Site, unknown};
use crate::{Figures, Rule, Rules};

/// A division plan with what is counted of it once.
pub(crate) struct DivisionSubject<'a> {
    site: Site<'a>,
    applications: &'a Applications,
    rules: &'a Rules,
    plan: &'a DivisionPlan,
    /// CPU and memory asked for on each node in use.
    load: BTreeMap<NodeId, [u128; 2]>,
    /// Instances per node and load served, by application.
    instances: Vec<(BTreeMap<NodeId, u128>, u128)>,
}

impl<'a> DivisionSubject<'a> {
    pub fn new(
        site: Site<'a>,
        applications: &'a Applications,
        rules: &'a Rules,
        plan: &'a DivisionPlan,
    ) -> Self {
        let mut load: BTreeMap<NodeId, [u128; 2]> = BTreeMap::new();
        let mut instances = vec![(BTreeMap::new(), 0); applications.all.len()];
        for share in plan.shares.iter().filter(|s| knows(&site, applications, s)) {
            let application = &applications.all[share.application.index()];
            let [cpu, memory] = load.entry(share.node).or_default();
            *cpu += u128::from(share.load);
            *memory = memory.saturating_add(application.memory_at(share.load));
            let (nodes, served) = &mut instances[share.application.index()];
            *nodes.entry(share.node).or_insert(0) += 1;
            *served += u128::from(share.load);
        }
        Self {
            site,
            applications,
            rules,
            plan,
            load,
            instances,
        }
    }

    fn name(&self, application: usize) -> (&'static str, String) {
        let name = self.applications.names.get(application);
        ("application", name.to_owned())
    }

    /// Every figure of the division.
    pub fn figures(&self) -> Figures {
        let instances = self.instances.iter().flat_map(|(nodes, _)| nodes.values());
        let busiest = self.load.values().map(|[cpu, _]| *cpu).max().unwrap_or(0);
        Figures {
            nodes: self.load.len() as u64,
            cost: self
                .load
                .keys()
                .map(|n| u128::from(self.site.price(*n)))
                .sum(),
            max_load: Some(u64::try_from(busiest).unwrap_or(u64::MAX)),
            instances: Some(instances.sum::<u128>() as u64),
            ..Figures::default()
        }
    }
}

fn knows(site: &Site<'_>, applications: &Applications, share: &Share) -> bool {
    share.application.index() < applications.all.len() && site.pool(share.node).is_some()
}

/// CPU and memory of every node within its capacity.
pub(crate) fn capacity(subject: &DivisionSubject<'_>, findings: &mut Findings) {
    for (node, load) in &subject.load {
        let allowed = subject.site.allowed(*node);
        for (r, resource) in subject.site.cluster.resources.iter().enumerate() {
            let most = u128::from(allowed[r]);
            if load[r] > most {
                let key = (Rule::Capacity, [node.0, r as u32, 0]);
                findings.add(key, Numbers::of(resource, load[r], most), || {
                    vec![
                        ("node", subject.site.name(*node)),
                        ("resource", resource.name.clone()),
                    ]
                });
            }
        }
    }
}

/// The shares of each application add up to its load, to the unit. Without
/// `complete` less is allowed, more is not.
pub(crate) fn load_shares(subject: &DivisionSubject<'_>, findings: &mut Findings) {
    let cpu = &subject.site.cluster.resources[0];
    for (at, (_, served)) in subject.instances.iter().enumerate() {
        let wanted = u128::from(subject.applications.all[at].load);
        if *served > wanted || (subject.rules.complete && *served < wanted) {
            let numbers = Numbers::of(cpu, *served, wanted);
            findings.add((Rule::LoadShare, [at as u32, 0, 0]), numbers, || {
                vec![subject.name(at)]
            });
        }
    }
}

/// At most one instance of an application on a node.
pub(crate) fn one_instance_per_node(subject: &DivisionSubject<'_>, findings: &mut Findings) {
    for (at, (nodes, _)) in subject.instances.iter().enumerate() {
        for (node, count) in nodes.iter().filter(|(_, count)| **count > 1) {
            let numbers = Numbers::counted(*count, 1, "instances");
            findings.add((Rule::Instance, [at as u32, node.0, 0]), numbers, || {
                vec![subject.name(at), ("node", subject.site.name(*node))]
            });
        }
    }
}

/// As many nodes with an instance as the application asks for. Without
/// `complete` an application may be left out whole.
pub(crate) fn instance_counts(subject: &DivisionSubject<'_>, findings: &mut Findings) {
    for (at, (nodes, _)) in subject.instances.iter().enumerate() {
        let application = &subject.applications.all[at];
        let found = nodes.len() as u128;
        let (least, most) = (
            u128::from(application.min_instances),
            application.max_instances.map_or(u128::MAX, u128::from),
        );
        let left_out = found == 0 && !subject.rules.complete;
        if (found < least && !left_out) || found > most {
            let asked = if found > most { most } else { least };
            let numbers = Numbers::counted(found, asked, "instances");
            findings.add((Rule::InstanceCount, [at as u32, 0, 0]), numbers, || {
                vec![subject.name(at)]
            });
        }
    }
}

/// No pool larger than it may be.
pub(crate) fn pool_size(subject: &DivisionSubject<'_>, findings: &mut Findings) {
    subject.site.pool_sizes(findings);
}

/// Ids beyond the problem.
pub(crate) fn unknown_objects(subject: &DivisionSubject<'_>, findings: &mut Findings) {
    subject.site.unknown_pools(findings);
    for Share {
        application: ApplicationId(application),
        node,
        ..
    } in &subject.plan.shares
    {
        if *application as usize >= subject.applications.all.len() {
            unknown(findings, "application", *application);
        }
        if subject.site.pool(*node).is_none() {
            unknown(findings, "node", node.0);
        }
    }
}

/// Survival is not defined for divided load: asked for, it is refused.
pub(crate) fn survives(subject: &DivisionSubject<'_>, findings: &mut Findings) {
    if subject.rules.survive.is_some() {
        let numbers = Numbers::counted(subject.instances.len() as u128, 0, "applications");
        findings.add((Rule::Survive, [0; 3]), numbers, || {
            vec![("any", "node: survival is checked for services only".into())]
        });
    }
}
