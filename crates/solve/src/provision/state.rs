//! The mutable state a search works on: what is placed where, what is free.

use bayplan_model::PoolId;
use rustc_hash::FxHashMap;

use super::view::{UNLIMITED, View};

/// Replicas on nodes, residual capacity, and how many replicas are still left.
///
/// Invariant: `residual = capacity - sum of counts * demand` in every dimension,
/// and `places` and `contents` list the same counts.
#[derive(Clone)]
pub(super) struct State<'v> {
    pub view: &'v View<'v>,
    pool_of: Vec<u32>,
    /// New nodes opened per pool.
    opened: Vec<u32>,
    residual: Vec<i64>,
    /// Residual per resource in its tightest epoch.
    free: Vec<i64>,
    contents: Vec<Vec<(u32, u32)>>,
    place_start: Vec<usize>,
    place_len: Vec<u32>,
    places: Vec<(u32, u32)>,
    /// Replicas without a place, per service.
    pub left: Vec<u32>,
    labels: Groups,
    /// Nodes that are not in use: they hold nothing and take nothing until put
    /// into use. Their residual is below zero, so no search finds room there.
    shut: Vec<bool>,
}

/// Counts of label-level spread sets per group of nodes.
#[derive(Clone, Default)]
struct Groups {
    /// For each set, the group of each node.
    group_of: Vec<Vec<u32>>,
    by_value: Vec<FxHashMap<String, u32>>,
    /// For each set, replicas of its members in each group.
    counts: Vec<Vec<u32>>,
}

impl<'v> State<'v> {
    /// The existing nodes with what stays on them.
    pub fn new(view: &'v View<'v>) -> Self {
        let mut state = Self::without_fixed(view);
        for entry in &view.fixed {
            state.place(entry.node.index(), entry.service.index(), entry.count);
        }
        for node in 0..view.existing.len() {
            if state.contents[node].is_empty() {
                state.shut(node);
            }
        }
        state
    }

    /// The existing nodes, all empty and open.
    pub fn without_fixed(view: &'v View<'v>) -> Self {
        let mut place_start = Vec::with_capacity(view.len() + 1);
        let mut end = 0;
        for wanted in &view.wanted {
            place_start.push(end);
            end += *wanted as usize;
        }
        place_start.push(end);
        let sets = view.label_sets.len();
        let mut state = Self {
            view,
            pool_of: Vec::new(),
            opened: vec![0; view.kinds.len()],
            residual: Vec::new(),
            free: Vec::new(),
            contents: Vec::new(),
            place_start,
            place_len: vec![0; view.len()],
            places: vec![(0, 0); end],
            left: view.wanted.clone(),
            shut: Vec::new(),
            labels: Groups {
                group_of: vec![Vec::new(); sets],
                by_value: vec![FxHashMap::default(); sets],
                counts: vec![Vec::new(); sets],
            },
        };
        for pool in &view.existing {
            state.add_node(*pool as usize);
        }
        state
    }

    pub fn nodes(&self) -> usize {
        self.pool_of.len()
    }

    pub fn pool(&self, node: usize) -> usize {
        self.pool_of[node] as usize
    }

    /// Pools of the new nodes, in node order.
    pub fn opened_pools(&self) -> Vec<PoolId> {
        self.pool_of[self.view.existing.len()..]
            .iter()
            .map(|p| PoolId(*p))
            .collect()
    }

    /// How many more nodes a pool may have.
    pub fn openable(&self, pool: usize) -> u32 {
        self.view.kinds[pool].openable - self.opened[pool]
    }

    /// Opens a new node of a pool.
    pub fn open(&mut self, pool: usize) -> usize {
        debug_assert!(self.openable(pool) > 0);
        self.opened[pool] += 1;
        self.add_node(pool)
    }

    /// Whether a node is out of use.
    pub fn is_shut(&self, node: usize) -> bool {
        self.shut[node]
    }

    /// The nodes out of use.
    pub fn shut_nodes(&self) -> impl Iterator<Item = usize> {
        (0..self.shut.len()).filter(|node| self.shut[*node])
    }

    /// Takes a node that holds nothing out of use.
    pub fn shut(&mut self, node: usize) {
        debug_assert!(self.contents[node].is_empty() && !self.shut[node]);
        self.shut[node] = true;
        self.residual[node * self.view.width..][..self.view.width].fill(-1);
        self.free[node * self.view.resources..][..self.view.resources].fill(-1);
    }

    /// Puts a node into use again.
    pub fn reopen(&mut self, node: usize) {
        debug_assert!(self.shut[node]);
        self.shut[node] = false;
        let (view, pool) = (self.view, self.pool_of[node] as usize);
        let residual = &mut self.residual[node * view.width..][..view.width];
        for (row, capacity) in residual
            .chunks_exact_mut(view.epochs)
            .zip(&view.kinds[pool].capacity)
        {
            row.fill(*capacity);
        }
        self.free[node * view.resources..][..view.resources]
            .copy_from_slice(&view.kinds[pool].capacity);
    }

    fn add_node(&mut self, pool: usize) -> usize {
        let node = self.pool_of.len();
        self.pool_of.push(pool as u32);
        let epochs = self.view.epochs;
        for capacity in &self.view.kinds[pool].capacity {
            self.residual.extend(std::iter::repeat_n(*capacity, epochs));
            self.free.push(*capacity);
        }
        self.contents.push(Vec::with_capacity(16));
        self.shut.push(false);
        let cluster = self.view.problem.cluster();
        for (set, label) in self.view.label_sets.iter().enumerate() {
            let own = cluster
                .nodes
                .get(node)
                .and_then(|n| n.labels.get(&label.key));
            let value = own.or_else(|| cluster.pools[pool].labels.get(&label.key));
            let fresh = self.labels.counts[set].len() as u32;
            let group = match value {
                Some(value) => *self.labels.by_value[set]
                    .entry(value.clone())
                    .or_insert(fresh),
                None => fresh,
            };
            if group == fresh {
                self.labels.counts[set].push(0);
            }
            self.labels.group_of[set].push(group);
        }
        node
    }

    /// (service, count) of a node.
    pub fn contents(&self, node: usize) -> &[(u32, u32)] {
        &self.contents[node]
    }

    /// (node, count) of a service.
    pub fn places(&self, service: usize) -> &[(u32, u32)] {
        &self.places[self.place_start[service]..][..self.place_len[service] as usize]
    }

    /// Residual units of a node in every dimension.
    pub fn residual(&self, node: usize) -> &[i64] {
        &self.residual[node * self.view.width..][..self.view.width]
    }

    /// Residual per resource of a node in its tightest epoch.
    pub fn free(&self, node: usize) -> &[i64] {
        &self.free[node * self.view.resources..][..self.view.resources]
    }

    pub fn count(&self, node: usize, service: usize) -> u32 {
        let mut here = self.contents[node].iter();
        here.find(|(s, _)| *s as usize == service)
            .map_or(0, |(_, count)| *count)
    }

    /// Whether one replica fits by capacity.
    #[inline]
    pub fn fits(&self, node: usize, service: usize) -> bool {
        let pairs = self.residual(node).iter().zip(self.view.row(service));
        if self.view.width <= 4 {
            return pairs.into_iter().all(|(r, d)| *r >= *d as i64);
        }
        // Without an early exit the comparison vectorises.
        pairs.fold(true, |fits, (r, d)| fits & (*r >= *d as i64))
    }

    /// How many replicas fit by capacity.
    pub fn room(&self, node: usize, service: usize) -> u32 {
        if !self.fits(node, service) {
            return 0;
        }
        let pairs = self.residual(node).iter().zip(self.view.row(service));
        let most = pairs.map(|(r, d)| if *d == 0 { i64::MAX } else { *r / *d as i64 });
        most.min().unwrap_or(i64::MAX).min(i64::from(UNLIMITED)) as u32
    }

    /// How many more replicas label-level spread sets allow on a node.
    pub fn label_room(&self, node: usize, service: usize) -> u32 {
        let sets = self.view.label_sets_of[service].iter().map(|set| {
            let set = *set as usize;
            let group = self.labels.group_of[set][node] as usize;
            self.view.label_sets[set]
                .max
                .saturating_sub(self.labels.counts[set][group])
        });
        sets.min().unwrap_or(UNLIMITED)
    }

    /// The group of a node at the level of a label set.
    pub fn label_group(&self, set: usize, node: usize) -> u32 {
        self.labels.group_of[set][node]
    }

    /// Puts replicas on a node; the caller has made sure that they may.
    pub fn place(&mut self, node: usize, service: usize, count: u32) {
        self.shift_amounts(node, service, i64::from(count));
        self.left[service] -= count;
        match self.contents[node]
            .iter_mut()
            .find(|(s, _)| *s as usize == service)
        {
            Some((_, there)) => *there += count,
            None => self.contents[node].push((service as u32, count)),
        }
        let (start, len) = (self.place_start[service], self.place_len[service] as usize);
        let places = &mut self.places[start..];
        match places[..len].iter_mut().find(|(n, _)| *n as usize == node) {
            Some((_, there)) => *there += count,
            None => {
                places[len] = (node as u32, count);
                self.place_len[service] += 1;
            }
        }
        for set in &self.view.label_sets_of[service] {
            let group = self.labels.group_of[*set as usize][node] as usize;
            self.labels.counts[*set as usize][group] += count;
        }
    }

    /// Takes replicas off a node.
    pub fn remove(&mut self, node: usize, service: usize, count: u32) {
        self.shift_amounts(node, service, -i64::from(count));
        self.left[service] += count;
        let contents = &mut self.contents[node];
        let at = contents.iter().position(|(s, _)| *s as usize == service);
        let at = at.expect("the service is on the node");
        contents[at].1 -= count;
        if contents[at].1 == 0 {
            contents.swap_remove(at);
        }
        let (start, len) = (self.place_start[service], self.place_len[service] as usize);
        let places = &mut self.places[start..][..len];
        let at = places.iter().position(|(n, _)| *n as usize == node);
        let at = at.expect("the node is a place of the service");
        places[at].1 -= count;
        if places[at].1 == 0 {
            places[at] = places[len - 1];
            self.place_len[service] -= 1;
        }
        for set in &self.view.label_sets_of[service] {
            let group = self.labels.group_of[*set as usize][node] as usize;
            self.labels.counts[*set as usize][group] -= count;
        }
    }

    fn shift_amounts(&mut self, node: usize, service: usize, count: i64) {
        let view = self.view;
        let row = view.row(service);
        let residual = &mut self.residual[node * view.width..][..view.width];
        for (residual, units) in residual.iter_mut().zip(row) {
            *residual -= *units as i64 * count;
        }
        let free = &mut self.free[node * view.resources..][..view.resources];
        for (free, residual) in free.iter_mut().zip(residual.chunks_exact(view.epochs)) {
            *free = residual.iter().copied().min().unwrap_or(0);
        }
    }
}
