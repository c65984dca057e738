//! From a plan and a snapshot to what the core works on.

use std::collections::{BTreeMap, BTreeSet};

use bayplan_formats::{WorkloadRef, read_plan};
use bayplan_model::{PlacementPlan, Plan, Problem, ServiceId, Wave, WaveKind};
use bayplan_verify::{Rules, check};

use super::core::{Slots, Stages, Workload};
use super::error::ApplyError;
use super::replan::{adapt, way};
use crate::Snapshot;

/// Pods by service and node, by name: what survives a new snapshot.
pub(crate) type Places = BTreeMap<String, BTreeMap<String, u32>>;

/// What the core works on, and the names behind its numbers.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub workloads: Vec<Workload>,
    pub refs: Vec<WorkloadRef>,
    /// The replica sets that make the pods of each, where one does.
    pub replica_sets: Vec<BTreeSet<String>>,
    pub stages: Stages,
    pub nodes: Vec<String>,
}

/// A plan that fits the cluster as it is.
#[derive(Debug)]
pub(crate) struct Checked {
    pub plan: PlacementPlan,
    pub start: Places,
    pub target: Places,
}

/// Reads a plan and holds it against the cluster: what moves must stand where
/// the plan starts, and no wave may break a rule.
pub(crate) fn check_plan(
    bytes: &[u8],
    snapshot: &Snapshot,
    alive: u32,
) -> Result<Checked, ApplyError> {
    let problem = snapshot.problem();
    let plan = read_plan(bytes, problem).map_err(|errors| {
        ApplyError::Stale(errors.to_string().lines().map(String::from).collect())
    })?;
    let Plan::Placement(plan) = plan else {
        return Err(ApplyError::Unusable("it is not a plan for services".into()));
    };
    if !plan.opened.is_empty() {
        return Err(ApplyError::Unusable("it opens new nodes".into()));
    }
    let services = problem
        .services()
        .ok_or_else(|| ApplyError::Unusable("the cluster runs no services".into()))?;
    if plan.waves.is_empty() && plan.placement != services.placement {
        return Err(ApplyError::Unusable("it has no waves".into()));
    }
    let moved = moved(&plan.waves);
    let (start, target) = (starts(&plan, &moved), ends(&plan, &moved));
    let mut changed = Vec::new();
    for (service, slots) in &start {
        let mut here = Slots::new();
        for entry in services.placement.of(*service) {
            here.insert(entry.node.0, entry.count);
        }
        let nodes: BTreeSet<&u32> = slots.keys().chain(here.keys()).collect();
        for node in nodes {
            let count = |slots: &Slots| slots.get(node).copied().unwrap_or(0);
            if count(slots) != count(&here) {
                changed.push(format!(
                    "{} on {}: {} when the plan was made, {} now",
                    services.names.get(service.index()),
                    problem.cluster().nodes[*node as usize].name,
                    count(slots),
                    count(&here)
                ));
            }
        }
    }
    if !changed.is_empty() {
        return Err(ApplyError::Stale(changed));
    }
    // What does not move stays where it is by now, not where it was then.
    let mut counts: Vec<_> = services.placement.counts().to_vec();
    counts.retain(|entry| !moved.contains(&entry.service));
    let ours = plan
        .placement
        .counts()
        .iter()
        .filter(|e| moved.contains(&e.service));
    counts.extend(ours.copied());
    let plan = PlacementPlan {
        placement: bayplan_model::Placement::new(counts),
        unplaced: Vec::new(),
        ..plan
    };
    refuse_broken(problem, &plan, alive)?;
    Ok(Checked {
        start: places(problem, &start),
        target: places(problem, &target),
        plan,
    })
}

fn refuse_broken(problem: &Problem, plan: &PlacementPlan, alive: u32) -> Result<(), ApplyError> {
    let rules = Rules {
        alive,
        complete: false,
        ..Rules::default()
    };
    let report = check(problem, &Plan::Placement(plan.clone()), &rules);
    if report.holds() {
        return Ok(());
    }
    let broken = report
        .violations
        .iter()
        .filter(|violation| !violation.on_arrival);
    Err(ApplyError::Breaks(
        broken.map(ToString::to_string).collect(),
    ))
}

fn moved(waves: &[Wave]) -> BTreeSet<ServiceId> {
    let moves = waves.iter().flat_map(|wave| &wave.moves);
    moves.map(|step| step.service).collect()
}

fn ends(plan: &PlacementPlan, moved: &BTreeSet<ServiceId>) -> BTreeMap<ServiceId, Slots> {
    let slots = |service: &ServiceId| {
        let entries = plan.placement.of(*service).iter();
        (
            *service,
            entries.map(|entry| (entry.node.0, entry.count)).collect(),
        )
    };
    moved.iter().map(slots).collect()
}

/// Where a plan starts: its end without what it creates, with what it deletes.
fn starts(plan: &PlacementPlan, moved: &BTreeSet<ServiceId>) -> BTreeMap<ServiceId, Slots> {
    let mut counts: BTreeMap<(ServiceId, u32), i64> = BTreeMap::new();
    for (service, slots) in ends(plan, moved) {
        for (node, count) in slots {
            counts.insert((service, node), i64::from(count));
        }
    }
    for wave in &plan.waves {
        let sign = if wave.kind == WaveKind::Create { -1 } else { 1 };
        for step in &wave.moves {
            let count = counts.entry((step.service, step.node.0)).or_insert(0);
            *count += sign * i64::from(step.count);
        }
    }
    let mut starts: BTreeMap<ServiceId, Slots> = moved
        .iter()
        .map(|service| (*service, Slots::new()))
        .collect();
    for ((service, node), count) in counts {
        if let (Some(slots), Ok(count @ 1..)) = (starts.get_mut(&service), u32::try_from(count)) {
            slots.insert(node, count);
        }
    }
    starts
}

fn places(problem: &Problem, slots: &BTreeMap<ServiceId, Slots>) -> Places {
    let Some(services) = problem.services() else {
        return Places::new();
    };
    let node = |node: &u32| problem.cluster().nodes[*node as usize].name.clone();
    let named = slots.iter().map(|(service, slots)| {
        let slots = slots.iter().map(|(n, count)| (node(n), *count)).collect();
        (services.names.get(service.index()).to_string(), slots)
    });
    named.collect()
}

/// The workloads of a plan whose waves start from the snapshot. Where nothing
/// is to be moved but only put in order, it need not be movable.
pub(crate) fn job(
    snapshot: &Snapshot,
    plan: &PlacementPlan,
    moved: &BTreeSet<ServiceId>,
    alive: u32,
    strict: bool,
) -> Result<Job, ApplyError> {
    let problem = snapshot.problem();
    let services = problem
        .services()
        .ok_or_else(|| ApplyError::Unusable("the cluster runs no services".into()))?;
    let refs = &snapshot.objects().workloads;
    let mut templates: BTreeMap<(&str, &str, &str), u32> = BTreeMap::new();
    for known in refs {
        *templates
            .entry((&known.kind, &known.namespace, &known.name))
            .or_insert(0) += 1;
    }
    let (mut unmovable, mut no_surge) = (Vec::new(), Vec::new());
    let mut job = Job {
        workloads: Vec::new(),
        refs: Vec::new(),
        replica_sets: Vec::new(),
        stages: Stages::default(),
        nodes: problem
            .cluster()
            .nodes
            .iter()
            .map(|node| node.name.clone())
            .collect(),
    };
    let mut start = Vec::new();
    let mut index: BTreeMap<ServiceId, usize> = BTreeMap::new();
    for service in moved {
        let at = service.index();
        let name = services.names.get(at).to_string();
        let Some(known) = refs.get(at) else {
            unmovable.push(format!("{name}: not from Kubernetes"));
            continue;
        };
        if !matches!(
            known.kind.as_str(),
            "Deployment" | "ReplicaSet" | "StatefulSet"
        ) {
            unmovable.push(format!(
                "{name}: nothing replaces a pod of a {}",
                known.kind
            ));
        }
        if templates[&(
            known.kind.as_str(),
            known.namespace.as_str(),
            known.name.as_str(),
        )] > 1
        {
            unmovable.push(format!("{name}: its pods have more than one template"));
        }
        let base = services.replicas[at];
        let share = (u64::from(base) * u64::from(alive)).div_ceil(1_000_000) as u32;
        let floor = share.max(services.alive[at]).min(base);
        let surge = known.kind != "StatefulSet" && !known.autoscaled;
        if !surge && floor >= base {
            let why = if known.autoscaled {
                "an autoscaler sets its replicas"
            } else {
                "a StatefulSet"
            };
            no_surge.push(format!(
                "{name}: {why}, and {floor} of {base} must stay alive"
            ));
        }
        let pods = snapshot.pods(*service).iter();
        job.replica_sets
            .push(pods.filter_map(|pod| pod.replica_set.clone()).collect());
        job.refs.push(known.clone());
        let demand = services.row(*service).to_vec();
        index.insert(*service, job.workloads.len());
        job.workloads.push(Workload {
            name,
            base,
            floor,
            surge,
            demand,
        });
        let here = services.placement.of(*service).iter();
        start.push(here.map(|entry| (entry.node.0, entry.count)).collect());
    }
    if strict && !unmovable.is_empty() {
        return Err(ApplyError::Unmovable(unmovable));
    }
    if strict && !no_surge.is_empty() {
        return Err(ApplyError::NoSurge(no_surge));
    }
    let changes = |wave: &Wave| {
        let sign = if wave.kind == WaveKind::Create { 1 } else { -1 };
        let known = wave.moves.iter().filter_map(|step| {
            let at = index.get(&step.service)?;
            Some((*at, step.node.0, sign * i64::from(step.count)))
        });
        known.collect()
    };
    let waves: Vec<Vec<_>> = plan.waves.iter().map(changes).collect();
    job.stages = Stages::new(start, &waves);
    Ok(job)
}

/// The job of a plan as it was written.
pub(crate) fn first_job(
    snapshot: &Snapshot,
    checked: &Checked,
    alive: u32,
) -> Result<Job, ApplyError> {
    job(
        snapshot,
        &checked.plan,
        &moved(&checked.plan.waves),
        alive,
        true,
    )
}

/// What remains to be done from the cluster as it is, and what had to be given
/// up because it is not there any more.
pub(crate) fn remaining(
    snapshot: &Snapshot,
    target: &Places,
    alive: u32,
) -> Result<(Job, Vec<String>), ApplyError> {
    let problem = snapshot.problem();
    let services = problem
        .services()
        .ok_or_else(|| ApplyError::Unusable("the cluster runs no services".into()))?;
    let nodes: BTreeMap<&str, u32> = problem
        .cluster()
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| (node.name.as_str(), at as u32))
        .collect();
    let mut given_up = Vec::new();
    let mut targets: BTreeMap<ServiceId, Slots> = BTreeMap::new();
    for (name, slots) in target {
        let Some(service) = services.names.find(name).map(ServiceId) else {
            given_up.push(format!("{name}: the workload is gone"));
            continue;
        };
        if services.pinned[service.index()] {
            given_up.push(format!("{name}: its pods must stay where they are by now"));
            continue;
        }
        let mut want = Slots::new();
        for (node, count) in slots {
            match nodes.get(node.as_str()) {
                Some(node) => {
                    want.insert(*node, *count);
                }
                None => given_up.push(format!("{name}: {count} on {node}, which is gone")),
            }
        }
        let here = services.placement.of(service).iter();
        let here: Slots = here.map(|entry| (entry.node.0, entry.count)).collect();
        let replicas = services.replicas[service.index()];
        let allowed = |node: u32| {
            services
                .compatibility
                .allows_node(service, bayplan_model::NodeId(node))
        };
        targets.insert(service, adapt(&want, &here, replicas, allowed));
    }
    let plan = way(problem, &targets, alive).map_err(|error| {
        ApplyError::Unusable(format!(
            "no way can be planned from the cluster as it is: {error}"
        ))
    })?;
    refuse_broken(problem, &plan, alive)?;
    let job = job(
        snapshot,
        &plan,
        &targets.keys().copied().collect(),
        alive,
        true,
    )?;
    Ok((job, given_up))
}

/// The workloads of a target as they are, to be put in order, and where their
/// pods should stand.
pub(crate) fn at_rest(
    snapshot: &Snapshot,
    target: &Places,
    alive: u32,
) -> Result<(Job, Vec<Slots>), ApplyError> {
    let services = snapshot
        .problem()
        .services()
        .ok_or_else(|| ApplyError::Unusable("the cluster runs no services".into()))?;
    let known = target.keys().filter_map(|name| services.names.find(name));
    let moved: BTreeSet<ServiceId> = known.map(ServiceId).collect();
    let job = job(snapshot, &PlacementPlan::default(), &moved, alive, false)?;
    let slots = |workload: &Workload| {
        let numbered = job.nodes.iter().enumerate();
        let want = target.get(&workload.name);
        let there = numbered.filter_map(|(at, name)| Some((at as u32, *want?.get(name)?)));
        there.collect()
    };
    let slots = job.workloads.iter().map(slots).collect();
    Ok((job, slots))
}

/// The share of traffic that stays local with the pods of `target` where they
/// should be and all others where they are; `None` without traffic.
pub(crate) fn gain_at(snapshot: &Snapshot, target: &Places) -> Option<f64> {
    let problem = snapshot.problem();
    let services = problem.services()?;
    let nodes = &problem.cluster().nodes;
    let mut counts = services.placement.counts().to_vec();
    for (name, slots) in target {
        let Some(service) = services.names.find(name).map(ServiceId) else {
            continue;
        };
        counts.retain(|entry| entry.service != service);
        for (at, node) in nodes.iter().enumerate() {
            if let Some(count) = slots.get(&node.name) {
                let node = bayplan_model::NodeId::from(at);
                counts.push(bayplan_model::Count {
                    service,
                    node,
                    count: *count,
                });
            }
        }
    }
    let plan = PlacementPlan {
        placement: bayplan_model::Placement::new(counts),
        ..PlacementPlan::default()
    };
    check(problem, &Plan::Placement(plan), &Rules::default())
        .figures
        .gained_affinity
}

/// How many pods of the target stand where they should, how many should, and
/// the services that miss some.
pub(crate) fn reached(snapshot: &Snapshot, target: &Places) -> (u64, u64, Vec<String>) {
    let (mut there, mut wanted, mut astray) = (0, 0, Vec::new());
    let Some(services) = snapshot.problem().services() else {
        return (there, wanted, astray);
    };
    let nodes = &snapshot.problem().cluster().nodes;
    for (name, slots) in target {
        let service = services.names.find(name).map(ServiceId);
        let here = service.map_or(&[][..], |service| services.placement.of(service));
        let before = wanted - there;
        for (node, count) in slots {
            wanted += u64::from(*count);
            let found = here
                .iter()
                .find(|entry| nodes[entry.node.index()].name == *node);
            there += u64::from(found.map_or(0, |entry| entry.count).min(*count));
        }
        if wanted - there > before {
            astray.push(name.clone());
        }
    }
    (there, wanted, astray)
}
