//! Between which values a column or a row may lie.

use std::ops::{RangeFrom, RangeFull, RangeInclusive, RangeToInclusive};

/// Closed bounds of a column or a row, written as the range they are:
/// `0.0..=1.0`, `3.0..`, `..=5.0`, `..` or, for one exact value, just `4.0`.
///
/// `0.0..1.0` does not convert, because a linear program has no strict bounds.
/// Bounds that cross (`lower > upper`) are allowed and make the model infeasible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least value allowed; `-inf` when there is none.
    pub lower: f64,
    /// The greatest value allowed; `inf` when there is none.
    pub upper: f64,
}

impl Bounds {
    /// Bounds from their two ends.
    ///
    /// # Panics
    /// When an end is NaN, or infinite on the side where that leaves no value at all.
    pub fn new(lower: f64, upper: f64) -> Self {
        assert!(
            !lower.is_nan()
                && !upper.is_nan()
                && lower < f64::INFINITY
                && upper > f64::NEG_INFINITY,
            "bounds {lower}..={upper} allow no number"
        );
        Self { lower, upper }
    }

    /// The whole numbers within these bounds; ends that are whole up to
    /// rounding errors stay in.
    pub(crate) fn whole(self) -> Self {
        let slack = 1e-9;
        Self {
            lower: (self.lower - slack).ceil(),
            upper: (self.upper + slack).floor(),
        }
    }

    /// Whether exactly one value is allowed.
    #[cfg(not(feature = "highs"))]
    pub(crate) fn is_exact(self) -> bool {
        self.lower == self.upper
    }
}

impl From<f64> for Bounds {
    fn from(value: f64) -> Self {
        Self::new(value, value)
    }
}

impl From<RangeInclusive<f64>> for Bounds {
    fn from(range: RangeInclusive<f64>) -> Self {
        Self::new(*range.start(), *range.end())
    }
}

impl From<RangeFrom<f64>> for Bounds {
    fn from(range: RangeFrom<f64>) -> Self {
        Self::new(range.start, f64::INFINITY)
    }
}

impl From<RangeToInclusive<f64>> for Bounds {
    fn from(range: RangeToInclusive<f64>) -> Self {
        Self::new(f64::NEG_INFINITY, range.end)
    }
}

impl From<RangeFull> for Bounds {
    fn from(_: RangeFull) -> Self {
        Self::new(f64::NEG_INFINITY, f64::INFINITY)
    }
}
