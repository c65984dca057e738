//! The integer program of sections II and IV, for small problems.

use bayplan_lp::{Col, Model, Options, Sense, Status};

use super::answer::Answer;
use super::flow::Flow;
use super::state::State;
use super::view::{Slot, View};
use super::{bounds, fleet};
use crate::Context;

/// Applications times nodes up to which the default solver tries it.
const SMALL: usize = 120;
/// Branch-and-bound nodes when the budget counts steps.
const NODES: u64 = 20_000;

/// Whether the program is small enough for the default solver.
pub fn is_small(view: &View, best: &Answer) -> bool {
    let nodes = best
        .division
        .pieces
        .iter()
        .filter(|p| !p.is_empty())
        .count();
    view.change_price == 0 && view.apps.len() * nodes.max(1) * view.kinds.len() <= SMALL
}

/// A better answer than `best` if there is one, and a bound on the price.
pub fn pack(view: &View, best: &Answer, ctx: &Context) -> (Option<Answer>, u64) {
    let price = best.price(view);
    let complete = best.left.is_empty();
    let mut slots = Vec::new();
    for (k, kind) in view.kinds.iter().enumerate() {
        // More nodes of a kind than this would cost more than what is known.
        let affordable = if complete && kind.price > 0 {
            price / kind.price
        } else {
            u64::MAX
        };
        let most = view.most_nodes(k).min(affordable);
        slots.extend(view.slots(k, most as usize));
    }
    let unit = view
        .kinds
        .iter()
        .map(|kind| kind.price)
        .max()
        .unwrap_or(1)
        .max(1);
    let mut program = Program::new(view, slots, None);
    let opened: Vec<Col> = (program.slots.iter())
        .map(|slot| {
            let cost = view.kinds[slot.kind].price as f64 / unit as f64;
            program.model.add_integer_col(cost, 0.0..=1.0, &[])
        })
        .collect();
    for node in 0..program.slots.len() {
        program.limit_node(view, node, Some((opened[node], 1.0)), 1.0);
        // Equal nodes are used in order.
        if node > 0 && program.slots[node].kind == program.slots[node - 1].kind {
            program
                .model
                .add_row(0.0.., &[(opened[node - 1], 1.0), (opened[node], -1.0)]);
        }
    }
    let (found, bound) = program.solve(view, None, ctx);
    // The program knows only answers that do not cost more than `best`.
    let bound = bounds::whole_prices(view, bound * unit as f64, 1e-4);
    let bound = if complete { bound.min(price) } else { bound };
    (
        found.map(|mut answer| {
            fleet::stay(view, &mut answer.division);
            answer
        }),
        bound,
    )
}

/// The least level on the nodes given, and a bound on it.
pub fn balance(view: &View, slots: Vec<Slot>, ctx: &Context) -> (Option<Answer>, u64) {
    let mut program = Program::new(view, slots, None);
    let largest = program
        .slots
        .iter()
        .map(|slot| view.kinds[slot.kind].cpu)
        .max()
        .unwrap_or(1)
        .max(1);
    let level = program.model.add_col(1.0, 0.0..=1.0, &[]);
    for node in 0..program.slots.len() {
        let cpu = view.kinds[program.slots[node].kind].cpu.max(1);
        program.limit_node(view, node, None, 1.0);
        program.limit_cpu(view, node, Some((level, largest as f64 / cpu as f64)), 0.0);
    }
    let (found, bound) = program.solve(view, Some((level, largest)), ctx);
    // One millionth of the level is the program's tolerance.
    let bound = (bound * largest as f64 * (1.0 - 1e-6) - 1e-6)
        .ceil()
        .max(0.0);
    (found, bound as u64)
}

struct Program {
    model: Model,
    slots: Vec<Slot>,
    /// Instance and share of load, by application, then node.
    hosts: Vec<Vec<(Col, Col)>>,
}

impl Program {
    fn new(view: &View, slots: Vec<Slot>, level: Option<u64>) -> Self {
        let mut model = Model::new(Sense::Minimise);
        let mut hosts = Vec::new();
        for app in &view.apps {
            let mut row = Vec::new();
            for slot in &slots {
                let kind = &view.kinds[slot.kind];
                let cpu = kind.cpu.min(level.unwrap_or(u64::MAX));
                let most = app.most_load(cpu, kind.memory).map_or(0.0, |most| {
                    if app.load == 0 {
                        1.0
                    } else {
                        (most as f64 / app.load as f64).min(1.0)
                    }
                });
                let fits = app.memory <= kind.memory && app.min > 0;
                let host = model.add_integer_col(0.0, 0.0..=f64::from(u8::from(fits)), &[]);
                let share = model.add_col(0.0, 0.0..=most, &[]);
                model.add_row(..=0.0, &[(share, 1.0), (host, -most)]);
                row.push((host, share));
            }
            if app.min > 0 {
                let shares: Vec<_> = row.iter().map(|(_, share)| (*share, 1.0)).collect();
                let hosts: Vec<_> = row.iter().map(|(host, _)| (*host, 1.0)).collect();
                if app.load > 0 {
                    model.add_row(1.0, &shares);
                }
                let most = f64::from(app.max.min(slots.len() as u32));
                model.add_row(f64::from(app.min)..=most.max(f64::from(app.min)), &hosts);
            }
            hosts.push(row);
        }
        Self {
            model,
            slots,
            hosts,
        }
    }

    /// CPU and memory of a node, as shares of its own, within `most`, or
    /// within a column times a factor.
    fn limit_node(&mut self, view: &View, node: usize, by: Option<(Col, f64)>, most: f64) {
        self.limit_cpu(view, node, by, if by.is_some() { 0.0 } else { most });
        let memory = view.kinds[self.slots[node].kind].memory.max(1) as f64;
        let mut entries: Vec<(Col, f64)> = Vec::new();
        for (app, row) in view.apps.iter().zip(&self.hosts) {
            entries.push((row[node].0, app.memory as f64 / memory));
            let growth = app.slope as f64 * app.load as f64 / 1e6;
            if growth > 0.0 {
                entries.push((row[node].1, growth / memory));
            }
        }
        entries.extend(by.map(|(col, factor)| (col, -factor)));
        self.model
            .add_row(..=if by.is_some() { 0.0 } else { most }, &entries);
    }

    fn limit_cpu(&mut self, view: &View, node: usize, by: Option<(Col, f64)>, most: f64) {
        let cpu = view.kinds[self.slots[node].kind].cpu.max(1) as f64;
        let loads = view.apps.iter().zip(&self.hosts);
        let mut entries: Vec<(Col, f64)> = loads
            .map(|(app, row)| (row[node].1, app.load as f64 / cpu))
            .collect();
        entries.extend(by.map(|(col, factor)| (col, -factor)));
        self.model.add_row(..=most, &entries);
    }

    /// Solves within the budget. The loads are divided again exactly, at the
    /// least level when there is one: the program's are real numbers.
    fn solve(
        mut self,
        view: &View,
        level: Option<(Col, u64)>,
        ctx: &Context,
    ) -> (Option<Answer>, f64) {
        let timed = ctx.steps().is_none();
        let solved = self.model.solve(&Options {
            seconds: timed.then(|| ctx.seconds_left()),
            nodes: (!timed).then_some(NODES),
            stop: Some(ctx.stop_flag().clone()),
            ..Options::default()
        });
        if solved.status == Status::Infeasible {
            return (None, f64::INFINITY);
        }
        if !solved.has_values() {
            return (None, solved.bound.max(0.0));
        }
        let mut instances = vec![Vec::new(); self.slots.len()];
        for (app, row) in self.hosts.iter().enumerate() {
            for (node, (host, share)) in row.iter().enumerate() {
                if solved[*host] > 0.5 {
                    let load = solved[*share].max(0.0) * view.apps[app].load as f64;
                    instances[node].push((app as u32, load as u64));
                }
            }
        }
        let exact = |level: Option<u64>| {
            let mut state = State::new(view, self.slots.clone(), level);
            state.host(&instances);
            let mut flow = Flow::exhaustive();
            for app in state.open().to_vec() {
                flow.serve(&mut state, app);
            }
            state.drop_idle();
            state
                .open()
                .is_empty()
                .then(|| Answer::new(state.division(), Vec::new()))
        };
        let answer = match level {
            None => exact(None),
            Some((col, largest)) => {
                let about = (solved[col] * largest as f64) as u64;
                // The program's level is off by its tolerance at most.
                let slack = largest / 500_000 + 2;
                let levels = about.saturating_sub(slack)..=(about + slack).min(largest);
                super::balance::least(levels, |level| exact(Some(level)))
            }
        };
        (answer, solved.bound)
    }
}
