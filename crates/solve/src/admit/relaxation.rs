//! The relaxation in which the nodes are one and requests may be admitted in
//! part: max w x, A x <= capacity at every time, 0 <= x <= 1.
//!
//! Any prices >= 0 of capacity over time give a bound that no plan can beat.
//! The matrix is never built: intervals make both its products prefix sums.

use super::view::View;

/// Most time rows. More slots than this are averaged over time, which keeps
/// every row a valid inequality.
const ROWS: usize = 4096;

/// Rows for many requests: fewer, so that prices learnt from a sample of them
/// do not follow the sample's accidents.
const SMOOTH_ROWS: usize = 1536;

/// From so many requests on.
const MANY: usize = 100_000;

/// Requests that are the same for the relaxation, with their number.
#[derive(Clone, Copy)]
pub(super) struct Column {
    /// Where the interval starts and ends, in rows and parts of rows.
    from: (u32, f64),
    to: (u32, f64),
    pub(super) weight: f64,
    pub(super) count: f64,
}

/// The relaxation over rows of time.
pub struct Relaxation {
    pub(super) rows: usize,
    pub(super) resources: usize,
    pub(super) columns: Vec<Column>,
    /// Sizes, `column * resources + resource`.
    sizes: Vec<f64>,
    pub(super) capacity: Vec<f64>,
    /// Time at which each row starts; one more for the end.
    row_start: Vec<i64>,
    /// Weight units of 1.0: the mean weight, so that numbers are near one.
    unit: f64,
    /// Every plan's value is a multiple of this many millionths.
    step: u64,
}

/// Prices per row and resource.
#[derive(Clone, Default)]
pub struct Prices {
    /// Start of each row.
    row_start: Vec<i64>,
    /// Sum of the prices of all rows before, per resource:
    /// `sums[resource * (rows + 1) + row]`, in weight units.
    sums: Vec<f64>,
}

impl Relaxation {
    /// Builds it for the given requests.
    pub fn new(view: &View, requests: &[u32]) -> Self {
        let mut starts: Vec<i64> = requests
            .iter()
            .map(|j| view.requests.start[*j as usize])
            .collect();
        starts.sort_unstable();
        starts.dedup();
        let last = requests
            .iter()
            .map(|j| view.requests.finish[*j as usize])
            .max();
        let exact = starts.len() <= ROWS;
        let mut row_start = if exact {
            starts
        } else {
            let most = if requests.len() > MANY {
                SMOOTH_ROWS
            } else {
                ROWS
            };
            let every = starts.len().div_ceil(most);
            starts.into_iter().step_by(every).collect()
        };
        row_start.push(last.unwrap_or(0));
        row_start.dedup();
        let rows = row_start.len() - 1;
        // A finish between two starts ends with the row before it when rows
        // are exact; otherwise rows are averages and count parts.
        let position = |time: i64| -> (u32, f64) {
            let row = row_start.partition_point(|start| *start <= time) - 1;
            let row = row.min(rows.saturating_sub(1));
            let (start, end) = (row_start[row], row_start[row + 1]);
            let part = time.abs_diff(start) as f64 / end.abs_diff(start) as f64;
            (row as u32, part)
        };
        let mut keyed: Vec<(u32, u32, u32)> = Vec::with_capacity(requests.len());
        keyed.extend(
            requests
                .iter()
                .map(|j| (view.lo[*j as usize], view.hi[*j as usize], *j)),
        );
        let same =
            |a: u32, b: u32| view.demand(a) == view.demand(b) && view.weight(a) == view.weight(b);
        keyed.sort_unstable_by(|a, b| {
            (a.0, a.1)
                .cmp(&(b.0, b.1))
                .then_with(|| view.demand(a.2).cmp(view.demand(b.2)))
                .then_with(|| view.weight(a.2).cmp(&view.weight(b.2)))
        });
        let total: f64 = requests.iter().map(|j| view.weight(*j) as f64).sum();
        let unit = if total > 0.0 {
            total / requests.len() as f64
        } else {
            1.0
        };
        let mut columns: Vec<Column> = Vec::new();
        let mut sizes = Vec::new();
        let mut previous: Option<(u32, u32, u32)> = None;
        for key in keyed {
            if let (Some(p), Some(column)) = (previous, columns.last_mut())
                && exact
                && (p.0, p.1) == (key.0, key.1)
                && same(p.2, key.2)
            {
                column.count += 1.0;
                continue;
            }
            previous = Some(key);
            let j = key.2 as usize;
            let to = if exact {
                let row = row_start[..rows].partition_point(|s| *s < view.requests.finish[j]);
                (row as u32, 0.0)
            } else {
                position(view.requests.finish[j])
            };
            columns.push(Column {
                from: position(view.requests.start[j]),
                to,
                weight: view.weight(key.2) as f64 / unit,
                count: 1.0,
            });
            sizes.extend((0..view.resources).map(|r| view.size(key.2, r)));
        }
        let step = requests.iter().fold(0, |g, j| gcd(g, view.weight(*j)));
        Self {
            rows,
            resources: view.resources,
            columns,
            sizes,
            capacity: (0..view.resources)
                .map(|r| view.total_capacity(r))
                .collect(),
            row_start,
            unit,
            step: step.max(1),
        }
    }

    /// Different columns.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Every `every`-th column against that share of the capacity: prices of
    /// this are close to those of the whole, for less work.
    pub fn sampled(&self, every: usize) -> Relaxation {
        let chosen = (0..self.columns.len()).step_by(every);
        let part = chosen.len() as f64 / self.columns.len().max(1) as f64;
        let row = |c: usize| &self.sizes[c * self.resources..][..self.resources];
        Relaxation {
            rows: self.rows,
            resources: self.resources,
            sizes: chosen.clone().flat_map(row).copied().collect(),
            columns: chosen.map(|c| self.columns[c]).collect(),
            capacity: self.capacity.iter().map(|all| all * part).collect(),
            row_start: self.row_start.clone(),
            unit: self.unit,
            step: 1,
        }
    }

    /// A start for the search of prices: one price for all times.
    pub fn flat(&self) -> Vec<f64> {
        let each = flat_price(self) / self.resources as f64;
        vec![each; self.rows * self.resources]
    }

    /// Prefix sums of row prices per resource, one more entry than rows.
    pub(super) fn sums(&self, prices: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.resources * (self.rows + 1)];
        for r in 0..self.resources {
            let mut sum = 0.0;
            for row in 0..self.rows {
                sum += prices[r * self.rows + row];
                sums[r * (self.rows + 1) + row + 1] = sum;
            }
        }
        sums
    }

    /// What one request of a column pays.
    pub(super) fn cost(&self, column: usize, sums: &[f64]) -> f64 {
        let Column { from, to, .. } = &self.columns[column];
        let mut cost = 0.0;
        for r in 0..self.resources {
            let size = self.sizes[column * self.resources + r];
            let sums = &sums[r * (self.rows + 1)..][..self.rows + 1];
            cost += size * (between(sums, *to) - between(sums, *from));
        }
        cost
    }

    /// Adds `amount` of a column to the changes of load between rows.
    pub(super) fn spread(&self, column: usize, amount: f64, changes: &mut [f64]) {
        let Column { from, to, .. } = &self.columns[column];
        for r in 0..self.resources {
            let load = amount * self.sizes[column * self.resources + r];
            let changes = &mut changes[r * (self.rows + 2)..][..self.rows + 2];
            let (row, part) = (from.0 as usize, from.1);
            changes[row] += load * (1.0 - part);
            changes[row + 1] += load * part;
            let (row, part) = (to.0 as usize, to.1);
            changes[row] -= load * (1.0 - part);
            changes[row + 1] -= load * part;
        }
    }

    /// The value of the dual: a bound in millionths of weight.
    pub(super) fn dual(&self, prices: &[f64]) -> f64 {
        let sums = self.sums(prices);
        let rent: f64 = (0..self.resources)
            .map(|r| self.capacity[r] * sums[r * (self.rows + 1) + self.rows])
            .sum();
        let gain: f64 = (0..self.columns.len())
            .map(|c| {
                self.columns[c].count * (self.columns[c].weight - self.cost(c, &sums)).max(0.0)
            })
            .sum();
        (rent + gain) * self.unit
    }

    /// The bound in millionths: whole steps of weight, with room for rounding.
    pub(super) fn as_bound(&self, dual: f64) -> u64 {
        let safe = dual * (1.0 + 1e-9);
        (safe as u64) / self.step * self.step
    }

    pub(super) fn as_prices(&self, prices: &[f64]) -> Prices {
        let sums = self.sums(prices);
        Prices {
            row_start: self.row_start.clone(),
            sums: sums.into_iter().map(|sum| sum * self.unit).collect(),
        }
    }
}

/// Greatest common divisor; `gcd(0, b)` is `b`.
pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The sum of prices up to a position, prices spread evenly over a row.
fn between(sums: &[f64], (row, part): (u32, f64)) -> f64 {
    let row = row as usize;
    if part == 0.0 {
        return sums[row];
    }
    sums[row] + part * (sums[row + 1] - sums[row])
}

impl Prices {
    /// What a request costs the others, in millionths of weight.
    pub fn cost(&self, view: &View, request: u32) -> f64 {
        let rows = self.row_start.len().saturating_sub(1);
        if rows == 0 {
            return 0.0;
        }
        let at = |sums: &[f64], time: i64| {
            let row = self.row_start.partition_point(|start| *start <= time);
            if row == 0 {
                return 0.0;
            }
            if row > rows {
                return sums[rows];
            }
            let (start, end) = (self.row_start[row - 1], self.row_start[row]);
            let part = time.abs_diff(start) as f64 / end.abs_diff(start) as f64;
            sums[row - 1] + part * (sums[row] - sums[row - 1])
        };
        let j = request as usize;
        (0..view.resources)
            .map(|r| {
                let sums = &self.sums[r * (rows + 1)..][..rows + 1];
                let over = at(sums, view.requests.finish[j]) - at(sums, view.requests.start[j]);
                view.size(request, r) * over
            })
            .sum()
    }
}

/// The best single price for all times and resources, by bisection on the
/// slope of the dual (convex in the price).
fn flat_price(relaxation: &Relaxation) -> f64 {
    let this = relaxation;
    let ones = vec![1.0 / this.resources as f64; this.rows * this.resources];
    let sums = this.sums(&ones);
    let rent: f64 = (0..this.resources)
        .map(|r| this.capacity[r] * sums[r * (this.rows + 1) + this.rows])
        .sum();
    // The dual at p is rent * p + sum count * max(0, weight - cost * p).
    let mut columns: Vec<(f64, f64)> = (0..this.columns.len())
        .map(|c| {
            let cost = this.cost(c, &sums);
            (
                this.columns[c].weight / cost.max(1e-300),
                this.columns[c].count * cost,
            )
        })
        .collect();
    columns.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let mut used = 0.0;
    for (ratio, demand) in columns {
        used += demand;
        if used > rent {
            return ratio;
        }
    }
    0.0
}
