//! What no placement can exceed.

pub mod certify;
pub mod descent;
mod known;
mod merged;
mod parts;
pub mod pricing;
pub mod proof;
mod region;
pub mod star;
#[cfg(test)]
mod tests;
pub mod wolfe;

use super::evolve::Found;
use super::patterns::{Pattern, Pool};
use super::view::View;
use crate::{Context, Progress};
use descent::Descent;
use proof::Limits;
use star::star_bound;

/// How much work a bound is worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Work {
    /// Until this second of the run's clock.
    Until(f64),
    /// Rounds of column generation.
    Rounds(u64),
}

/// Services with traffic beyond which patterns are too many to price well.
const MANY_SERVICES: usize = 600;
/// Patterns handed on at most: an integer master with many more is slow.
const MOST_SHARED: usize = 1_200;
/// Local search steps of a pricing.
const STEPS: u64 = 12_000;
/// Rounds of the descent before a proof, and the share of what is left that
/// they may take.
const ROUNDS: u64 = 300;
const DESCENT_SHARE: f64 = 0.4;
/// The share of the seconds left that a proof may take, or so many if that is
/// more.
const PROOF_SHARE: f64 = 0.3;
const PROOF_SECONDS: f64 = 20.0;
/// The share of the last proof's time that must be left for another.
const HURRY: f64 = 0.8;

/// Whether a cluster is small enough for the pattern bound.
pub fn patterns_suit(view: &View) -> bool {
    let services = 0..view.services() as u32;
    let talking = services.filter(|s| !view.links(*s).is_empty());
    talking.count() <= MANY_SERVICES
}

/// What was proven, and how.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Proof {
    /// What no placement can exceed.
    pub bound: f64,
    /// Families of services that were bounded by themselves; 0: none.
    pub parts: usize,
    /// The share of the traffic between families or outside of all.
    pub between: f64,
}

impl Proof {
    fn whole(bound: f64) -> Self {
        Self {
            bound,
            parts: 0,
            between: 0.0,
        }
    }
}

/// The best bound known: the star bound, and the pattern bound, of the whole
/// cluster when it is small enough and else of families of services, from the
/// patterns of a plan and others a search met. New patterns go to the pool.
pub fn best_bound(
    view: &View,
    pool: &mut Pool,
    plan: &Found,
    work: Work,
    context: &Context,
) -> Proof {
    if patterns_suit(view) {
        return Proof::whole(pattern_bound(view, pool, plan.gain, work, context));
    }
    let star = Proof::whole(star_bound(view));
    if view.gain_domain.is_some() {
        return star;
    }
    let parted = parts::parted_bound(view, plan, work, context);
    if parted.bound < star.bound {
        parted
    } else {
        star
    }
}

/// The better of the star bound and the pattern bound.
fn pattern_bound(view: &View, pool: &mut Pool, target: f64, work: Work, context: &Context) -> f64 {
    let star = star_bound(view);
    let tied = view.sets.iter().any(|set| set.domain.is_some()) || view.gain_domain.is_some();
    let patterns = pool.patterns.iter().map(|p| p.counts.as_slice());
    let mut descent = Descent::new(view, patterns, target);
    let began = context.elapsed();
    let mut best = star;
    let mut round = 0;
    let mut needed = 0.0;
    let progress = |round: u64| match work {
        Work::Until(second) => (context.elapsed() - began) / (second - began).max(1e-9),
        Work::Rounds(rounds) => round as f64 / rounds.max(1) as f64,
    };
    let over = |round: u64| match work {
        Work::Until(second) => context.elapsed() >= second,
        Work::Rounds(rounds) => round >= rounds,
    };
    loop {
        // A part of what is left goes to the descent, the rest to its proof;
        // patterns that a proof comes by improve the next.
        let (from, stage) = (progress(round), round);
        let until = from + DESCENT_SHARE * (1.0 - from);
        while progress(round) < until && round - stage < ROUNDS && !descent.ripe() {
            if context.must_stop() {
                break;
            }
            descent.descend(STEPS, context);
            round += 1;
        }
        let limits = match work {
            Work::Until(second) => Limits {
                seconds: Some(proof_seconds(second - context.elapsed())),
                nodes: None,
            },
            Work::Rounds(_) => Limits {
                seconds: None,
                nodes: Some(300),
            },
        };
        // A proof that cannot end in time proves next to nothing.
        let hopeless = limits.seconds.is_some_and(|seconds| seconds < needed);
        if context.must_stop() || hopeless {
            break;
        }
        let before = context.elapsed();
        let proven = descent.certified(limits, context);
        needed = HURRY * (context.elapsed() - before);
        if proven < best {
            best = proven;
            context.report(Progress {
                incumbent: None,
                bound: Some(best),
                phase: "bound",
            });
        }
        if over(round) || descent.settled() || round == stage || best <= target {
            break;
        }
    }
    if !tied {
        share(view, &descent, pool);
    }
    best
}

/// What a proof may take of the seconds left: a long run makes many.
fn proof_seconds(left: f64) -> f64 {
    (PROOF_SHARE * left).max(PROOF_SECONDS).min(left).max(0.0)
}

/// Patterns of the bound for the integer master, on every kind of node that
/// can hold them.
fn share(view: &View, descent: &Descent, pool: &mut Pool) {
    let kinds = super::kinds::Kinds::new(view);
    let stays = view
        .original
        .iter()
        .filter(|s| view.fixed[s.service as usize]);
    let burdened: std::collections::BTreeSet<u32> = stays.map(|s| s.node).collect();
    let bins = wolfe::bins(view);
    for counts in descent.promising(MOST_SHARED) {
        for (kind, nodes) in kinds.nodes.iter().enumerate() {
            let node = nodes[0];
            let may = counts
                .iter()
                .all(|(s, _)| view.may_use(*s, node) && !view.fixed[*s as usize]);
            let bin = bins
                .iter()
                .find(|bin| bin.room.as_slice() == view.room(node));
            let holds = bin.is_some_and(|bin| bin.holds(view, counts));
            if may && holds && !burdened.contains(&node) {
                pool.add(Pattern {
                    kind: kind as u32,
                    counts: counts.to_vec(),
                    gain: super::patterns::gain_at(view, counts),
                });
            }
        }
    }
}
