//! The Lagrangian bound at given prices: an integer program for each kind of
//! place proves what no pattern there can be worth.

use std::sync::atomic::{AtomicUsize, Ordering};

use bayplan_lp::Options;

use super::super::view::View;
use super::certify::{Claim, certify};
use super::known::paid_by_all;
use super::merged::contains;
use super::pricing::Bin;
use crate::Context;

/// Pairs so light that together they carry less than this share of the
/// traffic are counted in full instead of searched.
const LIGHT: f64 = 3e-5;
/// How close a proof must come to the best pattern of a node.
const TOLERANCE: f64 = 4e-6;

/// How long a proof may take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// Wall seconds for all kinds of places.
    pub seconds: Option<f64>,
    /// Branch-and-bound nodes for each of them.
    pub nodes: Option<u64>,
}

/// What is to be proven.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// Prices of replicas.
    pub prices: &'a [f64],
    /// A good pattern for each kind of place, to begin with.
    pub starts: &'a [&'a [(u32, u32)]],
    /// How long it may take.
    pub limits: Limits,
}

/// What no placement can exceed, by these prices; and the patterns that the
/// integer programs came by.
pub fn prove(
    view: &View,
    bins: &[Bin],
    task: Task,
    context: &Context,
) -> (f64, Vec<Vec<(u32, u32)>>) {
    let heavy = heavy(view);
    let light: f64 = (view.edges.iter().zip(&heavy))
        .filter(|(_, heavy)| !**heavy)
        .map(|(edge, _)| edge.weight)
        .sum();
    let until = task.limits.seconds.map(|s| context.elapsed() + s);
    // The last ones first, for those are the smallest where it matters: they
    // are done soon, and what they leave of their share of the time goes to the
    // hard ones.
    let turns = AtomicUsize::new(0);
    let mut proofs = context.lanes(bins.len(), |_| {
        let turn = turns.fetch_add(1, Ordering::Relaxed);
        let kind = bins.len() - 1 - turn;
        let claim = Claim {
            prices: task.prices,
            heavy: &heavy,
            tolerance: TOLERANCE,
            start: task.starts.get(kind).copied().unwrap_or(&[]),
        };
        let share = (context.threads() as f64 / (bins.len() - turn) as f64).min(1.0);
        let options = Options {
            seconds: until.map(|until| ((until - context.elapsed()) * share).max(0.01)),
            nodes: task.limits.nodes,
            stop: Some(context.stop_flag().clone()),
            ..Options::default()
        };
        (kind, certify(view, &bins[kind], &claim, &options))
    });
    proofs.sort_by_key(|(kind, _)| *kind);
    let proofs: Vec<_> = proofs.into_iter().map(|(_, proof)| proof).collect();
    let mut bound = paid_by_all(view, task.prices) + light;
    for (bin, (own, _)) in bins.iter().zip(&proofs) {
        let larger = bins
            .iter()
            .zip(&proofs)
            .filter(|(large, _)| contains(large, bin));
        let worth = larger.map(|(_, (worth, _))| *worth).fold(*own, f64::min);
        bound += worth * bin.count as f64;
    }
    let patterns = proofs.into_iter().filter_map(|(_, counts)| counts);
    (bound, patterns.collect())
}

/// Pairs that carry all but a negligible share of the traffic.
fn heavy(view: &View) -> Vec<bool> {
    let mut order: Vec<usize> = (0..view.edges.len()).collect();
    let weight = |at: &usize| view.edges[*at].weight;
    order.sort_by(|a, b| weight(a).total_cmp(&weight(b)).then(a.cmp(b)));
    let mut heavy = vec![true; view.edges.len()];
    let mut light = 0.0;
    for at in order {
        light += view.edges[at].weight;
        if light > LIGHT {
            break;
        }
        heavy[at] = false;
    }
    heavy
}
