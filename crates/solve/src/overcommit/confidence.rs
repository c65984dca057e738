//! From a confidence to D, the standard deviations kept free (section 2.2).

use bayplan_model::d_of_confidence;

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
        let quantile = d_of_confidence(confidence).filter(|_| confidence >= 0.5);
        let quantile = quantile.ok_or_else(|| SolveError::Parameter {
            name: "confidence",
            problem: format!("{confidence} is not in [0.5, 1); try 0.99 or 0.999"),
        })?;
        Ok(match self {
            Self::Gaussian => quantile.max(0.0),
            Self::Hoeffding => (-2.0 * (1.0 - confidence).ln()).sqrt(),
            Self::Cantelli => (confidence / (1.0 - confidence)).sqrt(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
