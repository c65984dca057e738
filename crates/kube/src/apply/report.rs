//! What was promised and what was reached.

use serde::Serialize;

use super::core::{Action, Outcome};

/// How an apply went.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ApplyReport {
    /// The PlacementPlan.
    pub name: String,
    /// Completed, Incomplete, Paused or RolledBack.
    pub phase: String,
    /// Workloads concerned.
    pub workloads: usize,
    /// Waves of the plan.
    pub waves: usize,
    /// Times a way was planned again from the cluster as it was.
    pub rounds: u32,
    /// Pods evicted.
    pub evicted: u64,
    /// Evictions that a disruption budget put off.
    pub put_off: u64,
    /// Pods sent to a node.
    pub steered: u64,
    /// Pods left to the scheduler.
    pub released: u64,
    /// Replicas started before others were stopped.
    pub started_first: u64,
    /// Calls without an answer, or with one that said to try again.
    pub tried_again: u64,
    /// Pods of the plan that stand where it wanted them.
    pub reached: u64,
    /// Pods of the plan.
    pub wanted: u64,
    /// Services with a pod that is not where the plan wants it.
    pub astray: Vec<String>,
    /// Share of traffic that stayed local before; absent without traffic.
    pub gained_affinity_before: Option<f64>,
    /// The share the plan promised.
    pub gained_affinity_promised: Option<f64>,
    /// The share measured afterwards from the cluster itself.
    pub gained_affinity_reached: Option<f64>,
    /// Whether pods had to be put right after the last wave.
    pub put_right_at_the_end: bool,
    /// What happened to the cluster meanwhile, and what was given up for it.
    pub events: Vec<String>,
    /// Objects of ours that could not be removed; empty when nothing is left.
    pub left_behind: Vec<String>,
    /// Wall seconds.
    pub seconds: f64,
}

impl ApplyReport {
    /// Whether all that was asked for holds.
    pub fn holds(&self) -> bool {
        self.reached == self.wanted && self.left_behind.is_empty() && self.phase != "Paused"
    }

    pub(crate) fn count(&mut self, action: &Action, outcome: Outcome) {
        let done = u64::from(outcome == Outcome::Done);
        self.tried_again += u64::from(outcome == Outcome::Unknown);
        self.put_off += u64::from(outcome == Outcome::Budget);
        match action {
            Action::Evict { .. } => self.evicted += done,
            Action::Steer { .. } => self.steered += done,
            Action::Release { .. } => self.released += done,
            Action::Scale { from, to, .. } if to > from => {
                self.started_first += done * u64::from(to - from);
            }
            _ => {}
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let share =
            |value: Option<f64>| value.map_or("-".into(), |v| format!("{:.2} %", v * 100.0));
        let mut lines = vec![
            format!(
                "{}: {} of {} pods where the plan wants them",
                self.phase, self.reached, self.wanted
            ),
            format!("plan              {}", self.name),
            format!("workloads         {}", self.workloads),
            format!(
                "waves             {} in {} round(s)",
                self.waves,
                self.rounds + 1
            ),
            format!(
                "evicted           {} ({} times put off by a budget)",
                self.evicted, self.put_off
            ),
            format!("started first     {}", self.started_first),
            format!(
                "steered           {} ({} left to the scheduler)",
                self.steered, self.released
            ),
            format!("tried again       {}", self.tried_again),
        ];
        if self.gained_affinity_reached.is_some() {
            lines.push(format!(
                "local traffic     {} before, {} promised, {} measured",
                share(self.gained_affinity_before),
                share(self.gained_affinity_promised),
                share(self.gained_affinity_reached)
            ));
        }
        if self.put_right_at_the_end {
            lines.push("some pods were put right at the end".into());
        }
        lines.extend(self.events.iter().map(|event| format!("event: {event}")));
        let left = self
            .left_behind
            .iter()
            .map(|left| format!("left behind: {left}"));
        lines.extend(left);
        lines.push(format!("time              {:.1} s", self.seconds));
        lines.join("\n") + "\n"
    }
}
