//! The problem as the arrays the solvers of `divide` work on.

use bayplan_model::{Application, DivisionPlan, NodeId, PoolId, Problem, Share};

use super::Params;
use crate::SolveError;

/// One million: thresholds and growth are in millionths.
const MILLION: u128 = 1_000_000;

/// An application as the solvers see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct App {
    /// Load to serve, p in the paper.
    pub load: u64,
    /// Memory of an instance before any load, q in the paper.
    pub memory: u64,
    /// Memory per million units of load served by an instance.
    pub slope: u64,
    /// The fewest instances; at least one when there is load.
    pub min: u32,
    /// The most instances.
    pub max: u32,
}

impl App {
    fn new(given: &Application) -> Self {
        Self {
            load: given.load,
            memory: given.memory,
            slope: given.memory_per_load,
            min: given.min_instances.max(u32::from(given.load > 0)),
            max: given.max_instances.unwrap_or(u32::MAX),
        }
    }

    /// Memory of an instance that serves `load`.
    pub fn memory_at(&self, load: u64) -> u64 {
        let growth = (u128::from(self.slope) * u128::from(load)).div_ceil(MILLION);
        u64::try_from(u128::from(self.memory) + growth).unwrap_or(u64::MAX)
    }

    /// The largest load an instance can serve with this much CPU and memory;
    /// `None` when not even an idle instance fits.
    pub fn most_load(&self, cpu: u64, memory: u64) -> Option<u64> {
        let room = memory.checked_sub(self.memory)?;
        if self.slope == 0 {
            return Some(cpu);
        }
        let by_memory = u128::from(room) * MILLION / u128::from(self.slope);
        Some(cpu.min(u64::try_from(by_memory).unwrap_or(u64::MAX)))
    }
}

/// A kind of node, with the thresholds applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kind {
    /// CPU capacity, P in the paper.
    pub cpu: u64,
    /// Memory capacity, Q in the paper.
    pub memory: u64,
    /// Price of a node: millionths, or 1 when nodes are counted.
    pub price: u64,
    /// Existing nodes of the kind.
    pub existing: Vec<u32>,
    /// How many nodes there may be, existing ones included.
    pub most: u32,
}

/// A node an answer may use: an existing one, or a new one of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Index of the kind.
    pub kind: usize,
    /// The existing node; `None`: a new one.
    pub node: Option<u32>,
}

/// An instance on a node: the application and the load it serves there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The application.
    pub app: u32,
    /// The load.
    pub load: u64,
}

/// Nodes and what runs on them. Nodes without pieces are not used.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Division {
    /// The nodes.
    pub slots: Vec<Slot>,
    /// The pieces of each.
    pub pieces: Vec<Vec<Piece>>,
}

/// The problem with the thresholds applied.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// The applications.
    pub apps: Vec<App>,
    /// The kinds of node, one per pool.
    pub kinds: Vec<Kind>,
    /// Whether pools differ in price, so that cost is the objective.
    pub priced: bool,
    /// For each existing node the applications that run there now, ascending.
    pub running: Vec<Vec<u32>>,
    /// The same with the load each instance would serve if today's load were
    /// divided as it is now.
    pub layout: Vec<Vec<Piece>>,
    /// Price of a started or stopped instance, on the scale of `Kind::price`.
    pub change_price: u64,
}

impl View {
    /// Builds the view; refuses what no answer can satisfy.
    pub fn new(problem: &Problem, params: &Params) -> Result<Self, SolveError> {
        let Some(applications) = problem.applications() else {
            return Err(SolveError::WrongWorkload {
                verb: "divide",
                needs: "applications",
            });
        };
        let cluster = problem.cluster();
        let priced = cluster
            .pools
            .iter()
            .any(|p| p.price != cluster.pools[0].price);
        let share = |units: u64, millionths: u32| {
            u64::try_from(u128::from(units) * u128::from(millionths) / MILLION).unwrap_or(units)
        };
        let mut kinds: Vec<Kind> = (cluster.pools.iter())
            .map(|pool| Kind {
                cpu: share(pool.capacity[0], params.cpu_threshold),
                memory: share(pool.capacity[1], params.memory_threshold),
                price: if priced { pool.price } else { 1_000_000 },
                existing: Vec::new(),
                most: pool.max_count.unwrap_or(u32::MAX),
            })
            .collect();
        for (id, node) in cluster.nodes.iter().enumerate() {
            kinds[node.pool.index()].existing.push(NodeId::from(id).0);
        }
        for kind in &mut kinds {
            kind.most = kind.most.max(kind.existing.len() as u32);
        }
        let mut layout = vec![Vec::new(); cluster.nodes.len()];
        for share in &applications.layout {
            layout[share.node.index()].push(Piece {
                app: share.application.0,
                load: share.load,
            });
        }
        for pieces in &mut layout {
            pieces.sort_unstable_by_key(|piece| piece.app);
            pieces.dedup_by_key(|piece| piece.app);
        }
        scale_to_load(&mut layout, &applications.all);
        let apps_of = |pieces: &Vec<Piece>| pieces.iter().map(|piece| piece.app).collect();
        let running = layout.iter().map(apps_of).collect();
        let view = Self {
            apps: applications.all.iter().map(App::new).collect(),
            kinds,
            priced,
            running,
            layout,
            change_price: params.change_price,
        };
        view.refuse_impossible(&applications.names)?;
        Ok(view)
    }

    /// Applications that no node, or not enough nodes, can hold.
    fn refuse_impossible(&self, names: &bayplan_model::Names) -> Result<(), SolveError> {
        let nodes: u64 = self.kinds.iter().map(|kind| u64::from(kind.most)).sum();
        for (i, app) in self.apps.iter().enumerate() {
            if app.min == 0 {
                continue;
            }
            let name = names.get(i);
            let largest = self.largest_instance(app);
            let why = match largest {
                None => format!("an instance of {name} needs more memory than any node has"),
                Some(0) if app.load > 0 => format!("no node can serve any load of {name}"),
                _ if app.min > app.max => {
                    format!(
                        "{name} must have at least {} and at most {} instances",
                        app.min, app.max
                    )
                }
                _ if u64::from(app.min) > nodes => {
                    format!(
                        "{name} must have {} instances on different nodes, and there are {nodes}",
                        app.min
                    )
                }
                _ => continue,
            };
            return Err(SolveError::Infeasible { why });
        }
        Ok(())
    }

    /// The largest load one instance of `app` can serve on any kind of node.
    pub fn largest_instance(&self, app: &App) -> Option<u64> {
        self.kinds
            .iter()
            .filter(|kind| kind.most > 0)
            .filter_map(|kind| app.most_load(kind.cpu, kind.memory))
            .max()
    }

    /// The number of instances every answer needs of `app`.
    pub fn fewest_instances(&self, app: &App) -> u64 {
        let needed = match self.largest_instance(app) {
            Some(largest) if largest > 0 => app.load.div_ceil(largest),
            _ => 0,
        };
        needed.max(u64::from(app.min))
    }

    /// The most nodes of a kind that an answer of this kind alone can need:
    /// one per instance.
    pub fn most_nodes(&self, kind: usize) -> u64 {
        let (kind, apps) = (&self.kinds[kind], self.apps.iter());
        let instances = apps.map(|app| match app.most_load(kind.cpu, kind.memory) {
            Some(most) if most > 0 => app.load.div_ceil(most).max(app.min.into()),
            Some(_) if app.load == 0 => app.min.into(),
            _ => 0,
        });
        instances.fold(0, u64::saturating_add).min(kind.most.into())
    }

    /// The first `count` nodes of a kind: existing ones before new ones.
    pub fn slots(&self, kind: usize, count: usize) -> Vec<Slot> {
        (0..count)
            .map(|n| Slot {
                kind,
                node: self.kinds[kind].existing.get(n).copied(),
            })
            .collect()
    }

    /// The price of the nodes in use.
    pub fn price(&self, division: &Division) -> u64 {
        let used = division
            .slots
            .iter()
            .zip(&division.pieces)
            .filter(|(_, p)| !p.is_empty());
        used.map(|(slot, _)| self.kinds[slot.kind].price).sum()
    }

    /// Instances started and stopped against what runs now.
    pub fn changes(&self, division: &Division) -> (u64, u64) {
        let (mut started, mut kept) = (0, 0);
        for (slot, pieces) in division.slots.iter().zip(&division.pieces) {
            for piece in pieces {
                let here = slot.node.is_some_and(|n| self.runs(n, piece.app));
                *if here { &mut kept } else { &mut started } += 1;
            }
        }
        let running: u64 = self.running.iter().map(|apps| apps.len() as u64).sum();
        (started, running - kept)
    }

    /// Whether `app` runs on the existing node now.
    pub fn runs(&self, node: u32, app: u32) -> bool {
        self.running[node as usize].binary_search(&app).is_ok()
    }

    /// The division as a plan.
    pub fn plan(&self, division: &Division) -> DivisionPlan {
        let mut plan = DivisionPlan::default();
        for (slot, pieces) in division.slots.iter().zip(&division.pieces) {
            if pieces.is_empty() {
                continue;
            }
            let node = slot.node.map_or_else(
                || {
                    plan.opened.push(PoolId::from(slot.kind));
                    NodeId::from(self.running.len() + plan.opened.len() - 1)
                },
                NodeId,
            );
            plan.shares.extend(pieces.iter().map(|piece| Share {
                application: bayplan_model::ApplicationId(piece.app),
                node,
                load: piece.load,
            }));
        }
        plan.shares.sort_unstable();
        plan
    }
}

/// Scales what instances serve now to the load they must serve, rounded down.
fn scale_to_load(layout: &mut [Vec<Piece>], apps: &[Application]) {
    let mut served = vec![(0u128, 0u64); apps.len()];
    for piece in layout.iter().flatten() {
        let (load, instances) = &mut served[piece.app as usize];
        *load += u128::from(piece.load);
        *instances += 1;
    }
    for piece in layout.iter_mut().flatten() {
        let load = apps[piece.app as usize].load;
        let (now, instances) = served[piece.app as usize];
        piece.load = match now {
            0 => load / instances,
            _ => (u128::from(load) * u128::from(piece.load) / now) as u64,
        };
    }
}

/// The greatest common divisor.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
