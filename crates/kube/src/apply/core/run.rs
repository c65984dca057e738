//! The course of an apply: stage after stage, tidying up, planning again.

use std::time::Duration;

use super::memory::Memory;
use super::tally::Room;
use super::tidy::Tidying;
use super::workload::{Progress, Scene};
use super::{Action, Outcome, Slots, Stages, View, Workload};

/// Rounds of planning again from the cluster as it is.
const ROUNDS: u32 = 4;

/// The longest that stopping may take.
const STOPPING: Duration = Duration::from_secs(60);

/// Why a plan could not be followed to its end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// Somebody changed the number of replicas.
    Scaled {
        /// The workload.
        workload: usize,
        /// Replicas before.
        from: u32,
        /// Replicas now.
        to: u32,
    },
    /// The workload was deleted.
    Gone {
        /// The workload.
        workload: usize,
    },
    /// Its template was changed: a rollout is under way.
    Changed {
        /// The workload.
        workload: usize,
    },
    /// A node of the plan is gone or takes no pods any more.
    NodeGone {
        /// The node.
        node: u32,
    },
    /// A wave did not end in time.
    Slow {
        /// The wave, from zero.
        stage: usize,
    },
    /// The last wave is done, but some pods stand elsewhere.
    Astray,
}

/// How an apply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As far as it could be brought; what is missing can be counted.
    Finished,
    /// Asked to stop.
    Stopped,
}

/// What the caller has to do beside the calls.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// Carry out the calls and come back.
    Working,
    /// The cluster is tidy: plan again from what it shows, then
    /// [`Run::replan`].
    NeedsPlan(Why),
    /// Nothing is left to do.
    Ended(Ending),
}

#[derive(Clone, Debug, PartialEq)]
enum Phase {
    Stage {
        at: usize,
        since: Option<Duration>,
    },
    Tidy {
        then: Status,
        since: Option<Duration>,
    },
}

/// An apply under way.
#[derive(Debug)]
pub struct Run {
    workloads: Vec<Workload>,
    stages: Stages,
    memories: Vec<Memory>,
    phase: Phase,
    /// The longest a wave may take.
    patience: Duration,
    rounds: u32,
    /// Everything that made the run leave its plan, in order.
    pub events: Vec<Why>,
    /// Whether pods had to be put right after the last wave.
    pub repaired: bool,
}

impl Run {
    /// A run over the stages of a plan.
    pub fn new(workloads: Vec<Workload>, stages: Stages, patience: Duration) -> Self {
        Self {
            memories: vec![Memory::default(); workloads.len()],
            workloads,
            stages,
            phase: Phase::Stage { at: 0, since: None },
            patience,
            rounds: 0,
            events: Vec::new(),
            repaired: false,
        }
    }

    /// A run that only tidies up: after a crash, or at the end.
    pub fn tidy(workloads: Vec<Workload>, target: Vec<Slots>, patience: Duration) -> Self {
        let mut run = Self::new(workloads, Stages::new(target, &[]), patience);
        run.tidy_then(Status::Ended(Ending::Finished));
        run
    }

    /// The workloads, with the replicas each has by now.
    pub fn workloads(&self) -> &[Workload] {
        &self.workloads
    }

    /// The wave under way, from zero, and how many there are.
    pub fn wave(&self) -> (usize, usize) {
        match &self.phase {
            Phase::Stage { at, .. } => (*at, self.stages.len()),
            Phase::Tidy { .. } => (self.stages.len(), self.stages.len()),
        }
    }

    /// Where the pods of a workload should stand at the end.
    pub fn target(&self, workload: usize) -> &Slots {
        self.stages.target(workload)
    }

    /// Stops: tidies up and ends. Safe at any point.
    pub fn stop(&mut self) {
        self.patience = self.patience.min(STOPPING);
        self.tidy_then(Status::Ended(Ending::Stopped));
    }

    /// Goes on with stages planned from the cluster as it is.
    pub fn replan(&mut self, workloads: Vec<Workload>, stages: Stages) {
        self.memories = vec![Memory::default(); workloads.len()];
        self.workloads = workloads;
        self.stages = stages;
        self.phase = Phase::Stage { at: 0, since: None };
    }

    /// Gives up planning again: what is missing is counted.
    pub fn finish(&mut self) {
        self.tidy_then(Status::Ended(Ending::Finished));
    }

    /// Notes what became of a call.
    pub fn note(&mut self, action: &Action, outcome: Outcome, now: Duration) {
        self.memories[action.workload()].note(action, outcome, now);
    }

    /// The calls to send now, and where the run is.
    pub fn next(&mut self, view: &View, now: Duration) -> (Vec<Action>, Status) {
        // Stages that are already as they should be take no time.
        for _ in 0..=self.stages.len() {
            match self.phase.clone() {
                Phase::Stage { at, since } => {
                    if at >= self.stages.len() {
                        self.arrived(view);
                        continue;
                    }
                    let since = *self.begin(view, since, now);
                    let (calls, progress) = self.stage(view, at, now);
                    match progress {
                        Progress::There => {
                            self.phase = Phase::Stage {
                                at: at + 1,
                                since: Some(now),
                            };
                        }
                        Progress::Drift(why) => self.leave(why),
                        Progress::Going if now > since + self.patience => {
                            self.leave(Why::Slow { stage: at });
                        }
                        Progress::Going => return (calls, Status::Working),
                    }
                }
                Phase::Tidy { then, since } => {
                    let since = since.unwrap_or(now);
                    let (calls, tidy) = self.tidying(view, now);
                    // What does not come right in time is not waited for: the
                    // report counts it. Calls are still sent.
                    let given_up = now > since + self.patience;
                    if (tidy && calls.is_empty()) || given_up {
                        return (calls, then);
                    }
                    self.phase = Phase::Tidy {
                        then,
                        since: Some(since),
                    };
                    return (calls, Status::Working);
                }
            }
        }
        (Vec::new(), Status::Working)
    }

    /// Notes the start of a round.
    fn begin(&mut self, view: &View, since: Option<Duration>, now: Duration) -> &Duration {
        if since.is_none() {
            for (memory, live) in self.memories.iter_mut().zip(&view.workloads) {
                let ailing = live.pods.iter().filter(|pod| !pod.ready && !pod.held);
                memory.ailing = ailing.map(|pod| pod.id.clone()).collect();
            }
        }
        let Phase::Stage { since, .. } = &mut self.phase else {
            unreachable!("a round begins with a stage");
        };
        since.get_or_insert(now)
    }

    fn stage(&mut self, view: &View, stage: usize, now: Duration) -> (Vec<Action>, Progress) {
        let mut room = Room::new(view, &self.workloads, &self.memories);
        let mut calls = Vec::new();
        let mut all_there = true;
        for (at, workload) in self.workloads.iter().enumerate() {
            let scene = Scene {
                at,
                stage,
                stages: &self.stages,
                workload,
                view,
                now,
            };
            match scene.decide(&mut self.memories[at], &mut room, &mut calls) {
                Progress::There => {}
                Progress::Going => all_there = false,
                drift @ Progress::Drift(_) => return (Vec::new(), drift),
            }
        }
        let progress = if all_there {
            Progress::There
        } else {
            Progress::Going
        };
        (calls, progress)
    }

    fn tidying(&mut self, view: &View, now: Duration) -> (Vec<Action>, bool) {
        let mut room = Room::new(view, &self.workloads, &self.memories);
        let mut calls = Vec::new();
        let mut all_tidy = true;
        for (at, workload) in self.workloads.iter().enumerate() {
            let target = self.stages.target(at);
            let tidying = Tidying {
                at,
                workload,
                target,
                view,
                now,
            };
            all_tidy &= tidying.decide(&mut self.memories[at], &mut room, &mut calls);
        }
        (calls, all_tidy)
    }

    /// The last stage is done: is everything where it should be?
    fn arrived(&mut self, view: &View) {
        let astray = (0..self.workloads.len()).any(|at| {
            let mut here = Slots::new();
            let staying = view.workloads[at]
                .pods
                .iter()
                .filter(|pod| !pod.terminating);
            for node in staying.filter_map(|pod| pod.node) {
                *here.entry(node).or_insert(0) += 1;
            }
            here != *self.stages.target(at)
        });
        if astray {
            self.repaired = true;
            self.leave(Why::Astray);
        } else {
            self.tidy_then(Status::Ended(Ending::Finished));
        }
    }

    fn leave(&mut self, why: Why) {
        self.events.push(why.clone());
        self.rounds += 1;
        if self.rounds >= ROUNDS {
            self.tidy_then(Status::Ended(Ending::Finished));
        } else {
            self.tidy_then(Status::NeedsPlan(why));
        }
    }

    fn tidy_then(&mut self, then: Status) {
        self.phase = Phase::Tidy { then, since: None };
    }
}
