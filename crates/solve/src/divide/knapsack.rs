//! The most valuable way to fill one node, on a grid rounded in its favour.

use super::view::{App, gcd};

/// Steps of memory when the true sizes have no small common divisor.
const MEMORY_STEPS: u64 = 256;
/// The first and the finest grid of CPU.
const FIRST_STEPS: usize = 32;
const FINEST_STEPS: usize = 256;

/// An application as an item of one kind of node.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// The largest load of an instance here; `None` when none fits.
    most: Option<u64>,
    /// The whole load.
    load: u64,
    /// Memory of an instance. Its growth with the load is left out: with it,
    /// more than one item could be served in part, and a knapsack of whole items
    /// and one part would no longer bound the value.
    memory: u64,
}

impl Item {
    /// The application on a node of this size.
    pub fn new(app: &App, cpu: u64, memory: u64) -> Self {
        let most = app.most_load(cpu, memory).map(|most| most.min(app.load));
        Self {
            most,
            load: app.load,
            memory: app.memory,
        }
    }
}

/// A filled node: items with the share of their load, and its true value.
#[derive(Clone, Debug)]
pub struct Column {
    /// (item, share of its load served here).
    pub parts: Vec<(usize, f64)>,
    /// Value at the duals it was found for.
    pub value: f64,
}

/// What a solve found.
#[derive(Clone, Debug)]
pub struct Found {
    /// No node can be worth more.
    pub bound: f64,
    /// The node found, with its true value.
    pub column: Column,
}

/// The knapsack of one kind of node.
#[derive(Clone, Debug)]
pub struct Knapsack {
    items: Vec<Item>,
    cpu: u64,
    steps: usize,
    memory_steps: usize,
    sizes: Vec<usize>,
    /// Best value by memory and CPU used, and the choices that led there.
    values: Vec<f64>,
    choices: Vec<u8>,
    after: Vec<f64>,
    after_choices: Vec<u8>,
}

/// How an item enters: not at all, with all it can serve, idle, or last and in part.
const OUT: u8 = 0;
const FULL: u8 = 1;
const IDLE: u8 = 2;
const PART: u8 = 3;

impl Knapsack {
    /// Items for a node of this size.
    pub fn new(items: Vec<Item>, cpu: u64, memory: u64) -> Self {
        let sizes = items.iter().filter(|i| i.most.is_some()).map(|i| i.memory);
        let unit = sizes.fold(0, gcd).max(1);
        let steps = if memory / unit <= MEMORY_STEPS {
            memory / unit
        } else {
            MEMORY_STEPS
        };
        let on_grid = |size: u64| {
            if memory / unit <= MEMORY_STEPS {
                (size / unit) as usize
            } else {
                (u128::from(size) * u128::from(MEMORY_STEPS) / u128::from(memory)) as usize
            }
        };
        Self {
            sizes: items.iter().map(|item| on_grid(item.memory)).collect(),
            items,
            cpu: cpu.max(1),
            steps: FIRST_STEPS,
            memory_steps: steps as usize,
            values: Vec::new(),
            choices: Vec::new(),
            after: Vec::new(),
            after_choices: Vec::new(),
        }
    }

    /// Refines the CPU grid; false when it is the finest already.
    pub fn refine(&mut self) -> bool {
        let finer = self.steps < FINEST_STEPS;
        self.steps = (self.steps * 2).min(FINEST_STEPS);
        finer
    }

    /// The best node at these duals: per item, of its whole load and of an instance.
    pub fn solve(&mut self, load_duals: &[f64], start_duals: &[f64]) -> Found {
        let mut order: Vec<usize> = (0..self.items.len())
            .filter(|i| self.items[*i].most.is_some() && load_duals[*i] + start_duals[*i] > 1e-12)
            .collect();
        // Value of one unit of CPU given to the item.
        let density = |i: usize| {
            if self.items[i].load == 0 {
                0.0
            } else {
                load_duals[i] / self.items[i].load as f64
            }
        };
        order.sort_by(|a, b| density(*b).total_cmp(&density(*a)).then(a.cmp(b)));
        let (width, rows) = (self.steps + 1, self.memory_steps + 1);
        let layer = width * rows;
        self.values.clear();
        self.values.resize(layer, f64::NEG_INFINITY);
        self.values[0] = 0.0;
        self.choices.clear();
        self.choices.resize(layer * order.len(), OUT);
        self.after.clear();
        self.after.resize(rows, f64::NEG_INFINITY);
        self.after_choices.clear();
        self.after_choices.resize(rows * order.len(), OUT);
        let step = self.cpu as f64 / self.steps as f64;
        // The CPU from which each part was cut, to walk back.
        let mut cut_at = vec![0u16; rows * order.len()];
        for (n, &i) in order.iter().enumerate() {
            let most = self.items[i].most.expect("filtered");
            let weight = (u128::from(most) * self.steps as u128 / u128::from(self.cpu)) as usize;
            let size = self.sizes[i];
            let full_value = density(i) * most as f64 + start_duals[i];
            // Nodes already closed by a part: only idle instances may follow.
            for m in (0..rows).rev() {
                let mut best = self.after[m];
                if start_duals[i] > 0.0 && m >= size && self.after[m - size] + start_duals[i] > best
                {
                    best = self.after[m - size] + start_duals[i];
                    self.after_choices[n * rows + m] = IDLE;
                }
                if m >= size {
                    for c in 0..width {
                        let left = (self.steps - c) as f64 * step;
                        let value = self.values[(m - size) * width + c]
                            + density(i) * left.min(most as f64)
                            + start_duals[i];
                        if value > best {
                            best = value;
                            self.after_choices[n * rows + m] = PART;
                            cut_at[n * rows + m] = c as u16;
                        }
                    }
                }
                self.after[m] = best;
            }
            for m in (size..rows).rev() {
                for c in (0..width).rev() {
                    let at = m * width + c;
                    let mut best = self.values[at];
                    if c >= weight {
                        let value = self.values[(m - size) * width + c - weight] + full_value;
                        if value > best {
                            best = value;
                            self.choices[n * layer + at] = FULL;
                        }
                    }
                    if start_duals[i] > 0.0 {
                        let value = self.values[(m - size) * width + c] + start_duals[i];
                        if value > best {
                            best = value;
                            self.choices[n * layer + at] = IDLE;
                        }
                    }
                    self.values[at] = best;
                }
            }
        }
        let mut end = (0.0, 0, Some(0));
        for m in 0..rows {
            if self.after[m] > end.0 {
                end = (self.after[m], m, None);
            }
            for c in 0..width {
                if self.values[m * width + c] > end.0 {
                    end = (self.values[m * width + c], m, Some(c));
                }
            }
        }
        let set = self.walk_back(&order, &end, rows, width, &cut_at);
        Found {
            bound: end.0,
            column: self.column(set, load_duals, start_duals),
        }
    }

    /// The items on the way to an end of the table.
    fn walk_back(
        &self,
        order: &[usize],
        end: &(f64, usize, Option<usize>),
        rows: usize,
        width: usize,
        cut_at: &[u16],
    ) -> Vec<usize> {
        let (_, mut m, mut c) = *end;
        let mut set = Vec::new();
        for n in (0..order.len()).rev() {
            let i = order[n];
            match c {
                None => match self.after_choices[n * rows + m] {
                    IDLE => {
                        set.push(i);
                        m -= self.sizes[i];
                    }
                    PART => {
                        set.push(i);
                        c = Some(cut_at[n * rows + m] as usize);
                        m -= self.sizes[i];
                    }
                    _ => {}
                },
                Some(used) => {
                    let most = self.items[i].most.expect("filtered");
                    match self.choices[n * rows * width + m * width + used] {
                        FULL => {
                            set.push(i);
                            m -= self.sizes[i];
                            c = Some(
                                used - (u128::from(most) * self.steps as u128
                                    / u128::from(self.cpu))
                                    as usize,
                            );
                        }
                        IDLE => {
                            set.push(i);
                            m -= self.sizes[i];
                        }
                        _ => {}
                    }
                }
            }
        }
        set.reverse();
        set
    }

    /// The set with its best true division: items in order of value per CPU.
    /// The memory of rounded sizes may be exceeded by a rounding step; the
    /// column is then a relaxed one, which keeps the bound valid.
    fn column(&self, set: Vec<usize>, load_duals: &[f64], start_duals: &[f64]) -> Column {
        let mut left = self.cpu;
        let mut value = 0.0;
        let parts = set.into_iter().map(|i| {
            let item = &self.items[i];
            let load = item.most.expect("filtered").min(left);
            left -= load;
            let share = if item.load == 0 {
                0.0
            } else {
                load as f64 / item.load as f64
            };
            value += load_duals[i] * share + start_duals[i];
            (i, share)
        });
        let parts = parts.collect();
        Column { parts, value }
    }
}
