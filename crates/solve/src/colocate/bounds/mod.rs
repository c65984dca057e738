//! What no placement can exceed.

pub mod pricing;
pub mod star;
#[cfg(test)]
mod tests;
pub mod wolfe;

use super::patterns::{Pattern, Pool};
use super::view::View;
use crate::{Context, Progress};
use star::star_bound;
use wolfe::Wolfe;

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

/// The best bound known: the star bound, and on clusters small enough the
/// pattern bound, from patterns a search met. New patterns go to the pool.
pub fn best_bound(view: &View, pool: &mut Pool, work: Work, context: &Context) -> f64 {
    let star = star_bound(view);
    let talking = (0..view.services() as u32)
        .filter(|s| !view.links(*s).is_empty())
        .count();
    let tied = view.sets.iter().any(|set| set.domain.is_some()) || view.gain_domain.is_some();
    if talking > MANY_SERVICES {
        return star;
    }
    let mut wolfe = Wolfe::new(view);
    wolfe.offer_all(pool.patterns.iter());
    let began = context.elapsed();
    let mut best = star;
    let mut round = 0;
    // With time to spend, prove early and again; with rounds, once at the end.
    let mut next_proof = match work {
        Work::Until(_) => 0.4,
        Work::Rounds(_) => 0.94,
    };
    loop {
        let progress = match work {
            Work::Until(second) => (context.elapsed() - began) / (second - began).max(1e-9),
            Work::Rounds(rounds) => round as f64 / rounds.max(1) as f64,
        };
        if context.must_stop() || progress >= 1.0 || !wolfe.solve(context) {
            break;
        }
        let added = wolfe.generate(round, STEPS, context);
        round += 1;
        if added == 0 || progress >= next_proof {
            // In the time that is left, each kind its part.
            let (seconds, nodes) = match work {
                Work::Until(second) => {
                    let left = (second - context.elapsed()).max(0.0);
                    (Some(left * 0.9 * context.threads() as f64), None)
                }
                Work::Rounds(_) => (None, Some(300)),
            };
            let [center, last] = wolfe.candidates();
            best = best.min(wolfe.certified(&center, seconds, nodes, context));
            if seconds.is_none() {
                // Few rounds may leave the centre behind the last duals.
                best = best.min(wolfe.certified(&last, seconds, nodes, context));
            }
            context.report(Progress {
                incumbent: None,
                bound: Some(best),
                phase: "bound",
            });
            next_proof = progress + (1.0 - progress) * 0.6;
            if next_proof > 0.97 || matches!(work, Work::Rounds(_)) {
                break;
            }
        }
    }
    if !tied {
        share(view, &wolfe, pool);
    }
    best
}

/// Patterns of the bound for the integer master, on every kind of node whose
/// room is the bin's.
fn share(view: &View, wolfe: &Wolfe, pool: &mut Pool) {
    let kinds = super::kinds::Kinds::new(view);
    for (bin, counts) in wolfe.promising(MOST_SHARED) {
        let room = &wolfe.bins[*bin as usize].room;
        for (kind, nodes) in kinds.nodes.iter().enumerate() {
            let node = nodes[0];
            let stays = view
                .original
                .iter()
                .any(|s| s.node == node && view.fixed[s.service as usize]);
            let may = counts
                .iter()
                .all(|(s, _)| view.may_use(*s, node) && !view.fixed[*s as usize]);
            if view.room(node) == room.as_slice() && may && !stays {
                pool.add(Pattern {
                    kind: kind as u32,
                    counts: counts.clone(),
                    gain: super::patterns::gain_at(view, counts),
                });
            }
        }
    }
}
