//! A cluster in a few hundred lines: controllers, scheduler, kubelets, budgets,
//! and everything that goes wrong with them.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::super::{Action, Live, Node, Outcome, Pod, Slots, View, Workload};

/// What goes wrong, each with its chance in a thousand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// A call gets no answer; half of these were carried out.
    pub lost: u32,
    /// A controller removes another pod than the marked one.
    pub wrong_pod: u32,
    /// The scheduler chooses another node than the one nominated.
    pub elsewhere: u32,
    /// Per step: a node vanishes.
    pub node: u32,
    /// Per step: somebody scales a workload.
    pub scale: u32,
}

#[derive(Clone, Debug)]
pub struct SimPod {
    pub pod: Pod,
    /// Steps until ready, or until gone when terminating.
    timer: u32,
}

#[derive(Clone, Debug)]
pub struct SimWorkload {
    pub spec: u32,
    pub min_available: u32,
    pub pods: Vec<SimPod>,
    /// Pods of it were lost to a node, or somebody scaled it.
    pub disturbed: bool,
    demand: u64,
}

pub struct Sim {
    pub rng: Xoshiro256PlusPlus,
    pub faults: Faults,
    pub hard: bool,
    pub gates: bool,
    pub capacity: Vec<u64>,
    pub usable: Vec<bool>,
    pub workloads: Vec<SimWorkload>,
    pub now: Duration,
    /// Views that the watcher has not delivered yet.
    delayed: VecDeque<View>,
    next_id: u64,
}

impl Sim {
    pub fn new(
        rng: Xoshiro256PlusPlus,
        faults: Faults,
        capacity: Vec<u64>,
        workloads: &[Workload],
        start: &[Slots],
    ) -> Self {
        let mut sim = Self {
            rng,
            faults,
            hard: false,
            gates: true,
            usable: vec![true; capacity.len()],
            capacity,
            workloads: Vec::new(),
            now: Duration::ZERO,
            delayed: VecDeque::new(),
            next_id: 0,
        };
        for (workload, slots) in workloads.iter().zip(start) {
            let mut pods = Vec::new();
            for (node, count) in slots {
                for _ in 0..*count {
                    let mut pod = sim.fresh();
                    (pod.pod.node, pod.pod.ready, pod.pod.held) = (Some(*node), true, false);
                    pods.push(pod);
                }
            }
            sim.workloads.push(SimWorkload {
                spec: workload.base,
                min_available: workload.floor,
                pods,
                disturbed: false,
                demand: workload.demand[0],
            });
        }
        sim
    }

    fn fresh(&mut self) -> SimPod {
        self.next_id += 1;
        let pod = Pod {
            id: format!("pod-{}", self.next_id),
            held: self.gates,
            ..Pod::default()
        };
        SimPod { pod, timer: 0 }
    }

    fn chance(&mut self, in_thousand: u32) -> bool {
        self.rng.random_range(0..1000) < in_thousand
    }

    pub fn free(&self, node: usize) -> i64 {
        let bound = self.workloads.iter().flat_map(|w| {
            let there = w.pods.iter().filter(|p| p.pod.node == Some(node as u32));
            there.map(|_| w.demand as i64)
        });
        self.capacity[node] as i64 - bound.sum::<i64>()
    }

    pub fn alive(&self, workload: usize) -> u32 {
        let pods = self.workloads[workload].pods.iter();
        pods.filter(|p| p.pod.alive()).count() as u32
    }

    pub fn here(&self, workload: usize) -> Slots {
        let mut here = Slots::new();
        for pod in &self.workloads[workload].pods {
            if let (Some(node), false) = (pod.pod.node, pod.pod.terminating) {
                *here.entry(node).or_insert(0) += 1;
            }
        }
        here
    }

    fn view_now(&self) -> View {
        View {
            workloads: self
                .workloads
                .iter()
                .map(|w| Live {
                    spec: Some(w.spec),
                    changed: false,
                    pods: w.pods.iter().map(|p| p.pod.clone()).collect(),
                })
                .collect(),
            nodes: (0..self.capacity.len())
                .map(|n| Node {
                    usable: self.usable[n],
                    free: vec![self.free(n)],
                })
                .collect(),
            mark_wait: Duration::from_secs(1),
        }
    }

    /// What the watcher shows: up to three steps old, never older than before.
    pub fn view(&mut self) -> View {
        self.delayed.push_back(self.view_now());
        let lag = self.rng.random_range(0..4);
        while self.delayed.len() > lag + 1 {
            self.delayed.pop_front();
        }
        self.delayed[0].clone()
    }

    /// A new process lists anew.
    pub fn relist(&mut self) {
        self.delayed.clear();
    }

    /// Carries a call out, or does not.
    pub fn act(&mut self, action: &Action) -> Outcome {
        if self.chance(self.faults.lost) {
            if self.chance(500) {
                self.perform(action);
            }
            return Outcome::Unknown;
        }
        self.perform(action)
    }

    fn perform(&mut self, action: &Action) -> Outcome {
        let workload = action.workload();
        if let Action::Scale { from, to, .. } = action {
            let spec = &mut self.workloads[workload].spec;
            if spec != from {
                return Outcome::Gone;
            }
            *spec = *to;
            return Outcome::Done;
        }
        let (alive, least) = (self.alive(workload), self.workloads[workload].min_available);
        let timer = self.rng.random_range(1..4);
        let hard = self.hard;
        let pods = &mut self.workloads[workload].pods;
        let Some(at) = pods
            .iter()
            .position(|p| Some(p.pod.id.as_str()) == action.pod())
        else {
            return Outcome::Gone;
        };
        let pod = &mut pods[at].pod;
        match action {
            Action::Evict { .. } => {
                if pod.terminating {
                    return Outcome::Gone;
                }
                if pod.alive() && alive <= least {
                    return Outcome::Budget;
                }
                if pod.node.is_none() {
                    pods.remove(at);
                } else {
                    pod.terminating = true;
                    pods[at].timer = timer;
                }
            }
            Action::Steer { node, .. } => {
                if !pod.held {
                    return Outcome::Gone;
                }
                (pod.steered, pod.held) = (Some(*node), false);
                assert!(!hard || self.usable[*node as usize] || self.faults.node > 0);
            }
            Action::Release { .. } => pod.held = false,
            Action::Mark { .. } => pod.marked = true,
            Action::Unmark { .. } => pod.marked = false,
            Action::Scale { .. } => unreachable!("handled above"),
        }
        Outcome::Done
    }

    /// Half a second of everybody else's work.
    pub fn step(&mut self) {
        self.now += Duration::from_millis(500);
        for at in 0..self.workloads.len() {
            self.controller(at);
        }
        self.scheduler();
        self.kubelets();
        if self.chance(self.faults.node) && self.usable.iter().filter(|u| **u).count() > 2 {
            let node = self.rng.random_range(0..self.usable.len());
            self.vanish(node);
        }
        if self.chance(self.faults.scale) {
            let at = self.rng.random_range(0..self.workloads.len());
            let spec = self.workloads[at].spec;
            self.workloads[at].spec = self.rng.random_range(1..=spec + 1);
            self.workloads[at].disturbed = true;
        }
    }

    fn vanish(&mut self, node: usize) {
        self.usable[node] = false;
        self.capacity[node] = 0;
        for workload in &mut self.workloads {
            let before = workload.pods.len();
            workload.pods.retain(|p| p.pod.node != Some(node as u32));
            workload.disturbed |= workload.pods.len() < before;
        }
    }

    fn controller(&mut self, at: usize) {
        let staying: Vec<usize> = (0..self.workloads[at].pods.len())
            .filter(|i| !self.workloads[at].pods[*i].pod.terminating)
            .collect();
        let spec = self.workloads[at].spec as usize;
        for _ in staying.len()..spec {
            let pod = self.fresh();
            self.workloads[at].pods.push(pod);
        }
        if staying.len() <= spec {
            return;
        }
        let blind = self.chance(self.faults.wrong_pod);
        let mut order = staying.clone();
        order.sort_by_key(|i| {
            let pod = &self.workloads[at].pods[*i].pod;
            (
                pod.node.is_some(),
                pod.ready,
                blind || !pod.marked,
                blind && pod.marked,
            )
        });
        let timer = self.rng.random_range(1..4);
        let going: Vec<String> = order[..staying.len() - spec]
            .iter()
            .map(|i| self.workloads[at].pods[*i].pod.id.clone())
            .collect();
        let pods = &mut self.workloads[at].pods;
        pods.retain(|p| p.pod.node.is_some() || !going.contains(&p.pod.id));
        for pod in pods.iter_mut().filter(|p| going.contains(&p.pod.id)) {
            (pod.pod.terminating, pod.timer) = (true, timer);
        }
    }

    fn scheduler(&mut self) {
        for at in 0..self.workloads.len() {
            for i in 0..self.workloads[at].pods.len() {
                let pod = &self.workloads[at].pods[i].pod;
                if pod.held || pod.node.is_some() || pod.terminating {
                    continue;
                }
                let (steered, need) = (pod.steered, self.workloads[at].demand as i64);
                let stray = !self.hard && self.chance(self.faults.elsewhere);
                let fits = |n: &usize| self.usable[*n] && self.free(*n) >= need;
                let told = steered.map(|n| n as usize).filter(|n| fits(n) && !stray);
                let anywhere: Vec<usize> = (0..self.capacity.len()).filter(fits).collect();
                let pinned = self.hard && steered.is_some();
                let chosen = told.or_else(|| {
                    let some = !anywhere.is_empty() && !pinned;
                    some.then(|| anywhere[self.rng.random_range(0..anywhere.len())])
                });
                let timer = self.rng.random_range(0..3);
                let pod = &mut self.workloads[at].pods[i];
                (pod.pod.node, pod.timer) = (chosen.map(|n| n as u32), timer);
            }
        }
    }

    fn kubelets(&mut self) {
        for workload in &mut self.workloads {
            for pod in &mut workload.pods {
                if pod.pod.node.is_some() && !pod.pod.terminating && pod.timer == 0 {
                    pod.pod.ready = true;
                }
                pod.timer = pod.timer.saturating_sub(1);
            }
            workload
                .pods
                .retain(|p| !(p.pod.terminating && p.timer == 0));
        }
    }

    /// Pods that are left held, marked or without a node, by workload.
    pub fn left_behind(&self) -> BTreeMap<usize, Vec<String>> {
        let mut left: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (at, workload) in self.workloads.iter().enumerate() {
            for pod in &workload.pods {
                if pod.pod.held || pod.pod.marked {
                    left.entry(at).or_default().push(format!("{:?}", pod.pod));
                }
            }
        }
        left
    }
}
