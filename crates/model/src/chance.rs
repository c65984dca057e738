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
}
