//! The mutable division a search works on: place, take out, save, restore.

use super::view::{App, Division, Piece, Slot, View};

/// Nodes with their pieces, and what is still open per application.
#[derive(Clone, Debug)]
pub struct State<'a> {
    /// The applications.
    pub apps: &'a [App],
    /// The nodes.
    pub slots: Vec<Slot>,
    /// The pieces of each node.
    pub pieces: Vec<Vec<Piece>>,
    /// Free CPU of each node.
    pub cpu: Vec<u64>,
    /// Free memory of each node.
    pub memory: Vec<u64>,
    /// The nodes that host each application.
    pub hosts: Vec<Vec<u32>>,
    /// Load of each application without a place.
    pub rest: Vec<u64>,
    /// Applications with load or instances missing, and where each stands in the list.
    open: Vec<u32>,
    place_in_open: Vec<u32>,
}

const NOT_OPEN: u32 = u32::MAX;

impl<'a> State<'a> {
    /// Empty nodes; `cpu` overrides the CPU capacity when a level is given.
    pub fn new(view: &'a View, slots: Vec<Slot>, level: Option<u64>) -> Self {
        let apps = &view.apps;
        let capacity = |slot: &Slot| &view.kinds[slot.kind];
        let level = level.unwrap_or(u64::MAX);
        let mut state = Self {
            apps,
            pieces: vec![Vec::new(); slots.len()],
            cpu: slots
                .iter()
                .map(|slot| capacity(slot).cpu.min(level))
                .collect(),
            memory: slots.iter().map(|slot| capacity(slot).memory).collect(),
            hosts: vec![Vec::new(); apps.len()],
            rest: apps.iter().map(|app| app.load).collect(),
            open: Vec::new(),
            place_in_open: vec![NOT_OPEN; apps.len()],
            slots,
        };
        for app in 0..apps.len() as u32 {
            state.note(app);
        }
        state
    }

    /// The nodes with the pieces of a division, whatever of them fits; pieces
    /// that do not fit whole are cut, and what is cut stays open.
    pub fn load(&mut self, pieces: &[Vec<Piece>]) {
        for (node, pieces) in pieces.iter().enumerate().take(self.slots.len()) {
            for piece in pieces {
                let app = &self.apps[piece.app as usize];
                let most = app.most_load(self.cpu[node], self.memory[node]);
                let load = most.map(|most| most.min(piece.load).min(self.rest[piece.app as usize]));
                let room = (self.hosts[piece.app as usize].len() as u32) < app.max;
                if let Some(load) = load.filter(|load| room && (*load > 0 || app.load == 0)) {
                    self.place(node, piece.app, load);
                }
            }
        }
    }

    /// Starts these instances with at most this load each, idle ones included.
    pub fn host(&mut self, instances: &[Vec<(u32, u64)>]) {
        for (node, here) in instances.iter().enumerate() {
            for &(app, load) in here {
                let most = self.apps[app as usize].most_load(self.cpu[node], self.memory[node]);
                if let Some(most) = most.filter(|_| self.may_start(app)) {
                    self.place(node, app, load.min(most).min(self.rest[app as usize]));
                }
            }
        }
    }

    /// Stops instances that serve nothing and are not demanded.
    pub fn drop_idle(&mut self) {
        for node in 0..self.slots.len() {
            let idle: Vec<u32> = self.pieces[node]
                .iter()
                .filter(|p| p.load == 0)
                .map(|p| p.app)
                .collect();
            for app in idle {
                self.shift(node, app, 0, 0);
            }
        }
    }

    /// Applications with load or instances missing.
    pub fn open(&self) -> &[u32] {
        &self.open
    }

    /// Instances of an application that must still be started.
    pub fn missing(&self, app: u32) -> u32 {
        let demanded = self.apps[app as usize].min;
        let missing = demanded.saturating_sub(self.hosts[app as usize].len() as u32);
        missing.max(u32::from(self.rest[app as usize] > 0))
    }

    /// Whether the application may have one more instance.
    pub fn may_start(&self, app: u32) -> bool {
        (self.hosts[app as usize].len() as u32) < self.apps[app as usize].max
    }

    /// Starts an instance. The node must have room and not host the application.
    pub fn place(&mut self, node: usize, app: u32, load: u64) {
        debug_assert!(!self.hosts[app as usize].contains(&(node as u32)));
        self.cpu[node] -= load;
        self.memory[node] -= self.apps[app as usize].memory_at(load);
        self.rest[app as usize] -= load;
        self.pieces[node].push(Piece { app, load });
        self.hosts[app as usize].push(node as u32);
        self.note(app);
    }

    /// Stops all instances of a node; their load is open again.
    pub fn clear(&mut self, node: usize, taken: &mut Vec<Piece>) {
        let pieces = std::mem::take(&mut self.pieces[node]);
        for piece in &pieces {
            let app = piece.app as usize;
            self.cpu[node] += piece.load;
            self.memory[node] += self.apps[app].memory_at(piece.load);
            self.rest[app] += piece.load;
            self.hosts[app].retain(|host| *host != node as u32);
            self.note(piece.app);
        }
        taken.extend_from_slice(&pieces);
        // Keep the allocation for the pieces to come.
        self.pieces[node] = pieces;
        self.pieces[node].clear();
    }

    /// Changes the load of an instance; stops it when nothing is left of it
    /// and it is not demanded.
    pub fn shift(&mut self, node: usize, app: u32, from: u64, to: u64) {
        let at = self.pieces[node].iter().position(|p| p.app == app);
        let at = at.expect("the instance is here");
        let given = &self.apps[app as usize];
        self.cpu[node] = self.cpu[node] + from - to;
        self.memory[node] = self.memory[node] + given.memory_at(from) - given.memory_at(to);
        self.rest[app as usize] = self.rest[app as usize] + from - to;
        self.pieces[node][at].load = to;
        if to == 0 && self.hosts[app as usize].len() as u32 > given.min {
            self.pieces[node].swap_remove(at);
            self.memory[node] += given.memory;
            self.hosts[app as usize].retain(|host| *host != node as u32);
        }
        self.note(app);
    }

    /// The load of an application on a node.
    pub fn load_on(&self, node: usize, app: u32) -> Option<u64> {
        let piece = self.pieces[node].iter().find(|piece| piece.app == app);
        piece.map(|piece| piece.load)
    }

    fn note(&mut self, app: u32) {
        let place = self.place_in_open[app as usize];
        match (self.missing(app) > 0, place != NOT_OPEN) {
            (true, false) => {
                self.place_in_open[app as usize] = self.open.len() as u32;
                self.open.push(app);
            }
            (false, true) => {
                self.open.swap_remove(place as usize);
                if let Some(&moved) = self.open.get(place as usize) {
                    self.place_in_open[moved as usize] = place;
                }
                self.place_in_open[app as usize] = NOT_OPEN;
            }
            _ => {}
        }
    }

    /// A snapshot.
    pub fn division(&self) -> Division {
        Division {
            slots: self.slots.clone(),
            pieces: self.pieces.clone(),
        }
    }

    /// Recounts everything from scratch; panics on a difference.
    #[cfg(test)]
    pub fn recount(&self, view: &View, level: Option<u64>) {
        let mut fresh = State::new(view, self.slots.clone(), level);
        for (node, pieces) in self.pieces.iter().enumerate() {
            for piece in pieces {
                fresh.place(node, piece.app, piece.load);
            }
        }
        assert_eq!(
            (&fresh.cpu, &fresh.memory, &fresh.rest),
            (&self.cpu, &self.memory, &self.rest)
        );
        let sorted = |open: &[u32]| {
            let mut open = open.to_vec();
            open.sort_unstable();
            open
        };
        assert_eq!(sorted(&fresh.open), sorted(&self.open));
    }
}
