//! Replays the waves from the current placement.
//!
//! Any order inside a wave must be legal. It is enough to look at the state
//! after each wave: replicas alive are fewest after all deletes, and every
//! rule of a placement (capacity, confidence, limits, spread, compatibility)
//! is monotone, so that what holds after all creates holds after any part of
//! them.

use std::collections::BTreeMap;

use bayplan_model::{NodeId, ServiceId, Wave, WaveKind};

use crate::Rule;
use crate::checks;
use crate::findings::{Findings, Numbers};
use crate::ground::{Ground, State};
use crate::placement::PlacementSubject;
use crate::state_checks::View;

/// What one wave did.
pub(crate) struct Step<'a> {
    ground: &'a Ground<'a>,
    /// Counted from one.
    wave: usize,
    kind: WaveKind,
    /// Known moves, added up: what was asked for, and what stood there before.
    moves: BTreeMap<(NodeId, ServiceId), Moved>,
    /// Replicas of each service before the first wave.
    at_start: &'a [u64],
    /// Replicas of each service after this wave.
    alive: &'a [u64],
}

#[derive(Clone, Copy, Default)]
struct Moved {
    asked: u64,
    there: u64,
}

/// Runs all waves through the checks; nothing when the order was not asked for.
pub(crate) fn replay(subject: &PlacementSubject<'_>, findings: &mut Findings) {
    if subject.plan.waves.is_empty() {
        return;
    }
    let ground = &subject.ground;
    let mut state = subject.current.clone();
    let at_start = state.totals(ground.services.len());
    let mut alive = at_start.clone();
    for (number, wave) in subject.plan.waves.iter().enumerate() {
        let moves = apply(ground, wave, &mut state, &mut alive);
        let step = Step {
            ground,
            wave: number + 1,
            kind: wave.kind,
            moves,
            at_start: &at_start,
            alive: &alive,
        };
        for (_, check) in checks::WAVE {
            check(&step, findings);
        }
        if wave.kind == WaveKind::Create {
            let mut nodes: Vec<NodeId> = step.moves.keys().map(|(node, _)| *node).collect();
            nodes.dedup();
            let view = View {
                ground,
                state: &state,
                nodes: &nodes,
                wave: Some(number + 1),
            };
            for (_, check) in checks::STATE {
                check(&view, findings);
            }
        }
    }
    for (_, check) in checks::END {
        check(subject, &state, findings);
    }
}

/// Changes state and alive counts; says what was asked for and what was there.
fn apply(
    ground: &Ground<'_>,
    wave: &Wave,
    state: &mut State,
    alive: &mut [u64],
) -> BTreeMap<(NodeId, ServiceId), Moved> {
    let mut moves: BTreeMap<(NodeId, ServiceId), Moved> = BTreeMap::new();
    for step in wave
        .moves
        .iter()
        .filter(|m| ground.knows(m.service, m.node))
    {
        let moved = moves.entry((step.node, step.service)).or_default();
        moved.asked = moved.asked.saturating_add(u64::from(step.count));
    }
    let mut remaining = moves.iter_mut().peekable();
    while let Some(((node, _), _)) = remaining.peek() {
        let node = *node;
        // The contents of one node, rewritten in one go: both sides ascend.
        let mut old = std::mem::take(&mut state.by_node[node.index()])
            .into_iter()
            .peekable();
        let mut new = Vec::new();
        while let Some(((_, service), moved)) = remaining.next_if(|((n, _), _)| *n == node) {
            while let Some(entry) = old.next_if(|entry| entry.0 < *service) {
                new.push(entry);
            }
            moved.there = old.next_if(|entry| entry.0 == *service).map_or(0, |e| e.1);
            let after = match wave.kind {
                WaveKind::Delete => moved.there.saturating_sub(moved.asked),
                WaveKind::Create => moved.there.saturating_add(moved.asked),
            };
            let alive = &mut alive[service.index()];
            *alive = alive.saturating_sub(moved.there).saturating_add(after);
            if after > 0 {
                new.push((*service, after));
            }
        }
        new.extend(old);
        state.by_node[node.index()] = new;
    }
    moves
}

impl Step<'_> {
    fn objects(&self, service: ServiceId, node: Option<NodeId>) -> Vec<(&'static str, String)> {
        let mut objects = vec![("service", self.ground.service_name(service))];
        objects.extend(node.map(|node| ("node", self.ground.site.name(node))));
        objects.push(("wave", self.wave.to_string()));
        objects
    }

    /// How many replicas of a service must run: the share asked for, or its
    /// own rule when that is more; not more than it has, and not more than ran
    /// at the start when it was short already; one fewer where an outage of
    /// one is allowed.
    fn needed(&self, service: ServiceId) -> u64 {
        let services = self.ground.services;
        let replicas = u64::from(services.replicas[service.index()]);
        let share = (replicas * u64::from(self.ground.rules.alive)).div_ceil(1_000_000);
        let needed = share.max(u64::from(services.alive[service.index()]));
        let needed = needed.min(replicas).min(self.at_start[service.index()]);
        needed.saturating_sub(u64::from(self.ground.rules.outage))
    }
}

/// Enough replicas of every service stay alive.
pub(crate) fn alive(step: &Step<'_>, findings: &mut Findings) {
    if step.kind == WaveKind::Create {
        return;
    }
    for (_, service) in step.moves.keys() {
        let (alive, needed) = (step.alive[service.index()], step.needed(*service));
        if alive < needed {
            let numbers = Numbers::counted(u128::from(alive), u128::from(needed), "replicas");
            let key = (Rule::Alive, [service.0, step.wave as u32, 0]);
            findings.add(key, numbers, || step.objects(*service, None));
        }
    }
}

/// Only what runs is stopped.
pub(crate) fn stops_what_runs(step: &Step<'_>, findings: &mut Findings) {
    if step.kind == WaveKind::Create {
        return;
    }
    for ((node, service), moved) in &step.moves {
        if moved.asked > moved.there {
            let (asked, there) = (u128::from(moved.asked), u128::from(moved.there));
            let numbers = Numbers::counted(asked, there, "replicas");
            let key = (Rule::Wave, [service.0, node.0, step.wave as u32]);
            findings.add(key, numbers, || step.objects(*service, Some(*node)));
        }
    }
}

/// No replica of a pinned service is stopped, also when it comes back later.
pub(crate) fn stops_pinned(step: &Step<'_>, findings: &mut Findings) {
    if step.kind == WaveKind::Create {
        return;
    }
    for ((node, service), moved) in &step.moves {
        let stopped = moved.asked.min(moved.there);
        if step.ground.services.pinned[service.index()] && stopped > 0 {
            let kept = u128::from(moved.there - stopped);
            let numbers = Numbers::counted(kept, u128::from(moved.there), "replicas");
            let key = (Rule::Pinned, [service.0, node.0, step.wave as u32]);
            findings.add(key, numbers, || step.objects(*service, Some(*node)));
        }
    }
}

/// The last wave leaves what the plan says.
pub(crate) fn ends_at_plan(subject: &PlacementSubject<'_>, end: &State, findings: &mut Findings) {
    let ground = &subject.ground;
    for node in ground.site.ids() {
        let (reached, planned) = (end.on(node), subject.state.on(node));
        if reached == planned {
            continue;
        }
        let mut counts: BTreeMap<ServiceId, (u64, u64)> = BTreeMap::new();
        for (service, count) in reached {
            counts.entry(*service).or_default().0 = *count;
        }
        for (service, count) in planned {
            counts.entry(*service).or_default().1 = *count;
        }
        for (service, (found, wanted)) in counts {
            if found != wanted {
                let numbers = Numbers::counted(u128::from(found), u128::from(wanted), "replicas");
                findings.add((Rule::WaveEnd, [service.0, node.0, 0]), numbers, || {
                    vec![
                        ("service", ground.service_name(service)),
                        ("node", ground.site.name(node)),
                    ]
                });
            }
        }
    }
}
