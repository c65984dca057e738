//! How the total affinity of services falls with their rank: the power law of
//! Assumption 4.1 and, beside it, the exponential of Fig. 5. A diagnostic: the
//! steeper the law, the less the services outside of all parts can gain.

use super::super::view::View;

/// Services fitted at most: the 40 of the figure.
const SERVICES: usize = 40;

/// Fits of ln T(s) over the services with most traffic.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PowerLaw {
    /// The power: T(s) is about proportional to s^-beta.
    pub beta: f64,
    /// Share of the variance of ln T(s) the power law explains.
    pub fit: f64,
    /// The same for T(s) proportional to exp(-rate * s).
    pub exponential_fit: f64,
}

impl PowerLaw {
    /// The fits of a cluster's traffic; `None` with fewer than three services
    /// or no fall.
    pub fn of(view: &View) -> Option<Self> {
        let mut affinity: Vec<f64> = (0..view.services() as u32)
            .map(|s| view.total_affinity(s))
            .filter(|affinity| *affinity > 0.0)
            .collect();
        affinity.sort_by(|a, b| b.total_cmp(a));
        affinity.truncate(SERVICES);
        let values: Vec<f64> = affinity.iter().map(|affinity| affinity.ln()).collect();
        let ranks = (1..=values.len()).map(|rank| rank as f64);
        let (slope, fit) = line(&ranks.clone().map(f64::ln).collect::<Vec<_>>(), &values)?;
        let (_, exponential_fit) = line(&ranks.collect::<Vec<_>>(), &values)?;
        Some(Self {
            beta: -slope,
            fit,
            exponential_fit,
        })
    }
}

/// Least squares: slope and share of variance explained.
fn line(x: &[f64], y: &[f64]) -> Option<(f64, f64)> {
    let n = x.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / n;
    let (mx, my) = (mean(x), mean(y));
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        x.iter().zip(y).map(|(x, y)| f(x - mx, y - my)).sum()
    };
    let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
    (x.len() >= 3 && xx > 0.0 && yy > 1e-12).then(|| (xy / xx, xy * xy / (xx * yy)))
}

#[cfg(test)]
mod tests {
    use super::super::super::view::Edge;
    use super::*;

    /// A star whose leaves carry r^-2: the leaves obey the law exactly.
    #[test]
    fn an_exact_law_is_found() {
        let x: Vec<f64> = (1..=30).map(|r| f64::from(r).ln()).collect();
        let y: Vec<f64> = (1..=30).map(|r| (0.3 * f64::from(r).powf(-2.0)).ln()).collect();
        let (slope, fit) = line(&x, &y).expect("thirty points");
        assert!((slope + 2.0).abs() < 1e-9 && (fit - 1.0).abs() < 1e-9);
    }

    /// Pairs of services with weights 1, 1/2, 1/4, ...: both of a pair carry
    /// the same, and an exponential explains more than a power.
    #[test]
    fn halving_pairs_are_exponential() {
        let edges: Vec<Edge> = (0..15)
            .map(|at| Edge {
                a: 2 * at,
                b: 2 * at + 1,
                weight: 0.5f64.powi(at as i32),
            })
            .collect();
        let view = View::plain(1, vec![1; 30], vec![1; 30], vec![9], edges);
        let law = PowerLaw::of(&view).expect("thirty services");
        assert!(law.exponential_fit > 0.99 && law.exponential_fit > law.fit && law.beta > 1.0);
    }

    #[test]
    fn nothing_is_fitted_to_two_services() {
        let edge = Edge { a: 0, b: 1, weight: 1.0 };
        let view = View::plain(1, vec![1; 2], vec![1; 2], vec![9], vec![edge]);
        assert_eq!(PowerLaw::of(&view), None);
    }
}
