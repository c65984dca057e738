//! From a confidence to D, the standard deviations kept free (section 2.2).

use std::f64::consts::PI;

use crate::SolveError;

/// What is assumed of the usage beyond its mean and variance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tail {
    /// Gaussian usage: D is the quantile, as in the paper.
    #[default]
    Gaussian,
    /// Tails no heavier than a Gaussian's (Chernoff-Hoeffding): D = sqrt(2 ln 1/(1-alpha)).
    Hoeffding,
    /// Nothing at all (Cantelli): D = sqrt(alpha/(1-alpha)).
    Cantelli,
}

impl Tail {
    /// D at a confidence.
    ///
    /// # Errors
    /// When the confidence is not in [0.5, 1): below one half D would be
    /// negative and risk pooling a loss; at 1 no finite D exists.
    pub fn d_alpha(self, confidence: f64) -> Result<f64, SolveError> {
        if !(0.5..1.0).contains(&confidence) {
            return Err(SolveError::Parameter {
                name: "confidence",
                problem: format!("{confidence} is not in [0.5, 1); try 0.99 or 0.999"),
            });
        }
        Ok(match self {
            Self::Gaussian => normal_quantile(confidence),
            Self::Hoeffding => (-2.0 * (1.0 - confidence).ln()).sqrt(),
            Self::Cantelli => (confidence / (1.0 - confidence)).sqrt(),
        })
    }
}

/// The standard normal density.
fn normal_density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// Probability that a standard normal exceeds `x`, to about 1e-15 relative.
pub fn normal_tail(x: f64) -> f64 {
    if x < 0.0 {
        return 1.0 - normal_tail(-x);
    }
    if x < 3.0 {
        // Integration by parts: Phi(x) - 1/2 = density * (x + x^3/3 + x^5/15 + ...).
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while term > sum * 1e-17 {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        return 0.5 - normal_density(x) * sum;
    }
    // Laplace's continued fraction, from the inside out; 200 levels suffice from 3 on.
    let fraction = (1..=200).rev().fold(x, |inner, n| x + f64::from(n) / inner);
    normal_density(x) / fraction
}

/// The quantile of the standard normal distribution, for `p` in [0.5, 1).
fn normal_quantile(p: f64) -> f64 {
    let tail = 1.0 - p;
    let (mut low, mut high) = (0.0, 40.0);
    let mut x = 1.0;
    // Newton's method, kept inside a bracket that shrinks.
    for _ in 0..100 {
        let excess = normal_tail(x) - tail;
        if excess > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let step = x + excess / normal_density(x);
        let next = if step > low && step < high {
            step
        } else {
            0.5 * (low + high)
        };
        if (next - x).abs() <= 1e-15 * x.max(1e-3) {
            return next;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_match_the_tables() {
        for (p, d) in [
            (0.5, 0.0),
            (0.9, 1.2815515655446004),
            (0.99, 2.3263478740408408),
            (0.995, 2.5758293035489004),
            (0.999, 3.090232306167813),
            (0.999999, 4.753424308822899),
        ] {
            let found = Tail::Gaussian.d_alpha(p).unwrap();
            assert!((found - d).abs() < 1e-9, "{p}: {found} {d}");
            assert!((normal_tail(found) - (1.0 - p)).abs() < 1e-14);
        }
    }

    #[test]
    fn the_tail_is_continuous_where_its_two_forms_meet() {
        let (below, above) = (normal_tail(3.0 - 1e-12), normal_tail(3.0));
        assert!((below / above - 1.0).abs() < 1e-10);
        assert!((normal_tail(-1.0) - 0.841344746068543).abs() < 1e-14);
    }

    #[test]
    fn weaker_assumptions_keep_more_free() {
        for p in [0.9, 0.99, 0.999, 0.9999] {
            let [g, h, c] =
                [Tail::Gaussian, Tail::Hoeffding, Tail::Cantelli].map(|t| t.d_alpha(p).unwrap());
            assert!(g < h && h < c);
        }
        assert!(Tail::Gaussian.d_alpha(1.0).is_err());
        assert!(Tail::Gaussian.d_alpha(0.3).is_err());
        assert!(Tail::Gaussian.d_alpha(f64::NAN).is_err());
    }
}
