//! Prices of capacity over time: the dual of the relaxation. The best prices
//! prove the lowest bound, and rank requests by what they cost the others.
//! One step costs a pass over the requests.

use super::relaxation::{Prices, Relaxation};

/// Prices and the bound they prove.
pub struct Priced {
    /// The best prices found.
    pub prices: Prices,
    /// The same per row, to start from again.
    pub rows: Vec<f64>,
    /// No plan's weight exceeds this, in millionths.
    pub bound: u64,
}

/// Primal-dual hybrid gradient with diagonal step sizes, averaging and
/// restarts; keeps the prices with the lowest bound. `go_on(iteration, bound)`
/// says whether to continue.
pub fn solve(
    relaxation: &Relaxation,
    mut prices: Vec<f64>,
    mut go_on: impl FnMut(usize, u64) -> bool,
) -> Priced {
    let this = relaxation;
    let (rows, resources, columns) = (this.rows, this.resources, this.columns.len());
    let cells = rows * resources;
    let loads_of = |x: &[f64]| {
        let mut changes = vec![0.0; resources * (rows + 2)];
        for (c, x) in x.iter().enumerate() {
            if *x != 0.0 {
                this.spread(c, *x, &mut changes);
            }
        }
        let mut loads = vec![0.0; cells];
        for r in 0..resources {
            let mut load = 0.0;
            for row in 0..rows {
                load += changes[r * (rows + 2) + row];
                loads[r * rows + row] = load;
            }
        }
        loads
    };
    // Steps by the row and column sums of the matrix.
    let ones = vec![1.0; cells];
    let sums = this.sums(&ones);
    let column_step: Vec<f64> = (0..columns)
        .map(|c| 1.0 / this.cost(c, &sums).max(1e-12))
        .collect();
    let row_step: Vec<f64> = loads_of(&vec![1.0; columns])
        .into_iter()
        .map(|sum: f64| 1.0 / sum.max(1e-12))
        .collect();
    let mut x = vec![0.0; columns];
    let mut best = (this.dual(&prices), prices.clone());
    let zero = vec![0.0; cells];
    let without = this.dual(&zero);
    if without <= best.0 {
        best = (without, zero);
    }
    let (mut x_sum, mut price_sum, mut summed) = (vec![0.0; columns], vec![0.0; cells], 0usize);
    let (mut x_anchor, mut price_anchor) = (x.clone(), prices.clone());
    let mut balance = 1.0;
    let mut length = 64;
    let mut iteration = 0;
    while go_on(iteration, this.as_bound(best.0)) {
        iteration += 1;
        let sums = this.sums(&prices);
        let mut ahead = vec![0.0; columns];
        for c in 0..columns {
            let column = &this.columns[c];
            let step = column_step[c] * balance;
            let next = x[c] + step * (column.weight - this.cost(c, &sums));
            let next = next.clamp(0.0, column.count);
            ahead[c] = 2.0 * next - x[c];
            x[c] = next;
            x_sum[c] += next;
        }
        let loads = loads_of(&ahead);
        for cell in 0..cells {
            let step = row_step[cell] / balance;
            let over = loads[cell] - this.capacity[cell / rows];
            prices[cell] = (prices[cell] + step * over).max(0.0);
            price_sum[cell] += prices[cell];
        }
        summed += 1;
        if summed < length {
            continue;
        }
        // Restart from whichever is better: the average or the last.
        let mean: Vec<f64> = price_sum.iter().map(|sum| sum / summed as f64).collect();
        let (of_mean, of_last) = (this.dual(&mean), this.dual(&prices));
        if of_mean.min(of_last) < best.0 {
            let winner = if of_mean < of_last { &mean } else { &prices };
            best = (of_mean.min(of_last), winner.clone());
        }
        if of_mean < of_last {
            prices = mean;
            for (x, sum) in x.iter_mut().zip(&x_sum) {
                *x = sum / summed as f64;
            }
        }
        balance = rebalance(
            balance,
            (&x, &x_anchor, &column_step),
            (&prices, &price_anchor, &row_step),
        );
        x_anchor.copy_from_slice(&x);
        price_anchor.copy_from_slice(&prices);
        x_sum.fill(0.0);
        price_sum.fill(0.0);
        summed = 0;
        length = (length + length / 4).min(1024);
    }
    Priced {
        prices: this.as_prices(&best.1),
        bound: this.as_bound(best.0),
        rows: best.1,
    }
}

/// The primal weight: both sides should travel equally far, in the norms of
/// their steps, between restarts.
fn rebalance(balance: f64, x: (&[f64], &[f64], &[f64]), y: (&[f64], &[f64], &[f64])) -> f64 {
    let travelled = |(now, then, step): (&[f64], &[f64], &[f64])| -> f64 {
        let squares = now.iter().zip(then).zip(step);
        squares
            .map(|((now, then), step)| (now - then).powi(2) / step)
            .sum::<f64>()
            .sqrt()
    };
    let (x, y) = (travelled(x), travelled(y));
    if x < 1e-12 || y < 1e-12 {
        return balance;
    }
    let wanted: f64 = x / y;
    (0.5 * wanted.ln() + 0.5 * balance.ln())
        .exp()
        .clamp(1e-6, 1e6)
}
