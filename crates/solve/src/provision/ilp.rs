//! The integer program (section 3.2, 2a-2g), with replicas of a service counted
//! per node instead of named one by one: the same plans, far fewer variables.

use std::collections::BTreeMap;

use bayplan_lp::{Bounds, Col, Model, Options, Sense, Status};

use super::goal::Goal;
use super::state::State;
use super::view::View;
use crate::{Context, SolveError};

/// The most variables worth handing to the MIP solver.
const MOST_VARIABLES: usize = 400_000;
/// Variables up to which the default solver asks for a proof.
const WORTH_A_TRY: usize = 3_000;

/// Whether the program is so small that it is worth a try for a proof.
pub(super) fn is_small(start: &State, goal: Goal) -> bool {
    slots(start, goal).len() * start.view.len() <= WORTH_A_TRY
}

/// The best plan found, and the bound proven, as the goal counts.
pub(super) fn run<'v>(
    start: State<'v>,
    goal: Goal,
    ctx: &Context,
) -> Result<(State<'v>, u128), SolveError> {
    let view = start.view;
    let slots = slots(&start, goal);
    let size = slots.len() * view.len();
    if size > MOST_VARIABLES {
        return Err(SolveError::Parameter {
            name: "--algorithm ILP",
            problem: format!(
                "{} services on up to {} nodes are too many for the integer program; use auto",
                view.len(),
                slots.len()
            ),
        });
    }
    let mut program = Program::new(view, goal, slots);
    program.add_limits();
    program.add_sets();
    program.set_start(&start);
    let options = Options {
        seconds: ctx.steps().is_none().then(|| ctx.seconds_left()),
        nodes: ctx.steps(),
        stop: Some(ctx.stop_flag().clone()),
        ..Options::default()
    };
    let solution = program.model.solve(&options);
    if matches!(solution.status, Status::Infeasible | Status::Unbounded) {
        return Err(SolveError::Infeasible {
            why: "no placement on the nodes allowed keeps all rules".into(),
        });
    }
    let scale = match goal {
        Goal::Nodes => 1.0,
        Goal::Cost => 1e6,
    };
    let bound = if solution.bound.is_finite() {
        (solution.bound * scale * (1.0 - 1e-9) - 1e-5)
            .ceil()
            .max(0.0) as u128
    } else {
        0
    };
    if !solution.has_values() {
        return Ok((start, bound));
    }
    let mut state = State::without_fixed(view);
    for slot in &program.slots[view.existing.len()..] {
        state.open(slot.pool);
    }
    for (node, slot) in program.replicas.iter().enumerate() {
        for (service, col) in slot.iter().enumerate() {
            let count = solution.count(*col) as u32;
            if count > 0 {
                state.place(node, service, count);
            }
        }
    }
    Ok((state, bound))
}

/// A node that could be used.
struct Slot {
    pool: usize,
    /// Whether it holds replicas that stay.
    kept: bool,
}

/// Existing nodes, then as many new ones per pool as could pay: more of a
/// pool than the start costs, or than there are replicas, cannot.
fn slots(start: &State, goal: Goal) -> Vec<Slot> {
    let view = start.view;
    let mut slots: Vec<Slot> = view
        .existing
        .iter()
        .map(|pool| Slot {
            pool: *pool as usize,
            kept: false,
        })
        .collect();
    for entry in &view.fixed {
        slots[entry.node.index()].kept = true;
    }
    let (value, nodes) = goal.rank(start);
    let replicas: u64 = view.wanted.iter().map(|wanted| u64::from(*wanted)).sum();
    for (pool, kind) in view.kinds.iter().enumerate() {
        let affordable = match goal {
            Goal::Nodes => nodes,
            Goal::Cost => (value.checked_div(kind.price.into()))
                .map_or(replicas, |count| count.min(u128::from(replicas)) as u64),
        };
        let count = affordable.min(replicas).min(kind.openable.into());
        slots.extend((0..count).map(|_| Slot { pool, kept: false }));
    }
    slots
}

struct Program<'v> {
    view: &'v View<'v>,
    model: Model,
    slots: Vec<Slot>,
    used: Vec<Col>,
    /// `replicas[node][service]`.
    replicas: Vec<Vec<Col>>,
    /// Whether a service is present, where a limit asks for it.
    present: BTreeMap<(usize, usize), Col>,
    /// The service that tells most nodes apart.
    widest: Option<usize>,
}

impl<'v> Program<'v> {
    /// Objective (2a), every replica placed (2b), capacity (2c).
    fn new(view: &'v View<'v>, goal: Goal, slots: Vec<Slot>) -> Self {
        let mut model = Model::new(Sense::Minimise);
        let mut fixed: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        for entry in &view.fixed {
            fixed.insert((entry.node.index(), entry.service.index()), entry.count);
        }
        let placed: Vec<_> = view
            .wanted
            .iter()
            .map(|wanted| model.add_row(f64::from(*wanted), &[]))
            .collect();
        let mut used = Vec::new();
        let mut replicas = Vec::new();
        for (node, slot) in slots.iter().enumerate() {
            let kind = &view.kinds[slot.pool];
            let cost = match goal {
                Goal::Nodes => 1.0,
                Goal::Cost => kind.price as f64 / 1e6,
            };
            let least = if slot.kept { 1.0 } else { 0.0 };
            let on = model.add_integer_col(cost, Bounds::new(least, 1.0), &[]);
            let rows: Vec<_> = (0..view.width)
                .map(|_| model.add_row(..=0.0, &[(on, -1.0)]))
                .collect();
            let columns = (0..view.len()).map(|service| {
                let stays = fixed.get(&(node, service)).copied().unwrap_or(0);
                let allowed = view.allows(service, node, slot.pool);
                let most = if allowed {
                    most(view, service, slot.pool)
                } else {
                    0
                }
                .max(stays);
                let mut entries = vec![(placed[service], 1.0)];
                for (h, units) in view.row(service).iter().enumerate() {
                    if *units > 0 {
                        let capacity = kind.capacity[h / view.epochs].max(1) as f64;
                        entries.push((rows[h], *units as f64 / capacity));
                    }
                }
                let bounds = Bounds::new(f64::from(stays), f64::from(most));
                let col = model.add_integer_col(0.0, bounds, &entries);
                // Also where the demand is zero a node with a replica is in use.
                model.add_row(..=0.0, &[(col, 1.0), (on, -f64::from(most))]);
                col
            });
            replicas.push(columns.collect());
            used.push(on);
        }
        let mut program = Self {
            view,
            model,
            slots,
            used,
            replicas,
            present: BTreeMap::new(),
            widest: widest(view),
        };
        program.break_symmetry();
        program
    }

    /// New nodes of a pool are used in order, those with most replicas of the
    /// widest service first.
    fn break_symmetry(&mut self) {
        for node in self.view.existing.len() + 1..self.slots.len() {
            if self.slots[node - 1].pool == self.slots[node].pool {
                let mut in_order = |columns: [Col; 2]| {
                    let row = [(columns[1], 1.0), (columns[0], -1.0)];
                    self.model.add_row(..=0.0, &row);
                };
                in_order([self.used[node - 1], self.used[node]]);
                if let Some(service) = self.widest {
                    let count = |node: usize| self.replicas[node][service];
                    in_order([count(node - 1), count(node)]);
                }
            }
        }
    }

    /// Presence (2d) and limits (2f).
    fn add_limits(&mut self) {
        for limit in self
            .view
            .services
            .limits
            .iter()
            .filter(|limit| limit.of != limit.on)
        {
            let (of, on) = (limit.of.index(), limit.on.index());
            for node in 0..self.slots.len() {
                let pool = self.slots[node].pool;
                let most = f64::from(most(self.view, on, pool));
                let max = f64::from(limit.max);
                if max < most {
                    let present = self.present(node, of);
                    let row = [(self.replicas[node][on], 1.0), (present, most - max)];
                    self.model.add_row(..=most, &row);
                }
            }
        }
    }

    fn present(&mut self, node: usize, service: usize) -> Col {
        if let Some(col) = self.present.get(&(node, service)) {
            return *col;
        }
        let most = f64::from(most(self.view, service, self.slots[node].pool));
        let col = self.model.add_integer_col(0.0, 0.0..=1.0, &[]);
        self.model
            .add_row(..=0.0, &[(self.replicas[node][service], 1.0), (col, -most)]);
        self.present.insert((node, service), col);
        col
    }

    /// Spread sets, per node and per label.
    fn add_sets(&mut self) {
        for (members, max) in &self.view.node_sets {
            for node in 0..self.slots.len() {
                let row: Vec<_> = members
                    .iter()
                    .map(|m| (self.replicas[node][*m as usize], 1.0))
                    .collect();
                self.model.add_row(..=f64::from(*max), &row);
            }
        }
        let mut state = State::without_fixed(self.view);
        for slot in &self.slots[self.view.existing.len()..] {
            state.open(slot.pool);
        }
        for (set, label) in self.view.label_sets.iter().enumerate() {
            let mut groups: BTreeMap<u32, Vec<(Col, f64)>> = BTreeMap::new();
            for service in 0..self.view.len() {
                if self.view.label_sets_of[service].contains(&(set as u32)) {
                    for node in 0..self.slots.len() {
                        let group = state.label_group(set, node);
                        groups
                            .entry(group)
                            .or_default()
                            .push((self.replicas[node][service], 1.0));
                    }
                }
            }
            for row in groups.values() {
                self.model.add_row(..=f64::from(label.max), row);
            }
        }
    }

    /// Hands the heuristic's plan to the solver; its new nodes take the slots of
    /// their pool in order.
    fn set_start(&mut self, start: &State) {
        let existing = self.view.existing.len();
        let mut values = vec![0.0; self.model.num_cols()];
        let mut taken = vec![false; self.slots.len()];
        let mut nodes: Vec<usize> = (0..start.nodes())
            .filter(|node| !start.contents(*node).is_empty())
            .collect();
        let of_widest = |node: usize| {
            let contents = start.contents(node).iter();
            let mut found = contents.filter(|(service, _)| Some(*service as usize) == self.widest);
            found.next().map_or(0, |(_, count)| *count)
        };
        nodes.sort_by_key(|node| std::cmp::Reverse(of_widest(*node)));
        for node in nodes {
            let free = |slot: &usize| !taken[*slot] && self.slots[*slot].pool == start.pool(node);
            let slot = if node < existing {
                Some(node)
            } else {
                (existing..self.slots.len()).find(free)
            };
            let Some(slot) = slot else { return };
            taken[slot] = true;
            values[self.used[slot].index()] = 1.0;
            for (service, count) in start.contents(node) {
                values[self.replicas[slot][*service as usize].index()] = f64::from(*count);
                if let Some(present) = self.present.get(&(slot, *service as usize)) {
                    values[present.index()] = 1.0;
                }
            }
        }
        self.model.set_start(&values);
    }
}

/// The service that must lie on most nodes, the largest of them.
fn widest(view: &View) -> Option<usize> {
    let nodes = |service: usize| {
        let pools = 0..view.kinds.len();
        let per_node = pools.map(|pool| most(view, service, pool)).max();
        view.wanted[service].div_ceil(per_node.unwrap_or(1).max(1))
    };
    let size = |service: usize| -> u128 { view.row(service).iter().map(|u| u128::from(*u)).sum() };
    (0..view.len()).max_by_key(|service| (nodes(*service), size(*service)))
}

/// The most replicas of a service on a node of a pool (Eq. 1), own cap included.
fn most(view: &View, service: usize, pool: usize) -> u32 {
    let replicas = view.wanted[service].min(view.cap[service]);
    view.per_empty_node(service, pool).min(replicas)
}
