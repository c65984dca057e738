//! Fewer kinds of places to prove things about.

use super::super::view::View;
use super::pricing::Bin;

/// Places whose room differs less than this are taken for the largest of them.
const ALIKE: f64 = 0.05;
/// A resource counts when it is at least so scarce, compared with the scarcest.
const SCARCE: f64 = 0.5;

/// Merges places that differ little, upward: what the merged place holds is at
/// least what each of them holds, so a bound over it is one over them. The
/// largest come first.
pub fn merged(view: &View, bins: &[Bin]) -> Vec<Bin> {
    let load: Vec<f64> = (0..view.dims).map(|dim| load(view, dim)).collect();
    let most = load.iter().copied().fold(0.0, f64::max);
    let scarce: Vec<usize> = (0..view.dims)
        .filter(|dim| load[*dim] >= SCARCE * most)
        .collect();
    let mut order: Vec<&Bin> = bins.iter().collect();
    let key = |bin: &Bin| -> Vec<u64> { scarce.iter().map(|dim| bin.room[*dim]).collect() };
    order.sort_by(|a, b| key(b).cmp(&key(a)).then_with(|| b.room.cmp(&a.room)));
    let mut merged: Vec<Bin> = Vec::new();
    for bin in order {
        let alike = |large: &&mut Bin| {
            let close = |dim: &usize| {
                let (a, b) = (large.room[*dim] as f64, bin.room[*dim] as f64);
                a.max(b) <= a.min(b) * (1.0 + ALIKE)
            };
            scarce.iter().all(close) && same_services(large, bin)
        };
        match merged.iter_mut().find(alike) {
            Some(large) => {
                large.count += bin.count;
                for (large, room) in large.room.iter_mut().zip(&bin.room) {
                    *large = (*large).max(*room);
                }
                for (large, most) in large.most.iter_mut().zip(&bin.most) {
                    *large = (*large).max(*most);
                }
            }
            None => merged.push(bin.clone()),
        }
    }
    merged
}

/// The share of a resource that all replicas ask for.
fn load(view: &View, dim: usize) -> f64 {
    let asked: f64 = (0..view.services() as u32)
        .map(|s| view.need(s)[dim] as f64 * f64::from(view.replicas[s as usize]))
        .sum();
    let room: f64 = (0..view.nodes() as u32)
        .map(|node| view.room(node)[dim] as f64)
        .sum();
    asked / room.max(1.0)
}

/// Whether compatibility leaves the same services in both, but for those that
/// do not fit the smaller.
fn same_services(large: &Bin, small: &Bin) -> bool {
    let both = large.most.iter().zip(&small.most);
    let differ = both.filter(|(a, b)| (**a == 0) != (**b == 0)).count();
    differ * 20 <= large.most.len()
}

/// Whether everything that fits one place fits the other.
pub fn contains(large: &Bin, small: &Bin) -> bool {
    let least = |(a, b): (&u64, &u64)| a >= b;
    large.room.iter().zip(&small.room).all(least)
        && large.most.iter().zip(&small.most).all(|(a, b)| a >= b)
}
