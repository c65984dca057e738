//! Ruin and recreate: empty a few nodes and fill them again by the two phases
//! of section V-B, with orders and rules drawn at random, until nothing is open.

use rand::{Rng, RngExt};

use super::flow::Flow;
use super::state::State;
use super::view::{Piece, View};
use crate::Random;

/// How much a missing instance weighs beside its load: its memory as a share
/// of a node, times this.
const MEMORY_WEIGHT: f64 = 0.5;

/// Changes the search may make to start one missing instance.
const CHANGES_PER_START: f64 = 4.0;

/// A search on a fixed set of nodes.
pub struct Search<'a> {
    view: &'a View,
    /// The division as it stands.
    pub state: State<'a>,
    random: Random,
    flow: Flow,
    /// One over the CPU and the memory of the largest node.
    per_cpu: f64,
    per_memory: f64,
    /// Price of a change, in nodes.
    per_change: f64,
    /// Worsenings up to about this much (in nodes) are accepted.
    pub temperature: f64,
    /// Scratch: the emptied nodes, what was on them, the applications to place.
    nodes: Vec<usize>,
    taken: Vec<Vec<Piece>>,
    bag: Vec<u32>,
    keys: Vec<(f64, u32)>,
}

impl<'a> Search<'a> {
    /// Starts from a state.
    pub fn new(view: &'a View, state: State<'a>, random: Random) -> Self {
        let most =
            |of: &dyn Fn(usize) -> u64| view.kinds.iter().enumerate().map(|(k, _)| of(k)).max();
        let price = most(&|k| view.kinds[k].price).unwrap_or(1).max(1);
        let cpu = (0..state.slots.len())
            .map(|n| state.cpu[n] + state.pieces[n].iter().map(|piece| piece.load).sum::<u64>());
        Self {
            per_cpu: 1.0 / cpu.max().unwrap_or(1).max(1) as f64,
            per_memory: 1.0 / most(&|k| view.kinds[k].memory).unwrap_or(1).max(1) as f64,
            per_change: view.change_price as f64 / price as f64,
            view,
            state,
            random,
            flow: Flow::within(256),
            temperature: 0.0,
            nodes: Vec::new(),
            taken: Vec::new(),
            bag: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// Whether every application is served.
    pub fn done(&self) -> bool {
        self.state.open().is_empty()
    }

    /// How far the open load of an application is from being served, in nodes.
    fn lack(&self, app: u32) -> f64 {
        let missing = self.state.missing(app);
        if missing == 0 {
            return 0.0;
        }
        let memory = self.state.apps[app as usize].memory as f64 * self.per_memory;
        let load = self.state.rest[app as usize] as f64 * self.per_cpu;
        // A missing instance must weigh more than starting it and a few others.
        load + (MEMORY_WEIGHT * memory + CHANGES_PER_START * self.per_change) * f64::from(missing)
    }

    /// Started and stopped instances on the emptied nodes, in nodes.
    fn change(&self) -> f64 {
        if self.per_change == 0.0 {
            return 0.0;
        }
        let changes = |&node: &usize| {
            let Some(id) = self.state.slots[node].node else {
                return self.state.pieces[node].len();
            };
            let here = &self.state.pieces[node];
            let kept = here.iter().filter(|p| self.view.runs(id, p.app)).count();
            here.len() + self.view.running[id as usize].len() - 2 * kept
        };
        self.per_change * self.nodes.iter().map(changes).sum::<usize>() as f64
    }

    /// One step: ruin, recreate, keep or undo.
    pub fn step(&mut self) {
        self.choose_nodes();
        if self.nodes.is_empty() {
            return;
        }
        let change_before = self.change();
        self.fill_bag();
        let before: f64 = self.bag.iter().map(|app| self.lack(*app)).sum::<f64>() + change_before;
        self.ruin();
        self.recreate();
        let after: f64 = self.bag.iter().map(|app| self.lack(*app)).sum::<f64>() + self.change();
        let worse = after - before;
        let tolerated = -self.temperature * (1.0 - self.random.random::<f64>()).ln();
        if worse > tolerated + 1e-12 {
            self.undo();
            return;
        }
        if self.random.random_range(0..8) == 0 {
            self.serve_by_flow();
        }
    }

    /// One node with free CPU if there is one, and one to three others; hosts
    /// of an open application among them.
    fn choose_nodes(&mut self) {
        self.nodes.clear();
        let all = self.state.slots.len();
        if all == 0 {
            return;
        }
        let count = (2 + [0, 0, 1, 1, 2, 3][self.random.random_range(0..6)]).min(all);
        for _ in 0..8 {
            let node = self.random.random_range(0..all);
            if self.state.cpu[node] > 0 {
                self.nodes.push(node);
                break;
            }
        }
        if let Some(&app) = pick(self.state.open(), &mut self.random) {
            let hosts = &self.state.hosts[app as usize];
            if self.random.random_range(0..4) == 0
                && let Some(&host) = pick(hosts, &mut self.random)
                && !self.nodes.contains(&(host as usize))
            {
                self.nodes.push(host as usize);
            }
        }
        while self.nodes.len() < count {
            let node = self.random.random_range(0..all);
            if !self.nodes.contains(&node) {
                self.nodes.push(node);
            }
        }
    }

    /// The applications of the nodes, and up to four open ones.
    fn fill_bag(&mut self) {
        self.bag.clear();
        let open = self.state.open();
        if open.len() <= 4 {
            self.bag.extend_from_slice(open);
        } else {
            for _ in 0..4 {
                self.bag.extend(pick(open, &mut self.random));
            }
        }
        for &node in &self.nodes {
            self.bag
                .extend(self.state.pieces[node].iter().map(|piece| piece.app));
        }
        self.bag.sort_unstable();
        self.bag.dedup();
    }

    fn ruin(&mut self) {
        self.taken
            .resize_with(self.taken.len().max(self.nodes.len()), Vec::new);
        for (node, taken) in self.nodes.iter().zip(&mut self.taken) {
            taken.clear();
            self.state.clear(*node, taken);
        }
    }

    fn undo(&mut self) {
        let mut dropped = Vec::new();
        for node in &self.nodes {
            self.state.clear(*node, &mut dropped);
            dropped.clear();
        }
        for (node, taken) in self.nodes.iter().zip(&self.taken) {
            for piece in taken {
                self.state.place(*node, piece.app, piece.load);
            }
        }
    }

    /// Both phases on the emptied nodes.
    fn recreate(&mut self) {
        let order = self.random.random_range(0..8);
        let noise = [0.0, 0.1, 0.3][self.random.random_range(0..3)];
        self.keys.clear();
        for &app in &self.bag {
            let given = &self.state.apps[app as usize];
            let load = self.state.rest[app as usize] as f64 * self.per_cpu;
            let memory = given.memory as f64 * self.per_memory;
            let key = match order {
                0..=3 => -memory,
                4 => load,
                5 => -load,
                6 => load - memory,
                _ => 0.0,
            };
            let blur = if order == 7 { 1.0 } else { noise };
            self.keys
                .push((key + blur * self.random.random::<f64>(), app));
        }
        self.keys
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let rule = self.random.random_range(0..5);
        let keeps_home = self.per_change > 0.0 && self.random.random_range(0..4) > 0;
        if keeps_home && self.random.random() {
            self.restore();
        }
        let mut keys = std::mem::take(&mut self.keys);
        keys.retain(|&(_, app)| !self.whole(app, rule, keeps_home));
        if self.random.random_bool(0.5) {
            let memory = |app: u32| self.state.apps[app as usize].memory;
            keys.sort_by_key(|&(_, app)| std::cmp::Reverse(memory(app)));
        }
        for &(_, app) in &keys {
            self.grow(app);
            self.divided(app, rule, keeps_home);
        }
        self.keys = keys;
    }

    /// Starts again what ran on the emptied nodes, as it was divided.
    fn restore(&mut self) {
        for at in 0..self.nodes.len() {
            let node = self.nodes[at];
            let Some(id) = self.state.slots[node].node else {
                continue;
            };
            for piece in &self.view.layout[id as usize] {
                let rest = self.state.rest[piece.app as usize];
                let given = &self.state.apps[piece.app as usize];
                let most = given.most_load(self.state.cpu[node], self.state.memory[node]);
                let most = most.unwrap_or(0).min(piece.load).min(rest);
                if most > 0 && self.state.may_start(piece.app) && self.bag.contains(&piece.app) {
                    self.state.place(node, piece.app, most);
                }
            }
        }
    }

    /// Gives open load of an application to its instances on the emptied nodes.
    fn grow(&mut self, app: u32) {
        if self.state.apps[app as usize].slope > 0 {
            return;
        }
        for &node in &self.nodes {
            let more = self.state.rest[app as usize].min(self.state.cpu[node]);
            if more == 0 {
                continue;
            }
            if let Some(load) = self.state.load_on(node, app) {
                self.state.shift(node, app, load, load + more);
            }
        }
    }

    /// How much the rule wants this node: the least value wins.
    fn rank(&self, node: usize, app: u32, load: u64, rule: u32, keeps_home: bool) -> u64 {
        if keeps_home
            && self.state.slots[node]
                .node
                .is_some_and(|id| self.view.runs(id, app))
        {
            return 0;
        }
        match rule {
            // Worst fit and best fit by memory, best fit and worst fit by CPU, first fit.
            0 | 1 => u64::MAX - self.state.memory[node],
            2 => self.state.memory[node].max(1),
            3 => (self.state.cpu[node].abs_diff(load)).max(1),
            _ => 1,
        }
    }

    /// Phase 1: all open load of the application on one of the nodes.
    fn whole(&mut self, app: u32, rule: u32, keeps_home: bool) -> bool {
        if self.state.missing(app) == 0 {
            return true;
        }
        if self.state.missing(app) > 1 || !self.state.may_start(app) {
            return false;
        }
        let load = self.state.rest[app as usize];
        let memory = self.state.apps[app as usize].memory_at(load);
        let fits =
            |node: &&usize| self.state.cpu[**node] >= load && self.state.memory[**node] >= memory;
        let chosen = (self.nodes.iter().filter(fits))
            .min_by_key(|node| self.rank(**node, app, load, rule, keeps_home));
        match chosen {
            Some(&node) if !self.state.hosts[app as usize].contains(&(node as u32)) => {
                self.state.place(node, app, load);
                true
            }
            _ => false,
        }
    }

    /// Phase 2: as much of the open load as each node can take.
    fn divided(&mut self, app: u32, rule: u32, keeps_home: bool) {
        let given = &self.state.apps[app as usize];
        while self.state.missing(app) > 0 && self.state.may_start(app) {
            let rest = self.state.rest[app as usize];
            let fits = |node: &&usize| {
                let most = given.most_load(self.state.cpu[**node], self.state.memory[**node]);
                most.is_some_and(|most| most > 0 || rest == 0)
                    && !self.state.hosts[app as usize].contains(&(**node as u32))
            };
            let chosen = (self.nodes.iter().filter(fits))
                .min_by_key(|node| self.rank(**node, app, rest, rule, keeps_home));
            let Some(&node) = chosen else {
                return;
            };
            let most = given.most_load(self.state.cpu[node], self.state.memory[node]);
            let most = most.expect("it fits").min(rest);
            // Leave a unit for every further instance that is demanded.
            let others = u64::from(self.state.missing(app) - 1);
            let load = most.min(rest.saturating_sub(others).max(u64::from(rest > 0)));
            self.state.place(node, app, load);
        }
    }

    /// Lets instances elsewhere give way to the open applications of the bag.
    ///
    /// The shifts touch nodes outside the emptied ones, so this comes after the
    /// step was kept; they only ever serve more.
    fn serve_by_flow(&mut self) {
        for at in 0..self.bag.len() {
            let app = self.bag[at];
            if self.state.rest[app as usize] > 0 {
                self.flow.serve(&mut self.state, app);
            }
        }
    }
}

fn pick<'b, T>(list: &'b [T], random: &mut impl Rng) -> Option<&'b T> {
    (!list.is_empty()).then(|| &list[random.random_range(0..list.len())])
}
