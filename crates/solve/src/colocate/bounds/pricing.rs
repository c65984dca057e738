//! Pricing: the pattern of one node worth most at given prices of replicas,
//! by a local search (fast, finds columns) and by an integer program (slow,
//! proves how much no pattern can exceed).

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
        used.iter()
            .zip(&self.room)
            .all(|(used, room)| *used <= u128::from(*room))
            && rules_hold(view, counts)
    }
}

/// Spread sets on a node and limits between services.
fn rules_hold(view: &View, counts: &[(u32, u32)]) -> bool {
    let node_sets = view.sets.iter().filter(|set| set.domain.is_none());
    let within = node_sets.into_iter().all(|set| {
        let members = counts.iter().filter(|(s, _)| set.members.contains(s));
        members.map(|(_, count)| u64::from(*count)).sum::<u64>() <= u64::from(set.max)
    });
    // In a group of nodes two services may keep apart.
    let by_node = view.gain_domain.is_none();
    let beside = |other: u32| {
        let at = counts.binary_search_by_key(&other, |(s, _)| *s);
        at.map_or(0, |at| counts[at].1)
    };
    within
        && (!by_node
            || counts
                .iter()
                .all(|(s, count)| view.bears(*s, *count, beside)))
}

/// A pattern being searched: counts, room, value.
struct Draft<'a> {
    view: &'a View,
    bin: &'a Bin,
    prices: &'a [f64],
    counts: Vec<u32>,
    free: Vec<i64>,
    gain: f64,
    paid: f64,
}

impl Draft<'_> {
    /// The change of gain when a service's count becomes `count`.
    fn change(&self, service: u32, count: u32) -> f64 {
        let (x, y) = (f64::from(self.counts[service as usize]), f64::from(count));
        let mut change = 0.0;
        for link in self.view.links(service) {
            let there = f64::from(self.counts[link.to as usize]) * link.other;
            change += (y * link.own).min(there) - (x * link.own).min(there);
        }
        change
    }

    fn set(&mut self, service: u32, count: u32) {
        self.gain += self.change(service, count);
        let by = i64::from(count) - i64::from(self.counts[service as usize]);
        self.paid += by as f64 * self.prices[service as usize];
        for (free, need) in self.free.iter_mut().zip(self.view.need(service)) {
            *free -= by * *need as i64;
        }
        self.counts[service as usize] = count;
    }

    fn fits(&self) -> bool {
        self.free.iter().all(|free| *free >= 0)
    }
}

/// Searches for a pattern of high value by annealing from a given one, for so
/// many steps, at some heat, with a rebate on all prices at first; returns it
/// with its value.
pub fn search(
    view: &View,
    bin: &Bin,
    prices: &[f64],
    from: &[(u32, u32)],
    (steps, heat, rebate): (u64, f64, f64),
    random: &mut Random,
) -> (Vec<(u32, u32)>, f64) {
    let usable: Vec<u32> = (0..view.services() as u32)
        .filter(|s| bin.most[*s as usize] > 0)
        .collect();
    if usable.is_empty() {
        return (Vec::new(), 0.0);
    }
    let mut draft = Draft {
        view,
        bin,
        prices,
        counts: vec![0; view.services()],
        free: bin.room.iter().map(|room| *room as i64).collect(),
        gain: 0.0,
        paid: 0.0,
    };
    for (service, count) in from {
        draft.set(*service, *count);
    }
    let has_rules = view.sets.iter().any(|set| set.domain.is_none()) || !view.limits.is_empty();
    let mut best = (draft.counts.clone(), draft.gain - draft.paid);
    let mut undo: Vec<(u32, u32)> = Vec::new();
    for step in 0..steps {
        let progress = step as f64 / steps as f64;
        let temperature = heat * 1e-3f64.powf(progress);
        // A rebate that fades away: groups are worth their price only when
        // whole, and would never be begun at full price.
        let due = 1.0 - rebate * (1.0 - progress / 0.7).max(0.0);
        let (gain, paid) = (draft.gain, draft.paid);
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
        let better = draft.gain - gain - due * (draft.paid - paid);
        let taken = draft.fits()
            && (better >= 0.0 || better >= temperature * uniform.ln())
            && (!has_rules || rules_hold(view, &sparse(&draft.counts)));
        if !taken {
            for (service, count) in undo.iter().rev() {
                draft.set(*service, *count);
            }
            (draft.gain, draft.paid) = (gain, paid);
        } else if draft.gain - draft.paid > best.1 + 1e-12 {
            best.0.clone_from(&draft.counts);
            best.1 = draft.gain - draft.paid;
        }
    }
    let mut counts = sparse(&best.0);
    trim(view, &mut counts);
    let gain = super::super::patterns::gain_at(view, &counts);
    let paid: f64 = counts
        .iter()
        .map(|(s, c)| prices[*s as usize] * f64::from(*c))
        .sum();
    (counts, gain - paid)
}

fn change_count(draft: &mut Draft, service: u32, random: u64, undo: &mut Vec<(u32, u32)>) {
    let (now, most) = (
        draft.counts[service as usize],
        draft.bin.most[service as usize],
    );
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
    present
        .map(|(service, count)| (service as u32, *count))
        .collect()
}
