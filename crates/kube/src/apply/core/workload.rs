//! One workload in one stage: what is missing between what is and what should be.

use std::collections::BTreeSet;
use std::time::Duration;

use super::memory::{Memory, Spec};
use super::tally::{Room, Tally};
use super::{Action, Live, Pod, Slots, Stages, View, Why, Workload};

/// Evictions of a workload in one round beyond those planned, before what is
/// wrong is left to the next round.
const REPAIRS: u32 = 3;

/// Where a workload is.
pub(super) enum Progress {
    /// As the stage wants it.
    There,
    /// On its way.
    Going,
    /// The plan does not fit what happened to it.
    Drift(Why),
}

/// What a decision looks at.
pub(super) struct Scene<'a> {
    pub at: usize,
    pub stage: usize,
    pub stages: &'a Stages,
    pub workload: &'a Workload,
    pub view: &'a View,
    pub now: Duration,
}

impl Scene<'_> {
    fn live(&self) -> &Live {
        &self.view.workloads[self.at]
    }

    /// Decides; calls that may be sent now go to `out`.
    pub fn decide(&self, memory: &mut Memory, room: &mut Room, out: &mut Vec<Action>) -> Progress {
        let spec = match memory.spec(self.live()) {
            Spec::Known(spec) => spec,
            Spec::Gone => return Progress::Drift(Why::Gone { workload: self.at }),
            Spec::Foreign(to) => {
                let from = memory.spec.unwrap_or(to);
                return Progress::Drift(Why::Scaled {
                    workload: self.at,
                    from,
                    to,
                });
            }
        };
        if self.live().changed {
            return Progress::Drift(Why::Changed { workload: self.at });
        }
        let want = self.stages.want(self.at, self.stage);
        let tally = Tally::new(self.live(), memory);
        let mut missing = tally.missing(want);
        if let Some(node) = missing.iter().find(|n| !self.usable(**n)) {
            return Progress::Drift(Why::NodeGone { node: *node });
        }
        let mut calls = Vec::new();
        let mut held = tally.held.clone();
        self.hand_out(&mut missing, &mut held, room, &mut calls);
        let goal = if self.workload.surge {
            self.workload.base.max(want.values().sum())
        } else {
            self.workload.base
        };
        let surplus = self.bound_to_go(tally.surplus(want));
        if spec < goal && !memory.scaling_taken() && !missing.is_empty() {
            calls.push(Action::Scale {
                workload: self.at,
                from: spec,
                to: goal,
            });
        } else if spec > goal && !memory.scaling_taken() {
            self.lower(&tally, &surplus, spec, goal, memory, &mut calls);
        } else if tally.staying() <= spec {
            let blocked = self.evict(&tally, &surplus, memory, &mut calls);
            if blocked {
                self.hand_ahead(&tally, &mut held, room, &mut calls);
            }
        }
        self.release(&tally, held, &mut calls);
        let stuck = memory.stuck(self.live(), self.now).into_iter();
        calls.extend(stuck.map(|pod| Action::Evict {
            workload: self.at,
            pod,
        }));
        let idle = calls.is_empty();
        out.extend(calls.into_iter().filter(|call| memory.may(call, self.now)));
        let waits_for_more = self.workload.surge || !tally.held.is_empty() || tally.leaving > 0;
        let repaired = memory.evictions >= self.evictions_allowed();
        let there = idle
            && tally.leaving == 0
            && tally.loose == 0
            && tally.unready == 0
            && (surplus.is_empty() || repaired)
            && (missing.is_empty() || !waits_for_more || repaired)
            && spec <= goal.max(self.workload.base)
            && tally.staying() == spec;
        if there {
            Progress::There
        } else {
            Progress::Going
        }
    }

    fn usable(&self, node: u32) -> bool {
        self.view
            .nodes
            .get(node as usize)
            .is_some_and(|node| node.usable)
    }

    /// Pods for which the plan has no place at all, such as those of a workload
    /// that grew meanwhile, stay where the scheduler put them.
    fn bound_to_go<'a>(&self, mut surplus: Vec<&'a Pod>) -> Vec<&'a Pod> {
        let places: u32 = self.stages.target(self.at).values().sum();
        let mut free = self.workload.base.saturating_sub(places);
        surplus.retain(|pod| {
            let mut states = self.stages.from(self.at, 0);
            let known = pod
                .node
                .is_none_or(|node| states.any(|state| state.contains_key(&node)));
            let stays = !known && free > 0;
            free -= u32::from(stays);
            !stays
        });
        surplus
    }

    /// Held pods go to the places of this stage, where they fit.
    fn hand_out(
        &self,
        missing: &mut Vec<u32>,
        held: &mut Vec<Pod>,
        room: &mut Room,
        calls: &mut Vec<Action>,
    ) {
        missing.retain(|node| {
            if held.is_empty() || !room.fits(*node, &self.workload.demand) {
                return true;
            }
            let pod = held.remove(0);
            room.take(*node, &self.workload.demand);
            calls.push(Action::Steer {
                workload: self.at,
                pod: pod.id,
                node: *node,
            });
            false
        });
    }

    /// The workload is at its floor while its own pods are held for a later
    /// stage: they go to whatever later place has room, or nothing would move.
    fn hand_ahead(
        &self,
        tally: &Tally,
        held: &mut Vec<Pod>,
        room: &mut Room,
        calls: &mut Vec<Action>,
    ) {
        let mut union = Slots::new();
        for later in self.stages.from(self.at, self.stage) {
            for (node, count) in later {
                let most = union.entry(*node).or_insert(0);
                *most = (*most).max(*count);
            }
        }
        let mut missing = tally.missing(&union);
        missing.retain(|node| self.usable(*node));
        self.hand_out(&mut missing, held, room, calls);
    }

    /// More pods held than any later stage has places for: they are free to go.
    fn release(&self, tally: &Tally, mut held: Vec<Pod>, calls: &mut Vec<Action>) {
        let later = self.stages.from(self.at, self.stage);
        let places = later
            .map(|want| tally.missing(want).len())
            .max()
            .unwrap_or(0);
        let leaving = tally.held.len() - held.len();
        while held.len() + leaving > places {
            let Some(pod) = held.pop() else { break };
            calls.push(Action::Release {
                workload: self.at,
                pod: pod.id,
            });
        }
    }

    /// Fewer replicas: the pods to go are marked first, and only when all
    /// serve, since a controller removes what does not serve before any mark.
    fn lower(
        &self,
        tally: &Tally,
        surplus: &[&Pod],
        spec: u32,
        goal: u32,
        memory: &Memory,
        calls: &mut Vec<Action>,
    ) {
        let settled = tally.unready == 0 && tally.held.is_empty() && tally.loose == 0;
        let whole = tally.staying() == spec && settled;
        let spare = tally.alive.saturating_sub(self.workload.floor);
        let count = (spec - goal).min(spare).min(surplus.len() as u32);
        if !whole || count == 0 {
            return;
        }
        let going = &surplus[..count as usize];
        let ids: BTreeSet<&str> = going.iter().map(|pod| pod.id.as_str()).collect();
        // Marks of an earlier attempt would take others along.
        let others = tally.placed.iter().map(|(pod, _)| pod);
        let others = others.filter(|pod| pod.marked && !ids.contains(pod.id.as_str()));
        calls.extend(others.map(|pod| Action::Unmark {
            workload: self.at,
            pod: pod.id.clone(),
        }));
        let unmarked = going.iter().filter(|pod| !pod.marked);
        let fresh = unmarked.filter(|pod| !memory.marked.contains_key(&pod.id));
        calls.extend(fresh.map(|pod| Action::Mark {
            workload: self.at,
            pod: pod.id.clone(),
        }));
        let visible = going.iter().all(|pod| pod.marked)
            && memory
                .marked
                .values()
                .all(|at| *at + self.view.mark_wait <= self.now);
        if calls.is_empty() && visible {
            calls.push(Action::Scale {
                workload: self.at,
                from: spec,
                to: spec - count,
            });
        }
    }

    /// Stops pods that should not be where they are, as far as the floor
    /// allows; says whether the floor stood in the way.
    fn evict(
        &self,
        tally: &Tally,
        surplus: &[&Pod],
        memory: &Memory,
        calls: &mut Vec<Action>,
    ) -> bool {
        let mut alive = tally.alive;
        let mut left = self.evictions_allowed().saturating_sub(memory.evictions);
        for pod in surplus {
            if left == 0 {
                return false;
            }
            if pod.alive() {
                if alive <= self.workload.floor {
                    return true;
                }
                alive -= 1;
            }
            left -= 1;
            calls.push(Action::Evict {
                workload: self.at,
                pod: pod.id.clone(),
            });
        }
        false
    }

    /// All pods once for every stage they may have to move in, and repairs.
    fn evictions_allowed(&self) -> u32 {
        let states: Vec<&Slots> = self.stages.from(self.at, 0).collect();
        let fewer = states.windows(2).map(|pair| {
            let gone = pair[0]
                .iter()
                .map(|(node, count)| count.saturating_sub(pair[1].get(node).copied().unwrap_or(0)));
            gone.sum::<u32>()
        });
        fewer.sum::<u32>() + REPAIRS
    }
}
