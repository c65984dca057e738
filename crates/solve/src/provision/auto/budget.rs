//! Shares of the budget, in seconds or in steps.

use crate::{Budget, Context};

/// Steps a run may take where only time counts.
const ENDLESS: u64 = u64::MAX / 4;

/// What a phase may use. With a budget of steps the clock is never asked.
#[derive(Clone, Copy)]
pub(super) struct Share {
    /// Steps the phase may take.
    pub steps: u64,
    /// Elapsed seconds at which the phase ends.
    until: f64,
}

impl Share {
    /// This part of what is left: `steps_left` steps, or the seconds left.
    pub fn of(part: f64, steps_left: u64, ctx: &Context) -> Self {
        match ctx.budget() {
            Budget::Steps(_) => Self {
                steps: (steps_left as f64 * part) as u64,
                until: f64::INFINITY,
            },
            Budget::Seconds(_) => Self {
                steps: ENDLESS,
                until: ctx.elapsed() + ctx.seconds_left() * part,
            },
        }
    }

    /// How much of the phase is over, 1 at its end; `started` is when it began
    /// and `used` the steps it has taken.
    pub fn progress(&self, started: f64, used: u64, ctx: &Context) -> f32 {
        match ctx.budget() {
            Budget::Steps(_) => used as f32 / self.steps.max(1) as f32,
            Budget::Seconds(_) => {
                let length = (self.until - started).max(f64::MIN_POSITIVE);
                ((ctx.elapsed() - started) / length) as f32
            }
        }
    }

    /// Whether the time of the phase is over (never with a budget of steps).
    pub fn over(&self, ctx: &Context) -> bool {
        self.until.is_finite() && ctx.elapsed() >= self.until
    }
}

/// All steps of the run.
pub(super) fn all_steps(ctx: &Context) -> u64 {
    ctx.steps().unwrap_or(ENDLESS)
}
