//! Prices by a linear program: those at which the bound over all patterns
//! known is least, within a box around the best prices so far. Far from them
//! the patterns known say little, and the program alone would swing about.

use bayplan_lp::{Col, Model, Options, Row, Sense};
use rustc_hash::FxHashSet;

use super::super::view::View;
use super::known::{Known, replicas};
use crate::Context;

/// The master over patterns. Its rows are in shares of a service's replicas,
/// so that its duals are what a service pays for all of them.
pub struct Region {
    model: Model,
    services: Vec<Option<Sides>>,
    kinds: Vec<Row>,
    inside: FxHashSet<(usize, usize)>,
    /// Half of the box's width, as a share of each service's traffic.
    pub radius: f64,
}

/// A service's row, and the two columns that keep its dual inside of the box.
struct Sides {
    row: Row,
    low: Col,
    high: Col,
    traffic: f64,
}

/// Traffic is scaled so that the solver's absolute tolerances are far below
/// what matters.
const SCALE: f64 = 1e4;
/// Patterns of each kind that join at once, and how often.
const JOIN: usize = 8;
const REPEATS: usize = 30;
/// A pattern that would change the bound less than this does not join.
const NEGLIGIBLE: f64 = 1e-8;

impl Region {
    /// A master without patterns.
    pub fn new(view: &View, known: &Known) -> Self {
        let mut model = Model::new(Sense::Maximise);
        let services = (0..view.services() as u32).map(|s| {
            let talks = !view.links(s).is_empty();
            talks.then(|| {
                let row = model.add_row(1.0..=1.0, &[]);
                Sides {
                    row,
                    low: model.add_col(0.0, 0.0.., &[(row, 1.0)]),
                    high: model.add_col(0.0, 0.0.., &[(row, -1.0)]),
                    traffic: view.total_affinity(s),
                }
            })
        });
        let services = services.collect();
        let kinds = (known.bins.iter()).map(|bin| model.add_row(..=bin.count as f64, &[]));
        Self {
            kinds: kinds.collect(),
            services,
            model,
            inside: FxHashSet::default(),
            radius: 0.02,
        }
    }

    /// The best prices in the box around a centre, and the bound they would
    /// give if no other pattern existed.
    pub fn propose(
        &mut self,
        known: &Known,
        center: &[f64],
        context: &Context,
    ) -> Option<(Vec<f64>, f64)> {
        let view = known.view;
        for (s, sides) in self.services.iter().enumerate() {
            let Some(sides) = sides else { continue };
            let (pays, half) = (center[s] * replicas(view, s), self.radius * sides.traffic);
            self.model
                .set_cost(sides.low, (pays - half).max(0.0) * SCALE);
            self.model.set_cost(sides.high, -(pays + half) * SCALE);
        }
        let mut answer = None;
        for _ in 0..REPEATS {
            let options = Options {
                seconds: context.deadline().map(|_| context.seconds_left().max(0.05)),
                stop: Some(context.stop_flag().clone()),
                ..Options::column_generation()
            };
            let solution = self.model.solve(&options);
            if solution.duals.is_empty() {
                return None;
            }
            let price = |(s, sides): (usize, &Option<Sides>)| match sides {
                Some(sides) => (solution.dual(sides.row) / SCALE).max(0.0) / replicas(view, s),
                None => 0.0,
            };
            let prices: Vec<f64> = self.services.iter().enumerate().map(price).collect();
            let level =
                |kind: usize| (solution.dual(self.kinds[kind]) / SCALE).max(0.0) + NEGLIGIBLE;
            let joining = known.best(&prices, JOIN, level);
            let mut joined = false;
            for (kind, columns) in joining.iter().enumerate() {
                for (_, at) in columns {
                    joined |= self.join(known, kind, *at);
                }
            }
            answer = Some((prices, solution.objective / SCALE));
            if !joined {
                break;
            }
        }
        answer
    }

    fn join(&mut self, known: &Known, kind: usize, at: usize) -> bool {
        if !self.inside.insert((kind, at)) {
            return false;
        }
        let column = &known.columns[at];
        let mut entries = vec![(self.kinds[kind], 1.0)];
        for (s, count) in &column.counts {
            let s = *s as usize;
            if let Some(sides) = &self.services[s] {
                entries.push((sides.row, f64::from(*count) / replicas(known.view, s)));
            }
        }
        self.model.add_col(column.gain * SCALE, 0.0.., &entries);
        true
    }
}
