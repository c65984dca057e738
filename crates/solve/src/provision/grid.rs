//! Nodes by class of residual capacity: an index that finds the nodes with
//! room for a demand, or the best class by a score, without looking at all.

use super::state::State;

/// Resources looked at; a node's further resources are checked exactly later.
const MAX_RESOURCES: usize = 4;

/// A class per combination of residual levels of the first resources. Levels
/// are monotone in the residual, so a class below a demand's class holds no
/// node with room: filtering by class never loses a node.
#[derive(Clone)]
pub(super) struct Grid {
    resources: usize,
    levels: u64,
    /// Free units that make a full level, per resource.
    reference: Vec<u64>,
    classes: Vec<Vec<u32>>,
    /// Class and position of each node.
    at: Vec<(u32, u32)>,
    /// Classes that hold a node, and where each stands in that list.
    occupied: Vec<u32>,
    rank: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Grid {
    /// All nodes of a state.
    pub fn new(state: &State) -> Self {
        let view = state.view;
        let resources = view.resources.min(MAX_RESOURCES);
        let levels = [1, 4096, 128, 24, 11][resources];
        let reference = (0..resources)
            .map(|r| {
                let largest = view.kinds.iter().map(|kind| kind.capacity[r]).max();
                largest.unwrap_or(1).max(1) as u64
            })
            .collect();
        let count = (levels as usize + 1).pow(resources as u32);
        let mut grid = Self {
            resources,
            levels,
            reference,
            classes: vec![Vec::new(); count],
            at: Vec::new(),
            occupied: Vec::new(),
            rank: vec![NOWHERE; count],
        };
        for node in 0..state.nodes() {
            grid.add(state, node);
        }
        grid
    }

    /// A node was put into use.
    pub fn add(&mut self, state: &State, node: usize) {
        if node < self.at.len() {
            return self.update(state, node);
        }
        self.at.push((0, 0));
        self.enter(node, self.class(state.free(node)));
    }

    /// The residual of a node changed.
    #[inline]
    pub fn update(&mut self, state: &State, node: usize) {
        let class = self.class(state.free(node));
        if class != self.at[node].0 as usize {
            self.leave(node);
            self.enter(node, class);
        }
    }

    /// The classes that hold nodes.
    pub fn occupied(&self) -> &[u32] {
        &self.occupied
    }

    pub fn nodes(&self, class: usize) -> &[u32] {
        &self.classes[class]
    }

    /// Level of each resource of a class.
    pub fn levels_of(&self, class: usize) -> [u32; MAX_RESOURCES] {
        let mut levels = [0; MAX_RESOURCES];
        let mut rest = class as u64;
        for level in levels[..self.resources].iter_mut().rev() {
            *level = (rest % (self.levels + 1)) as u32;
            rest /= self.levels + 1;
        }
        levels
    }

    /// Level of each resource of a node.
    pub fn levels_at(&self, node: usize) -> [u32; MAX_RESOURCES] {
        self.levels_of(self.at[node].0 as usize)
    }

    /// Levels of a demand: a node needs at least these.
    pub fn levels_for(&self, needs: impl Fn(usize) -> i64) -> [u32; MAX_RESOURCES] {
        let mut levels = [0; MAX_RESOURCES];
        for (r, level) in levels[..self.resources].iter_mut().enumerate() {
            *level = self.level(r, needs(r));
        }
        levels
    }

    /// A node of the fullest class with room for a demand that is taken.
    pub fn fullest(
        &self,
        needs: impl Fn(usize) -> i64,
        taken: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let need = self.levels_for(needs);
        let mut best = None;
        for class in self.occupied.iter().map(|class| *class as usize) {
            let levels = self.levels_of(class);
            if (0..self.resources).any(|r| levels[r] < need[r]) {
                continue;
            }
            let emptiness: u32 = levels[..self.resources].iter().sum();
            if best.is_some_and(|(_, least)| emptiness >= least) {
                continue;
            }
            let mut nodes = self.classes[class].iter().map(|node| *node as usize);
            if let Some(node) = nodes.find(|node| taken(*node)) {
                best = Some((node, emptiness));
            }
        }
        best.map(|(node, _)| node)
    }

    /// Level as a share of the largest node.
    pub fn share(&self, level: u32) -> f32 {
        level as f32 / self.levels as f32
    }

    pub fn resources(&self) -> usize {
        self.resources
    }

    fn level(&self, resource: usize, units: i64) -> u32 {
        let units = units.max(0) as u64;
        let reference = self.reference[resource];
        let level = match units.checked_mul(self.levels) {
            Some(product) => product / reference,
            None => (u128::from(units) * u128::from(self.levels) / u128::from(reference)) as u64,
        };
        level.min(self.levels) as u32
    }

    fn class(&self, free: &[i64]) -> usize {
        let levels = free[..self.resources].iter().enumerate();
        levels.fold(0, |class, (r, units)| {
            class * (self.levels as usize + 1) + self.level(r, *units) as usize
        })
    }

    fn enter(&mut self, node: usize, class: usize) {
        if self.classes[class].is_empty() {
            self.rank[class] = self.occupied.len() as u32;
            self.occupied.push(class as u32);
        }
        self.at[node] = (class as u32, self.classes[class].len() as u32);
        self.classes[class].push(node as u32);
    }

    fn leave(&mut self, node: usize) {
        let (class, position) = self.at[node];
        let nodes = &mut self.classes[class as usize];
        nodes.swap_remove(position as usize);
        if let Some(moved) = nodes.get(position as usize) {
            self.at[*moved as usize].1 = position;
        }
        if nodes.is_empty() {
            let rank = std::mem::replace(&mut self.rank[class as usize], NOWHERE) as usize;
            self.occupied.swap_remove(rank);
            if let Some(moved) = self.occupied.get(rank) {
                self.rank[*moved as usize] = rank as u32;
            }
        }
    }
}
