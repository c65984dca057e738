//! What both kinds of walks share: when to look at the clock, when to deal the
//! nodes out again, and what a temperature accepts.

use rand::Rng;

use super::Length;
use crate::{Context, Random};

/// Proposals between two looks at the clock.
pub const BATCH: u64 = 512;
/// Lanes of a dealt walk when steps are counted: fixed, so that the answer does
/// not depend on threads.
const DEALT_LANES: usize = 8;
/// Seconds between two deals.
const DEAL_SECONDS: f64 = 0.4;
/// Proposals of a lane between two deals, when steps are counted.
const DEAL_STEPS: u64 = 200_000;

/// How far a walk of some length is.
pub struct Pace {
    length: Length,
    lanes: usize,
    began: f64,
    done: u64,
}

/// What a lane does before the next deal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Round {
    /// The share of the walk that is done.
    pub progress: f64,
    stop_at: f64,
    proposals: u64,
}

impl Pace {
    /// A walk alone.
    pub fn alone(length: Length, context: &Context) -> Self {
        Self {
            length,
            lanes: 1,
            began: context.elapsed(),
            done: 0,
        }
    }

    /// A walk dealt out to lanes, at most so many.
    pub fn dealt(length: Length, most: usize, context: &Context) -> Self {
        let lanes = match length {
            Length::Seconds(_) => context.threads(),
            Length::Steps(_) => DEALT_LANES,
        };
        Self {
            lanes: lanes.clamp(1, most.max(1)),
            ..Self::alone(length, context)
        }
    }

    /// How many lanes.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// The next batch of a walk alone, with its progress; `None` at the end.
    pub fn batch(&mut self, context: &Context) -> Option<(f64, u64)> {
        let (progress, batch) = match self.length {
            Length::Seconds(seconds) => {
                let spent = context.elapsed() - self.began;
                (spent / seconds.max(1e-9), BATCH)
            }
            Length::Steps(steps) => (self.share(steps), BATCH.min(steps - self.done)),
        };
        if progress >= 1.0 || context.must_stop() {
            return None;
        }
        self.done += batch;
        Some((progress, batch))
    }

    /// The next round of all lanes; `None` at the end.
    pub fn round(&mut self, context: &Context) -> Option<Round> {
        let now = context.elapsed();
        let lanes = self.lanes as u64;
        let round = match self.length {
            Length::Seconds(seconds) => Round {
                progress: (now - self.began) / seconds.max(1e-9),
                stop_at: (now + DEAL_SECONDS.min(seconds / 40.0)).min(self.began + seconds),
                proposals: u64::MAX,
            },
            Length::Steps(steps) => {
                let most = DEAL_STEPS.min(steps / 40 / lanes).max(1);
                let proposals = (steps - self.done).div_ceil(lanes).min(most);
                let progress = self.share(steps);
                self.done = (self.done + proposals * lanes).min(steps);
                Round {
                    progress,
                    stop_at: f64::INFINITY,
                    proposals,
                }
            }
        };
        (round.progress < 1.0 && !context.must_stop()).then_some(round)
    }

    /// A walk without steps is at its end.
    fn share(&self, steps: u64) -> f64 {
        if self.done >= steps {
            1.0
        } else {
            self.done as f64 / steps as f64
        }
    }
}

impl Round {
    /// Makes a lane's proposals, batch by batch, until the next deal.
    pub fn work(&self, context: &Context, mut run: impl FnMut(u64)) {
        let mut left = self.proposals;
        while left > 0 && !context.must_stop() {
            if self.stop_at.is_finite() && context.elapsed() >= self.stop_at {
                break;
            }
            run(left.min(BATCH));
            left -= left.min(BATCH);
        }
    }
}

/// Whether a proposal is taken that is better (or worse) by so much.
#[inline]
pub fn accepts(better: f64, temperature: f64, random: &mut Random) -> bool {
    if better >= 0.0 {
        return true;
    }
    if better < -16.0 * temperature {
        return false;
    }
    // Uniform in (0, 1]: the logarithm is finite.
    let uniform = ((random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
    better >= temperature * uniform.ln()
}
