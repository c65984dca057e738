//! What changes while a run goes on: its state and the curve of incumbent and
//! bound.

use std::time::Instant;

use bayplan_solve::Progress;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::events::ProgressEvent;
use crate::fault::ErrorItem;

/// Points kept of a curve; when full, every second one goes.
const MOST: usize = 2000;

/// Where a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It waits for its turn.
    Queued,
    /// It is at work.
    Running,
    /// It has an answer.
    Done,
    /// It has none; `errors` say why.
    Failed,
    /// It was stopped; with the best answer so far, if it had begun.
    Stopped,
}

impl State {
    /// Whether nothing will change any more.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Stopped)
    }
}

/// Seconds, incumbent, bound.
pub type CurvePoint = (f64, Option<f64>, Option<f64>);

/// The part of a run that changes.
#[derive(Debug)]
pub struct Live {
    pub state: State,
    pub started: Option<Instant>,
    pub curve: Vec<CurvePoint>,
    pub latest: Option<ProgressEvent>,
    /// Least seconds between two points of the curve.
    spacing: f64,
    pub outcome: Option<Value>,
    pub verdict: Option<String>,
    pub errors: Vec<ErrorItem>,
    pub points: Vec<Value>,
    /// The point the run's outcome is of.
    pub chosen: usize,
    /// Compressed bytes of its texts.
    pub bytes: u64,
}

impl Live {
    /// Waiting.
    pub fn new() -> Self {
        Self {
            state: State::Queued,
            started: None,
            curve: Vec::new(),
            latest: None,
            spacing: 0.02,
            outcome: None,
            verdict: None,
            errors: Vec::new(),
            points: Vec::new(),
            chosen: 0,
            bytes: 0,
        }
    }

    /// Takes up what the solver says. Lanes report in any order: what is kept
    /// is the best so far.
    pub fn hear(&mut self, progress: Progress, scale: f64, maximises: bool) {
        let seconds = self
            .started
            .map_or(0.0, |start| start.elapsed().as_secs_f64());
        let better = |old: Option<f64>, new: Option<f64>, higher: bool| match (old, new) {
            (Some(old), Some(new)) => Some(if higher { old.max(new) } else { old.min(new) }),
            (old, new) => old.or(new),
        };
        let shown = |value: Option<f64>| value.filter(|v| v.is_finite()).map(|v| v / scale);
        let (old_incumbent, old_bound) = self
            .latest
            .as_ref()
            .map_or((None, None), |latest| (latest.incumbent, latest.bound));
        let incumbent = better(old_incumbent, shown(progress.incumbent), maximises);
        let bound = better(old_bound, shown(progress.bound), !maximises);
        let changed = incumbent != old_incumbent || bound != old_bound;
        self.latest = Some(ProgressEvent::new(
            seconds,
            incumbent,
            bound,
            progress.phase,
        ));
        if changed {
            self.add((seconds, incumbent, bound));
        }
    }

    fn add(&mut self, point: CurvePoint) {
        match self.curve.last_mut() {
            // The first points always count; later ones within the spacing replace the last.
            Some(last) if point.0 - last.0 < self.spacing => {
                last.1 = point.1;
                last.2 = point.2;
            }
            _ => self.curve.push(point),
        }
        if self.curve.len() >= MOST {
            let mut at = 0;
            self.curve.retain(|_| {
                at += 1;
                at % 2 == 0
            });
            self.spacing *= 2.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_keeps_the_best_and_stays_short() {
        let mut live = Live::new();
        live.spacing = 0.0;
        let say = |incumbent, bound| Progress {
            incumbent,
            bound,
            phase: "search",
        };
        for step in 0..100_000 {
            live.hear(say(Some(f64::from(step)), None), 1.0, true);
        }
        assert!(live.curve.len() <= MOST);
        live.hear(say(Some(5.0), Some(200_000.0)), 1.0, true);
        live.hear(say(None, Some(f64::NAN)), 1.0, true);
        let latest = live.latest.unwrap();
        assert_eq!(
            (latest.incumbent, latest.bound),
            (Some(99_999.0), Some(200_000.0))
        );
        assert!((latest.gap.unwrap() - 0.500_005).abs() < 1e-9);
    }
}
