//! The decisions of an apply, without a cluster: given the waves of a plan and
//! what the cluster shows now, what to do next.
//!
//! Everything is level triggered. A stage says how many pods of each workload
//! stand on each node once its wave is done; the [`Run`] compares that with
//! what is there and closes the difference. Nothing depends on having seen an
//! event, so a lost call, a broken watch or a restart changes nothing but time.

mod memory;
mod run;
mod stages;
mod tally;
mod tidy;
mod workload;

#[cfg(test)]
mod tests;

use std::time::Duration;

pub use run::{Ending, Run, Status, Why};
pub use stages::{Slots, Stages};

/// A workload whose pods the plan moves.
#[derive(Clone, PartialEq, Debug)]
pub struct Workload {
    /// Its name, as the plan writes it.
    pub name: String,
    /// Replicas it has by its own specification.
    pub base: u32,
    /// Pods that must be ready at every moment.
    pub floor: u32,
    /// Whether a pod can be started before another is stopped.
    pub surge: bool,
    /// What a pod asks for, by resource.
    pub demand: Vec<u64>,
}

/// What the cluster shows now.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The workloads, in the order of the job.
    pub workloads: Vec<Live>,
    /// The nodes, in the order of the job.
    pub nodes: Vec<Node>,
    /// How long deletion costs must have been visible before a workload is
    /// lowered: its controller reads them from a cache of its own.
    pub mark_wait: Duration,
}

/// A workload now.
#[derive(Clone, Debug, Default)]
pub struct Live {
    /// Replicas asked for; `None` when the workload is gone.
    pub spec: Option<u32>,
    /// Whether its template is another one than when the apply began.
    pub changed: bool,
    /// Its pods.
    pub pods: Vec<Pod>,
}

/// A pod now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pod {
    /// Its unique id.
    pub id: String,
    /// The node it is bound to.
    pub node: Option<u32>,
    /// Whether our gate holds it.
    pub held: bool,
    /// The node it was told to go to.
    pub steered: Option<u32>,
    /// Whether it is ready.
    pub ready: bool,
    /// Whether it is on its way out.
    pub terminating: bool,
    /// Whether it carries our mark to be the first to go.
    pub marked: bool,
}

impl Pod {
    /// Whether it serves.
    pub fn alive(&self) -> bool {
        self.ready && !self.terminating && self.node.is_some()
    }
}

/// A node now.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Whether it is there and takes pods.
    pub usable: bool,
    /// What its pods, also those that end, leave free of each resource.
    pub free: Vec<i64>,
}

/// One call to the cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// Evict a pod; its replacement comes held.
    Evict {
        /// The workload.
        workload: usize,
        /// The pod.
        pod: String,
    },
    /// Tell a held pod its node and let it go.
    Steer {
        /// The workload.
        workload: usize,
        /// The pod.
        pod: String,
        /// The node.
        node: u32,
    },
    /// Let a held pod go wherever the scheduler says.
    Release {
        /// The workload.
        workload: usize,
        /// The pod.
        pod: String,
    },
    /// Mark a pod as the first to go.
    Mark {
        /// The workload.
        workload: usize,
        /// The pod.
        pod: String,
    },
    /// Take the mark off.
    Unmark {
        /// The workload.
        workload: usize,
        /// The pod.
        pod: String,
    },
    /// Change the number of replicas, if it still is `from`.
    Scale {
        /// The workload.
        workload: usize,
        /// What it must be now.
        from: u32,
        /// What it becomes.
        to: u32,
    },
}

impl Action {
    /// The workload it concerns.
    pub fn workload(&self) -> usize {
        match self {
            Self::Evict { workload, .. }
            | Self::Steer { workload, .. }
            | Self::Release { workload, .. }
            | Self::Mark { workload, .. }
            | Self::Unmark { workload, .. }
            | Self::Scale { workload, .. } => *workload,
        }
    }

    /// The pod it concerns.
    pub fn pod(&self) -> Option<&str> {
        match self {
            Self::Evict { pod, .. }
            | Self::Steer { pod, .. }
            | Self::Release { pod, .. }
            | Self::Mark { pod, .. }
            | Self::Unmark { pod, .. } => Some(pod),
            Self::Scale { .. } => None,
        }
    }
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done.
    Done,
    /// What it concerns is not there any more, or is another by now.
    Gone,
    /// A disruption budget says: not now.
    Budget,
    /// No answer, or one that says to try again: it may have been done.
    Unknown,
}
