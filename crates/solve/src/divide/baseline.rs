//! The 21 single-instance baselines of section V-A: a rule and an order.

use std::cmp::Reverse;

use rand::seq::SliceRandom;

use super::index::{Fit, MemoryStep, NodeIndex};
use super::view::{App, Division, Piece, View};
use crate::Random;

/// The order in which applications are placed; increasing is smallest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Memory ascending.
    MemIncreasing,
    /// Memory descending.
    MemDecreasing,
    /// Load ascending.
    CpuIncreasing,
    /// Load descending.
    CpuDecreasing,
    /// Load per memory ascending.
    RatioIncreasing,
    /// Load per memory descending.
    RatioDecreasing,
    /// Shuffled by the seed.
    Random,
}

impl Order {
    /// All orders, as the paper lists them.
    pub const ALL: [Self; 7] = [
        Self::MemIncreasing,
        Self::MemDecreasing,
        Self::CpuIncreasing,
        Self::CpuDecreasing,
        Self::RatioIncreasing,
        Self::RatioDecreasing,
        Self::Random,
    ];

    /// The applications in this order; equals stay in id order.
    pub fn sorted(self, apps: &[App], random: &mut Random) -> Vec<u32> {
        let mut ids: Vec<u32> = (0..apps.len() as u32).collect();
        let app = |id: &u32| &apps[*id as usize];
        // p/q < p'/q' compared as p q' < p' q: exact.
        let ratio = |a: &u32, b: &u32| {
            let cross = |x: &App, y: &App| u128::from(x.load) * u128::from(y.memory);
            cross(app(a), app(b)).cmp(&cross(app(b), app(a)))
        };
        match self {
            Self::MemIncreasing => ids.sort_by_key(|id| app(id).memory),
            Self::MemDecreasing => ids.sort_by_key(|id| Reverse(app(id).memory)),
            Self::CpuIncreasing => ids.sort_by_key(|id| app(id).load),
            Self::CpuDecreasing => ids.sort_by_key(|id| Reverse(app(id).load)),
            Self::RatioIncreasing => ids.sort_by(ratio),
            Self::RatioDecreasing => ids.sort_by(|a, b| ratio(b, a)),
            Self::Random => ids.shuffle(random),
        }
        ids
    }
}

/// Places every application whole, opening nodes of the only kind as needed.
///
/// Applications that find no place (the pool is used up) have no piece.
pub fn place(view: &View, order: Order, fit: Fit, random: &mut Random) -> Division {
    let kind = &view.kinds[0];
    let most = view.apps.len().min(kind.most as usize);
    let size = (kind.cpu, kind.memory);
    let mut index = NodeIndex::with_room(most, size, MemoryStep::of(&view.apps, &[size]));
    let mut pieces: Vec<Vec<Piece>> = Vec::new();
    for app in order.sorted(&view.apps, random) {
        let given = &view.apps[app as usize];
        let memory = given.memory_at(given.load);
        if given.min == 0 || given.load > kind.cpu || memory > kind.memory {
            continue;
        }
        let chosen = index.choose(fit, given.load, memory);
        let Some(node) = chosen.or_else(|| {
            // An opened node is the last used one of the cyclic rule.
            (index.len() < most).then(|| {
                index.open(kind.cpu, kind.memory);
                pieces.push(Vec::new());
                index.used(pieces.len() - 1)
            })
        }) else {
            continue;
        };
        let (cpu, free) = index.free(node);
        index.set(node, cpu - given.load, free - memory);
        pieces[node].push(Piece {
            app,
            load: given.load,
        });
    }
    Division {
        slots: view.slots(0, pieces.len()),
        pieces,
    }
}
