//! Pricing: the pattern of one node worth most at given prices of replicas,
//! by a local search (fast, finds columns) and by an integer program (slow,
//! proves how much no pattern can exceed).

use bayplan_lp::{Col, Model, Options, Sense};
use rand::Rng;

use super::super::patterns::trim;
use super::super::view::View;
use crate::Random;

/// What patterns may be made of on one kind of node.
#[derive(Clone, Debug)]
pub struct Bin {
    /// Room per dimension.
    pub room: Vec<u64>,
    /// For each service the most replicas by replicas, cap, compatibility and
    /// room; 0 for services without traffic.
    pub most: Vec<u32>,
    /// How many nodes there are of the kind.
    pub count: usize,
}

impl Bin {
    /// Whether a pattern is legal here.
    pub fn holds(&self, view: &View, counts: &[(u32, u32)]) -> bool {
        let mut used = vec![0u128; view.dims];
        for (service, count) in counts {
            if *count > self.most[*service as usize] {
                return false;
            }
            for (used, need) in used.iter_mut().zip(view.need(*service)) {
                *used += u128::from(*need) * u128::from(*count);
            }
        }
        used.iter().zip(&self.room).all(|(used, room)| *used <= u128::from(*room))
            && sets_hold(view, counts)
    }
}

fn sets_hold(view: &View, counts: &[(u32, u32)]) -> bool {
    let node_sets = view.sets.iter().filter(|set| set.domain.is_none());
    node_sets.into_iter().all(|set| {
        let members = counts.iter().filter(|(s, _)| set.members.contains(s));
        members.map(|(_, count)| u64::from(*count)).sum::<u64>() <= u64::from(set.max)
    })
}

/// A pattern being searched: counts, room, value.
struct Draft<'a> {
    view: &'a View,
    bin: &'a Bin,
    prices: &'a [f64],
    counts: Vec<u32>,
    free: Vec<i64>,
    value: f64,
}

impl Draft<'_> {
    /// The change of value when a service's count becomes `count`.
    fn change(&self, service: u32, count: u32) -> f64 {
        let (x, y) = (f64::from(self.counts[service as usize]), f64::from(count));
        let mut change = (x - y) * self.prices[service as usize];
        for link in self.view.links(service) {
            let there = f64::from(self.counts[link.to as usize]) * link.other;
            change += (y * link.own).min(there) - (x * link.own).min(there);
        }
        change
    }

    fn set(&mut self, service: u32, count: u32) {
        self.value += self.change(service, count);
        let by = i64::from(count) - i64::from(self.counts[service as usize]);
        for (free, need) in self.free.iter_mut().zip(self.view.need(service)) {
            *free -= by * *need as i64;
        }
        self.counts[service as usize] = count;
    }

    fn fits(&self) -> bool {
        self.free.iter().all(|free| *free >= 0)
    }
}

/// Searches for a pattern of high value by annealing from a given one;
/// returns it with its value.
pub fn search(
    view: &View,
    bin: &Bin,
    prices: &[f64],
    from: &[(u32, u32)],
    steps: u64,
    heat: f64,
    random: &mut Random,
) -> (Vec<(u32, u32)>, f64) {
    let usable: Vec<u32> = (0..view.services() as u32).filter(|s| bin.most[*s as usize] > 0).collect();
    if usable.is_empty() {
        return (Vec::new(), 0.0);
    }
    let mut draft = Draft {
        view,
        bin,
        prices,
        counts: vec![0; view.services()],
        free: bin.room.iter().map(|room| *room as i64).collect(),
        value: 0.0,
    };
    for (service, count) in from {
        draft.set(*service, *count);
    }
    let has_sets = view.sets.iter().any(|set| set.domain.is_none());
    let mut best = (draft.counts.clone(), draft.value);
    let mut undo: Vec<(u32, u32)> = Vec::new();
    for step in 0..steps {
        let progress = step as f64 / steps as f64;
        let temperature = heat * 1e-3f64.powf(progress);
        let before = draft.value;
        undo.clear();
        let r = random.next_u64();
        let service = usable[((r >> 32) as usize * usable.len()) >> 32];
        change_count(&mut draft, service, r, &mut undo);
        // Partners follow in one proposal of two.
        if r & 1 == 0 {
            let links = view.links(service);
            let link = links[(random.next_u32() as usize) % links.len()];
            follow(&mut draft, service, link.to, &mut undo);
        }
        // Somebody makes room.
        for _ in 0..3 {
            if draft.fits() {
                break;
            }
            let other = usable[(random.next_u32() as usize) % usable.len()];
            if draft.counts[other as usize] > 0 && !undo.iter().any(|(s, _)| *s == other) {
                undo.push((other, draft.counts[other as usize]));
                let less = 1 + random.next_u32() % draft.counts[other as usize];
                draft.set(other, draft.counts[other as usize] - less);
            }
        }
        let uniform = ((random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        let better = draft.value - before;
        let taken = draft.fits()
            && (better >= 0.0 || better >= temperature * uniform.ln())
            && (!has_sets || sets_hold(view, &sparse(&draft.counts)));
        if !taken {
            for (service, count) in undo.iter().rev() {
                draft.set(*service, *count);
            }
            draft.value = before;
        } else if draft.value > best.1 + 1e-12 {
            best.0.clone_from(&draft.counts);
            best.1 = draft.value;
        }
    }
    let mut counts = sparse(&best.0);
    trim(view, &mut counts);
    let gain = super::super::patterns::gain_at(view, &counts);
    let paid: f64 = counts.iter().map(|(s, c)| prices[*s as usize] * f64::from(*c)).sum();
    (counts, gain - paid)
}

fn change_count(draft: &mut Draft, service: u32, random: u64, undo: &mut Vec<(u32, u32)>) {
    let (now, most) = (draft.counts[service as usize], draft.bin.most[service as usize]);
    let by = 1 + (random >> 8) as u32 % (most.min(8));
    let count = match (random >> 2) & 7 {
        0..=3 => (now + 1).min(most),
        4 => (now + by).min(most),
        5 | 6 => now.saturating_sub(1),
        _ => now.saturating_sub(by),
    };
    undo.push((service, now));
    draft.set(service, count);
}

/// Sets a partner's count to match a service's share.
fn follow(draft: &mut Draft, service: u32, partner: u32, undo: &mut Vec<(u32, u32)>) {
    let d = |s: u32| u64::from(draft.view.replicas[s as usize]).max(1);
    let share = u64::from(draft.counts[service as usize]) * d(partner);
    let wanted = share.div_ceil(d(service)) as u32;
    let wanted = wanted.min(draft.bin.most[partner as usize]);
    if wanted != draft.counts[partner as usize] {
        undo.push((partner, draft.counts[partner as usize]));
        draft.set(partner, wanted);
    }
}

fn sparse(counts: &[u32]) -> Vec<(u32, u32)> {
    let present = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    present.map(|(service, count)| (service as u32, *count)).collect()
}

/// Proves what no pattern can exceed at these prices; also a pattern, when
/// the integer program found one. Traffic of pairs with `heavy` false is left
/// out: the caller accounts for it.
pub fn certify(
    view: &View,
    bin: &Bin,
    prices: &[f64],
    heavy: &[bool],
    options: &Options,
) -> (f64, Option<Vec<(u32, u32)>>) {
    // Traffic is scaled so that the solver's absolute tolerances are far below
    // what matters.
    const SCALE: f64 = 1e4;
    let mut model = Model::new(Sense::Maximise);
    let mut cols: Vec<Option<Col>> = vec![None; view.services()];
    let rooms: Vec<_> = (bin.room.iter()).map(|room| if *room > 0 { 1.0 } else { 0.0 }).collect();
    let rows: Vec<_> = rooms.iter().map(|room| model.add_row(..=*room, &[])).collect();
    let edges = view.edges.iter().zip(heavy).filter(|(edge, heavy)| {
        **heavy && bin.most[edge.a as usize] > 0 && bin.most[edge.b as usize] > 0
    });
    let edges: Vec<_> = edges.map(|(edge, _)| *edge).collect();
    for service in edges.iter().flat_map(|edge| [edge.a, edge.b]) {
        if cols[service as usize].is_none() {
            let entries: Vec<_> = (rows.iter().zip(&bin.room).zip(view.need(service)))
                .filter(|((_, room), need)| **room > 0 && **need > 0)
                .map(|((row, room), need)| (*row, *need as f64 / *room as f64))
                .collect();
            let most = f64::from(bin.most[service as usize]);
            let cost = -prices[service as usize] * SCALE;
            cols[service as usize] = Some(model.add_integer_col(cost, 0.0..=most, &entries));
        }
    }
    for edge in &edges {
        let local = model.add_col(edge.weight * SCALE, 0.0..=1.0, &[]);
        for service in [edge.a, edge.b] {
            let d = f64::from(view.replicas[service as usize].max(1));
            let col = cols[service as usize].expect("made above");
            // local <= x / d
            model.add_row(..=0.0, &[(local, d), (col, -1.0)]);
        }
    }
    for set in view.sets.iter().filter(|set| set.domain.is_none()) {
        let members = set.members.iter().filter_map(|s| Some((cols[*s as usize]?, 1.0)));
        let members: Vec<_> = members.collect();
        if !members.is_empty() {
            model.add_row(..=f64::from(set.max), &members);
        }
    }
    let solution = model.solve(options);
    // An empty pattern is worth nothing: the bound is never below zero. The
    // slack covers the solver's tolerances.
    let bound = (solution.bound / SCALE).max(0.0) + 1e-9;
    let counts = solution.has_values().then(|| {
        let present = (0..view.services() as u32).filter_map(|s| {
            let count = solution.count(cols[s as usize]?);
            (count > 0).then_some((s, count as u32))
        });
        present.collect()
    });
    (bound, counts)
}
