//! Ruin and recreate, for nodes of several kinds: some nodes are emptied and
//! closed, their replicas find places on the others or on nodes opened anew,
//! and nodes that ended up half empty are exchanged for cheaper ones.

use rand::RngExt;
use rand::seq::SliceRandom;
use rustc_hash::FxHashMap;

use super::Task;
use super::budget;
use crate::provision::allowance::Allowance;
use crate::provision::goal::Goal;
use crate::provision::grid::Grid;
use crate::provision::open::{Opener, open_in};
use crate::provision::plain;
use crate::provision::state::State;
use crate::{Context, Random};

/// The most nodes emptied at once.
const MOST_RUINED: usize = 6;
/// Steps per replica beyond which more would find nothing.
const STEPS_PER_REPLICA: u64 = 500;

/// One change, to be taken back.
enum Change {
    Moved { node: u32, service: u32, count: i64 },
    Opened { node: u32 },
    Shut { node: u32 },
}

struct Search<'t, 'v> {
    task: &'t Task<'v>,
    state: State<'v>,
    grid: Grid,
    allowance: Allowance,
    random: Random,
    opener: Opener,
    fixed: FxHashMap<(u32, u32), u32>,
    log: Vec<Change>,
}

/// Improves a whole plan until the budget ends or the bound is reached.
pub(super) fn run<'v>(task: &Task<'v>, state: State<'v>, ctx: &Context) -> State<'v> {
    if !task.is_whole(&state) || task.reached_bound(&state) {
        return state;
    }
    let fixed = task
        .view
        .fixed
        .iter()
        .map(|e| ((e.node.0, e.service.0), e.count))
        .collect();
    let mut search = Search {
        task,
        grid: Grid::new(&state),
        opener: task.opener(&state),
        state,
        allowance: Allowance::default(),
        random: ctx.random(0),
        fixed,
        log: Vec::new(),
    };
    search.exchange_all();
    search.log.clear();
    let replicas: u64 = task
        .view
        .wanted
        .iter()
        .map(|wanted| u64::from(*wanted))
        .sum();
    let steps = budget::all_steps(ctx).min(replicas.saturating_mul(STEPS_PER_REPLICA));
    let mut rank = search.rank();
    for step in 0..steps {
        if step % 16 == 0 && ctx.must_stop() {
            break;
        }
        search.step();
        let now = search.rank();
        if search.is_whole() && now <= rank {
            if now < rank {
                task.announce(&search.state, ctx);
            }
            rank = now;
            search.log.clear();
            if rank.0 <= task.bound {
                break;
            }
        } else {
            search.undo();
        }
    }
    search.state
}

impl Search<'_, '_> {
    fn rank(&self) -> (u128, u64) {
        self.task.goal.rank(&self.state)
    }

    fn is_whole(&self) -> bool {
        self.log.iter().all(|change| match change {
            Change::Moved { service, .. } => self.state.left[*service as usize] == 0,
            _ => true,
        })
    }

    fn step(&mut self) {
        let used: Vec<u32> = self.candidates();
        if used.is_empty() {
            return;
        }
        let most = MOST_RUINED.min(used.len());
        let count = self.random.random_range(1..=most);
        let mut out: Vec<u32> = Vec::new();
        for _ in 0..count {
            let node = used[self.random.random_range(0..used.len())];
            if !out.contains(&node) {
                out.push(node);
            }
        }
        let mut homeless: Vec<u32> = Vec::new();
        for node in &out {
            self.empty(*node as usize, &mut homeless);
        }
        homeless.sort_unstable();
        homeless.dedup();
        let sizes = &self.task.sizes;
        homeless.sort_by(|a, b| sizes[*b as usize].total_cmp(&sizes[*a as usize]));
        if homeless.len() > 1 && self.random.random_range(0..4) == 0 {
            homeless.shuffle(&mut self.random);
        }
        let first_new = self.log.len();
        for service in homeless {
            self.home(service as usize);
        }
        let opened: Vec<usize> = self.log[first_new..]
            .iter()
            .filter_map(|change| match change {
                Change::Opened { node } => Some(*node as usize),
                _ => None,
            })
            .collect();
        for node in opened {
            self.exchange(node);
        }
    }

    /// Nodes in use none of whose replicas must stay.
    fn candidates(&self) -> Vec<u32> {
        let free = |node: &u32| {
            let contents = self.state.contents(*node as usize);
            let stays = |(service, _): &(u32, u32)| self.fixed.contains_key(&(*node, *service));
            !contents.is_empty() && (self.fixed.is_empty() || !contents.iter().any(stays))
        };
        (0..self.state.nodes() as u32).filter(free).collect()
    }

    fn shift(&mut self, node: usize, service: usize, count: i64) {
        if count > 0 {
            self.state.place(node, service, count as u32);
        } else {
            self.state
                .remove(node, service, count.unsigned_abs() as u32);
        }
        self.grid.update(&self.state, node);
    }

    fn change(&mut self, node: usize, service: usize, count: i64) {
        self.shift(node, service, count);
        self.log.push(Change::Moved {
            node: node as u32,
            service: service as u32,
            count,
        });
    }

    /// Takes everything off a node, and the node out of use.
    fn empty(&mut self, node: usize, homeless: &mut Vec<u32>) {
        while let Some((service, count)) = self.state.contents(node).last().copied() {
            self.change(node, service as usize, -i64::from(count));
            homeless.push(service);
        }
        self.close(node);
    }

    fn close(&mut self, node: usize) {
        self.state.shut(node);
        self.grid.update(&self.state, node);
        self.log.push(Change::Shut { node: node as u32 });
    }

    /// Finds places for all replicas of a service: the fullest nodes in use
    /// first, then nodes opened for it.
    fn home(&mut self, service: usize) {
        self.allowance.compute(&self.state, service);
        while self.state.left[service] > 0 {
            let node = match self.fullest(service).or_else(|| self.open(service)) {
                Some(node) => node,
                None => return,
            };
            let count = self
                .allowance
                .most(&self.state, node)
                .min(self.state.left[service]);
            if count == 0 {
                return;
            }
            self.change(node, service, i64::from(count));
            self.allowance.note_placed(node, count);
        }
    }

    fn fullest(&mut self, service: usize) -> Option<usize> {
        let state = &self.state;
        let allowance = &self.allowance;
        let in_use = |node: usize| allowance.takes(state, node);
        self.grid.fullest(|r| state.view.least(service, r), in_use)
    }

    /// Opens a node for the service, of the pool with the best price for it, now
    /// and then of another pool.
    fn open(&mut self, service: usize) -> Option<usize> {
        let other = (self.random.random_range(0..3) == 0)
            .then(|| self.random.random_range(0..self.task.view.kinds.len()))
            .and_then(|pool| open_in(&mut self.state, pool, service, self.task.nodes.is_none()));
        let node = match other {
            Some(node) => node,
            None => self.opener.open_for(&mut self.state, service)?,
        };
        self.log.push(Change::Opened { node: node as u32 });
        self.allowance.note_opened(&self.state, node);
        self.grid.add(&self.state, node);
        Some(node)
    }

    fn exchange_all(&mut self) {
        for node in 0..self.state.nodes() {
            self.exchange(node);
        }
    }

    /// Moves the contents of a node to one of a cheaper pool, if one holds them.
    fn exchange(&mut self, node: usize) {
        let view = self.task.view;
        if self.state.contents(node).is_empty() || self.task.goal == Goal::Nodes {
            return;
        }
        let contents = self.state.contents(node).to_vec();
        let stays = |(service, _): &(u32, u32)| self.fixed.contains_key(&(node as u32, *service));
        if contents.iter().any(stays) {
            return;
        }
        let price = view.kinds[self.state.pool(node)].price;
        let mut cheaper: Vec<usize> = (0..view.kinds.len())
            .filter(|p| view.kinds[*p].price < price)
            .collect();
        cheaper.sort_by_key(|pool| view.kinds[*pool].price);
        for pool in cheaper {
            let capacity = view.kinds[pool].capacity.iter();
            let holds = capacity.enumerate().all(|(r, capacity)| {
                (0..view.epochs).all(|e| {
                    let load = contents.iter().map(|(service, count)| {
                        i128::from(view.row(*service as usize)[r * view.epochs + e])
                            * i128::from(*count)
                    });
                    load.sum::<i128>() <= i128::from(*capacity)
                })
            });
            if holds && self.move_to_pool(node, &contents, pool) {
                return;
            }
        }
    }

    fn move_to_pool(&mut self, node: usize, contents: &[(u32, u32)], pool: usize) -> bool {
        let mark = self.log.len();
        for (service, count) in contents {
            self.change(node, *service as usize, -i64::from(*count));
        }
        let first = contents[0].0 as usize;
        let may_add = self.task.nodes.is_none();
        let Some(target) = open_in(&mut self.state, pool, first, may_add) else {
            self.undo_to(mark);
            return false;
        };
        self.log.push(Change::Opened {
            node: target as u32,
        });
        self.grid.add(&self.state, target);
        for (service, count) in contents {
            if plain::most(&self.state, target, *service as usize) < *count {
                self.undo_to(mark);
                return false;
            }
            self.change(target, *service as usize, i64::from(*count));
        }
        self.close(node);
        true
    }

    fn undo(&mut self) {
        self.undo_to(0);
    }

    fn undo_to(&mut self, mark: usize) {
        while self.log.len() > mark {
            match self.log.pop().expect("it is longer than the mark") {
                Change::Moved {
                    node,
                    service,
                    count,
                } => {
                    self.shift(node as usize, service as usize, -count);
                }
                Change::Opened { node } => {
                    self.state.shut(node as usize);
                    self.grid.update(&self.state, node as usize);
                }
                Change::Shut { node } => {
                    self.state.reopen(node as usize);
                    self.grid.update(&self.state, node as usize);
                }
            }
        }
    }
}
