//! Greedy maximal waves, with detours where nothing else moves.

use std::collections::BTreeMap;

use bayplan_model::{Move, NodeId, ServiceId, Wave, WaveKind};

use super::super::state::State;
use super::super::view::{Spot, View};
use super::{Migration, Safety};

/// The work still to do, by (service, node).
type Todo = BTreeMap<(u32, u32), u32>;

pub(super) struct Planner<'v> {
    view: &'v View,
    state: State<'v>,
    /// The fewest alive, per service.
    floor: Vec<u32>,
    /// Replicas each service has at both ends of the way.
    whole: Vec<u32>,
    creates: Todo,
    deletes: Todo,
    /// Replicas on a detour: deleted last.
    guests: Todo,
    /// The target with the guests of now: what has room there is in nobody's
    /// way.
    goal: State<'v>,
    waves: Vec<Wave>,
    detours: u64,
    /// Waves and placement after which every service was whole again.
    whole_at: (usize, Vec<Spot>),
    /// Whether one replica of a service may be missing beyond its floor.
    outage: bool,
    /// Services for which that happened, with the wave.
    outages: Vec<(u32, usize)>,
}

impl<'v> Planner<'v> {
    pub(super) fn new(view: &'v View, target: &[Spot], safety: Safety) -> Self {
        let mut change: BTreeMap<(u32, u32), i64> = BTreeMap::new();
        for spot in target {
            *change.entry((spot.service, spot.node)).or_default() += i64::from(spot.count);
        }
        for spot in &view.original {
            *change.entry((spot.service, spot.node)).or_default() -= i64::from(spot.count);
        }
        let part = |sign: i64| -> Todo {
            let kept = change.iter().filter(|(_, by)| **by * sign > 0);
            kept.map(|(key, by)| (*key, by.unsigned_abs() as u32))
                .collect()
        };
        let (creates, deletes) = (part(1), part(-1));
        let mut seats = vec![0u32; view.services()];
        for spot in view.original.iter() {
            seats[spot.service as usize] += spot.count;
        }
        for ((service, _), count) in &creates {
            // Twice: each arrival may need a detour.
            seats[*service as usize] += 2 * count;
        }
        let mut whole = vec![0u32; view.services()];
        for spot in target {
            whole[spot.service as usize] += spot.count;
        }
        let floor = (0..view.services() as u32)
            .map(|s| safety.floor(s, view.replicas[s as usize]))
            .collect();
        let both: Vec<u32> = seats.iter().zip(&whole).map(|(a, b)| a + b).collect();
        let goal = State::with_seats(view, target, &both);
        Self {
            view,
            state: State::with_seats(view, &view.original, &seats),
            floor,
            whole,
            creates,
            deletes,
            guests: Todo::new(),
            goal,
            waves: Vec::new(),
            detours: 0,
            whole_at: (0, view.original.clone()),
            outage: safety.outage,
            outages: Vec::new(),
        }
    }

    pub(super) fn run(mut self) -> Migration {
        while !(self.creates.is_empty() && self.deletes.is_empty() && self.guests.is_empty()) {
            let created = self.create_wave();
            let deleted = self.delete_wave();
            self.remember();
            if !created && !deleted && !self.detour() && !self.interrupt() {
                let stuck = self
                    .creates
                    .keys()
                    .chain(self.deletes.keys())
                    .copied()
                    .collect();
                let (waves, reached) = std::mem::take(&mut self.whole_at);
                self.waves.truncate(waves);
                self.outages.retain(|(_, wave)| *wave < waves);
                return self.ended(reached, stuck);
            }
        }
        let reached = self.state.spots();
        self.ended(reached, Vec::new())
    }

    fn ended(self, reached: Vec<Spot>, stuck: Vec<(u32, u32)>) -> Migration {
        Migration {
            reached,
            waves: self.waves,
            detours: self.detours,
            outages: self
                .outages
                .into_iter()
                .map(|(service, _)| service)
                .collect(),
            stuck,
        }
    }

    fn alive(&self, service: u32) -> u32 {
        self.state.range(service).len() as u32
    }

    /// Notes where the plan can be cut: every service has what it shall have.
    fn remember(&mut self) {
        let services = 0..self.view.services() as u32;
        let whole = |s: u32| self.alive(s) == self.whole[s as usize];
        if services.into_iter().all(whole) {
            self.whole_at = (self.waves.len(), self.state.spots());
        }
    }

    fn push(&mut self, kind: WaveKind, moves: Vec<(u32, u32, u32)>) -> bool {
        if moves.is_empty() {
            return false;
        }
        let moves = moves.into_iter().map(|(service, node, count)| Move {
            service: ServiceId(service),
            node: NodeId(node),
            count,
        });
        let mut moves: Vec<Move> = moves.collect();
        moves.sort_unstable();
        self.waves.push(Wave { kind, moves });
        true
    }

    /// Creates whatever has room. On each node the services that miss the
    /// largest share of their replicas come first, as in the paper.
    fn create_wave(&mut self) -> bool {
        let mut order: Vec<((u32, u32), u32)> =
            self.creates.iter().map(|(k, c)| (*k, *c)).collect();
        let offline = |service: u32| {
            let whole = self.whole[service as usize].max(1);
            let missing = whole.saturating_sub(self.alive(service));
            u64::from(missing) * 1_000_000 / u64::from(whole)
        };
        order.sort_by_key(|((service, node), _)| {
            (*node, std::cmp::Reverse(offline(*service)), *service)
        });
        let mut moves = Vec::new();
        for ((service, node), wanted) in order {
            let mut count = 0;
            while count < wanted && self.state.fits(service, node, 1) {
                self.state.add(service, node, 1);
                count += 1;
            }
            if count > 0 {
                done(&mut self.creates, (service, node), count);
                moves.push((service, node, count));
            }
        }
        self.push(WaveKind::Create, moves)
    }

    /// Deletes as much as keeps every service alive, first on the nodes whose
    /// arrivals lack most room; guests go once their service is whole.
    fn delete_wave(&mut self) -> bool {
        let lack = self.lack();
        let mut order: Vec<((u32, u32), u32)> =
            self.deletes.iter().map(|(k, c)| (*k, *c)).collect();
        order.sort_by(|((s, a), _), ((t, b), _)| {
            lack[*b as usize]
                .total_cmp(&lack[*a as usize])
                .then((s, a).cmp(&(t, b)))
        });
        let mut moves = Vec::new();
        for ((service, node), wanted) in order {
            let spare = self
                .alive(service)
                .saturating_sub(self.floor[service as usize]);
            let count = wanted.min(spare);
            if count > 0 {
                self.state.take(service, node, count);
                done(&mut self.deletes, (service, node), count);
                moves.push((service, node, count));
            }
        }
        let guests: Vec<((u32, u32), u32)> = self.guests.iter().map(|(k, c)| (*k, *c)).collect();
        for ((service, node), count) in guests {
            let waiting = self
                .creates
                .range((service, 0)..=(service, u32::MAX))
                .next()
                .is_some();
            let spare = self
                .alive(service)
                .saturating_sub(self.whole[service as usize]);
            let count = if waiting { 0 } else { count.min(spare) };
            if count > 0 {
                self.state.take(service, node, count);
                self.goal.take(service, node, count);
                done(&mut self.guests, (service, node), count);
                moves.push((service, node, count));
            }
        }
        self.push(WaveKind::Delete, moves)
    }

    /// For each node how much room its arrivals lack, as a share of the node.
    fn lack(&self) -> Vec<f64> {
        let mut lack = vec![0.0; self.view.nodes()];
        let mut wanted = vec![0i128; self.view.capacity.len()];
        for ((service, node), count) in &self.creates {
            let row = &mut wanted[*node as usize * self.view.dims..][..self.view.dims];
            for (sum, need) in row.iter_mut().zip(self.view.need(*service)) {
                *sum += i128::from(*need) * i128::from(*count);
            }
        }
        for (at, wanted) in wanted.iter().enumerate() {
            let short = (wanted - i128::from(self.state.free[at])).max(0) as f64;
            let share = short / (self.view.capacity[at] as f64).max(1.0);
            let node = at / self.view.dims;
            lack[node] = f64::max(lack[node], share);
        }
        lack
    }

    /// Nothing moves: replicas that wait to leave are doubled on third nodes
    /// with room, now and in the target, so that they may leave.
    fn detour(&mut self) -> bool {
        let waiting: Vec<(u32, u32)> = self.deletes.keys().copied().collect();
        let mut moves = Vec::new();
        // As many as find room: the fewer waves, the better. One per service
        // and wave is what the floor asks for at least.
        let mut helped = u32::MAX;
        for (service, from) in waiting {
            if service == helped || self.alive(service) > self.floor[service as usize] {
                continue;
            }
            if let Some(node) = self.host(service, from) {
                self.state.add(service, node, 1);
                *self.guests.entry((service, node)).or_default() += 1;
                self.goal.add(service, node, 1);
                self.detours += 1;
                moves.push((service, node, 1));
                helped = service;
            }
        }
        self.push(WaveKind::Create, moves)
    }

    /// Nothing moves and no detour helps: when it is allowed, one replica that
    /// waits to leave is deleted before its place elsewhere exists. Best where
    /// an arrival fits then, and of a service with many replicas. No service
    /// is ever short of more than one.
    fn interrupt(&mut self) -> bool {
        if !self.outage {
            return false;
        }
        let waiting: Vec<(u32, u32)> = self.deletes.keys().copied().collect();
        let candidates = waiting.into_iter().filter(|(service, node)| {
            let arrivals = self.creates.keys().any(|(_, to)| to == node);
            arrivals
                && self.alive(*service) > 0
                && self.alive(*service) >= self.floor[*service as usize]
        });
        let candidates: Vec<(u32, u32)> = candidates.collect();
        let helps = |planner: &mut Self, (service, node): (u32, u32)| {
            planner.state.take(service, node, 1);
            let creates = planner.creates.keys().filter(|(_, to)| *to == node);
            let fits = creates
                .into_iter()
                .any(|(s, _)| planner.state.fits(*s, node, 1));
            planner.state.add(service, node, 1);
            fits
        };
        let best = candidates.into_iter().max_by_key(|spot| {
            (
                helps(self, *spot),
                self.whole[spot.0 as usize],
                std::cmp::Reverse(*spot),
            )
        });
        let Some((service, node)) = best else {
            return false;
        };
        self.state.take(service, node, 1);
        done(&mut self.deletes, (service, node), 1);
        self.outages.push((service, self.waves.len()));
        self.push(WaveKind::Delete, vec![(service, node, 1)])
    }

    /// A node with room for a guest, best one whose room nobody will need.
    fn host(&self, service: u32, from: u32) -> Option<u32> {
        let nodes = 0..self.view.nodes() as u32;
        let fitting = nodes.filter(|n| *n != from && self.state.fits(service, *n, 1));
        let seats = self.state.seats(service) > self.alive(service) as usize;
        fitting
            .filter(|_| seats && self.detours < 4 * self.view.replicas.len() as u64 + 1000)
            .max_by_key(|node| {
                let spare = self.goal.free(*node).first().copied().unwrap_or(0);
                let lasting = self.goal.fits(service, *node, 1);
                (lasting, spare, std::cmp::Reverse(*node))
            })
    }
}

/// Takes `count` off an entry, and the entry away when nothing is left.
fn done(todo: &mut Todo, key: (u32, u32), count: u32) {
    if let Some(left) = todo.get_mut(&key) {
        *left -= count;
        if *left == 0 {
            todo.remove(&key);
        }
    }
}
