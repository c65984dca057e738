//! Least-cost assignment, by shortest augmenting paths (the Hungarian method
//! in its O(n^3) form with potentials).

/// For each row of a square cost matrix its column, with least total cost.
pub fn assign(cost: &[Vec<i64>]) -> Vec<usize> {
    let n = cost.len();
    const FAR: i64 = i64::MAX / 4;
    // Position 0 is a sentinel; rows and columns count from 1.
    let (mut row_potential, mut col_potential) = (vec![0i64; n + 1], vec![0i64; n + 1]);
    let mut row_of = vec![0usize; n + 1];
    let mut previous = vec![0usize; n + 1];
    for row in 1..=n {
        row_of[0] = row;
        let mut least = vec![FAR; n + 1];
        let mut done = vec![false; n + 1];
        let mut col = 0;
        while row_of[col] != 0 {
            done[col] = true;
            let current = row_of[col];
            let (mut delta, mut next) = (FAR, 0);
            for j in 1..=n {
                if done[j] {
                    continue;
                }
                let reduced = cost[current - 1][j - 1] - row_potential[current] - col_potential[j];
                if reduced < least[j] {
                    least[j] = reduced;
                    previous[j] = col;
                }
                if least[j] < delta {
                    delta = least[j];
                    next = j;
                }
            }
            for j in 0..=n {
                if done[j] {
                    row_potential[row_of[j]] += delta;
                    col_potential[j] -= delta;
                } else {
                    least[j] -= delta;
                }
            }
            col = next;
        }
        while col != 0 {
            row_of[col] = row_of[previous[col]];
            col = previous[col];
        }
    }
    let mut answer = vec![0; n];
    for col in 1..=n {
        answer[row_of[col] - 1] = col - 1;
    }
    answer
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::Random;

    fn least(cost: &[Vec<i64>], row: usize, used: u32) -> i64 {
        if row == cost.len() {
            return 0;
        }
        let free = (0..cost.len()).filter(|col| used >> col & 1 == 0);
        free.map(|col| cost[row][col] + least(cost, row + 1, used | 1 << col))
            .min()
            .unwrap_or(0)
    }

    #[test]
    fn the_assignment_costs_as_little_as_any() {
        let mut random = Random::seed_from_u64(1);
        for _ in 0..500 {
            let n = random.random_range(1..7usize);
            let cost: Vec<Vec<i64>> = (0..n)
                .map(|_| (0..n).map(|_| random.random_range(-9..10i64)).collect())
                .collect();
            let found = assign(&cost);
            let mut columns = found.clone();
            columns.sort_unstable();
            assert_eq!(columns, (0..n).collect::<Vec<_>>());
            let total: i64 = found.iter().enumerate().map(|(r, c)| cost[r][*c]).sum();
            assert_eq!(total, least(&cost, 0, 0));
        }
    }
}
