//! Fig. 5 and 7: how few services carry the traffic, and how many of them it
//! takes.

use bayplan::answer;
use bayplan_solve::colocate::Params;

use super::{masters as paper_masters, method, pool, total_affinity, values};
use crate::experiments::Values;
use crate::experiments::runner::Ask;

/// Services drawn and fitted in Fig. 5.
const RANKS: usize = 40;

/// Total affinity by rank, with a power law and an exponential fitted to its
/// logarithm by least squares.
pub(super) fn ask() -> Ask {
    Box::new(|problem, _| {
        let order = total_affinity(problem);
        let curve = order.iter().take(RANKS).filter(|(total, _)| *total > 0.0);
        let curve: Vec<(f64, f64)> = curve
            .enumerate()
            .map(|(at, (total, _))| ((at + 1) as f64, *total))
            .collect();
        let logs: Vec<f64> = curve.iter().map(|(_, total)| total.ln()).collect();
        let ranks: Vec<f64> = curve.iter().map(|(rank, _)| *rank).collect();
        let log_ranks: Vec<f64> = ranks.iter().map(|rank| rank.ln()).collect();
        let power = fit(&log_ranks, &logs);
        let exponential = fit(&ranks, &logs);
        let values = Values {
            curve,
            ..Values::default()
        };
        let values = values
            .with_known("power law exponent", power.map(|f| -f.slope))
            .with_known("power law scale", power.map(|f| f.start.exp()))
            .with_known("power law R2", power.map(|f| f.explained))
            .with_known("exponential rate", exponential.map(|f| -f.slope))
            .with_known("exponential scale", exponential.map(|f| f.start.exp()))
            .with_known("exponential R2", exponential.map(|f| f.explained));
        Ok((values, 0.0))
    })
}

#[derive(Clone, Copy)]
struct Fit {
    slope: f64,
    start: f64,
    explained: f64,
}

/// Least squares; `None` without three points that differ.
fn fit(x: &[f64], y: &[f64]) -> Option<Fit> {
    let n = x.len() as f64;
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let pairs = || x.iter().zip(y).map(|(x, y)| (x - mx, y - my));
    let xx: f64 = pairs().map(|(x, _)| x * x).sum();
    let xy: f64 = pairs().map(|(x, y)| x * y).sum();
    let yy: f64 = pairs().map(|(_, y)| y * y).sum();
    (x.len() >= 3 && xx > 0.0 && yy > 0.0).then(|| Fit {
        slope: xy / xx,
        start: my - xy / xx * mx,
        explained: xy * xy / (xx * yy),
    })
}

/// RASA with more or fewer masters than the paper's number.
pub(super) fn masters(percent: u32, seed: u64, steps: u64) -> Ask {
    Box::new(move |problem, setting| {
        let order = total_affinity(problem);
        let talking = order.iter().filter(|(total, _)| *total > 0.0).count();
        let count = paper_masters(order.len()) * percent as usize / 100;
        let count = count.max(1).min(talking);
        let params = Params {
            masters: percent,
            pool: pool(setting),
            ..method("rasa")
        };
        let context = setting.context(seed, setting.budget(15.0, steps));
        let outcome = answer(problem, &params, &context)?;
        // Twice the traffic is what all ends of all pairs carry.
        let carried: f64 = order[..count].iter().map(|(total, _)| total).sum::<f64>() / 2.0;
        let values = values(problem, &outcome)
            .with("master ratio", count as f64 / order.len().max(1) as f64)
            .with("total affinity", carried);
        Ok((values, outcome.cpu_seconds))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_law_is_found_again() {
        let ranks: Vec<f64> = (1..=10).map(f64::from).collect();
        let y: Vec<f64> = ranks.iter().map(|rank| 2.0 - 0.5 * rank).collect();
        let found = fit(&ranks, &y).unwrap();
        assert!((found.slope + 0.5).abs() < 1e-12 && (found.start - 2.0).abs() < 1e-12);
        assert!((found.explained - 1.0).abs() < 1e-12);
        assert!(fit(&[1.0, 2.0], &[1.0, 2.0]).is_none());
    }
}
