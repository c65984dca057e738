//! Depth-first search for the pattern of one kind in one interval.

use super::table::{Table, start};
use super::{Priced, Pricer};

/// Patterns looked at per kind and interval before the table's bound is taken
/// for an answer; exactness is lost then, never the bound.
pub(crate) const NODES: u64 = 200_000;

/// What a search found.
pub(super) struct Found {
    /// The best pattern above the floor.
    pub best: Option<Priced>,
    /// No pattern of the interval gains more.
    pub bound: f64,
}

/// The state of a search; reused from kind to kind.
pub(super) struct Search<'a, 'b> {
    pricer: &'a Pricer<'b>,
    table: &'a Table,
    pi: &'a [f64],
    left: &'a [u32],
    kind: usize,
    /// Room and variance per resource, with the pattern on the machine.
    room: Vec<f64>,
    variance: Vec<f64>,
    /// What stands there, pattern included: for limits and spread sets.
    held: Vec<(u32, u32)>,
    pattern: Vec<(u32, u32)>,
    best: Vec<(u32, u32)>,
    floor: f64,
    found: bool,
    nodes: u64,
    most_nodes: u64,
    /// Patterns collected instead of the best one, and how many at most.
    collected: Option<(Vec<Priced>, usize)>,
}

impl<'a, 'b> Search<'a, 'b> {
    pub fn new(pricer: &'a Pricer<'b>, table: &'a Table, pi: &'a [f64], left: &'a [u32]) -> Self {
        Self {
            pricer,
            table,
            pi,
            left,
            kind: 0,
            room: Vec::new(),
            variance: Vec::new(),
            held: Vec::new(),
            pattern: Vec::new(),
            best: Vec::new(),
            floor: 0.0,
            found: false,
            nodes: 0,
            most_nodes: NODES,
            collected: None,
        }
    }

    /// Looks at fewer patterns.
    pub fn at_most(self, most_nodes: u64) -> Self {
        Self { most_nodes, ..self }
    }

    /// Up to `most` patterns of a kind that gain more than `floor`.
    pub fn collect(&mut self, kind: usize, floor: f64, most: usize) -> Vec<Priced> {
        self.collected = Some((Vec::new(), most));
        self.run(kind, floor);
        let (patterns, _) = self.collected.take().expect("it was just set");
        patterns
    }

    /// The best pattern of a kind that gains more than `floor`.
    pub fn run(&mut self, kind: usize, floor: f64) -> Found {
        let scaled = &self.pricer.scaled[kind];
        let start = start(self.pricer, self.table.interval, kind);
        let room = self.table.capacity(self.pricer, kind);
        let bound = start + self.table.bound(0, room);
        if bound <= floor || room < 0.0 {
            return Found {
                best: None,
                bound: floor,
            };
        }
        self.kind = kind;
        self.room.clone_from(&scaled.room);
        self.variance.clone_from(&scaled.variance);
        self.held.clone_from(&self.pricer.kinds.kinds[kind].held);
        self.pattern.clear();
        (self.floor, self.found, self.nodes) = (floor, false, 0);
        self.extend(0, start, room);
        let best = self.found.then(|| {
            let mut pattern = std::mem::take(&mut self.best);
            pattern.sort_unstable();
            Priced {
                kind,
                pattern,
                gain: self.floor,
            }
        });
        let bound = if self.nodes >= self.most_nodes {
            bound
        } else {
            self.floor
        };
        Found { best, bound }
    }

    /// Adds replicas of the items from `from` on in every way that may pay.
    fn extend(&mut self, from: usize, gain: f64, room: f64) {
        for at in from..self.table.items.len() {
            if gain + self.table.bound(at, room) <= self.floor || self.nodes >= self.most_nodes {
                return;
            }
            let item = self.table.items[at];
            for count in (1..=self.most(item.service)).rev() {
                let gain = gain + item.gain * f64::from(count);
                let room = room - item.weight * f64::from(count);
                if gain + self.table.bound(at + 1, room) <= self.floor {
                    continue;
                }
                self.nodes += 1;
                self.put(item.service, count);
                self.judge();
                self.extend(at + 1, gain, room);
                self.undo(item.service, count);
            }
        }
    }

    /// The most replicas of a service beside the pattern so far.
    fn most(&self, service: usize) -> u32 {
        let view = self.pricer.view;
        let mut most = self.pricer.kinds.kinds[self.kind].most[service].min(self.left[service]);
        most = most.min(view.room_by_rules(&self.held, service));
        for r in 0..view.resources {
            let (mean, variance) = (
                self.pricer.mean[service * view.resources + r],
                self.pricer.variance[service * view.resources + r],
            );
            most = most.min(most_by_root(
                self.room[r],
                self.variance[r],
                mean,
                variance,
                view.d,
            ));
        }
        let (variance, end) = (
            self.pricer.service_variance(service),
            self.table.interval.high,
        );
        if variance > 0.0 {
            // Beyond the interval another one answers.
            let steps = (end * end * (1.0 + 1e-9) - self.variance[0]) / variance;
            most = most.min(steps.max(0.0) as u32);
        }
        most
    }

    fn put(&mut self, service: usize, count: u32) {
        let resources = self.pricer.view.resources;
        for r in 0..resources {
            self.room[r] -= self.pricer.mean[service * resources + r] * f64::from(count);
            self.variance[r] += self.pricer.variance[service * resources + r] * f64::from(count);
        }
        self.pattern.push((service as u32, count));
        match self
            .held
            .binary_search_by_key(&(service as u32), |(s, _)| *s)
        {
            Ok(place) => self.held[place].1 += count,
            Err(place) => self.held.insert(place, (service as u32, count)),
        }
    }

    fn undo(&mut self, service: usize, count: u32) {
        let resources = self.pricer.view.resources;
        for r in 0..resources {
            self.room[r] += self.pricer.mean[service * resources + r] * f64::from(count);
            self.variance[r] -= self.pricer.variance[service * resources + r] * f64::from(count);
        }
        self.pattern.pop();
        let place = self
            .held
            .binary_search_by_key(&(service as u32), |(s, _)| *s)
            .expect("it was put");
        self.held[place].1 -= count;
        if self.held[place].1 == 0 {
            self.held.remove(place);
        }
    }

    /// Keeps the pattern if its true gain is the best so far.
    fn judge(&mut self) {
        let earned: f64 = self
            .pattern
            .iter()
            .map(|(s, count)| self.pi[*s as usize] * f64::from(*count))
            .sum();
        let gain = earned - self.pricer.cost(self.kind, &self.pattern);
        if gain <= self.floor {
            return;
        }
        if let Some((patterns, most)) = &mut self.collected {
            // A pattern belongs to the interval its deviation lies in.
            let deviation = self.variance[0].sqrt();
            let interval = self.table.interval;
            if interval.slope == 0.0 || (interval.low..interval.high).contains(&deviation) {
                let mut pattern = self.pattern.clone();
                pattern.sort_unstable();
                patterns.push(Priced {
                    kind: self.kind,
                    pattern,
                    gain,
                });
                if patterns.len() >= *most {
                    self.nodes = self.most_nodes; // ends the search
                }
            }
        } else {
            self.floor = gain;
            self.found = true;
            self.best.clone_from(&self.pattern);
        }
    }
}

/// The largest w with w * mean + D * sqrt(variance + w * b) <= room.
fn most_by_root(room: f64, held: f64, mean: f64, variance: f64, d: f64) -> u32 {
    let constant = room * room - d * d * held;
    if room < 0.0 || constant < 0.0 {
        return 0;
    }
    let linear = 2.0 * room * mean + d * d * variance;
    let discriminant = (linear * linear - 4.0 * mean * mean * constant).max(0.0);
    let most = (2.0 * constant / (linear + discriminant.sqrt())) as u32;
    // The root loses half its digits where the variance vanishes.
    let more = f64::from(most.saturating_add(1));
    let fits = more * mean + d * (held + more * variance).sqrt() <= room;
    most.saturating_add(u32::from(fits))
}
