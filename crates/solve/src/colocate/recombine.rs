//! The integer master: the best selection among all patterns met, one per
//! node, each service used at most as often as it has replicas; then nodes of
//! a kind are told apart again with as few moves as possible, and everything
//! else is put back.

use bayplan_lp::{Col, Model, Options, Row, Sense};

use super::assign::assign;
use super::kinds::Kinds;
use super::patterns::{Pattern, Pool, spots_of};
use super::schedule::place_missing;
use super::state::State;
use super::view::{Spot, View};

/// Picks patterns: their positions in the pool, with repetition; `None` when
/// the solver found nothing within its limits.
pub fn select(
    view: &View,
    kinds: &Kinds,
    pool: &Pool,
    price: f64,
    options: &Options,
) -> Option<Vec<usize>> {
    let mut model = Model::new(Sense::Maximise);
    let services: Vec<Row> = (0..view.services())
        .map(|s| model.add_row(..=f64::from(view.replicas[s]), &[]))
        .collect();
    let nodes: Vec<Row> = (kinds.nodes.iter())
        .map(|nodes| model.add_row(..=nodes.len() as f64, &[]))
        .collect();
    let cheapest = Arrivals::new(view);
    let cols: Vec<Col> = (pool.patterns.iter())
        .map(|pattern| {
            let of_kind = &kinds.nodes[pattern.kind as usize];
            let least = of_kind
                .iter()
                .map(|node| cheapest.moves(*node, pattern))
                .min();
            let cost = pattern.gain - price * least.unwrap_or(0) as f64;
            let mut entries = vec![(nodes[pattern.kind as usize], 1.0)];
            let counts = pattern.counts.iter();
            entries.extend(counts.map(|(s, count)| (services[*s as usize], f64::from(*count))));
            let most = counts_limit(view, pattern).min(of_kind.len() as u32);
            model.add_integer_col(cost, 0.0..=f64::from(most), &entries)
        })
        .collect();
    let solution = model.solve(options);
    if !solution.has_values() {
        return None;
    }
    let picked = cols
        .iter()
        .enumerate()
        .flat_map(|(at, col)| std::iter::repeat_n(at, solution.count(*col).max(0) as usize));
    Some(picked.collect())
}

fn counts_limit(view: &View, pattern: &Pattern) -> u32 {
    let limits = pattern
        .counts
        .iter()
        .map(|(s, count)| view.replicas[*s as usize] / count);
    limits.min().unwrap_or(0)
}

/// How many replicas of a pattern would be new on a node.
struct Arrivals {
    held: Vec<Vec<(u32, u32)>>,
}

impl Arrivals {
    fn new(view: &View) -> Self {
        let mut held = vec![Vec::new(); view.nodes()];
        for spot in &view.original {
            held[spot.node as usize].push((spot.service, spot.count));
        }
        for counts in &mut held {
            counts.sort_unstable();
        }
        Self { held }
    }

    fn moves(&self, node: u32, pattern: &Pattern) -> i64 {
        let held = &self.held[node as usize];
        let arrivals = pattern.counts.iter().map(|(service, count)| {
            let was = held.binary_search_by_key(service, |(s, _)| *s);
            let was = was.map_or(0, |at| held[at].1);
            i64::from(count.saturating_sub(was))
        });
        arrivals.sum()
    }
}

/// A placement made of the picked patterns: on each kind the nodes that need
/// the fewest arrivals, what else runs kept in place where there is room.
/// `None` when some replica found no place.
pub fn rebuild(view: &View, kinds: &Kinds, pool: &Pool, picked: &[usize]) -> Option<Vec<Spot>> {
    let arrivals = Arrivals::new(view);
    let mut placed: Vec<(u32, &Pattern)> = Vec::new();
    for (kind, nodes) in kinds.nodes.iter().enumerate() {
        let patterns: Vec<&Pattern> = picked
            .iter()
            .map(|at| &pool.patterns[*at])
            .filter(|pattern| pattern.kind as usize == kind)
            .collect();
        let cost: Vec<Vec<i64>> = (0..nodes.len())
            .map(|at| match patterns.get(at) {
                Some(pattern) => nodes
                    .iter()
                    .map(|node| arrivals.moves(*node, pattern))
                    .collect(),
                None => vec![0; nodes.len()],
            })
            .collect();
        let columns = assign(&cost);
        placed.extend(
            patterns
                .iter()
                .zip(columns)
                .map(|(pattern, col)| (nodes[col], *pattern)),
        );
    }
    let mut state = State::new(view, &spots_of(&placed));
    keep_in_place(&mut state);
    place_missing(&mut state).is_empty().then(|| state.spots())
}

/// Puts replicas back where they stood, as far as the room and their number allow.
pub fn keep_in_place(state: &mut State) {
    let view = state.view;
    // What must stay comes first, then the large: they are hard to put elsewhere.
    let mut spots = view.original.clone();
    spots.sort_by_key(|spot| {
        let fixed = view.fixed[spot.service as usize];
        (
            !fixed,
            std::cmp::Reverse(view.need(spot.service).to_vec()),
            *spot,
        )
    });
    for spot in spots {
        let placed = state.range(spot.service).len() as u32;
        let left = view.replicas[spot.service as usize].saturating_sub(placed);
        let here = state.count(spot.service, spot.node);
        for _ in 0..left.min(spot.count.saturating_sub(here)) {
            if !view.fixed[spot.service as usize] && !state.fits(spot.service, spot.node, 1) {
                break;
            }
            state.add(spot.service, spot.node, 1);
        }
    }
}
