//! Checks of a placement plan as a whole.

use bayplan_model::{PlacementPlan, ServiceId};

use crate::Rule;
use crate::findings::{Findings, Numbers};
use crate::ground::{Ground, State};
use crate::site::unknown;

/// A placement plan with what is counted of it once.
pub(crate) struct PlacementSubject<'a> {
    pub ground: Ground<'a>,
    pub plan: &'a PlacementPlan,
    /// The known part of the plan's placement.
    pub state: State,
    /// The current placement.
    pub current: State,
    /// Replicas placed, per service.
    pub placed: Vec<u64>,
}

impl<'a> PlacementSubject<'a> {
    pub fn new(ground: Ground<'a>, plan: &'a PlacementPlan) -> Self {
        let nodes = ground.site.len();
        let entries = plan.placement.counts().iter();
        let known = entries.filter(|entry| ground.knows(entry.service, entry.node));
        let state = State::new(nodes, known.copied());
        let current = ground.services.placement.counts().iter();
        let current = State::new(nodes, current.copied());
        let placed = state.totals(ground.services.len());
        Self {
            ground,
            plan,
            state,
            current,
            placed,
        }
    }

    /// Every service with its wanted and its placed replicas.
    fn totals(&self) -> impl Iterator<Item = (ServiceId, u64, u64)> {
        let services = self.ground.services;
        services.ids().map(|s| {
            let wanted = u64::from(services.replicas[s.index()]);
            (s, wanted, self.placed[s.index()])
        })
    }
}

/// Ids beyond the problem, anywhere in the plan. What they stand in is left
/// out of all other checks.
pub(crate) fn unknown_objects(subject: &PlacementSubject<'_>, findings: &mut Findings) {
    let PlacementSubject { ground, plan, .. } = subject;
    ground.site.unknown_pools(findings);
    let entries = plan.placement.counts().iter();
    let moves = plan.waves.iter().flat_map(|wave| &wave.moves);
    let pairs = entries
        .map(|entry| (entry.service, entry.node))
        .chain(moves.map(|step| (step.service, step.node)));
    for (service, node) in pairs {
        if ground.site.pool(node).is_none() {
            unknown(findings, "node", node.0);
        }
        if service.index() >= ground.services.len() {
            unknown(findings, "service", service.0);
        }
    }
    for entry in &plan.unplaced {
        if entry.service.index() >= ground.services.len() {
            unknown(findings, "service", entry.service.0);
        }
    }
}

/// Every replica placed, when the run asks for that.
pub(crate) fn unplaced(subject: &PlacementSubject<'_>, findings: &mut Findings) {
    if !subject.ground.rules.complete {
        return;
    }
    for (service, wanted, placed) in subject
        .totals()
        .filter(|(_, wanted, placed)| placed < wanted)
    {
        let numbers = Numbers::counted(u128::from(placed), u128::from(wanted), "replicas");
        findings.add((Rule::Unplaced, [service.0, 0, 0]), numbers, || {
            vec![("service", subject.ground.service_name(service))]
        });
    }
}

/// No more replicas placed than there are.
pub(crate) fn surplus(subject: &PlacementSubject<'_>, findings: &mut Findings) {
    for (service, wanted, placed) in subject
        .totals()
        .filter(|(_, wanted, placed)| placed > wanted)
    {
        let numbers = Numbers::counted(u128::from(placed), u128::from(wanted), "replicas");
        findings.add((Rule::Surplus, [service.0, 0, 0]), numbers, || {
            vec![("service", subject.ground.service_name(service))]
        });
    }
}

/// Replicas of pinned services stay where they are. Missing ones may be added
/// elsewhere; with all of them running, nothing may change.
pub(crate) fn pinned(subject: &PlacementSubject<'_>, findings: &mut Findings) {
    let ground = &subject.ground;
    for before in ground.services.placement.counts() {
        let kept = subject.state.count(before.service, before.node);
        if !ground.services.pinned[before.service.index()] || kept >= u64::from(before.count) {
            continue;
        }
        let key = (Rule::Pinned, [before.service.0, before.node.0, 0]);
        let numbers = Numbers::counted(u128::from(kept), u128::from(before.count), "replicas");
        findings.add(key, numbers, || {
            vec![
                ("service", ground.service_name(before.service)),
                ("node", ground.site.name(before.node)),
            ]
        });
    }
}

/// No pool larger than it may be.
pub(crate) fn pool_size(subject: &PlacementSubject<'_>, findings: &mut Findings) {
    subject.ground.site.pool_sizes(findings);
}
