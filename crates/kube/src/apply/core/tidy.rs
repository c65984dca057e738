//! Nothing left behind: no pod held, no replica too many, no mark.

use std::time::Duration;

use super::memory::{Memory, Spec};
use super::tally::{Room, Tally};
use super::{Action, Slots, View, Workload};

/// One workload to be tidied.
pub(super) struct Tidying<'a> {
    pub at: usize,
    pub workload: &'a Workload,
    /// Where its pods should stand in the end: held pods go there if they fit.
    pub target: &'a Slots,
    pub view: &'a View,
    pub now: Duration,
}

impl Tidying<'_> {
    /// Decides; says whether the workload is tidy.
    pub fn decide(&self, memory: &mut Memory, room: &mut Room, out: &mut Vec<Action>) -> bool {
        let live = &self.view.workloads[self.at];
        let mut calls = Vec::new();
        let tally = Tally::new(live, memory);
        let mut missing = tally.missing(self.target);
        for pod in &tally.held {
            let fits = |node: &u32| {
                let usable = self
                    .view
                    .nodes
                    .get(*node as usize)
                    .is_some_and(|n| n.usable);
                usable && room.fits(*node, &self.workload.demand)
            };
            let (workload, id) = (self.at, pod.id.clone());
            match missing.iter().position(fits) {
                Some(at) if !live.changed => {
                    let node = missing.remove(at);
                    room.take(node, &self.workload.demand);
                    calls.push(Action::Steer {
                        workload,
                        pod: id,
                        node,
                    });
                }
                _ => calls.push(Action::Release { workload, pod: id }),
            }
        }
        let stuck = memory.stuck(live, self.now);
        let waiting = !memory.waiting.is_empty();
        calls.extend(stuck.into_iter().map(|pod| Action::Evict {
            workload: self.at,
            pod,
        }));
        // What somebody else has set stays as it is.
        let spec = match memory.spec(live) {
            Spec::Known(spec) => Some(spec),
            Spec::Foreign(_) | Spec::Gone => None,
        };
        let above = spec.filter(|spec| *spec > self.workload.base);
        if let Some(spec) = above.filter(|_| !memory.scaling_taken()) {
            self.lower(&tally, spec, memory, &mut calls);
        } else if tally.leaving == 0 && spec.is_none_or(|spec| tally.staying() <= spec) {
            // Only when the controller has removed what it was going to.
            let marked = tally.placed.iter().filter(|(pod, _)| pod.marked);
            calls.extend(marked.map(|(pod, _)| Action::Unmark {
                workload: self.at,
                pod: pod.id.clone(),
            }));
        }
        let tidy = calls.is_empty()
            && !waiting
            && above.is_none()
            && tally.leaving == 0
            && tally.loose == 0
            && spec.is_none_or(|spec| tally.staying() == spec);
        out.extend(calls.into_iter().filter(|call| memory.may(call, self.now)));
        tidy
    }

    /// The replicas too many go, those outside of the target first. Pods that
    /// do not serve are removed before any marked one, which costs nothing.
    fn lower(&self, tally: &Tally, spec: u32, memory: &Memory, calls: &mut Vec<Action>) {
        let count = (spec - self.workload.base) as usize;
        let idle = tally.staying().saturating_sub(tally.alive) as usize;
        let mut going = tally.surplus(self.target);
        going.truncate(count.saturating_sub(idle));
        let unmarked = going.iter().filter(|pod| !pod.marked);
        let fresh = unmarked.filter(|pod| !memory.marked.contains_key(&pod.id));
        let marks: Vec<Action> = fresh
            .map(|pod| Action::Mark {
                workload: self.at,
                pod: pod.id.clone(),
            })
            .collect();
        let visible = going.iter().all(|pod| pod.marked)
            && memory
                .marked
                .values()
                .all(|at| *at + self.view.mark_wait <= self.now);
        if marks.is_empty() && visible && tally.staying() <= spec {
            calls.push(Action::Scale {
                workload: self.at,
                from: spec,
                to: self.workload.base,
            });
        }
        calls.extend(marks);
    }
}
