//! What a run remembers of a workload: calls whose effect is not visible yet.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::{Action, Live, Outcome, Pod};

/// The first pause after a call that must be tried again.
const PAUSE: Duration = Duration::from_millis(400);

/// The longest pause.
const LONGEST: Duration = Duration::from_secs(10);

/// How long a scheduler may take.
const STUCK: Duration = Duration::from_secs(30);

/// Calls sent, for one workload.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// Replicas as last seen or agreed.
    pub spec: Option<u32>,
    /// A change of replicas on its way, and whether the cluster has taken it.
    pub scaling: Option<(u32, bool)>,
    /// Pods evicted.
    pub evicted: BTreeSet<String>,
    /// Where pods were sent; `None`: wherever the scheduler says.
    pub sent: BTreeMap<String, Option<u32>>,
    /// When marks were taken.
    pub marked: BTreeMap<String, Duration>,
    /// Marks taken off.
    pub unmarked: BTreeSet<String>,
    /// Pods that were not ready when the round began: nothing waits for them.
    pub ailing: BTreeSet<String>,
    /// Since when pods that were told their node wait for it.
    pub waiting: BTreeMap<String, Duration>,
    /// Evictions of this round.
    pub evictions: u32,
    /// Calls to be tried again: not before, and how often already.
    later: BTreeMap<Action, (Duration, u32)>,
}

/// How the replicas asked for agree with what we asked for.
pub(super) enum Spec {
    /// They do.
    Known(u32),
    /// Somebody else changed them.
    Foreign(u32),
    /// The workload is gone.
    Gone,
}

impl Memory {
    /// Whether a call may be sent now.
    pub fn may(&self, action: &Action, now: Duration) -> bool {
        self.later.get(action).is_none_or(|(at, _)| *at <= now)
    }

    /// Notes what became of a call.
    pub fn note(&mut self, action: &Action, outcome: Outcome, now: Duration) {
        if matches!(outcome, Outcome::Budget | Outcome::Unknown) {
            let (_, tries) = self.later.get(action).copied().unwrap_or_default();
            let pause = (PAUSE * 2u32.saturating_pow(tries.min(5))).min(LONGEST);
            self.later.insert(
                action.clone(),
                (now + jittered(action, tries, pause), tries + 1),
            );
        } else {
            self.later.remove(action);
        }
        let done = outcome == Outcome::Done;
        match action {
            Action::Scale { to, .. } => match outcome {
                Outcome::Done => self.scaling = Some((*to, true)),
                Outcome::Unknown => self.scaling = Some((*to, false)),
                // An earlier try without an answer may be what is there now.
                Outcome::Gone if matches!(self.scaling, Some((_, false))) => {}
                Outcome::Gone | Outcome::Budget => self.scaling = None,
            },
            // A pod that is gone shows in the view; until then it is not asked again.
            Action::Evict { pod, .. } if done || outcome == Outcome::Gone => {
                self.evicted.insert(pod.clone());
                self.evictions += u32::from(done);
            }
            Action::Steer { pod, node, .. } if done => {
                self.sent.insert(pod.clone(), Some(*node));
            }
            Action::Release { pod, .. } if done => {
                self.sent.insert(pod.clone(), None);
            }
            Action::Mark { pod, .. } if done => {
                self.marked.insert(pod.clone(), now);
                self.unmarked.remove(pod);
            }
            Action::Unmark { pod, .. } if done => {
                self.unmarked.insert(pod.clone());
                self.marked.remove(pod);
            }
            _ => {}
        }
    }

    /// Brings the replicas seen and those asked for together.
    pub fn spec(&mut self, live: &Live) -> Spec {
        let Some(seen) = live.spec else {
            return Spec::Gone;
        };
        let known = *self.spec.get_or_insert(seen);
        match self.scaling {
            Some((to, _)) if seen == to => {
                (self.spec, self.scaling) = (Some(to), None);
                Spec::Known(to)
            }
            // Taken, but not visible yet.
            Some((to, true)) if seen == known => Spec::Known(to),
            _ if seen == known => Spec::Known(known),
            _ => Spec::Foreign(seen),
        }
    }

    /// Pods that were told their node and do not get there: what made them fit
    /// is gone. They go, and their replacements are told anew.
    pub fn stuck(&mut self, live: &Live, now: Duration) -> Vec<String> {
        let waits = |pod: &Pod| {
            pod.node.is_none() && pod.steered.is_some() && !pod.held && !pod.terminating
        };
        let waiting: Vec<String> = self
            .pods(live)
            .into_iter()
            .filter(waits)
            .map(|pod| pod.id)
            .collect();
        self.waiting.retain(|id, _| waiting.contains(id));
        let mut stuck = Vec::new();
        for id in waiting {
            let since = *self.waiting.entry(id.clone()).or_insert(now);
            if now >= since + STUCK {
                stuck.push(id);
            }
        }
        stuck
    }

    /// Whether a change of replicas is on its way and not visible yet.
    pub fn scaling_taken(&self) -> bool {
        matches!(self.scaling, Some((_, true)))
    }

    /// The pods as they will look once every call has its effect.
    pub fn pods(&self, live: &Live) -> Vec<Pod> {
        let seen = |pod: &Pod| {
            let mut pod = pod.clone();
            pod.terminating |= self.evicted.contains(&pod.id);
            if let Some(node) = self.sent.get(&pod.id) {
                pod.held = false;
                pod.steered = *node;
            }
            pod.marked &= !self.unmarked.contains(&pod.id);
            pod
        };
        live.pods.iter().map(seen).collect()
    }
}

/// Half the pause and a share of the rest that differs from call to call, so
/// that calls refused together do not come back together.
fn jittered(action: &Action, tries: u32, pause: Duration) -> Duration {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    (action.pod(), action.workload(), tries).hash(&mut hasher);
    pause / 2 + pause.mul_f64((hasher.finish() % 1000) as f64 / 2000.0)
}
