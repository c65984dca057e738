//! One solve by `microlp`, cut into slices so that limits and the stop flag count.

use crate::{Options, Stop};
use microlp::{Error, Problem, ResumeOptions, SolveOptions, SolveOutcome, TerminationReason};
use std::time::{Duration, Instant};

/// `microlp` cannot be interrupted, so it runs this long between two looks at the flag ...
const SLICE: Duration = Duration::from_millis(50);
/// ... or, where a node limit promises the same result every time, this many nodes.
const NODE_SLICE: u64 = 16;

/// The budget of a solve, from the moment it begins.
pub(super) struct Run<'a> {
    options: &'a Options,
    deadline: Option<Instant>,
}

/// How a solve ended.
pub(super) enum Ended {
    /// With an answer: proven, or within the gap asked for.
    Done(SolveOutcome),
    /// Early, with what there was.
    Stopped(SolveOutcome, Stop),
    Infeasible,
    Unbounded,
    /// `microlp` could not vouch for any answer.
    Failed,
}

impl Ended {
    pub(super) fn stopped_by(&self) -> Option<Stop> {
        match self {
            Self::Done(outcome) if outcome.is_optimal() => None,
            Self::Done(_) => Some(Stop::Gap),
            Self::Stopped(_, stop) => Some(*stop),
            Self::Infeasible | Self::Unbounded => None,
            Self::Failed => Some(Stop::Numerics),
        }
    }
}

impl<'a> Run<'a> {
    pub(super) fn begin(options: &'a Options) -> Self {
        // Anything longer than a century, or not a number, is no limit.
        let limit = |seconds: f64| Duration::try_from_secs_f64(seconds.max(0.0)).ok();
        let deadline = options.seconds.and_then(limit);
        Self {
            options,
            deadline: deadline.and_then(|limit| Instant::now().checked_add(limit)),
        }
    }

    /// Solves within the budget, from start values if there are any.
    pub(super) fn solve(
        &self,
        problem: &Problem,
        start: Option<Vec<(microlp::Variable, f64)>>,
    ) -> Ended {
        let slice = self.slice(0);
        let mut first = SolveOptions::default();
        first.time_limit = slice.time_limit;
        first.node_limit = slice.node_limit;
        first.mip_gap = self.options.gap;
        // The default of 1e-6 shows in objectives.
        first.int_tol = 1e-9;
        first.warm_start = start;
        let mut outcome = problem.solve_with(first);
        loop {
            match outcome {
                Ok(found) => {
                    let stop = self.spent(found.stats().nodes_solved);
                    match (found.termination_reason(), stop) {
                        (TerminationReason::ProvenOptimal | TerminationReason::MipGap, _) => {
                            return Ended::Done(found);
                        }
                        (_, Some(stop)) => return Ended::Stopped(found, stop),
                        _ => {
                            let slice = self.slice(found.stats().nodes_solved);
                            outcome = found.resume_with(slice);
                        }
                    }
                }
                Err(Error::Infeasible) => return Ended::Infeasible,
                Err(Error::Unbounded) => return Ended::Unbounded,
                Err(_) => return Ended::Failed,
            }
        }
    }

    /// The limit that is used up, if one is.
    fn spent(&self, nodes: u64) -> Option<Stop> {
        if self.options.stop_requested() {
            Some(Stop::Flag)
        } else if self.options.nodes.is_some_and(|limit| nodes >= limit) {
            Some(Stop::Nodes)
        } else if self.deadline.is_some_and(|end| Instant::now() >= end) {
            Some(Stop::Seconds)
        } else {
            None
        }
    }

    /// The next slice of the budget.
    fn slice(&self, nodes: u64) -> ResumeOptions {
        let watched = self.options.stop.is_some();
        let left = self.options.nodes.map(|limit| limit.saturating_sub(nodes));
        let rest = self
            .deadline
            .map(|end| end.saturating_duration_since(Instant::now()));
        let mut slice = ResumeOptions::default();
        slice.mip_gap = Some(self.options.gap);
        slice.node_limit = left.map(|left| if watched { left.min(NODE_SLICE) } else { left });
        slice.time_limit = match rest {
            rest if !watched || left.is_some() => rest,
            rest => Some(rest.map_or(SLICE, |rest| rest.min(SLICE))),
        };
        slice
    }
}
