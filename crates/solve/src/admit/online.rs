//! Online admission with learnt prices: the open question of the paper.
//!
//! At each arrival the request's interval and demand are known, the future is
//! not. A request is admitted if its weight exceeds the price of what it
//! takes: the dual price of the fluid problem over the recent past, in which
//! the window's arrivals compete for the room of a window.

use std::collections::VecDeque;

use bayplan_model::Requests;

use super::Params;
use super::baselines::{Present, arrivals};
use super::view::View;
use crate::{Context, Figure, SolveError};

/// Without a window of its own, prices look back this many mean durations:
/// long enough for the fluid view, short enough to follow the day.
const MEAN_DURATIONS: f64 = 8.0;

/// Arrivals kept for learning.
const MOST_KEPT: usize = 50_000;

/// How often prices are learnt anew within a window.
const LESSONS_PER_WINDOW: f64 = 16.0;

/// What an online run did.
pub struct Run {
    /// The node of each request.
    pub node_of: Vec<u32>,
    /// Figures of the run.
    pub figures: Vec<(&'static str, Figure)>,
}

/// Demand of an arrival, as the learner remembers it.
struct Seen {
    start: i64,
    weight: f64,
    /// Size times duration per resource.
    area: Vec<f64>,
}

/// Decides at each arrival.
pub struct Learner<'v, 'a> {
    view: &'v View<'a>,
    window: Option<f64>,
    seen: VecDeque<Seen>,
    /// Durations of all arrivals so far, and how many.
    durations: (f64, f64),
    /// Price per size and time unit, per resource; in millionths of weight.
    prices: Vec<f64>,
}

impl<'v, 'a> Learner<'v, 'a> {
    /// Knows nothing yet, or what `history` teaches.
    pub fn new(view: &'v View<'a>, params: &Params) -> Result<Self, SolveError> {
        if params
            .window
            .is_some_and(|window| window.is_nan() || window <= 0.0)
        {
            return Err(SolveError::Parameter {
                name: "window",
                problem: "a length of time above 0".into(),
            });
        }
        let scale = view.requests.time_scale.max(1) as f64;
        let mut learner = Self {
            view,
            window: params.window.map(|window| window * scale),
            seen: VecDeque::new(),
            durations: (0.0, 0.0),
            prices: vec![0.0; view.resources],
        };
        if let Some(history) = &params.history {
            learner.study(history)?;
        }
        Ok(learner)
    }

    /// Puts an earlier trace right before the first arrival.
    fn study(&mut self, history: &Requests) -> Result<(), SolveError> {
        let resources = self.view.resources;
        if history.demand.len() != history.len() * resources {
            return Err(SolveError::Parameter {
                name: "history",
                problem: format!("it must have {resources} resources, as the requests do"),
            });
        }
        let first = self.view.requests.start.iter().min();
        let last = history.start.iter().max();
        let (Some(first), Some(last)) = (first, last) else {
            return Ok(());
        };
        let scale = self.view.requests.time_scale as f64 / history.time_scale.max(1) as f64;
        let mut order: Vec<usize> = (0..history.len()).collect();
        order.sort_by_key(|j| history.start[*j]);
        for j in order.split_off(history.len().saturating_sub(MOST_KEPT)) {
            let ago = last.abs_diff(history.start[j]) as f64 * scale;
            let duration = history.finish[j].abs_diff(history.start[j]) as f64 * scale;
            let size = |r: usize| match self.view.reference[r] {
                0 => 0.0,
                whole => history.demand[j * resources + r] as f64 / whole as f64,
            };
            self.durations.0 += duration;
            self.durations.1 += 1.0;
            self.seen.push_back(Seen {
                start: first.saturating_sub(ago as i64),
                weight: history.weight[j] as f64,
                area: (0..resources).map(|r| size(r) * duration).collect(),
            });
        }
        Ok(())
    }

    /// Runs through the arrivals.
    pub fn run(mut self, context: &Context) -> Run {
        let view = self.view;
        let mut present = Present::new(view);
        let mut next_lesson = i64::MIN;
        let mut lessons = 0;
        let mut refused = 0;
        for (turn, request) in arrivals(view).into_iter().enumerate() {
            if turn % 256 == 0 && context.must_stop() {
                break;
            }
            let now = view.requests.start[request as usize];
            present.advance(now);
            self.remember(request);
            if now >= next_lesson {
                next_lesson = self.learn(now);
                lessons += 1;
            }
            if view.weight(request) as f64 <= self.price(request) {
                refused += 1;
                continue;
            }
            if let Some(node) = (0..view.nodes).find(|node| present.fits(request, *node)) {
                present.start(request, node);
            }
        }
        Run {
            node_of: present.node_of,
            figures: vec![
                ("lessons", Figure::Count(lessons)),
                ("refused_by_price", Figure::Count(refused)),
            ],
        }
    }

    fn areas(&self, request: u32) -> Vec<f64> {
        let duration = self.view.duration(request);
        (0..self.view.resources)
            .map(|r| self.view.size(request, r) * duration)
            .collect()
    }

    fn price(&self, request: u32) -> f64 {
        let areas = self.areas(request);
        areas.iter().zip(&self.prices).map(|(a, p)| a * p).sum()
    }

    fn remember(&mut self, request: u32) {
        let area = self.areas(request);
        self.durations.0 += self.view.duration(request);
        self.durations.1 += 1.0;
        self.seen.push_back(Seen {
            start: self.view.requests.start[request as usize],
            weight: self.view.weight(request) as f64,
            area,
        });
        if self.seen.len() > MOST_KEPT {
            self.seen.pop_front();
        }
    }

    /// Learns from the window that ends now; returns when to learn again.
    fn learn(&mut self, now: i64) -> i64 {
        let usual = MEAN_DURATIONS * self.durations.0 / self.durations.1;
        let window = self.window.unwrap_or(usual);
        while let Some(first) = self.seen.front() {
            if (now.abs_diff(first.start) as f64) <= window {
                break;
            }
            self.seen.pop_front();
        }
        let oldest = self.seen.front().map_or(now, |first| first.start);
        let span = now.abs_diff(oldest) as f64;
        if span > 0.0 {
            self.prices = fluid_prices(self.view, &self.seen, span, &self.prices);
        }
        let wait = (span.min(window) / LESSONS_PER_WINDOW).max(1.0);
        now.saturating_add(wait as i64)
    }
}

/// Dual prices of: max w x, sum of areas x <= capacity * span per resource,
/// 0 <= x <= 1, by coordinate descent on the dual, exact in each coordinate.
fn fluid_prices(view: &View, seen: &VecDeque<Seen>, span: f64, from: &[f64]) -> Vec<f64> {
    const SWEEPS: usize = 6;
    let mut prices = from.to_vec();
    for _ in 0..SWEEPS {
        for r in 0..view.resources {
            // At price p of this resource, those with rest > p * area stay;
            // the best p is where they fill the room.
            let mut stakes: Vec<(f64, f64)> = seen
                .iter()
                .filter(|seen| seen.area[r] > 0.0)
                .filter_map(|seen| {
                    let others: f64 = (0..view.resources)
                        .filter(|other| *other != r)
                        .map(|other| prices[other] * seen.area[other])
                        .sum();
                    let rest = seen.weight - others;
                    (rest > 0.0).then_some((rest / seen.area[r], seen.area[r]))
                })
                .collect();
            stakes.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
            let room = view.total_capacity(r) * span;
            let mut used = 0.0;
            prices[r] = 0.0;
            for (ratio, area) in stakes {
                used += area;
                if used > room {
                    prices[r] = ratio;
                    break;
                }
            }
        }
    }
    prices
}
