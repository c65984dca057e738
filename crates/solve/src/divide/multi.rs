//! The six multi-instance heuristics of section V-B.
//!
//! A binary search over the number of nodes; all of them are open from the
//! start. Phase 1 places whole applications, phase 2 divides what is left.

use std::cmp::Reverse;

use super::index::{Fit, MemoryStep, NodeIndex};
use super::view::{App, Division, Piece, Slot, View};

/// Which applications get several instances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Orientation {
    /// Those with the most load: whole ones are placed by load, ascending.
    Cpu,
    /// Those with the least memory: whole ones by memory, descending.
    Mem,
}

impl Orientation {
    /// The order of phase 1.
    pub fn order(self, apps: &[App]) -> Vec<u32> {
        let mut ids: Vec<u32> = (0..apps.len() as u32).collect();
        match self {
            Self::Cpu => ids.sort_by_key(|id| apps[*id as usize].load),
            Self::Mem => ids.sort_by_key(|id| Reverse(apps[*id as usize].memory)),
        }
        ids
    }
}

/// The six heuristics, the most promising first.
pub const ALL: [(Orientation, Fit); 6] = [
    (Orientation::Mem, Fit::Worst),
    (Orientation::Cpu, Fit::Worst),
    (Orientation::Mem, Fit::Next),
    (Orientation::Cpu, Fit::Next),
    (Orientation::Mem, Fit::First),
    (Orientation::Cpu, Fit::First),
];

/// Nodes with pieces, and the load that found no place.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The pieces of each node.
    pub pieces: Vec<Vec<Piece>>,
    /// Applications with load or instances left, and that load.
    pub left: Vec<(u32, u64)>,
}

/// Both phases on nodes with this much CPU and memory; the order of phase 1 is given.
///
/// `stop` is asked now and then; when it says yes, what is not yet placed is left.
pub fn attempt(
    apps: &[App],
    nodes: &[(u64, u64)],
    whole: &[u32],
    fit: Fit,
    stop: &dyn Fn() -> bool,
) -> Attempt {
    let mut filling = Filling {
        apps,
        index: NodeIndex::of(nodes, MemoryStep::of(apps, nodes)),
        pieces: vec![Vec::new(); nodes.len()],
        fit,
    };
    let mut rest: Vec<u32> = Vec::new();
    for (n, &app) in whole.iter().enumerate() {
        if n % 1024 == 0 && stop() {
            rest.extend(&whole[n..]);
            let left = rest.iter().map(|&app| (app, apps[app as usize].load));
            return Attempt {
                left: left.collect(),
                pieces: filling.pieces,
            };
        }
        if apps[app as usize].min > 0 && !filling.whole(app) {
            rest.push(app);
        }
    }
    rest.sort_by_key(|app| Reverse(apps[*app as usize].memory));
    let mut left = Vec::new();
    for app in rest {
        if let Some(load) = filling.divided(app) {
            left.push((app, load));
        }
    }
    Attempt {
        left,
        pieces: filling.pieces,
    }
}

struct Filling<'a> {
    apps: &'a [App],
    index: NodeIndex,
    pieces: Vec<Vec<Piece>>,
    fit: Fit,
}

impl Filling<'_> {
    fn place(&mut self, node: usize, app: u32, load: u64) {
        let (cpu, memory) = self.index.free(node);
        let used = self.apps[app as usize].memory_at(load);
        self.index.set(node, cpu - load, memory - used);
        self.pieces[node].push(Piece { app, load });
    }

    /// Phase 1: the whole application on one node, if one instance may do.
    fn whole(&mut self, app: u32) -> bool {
        let given = &self.apps[app as usize];
        if given.min > 1 {
            return false;
        }
        let chosen = self
            .index
            .choose(self.fit, given.load, given.memory_at(given.load));
        if let Some(node) = chosen {
            self.place(node, app, given.load);
        }
        chosen.is_some()
    }

    /// Phase 2: as much as each chosen node can take. `Some` load is left when
    /// no node can take more or the instances are used up.
    fn divided(&mut self, app: u32) -> Option<u64> {
        let given = self.apps[app as usize];
        let (mut rest, mut instances) = (given.load, 0u32);
        // Nodes that host the application already must not be chosen again.
        let mut hidden = Vec::new();
        while rest > 0 || instances < given.min {
            if instances == given.max {
                break;
            }
            // The last allowed instances must take all that is left.
            let least = rest
                .div_ceil(u64::from(given.max - instances))
                .max(u64::from(rest > 0));
            let Some(node) = self.index.choose(self.fit, least, given.memory_at(least)) else {
                break;
            };
            let (cpu, memory) = self.index.free(node);
            let most = given.most_load(cpu, memory).expect("chosen for its memory");
            // Instances still demanded get an equal part each.
            let wanted = u64::from(given.min.saturating_sub(instances).max(1));
            self.place(node, app, most.min(rest.div_ceil(wanted)).min(rest));
            rest -= self.pieces[node].last().expect("just placed").load;
            instances += 1;
            hidden.push((node, self.index.free(node)));
            self.index.set(node, 0, 0);
        }
        for (node, (cpu, memory)) in hidden {
            self.index.set(node, cpu, memory);
        }
        (rest > 0 || instances < given.min).then_some(rest)
    }
}

/// The heuristic: the fewest nodes, in the order given, that a binary search
/// from `lowest` on finds.
///
/// The second value is what is left when even all the nodes do not do.
pub fn fewest(
    view: &View,
    nodes: &[Slot],
    orientation: Orientation,
    fit: Fit,
    lowest: u64,
    stop: &dyn Fn() -> bool,
) -> (Division, Vec<(u32, u64)>) {
    let order = orientation.order(&view.apps);
    let size = |slot: &Slot| (view.kinds[slot.kind].cpu, view.kinds[slot.kind].memory);
    let sizes: Vec<(u64, u64)> = nodes.iter().map(size).collect();
    let mut high = sizes.len();
    let mut low = high.min(lowest as usize);
    let mut best = None;
    while low < high {
        let middle = low + (high - low) / 2;
        let tried = attempt(&view.apps, &sizes[..middle], &order, fit, stop);
        if tried.left.is_empty() {
            (high, best) = (middle, Some(tried));
        } else {
            low = middle + 1;
        }
        if stop() {
            break;
        }
    }
    // Never stopped: there must be some answer.
    let best = best.unwrap_or_else(|| attempt(&view.apps, &sizes[..high], &order, fit, &|| false));
    let slots = nodes[..best.pieces.len()].to_vec();
    let pieces = best.pieces;
    (Division { slots, pieces }, best.left)
}
