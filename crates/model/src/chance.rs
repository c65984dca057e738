//! Used capacity at confidence: mean plus D standard deviations.

/// Relative tolerance of the comparison with the capacity: the only place
/// where a real-valued sum meets an integer capacity.
pub const CHANCE_TOLERANCE: f64 = 1e-9;

/// U = mean + D * sqrt(variance), in units.
pub fn at_confidence(mean: u64, variance: u128, d_alpha: f64) -> f64 {
    mean as f64 + d_alpha * (variance as f64).sqrt()
}

/// Whether U fits the capacity, within the stated tolerance. Exact when
/// nothing is random.
pub fn fits_at_confidence(mean: u64, variance: u128, d_alpha: f64, capacity: u64) -> bool {
    if variance == 0 || d_alpha == 0.0 {
        return mean <= capacity;
    }
    at_confidence(mean, variance, d_alpha) <= capacity as f64 * (1.0 + CHANCE_TOLERANCE)
}

/// D for a one-sided confidence: the standard normal quantile, to 1e-13.
/// `None` outside (0, 1).
///
/// Bisection on the normal distribution function: slow, and never wrong.
pub fn d_of_confidence(alpha: f64) -> Option<f64> {
    if !(alpha > 0.0 && alpha < 1.0) {
        return None;
    }
    let (mut low, mut high) = (-40.0_f64, 40.0_f64);
    while high - low > 1e-14 * high.abs().max(1.0) {
        let middle = f64::midpoint(low, high);
        // The tail on the far side keeps its digits where the other is almost 1.
        let below = if middle > 0.0 {
            upper_tail(middle) > 1.0 - alpha
        } else {
            upper_tail(-middle) < alpha
        };
        if below {
            low = middle;
        } else {
            high = middle;
        }
        if middle == low && middle == high {
            break;
        }
    }
    Some(f64::midpoint(low, high))
}

/// P(Z > z) of the standard normal for z >= 0: a series near zero, Laplace's
/// continued fraction beyond.
pub fn upper_tail(z: f64) -> f64 {
    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z < 3.0 {
        let (mut term, mut sum, mut n) = (z, z, 1.0);
        while term.abs() > 1e-18 * sum.abs() {
            n += 2.0;
            term *= z * z / n;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    let fraction = (1..=200).rev().fold(z, |tail, k| z + f64::from(k) / tail);
    density / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certain_demand_is_compared_exactly() {
        assert!(fits_at_confidence(1_000_000_000, 0, 3.0, 1_000_000_000));
        assert!(!fits_at_confidence(1_000_000_001, 0, 3.0, 1_000_000_000));
        assert_eq!(at_confidence(6, 4, 2.5), 11.0);
        assert!(fits_at_confidence(6, 4, 2.5, 11));
        assert!(!fits_at_confidence(6, 4, 2.6, 11));
    }

    #[test]
    fn quantiles_agree_with_the_tables() {
        for (alpha, d) in [
            (0.5, 0.0),
            (0.9, 1.2815515655446004),
            (0.99, 2.3263478740408408),
            (0.995, 2.5758293035489004),
            (0.999, 3.090232306167813),
            (0.999999, 4.753424308822899),
            (0.01, -2.3263478740408408),
        ] {
            let found = d_of_confidence(alpha).unwrap();
            assert!((found - d).abs() < 1e-9, "{alpha}: {found} is not {d}");
        }
        for wrong in [0.0, 1.0, -1.0, 2.0, f64::NAN] {
            assert_eq!(d_of_confidence(wrong), None);
        }
    }
}
