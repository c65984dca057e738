//! From values to positions, and the ticks between.

use crate::numbers::significant;

/// From values to positions.
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) log: bool,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Scale {
    /// Whether a value has a place: finite, and above zero where logarithmic.
    pub(super) fn shows(&self, value: f64) -> bool {
        value.is_finite() && (!self.log || value > 0.0)
    }

    pub(super) fn place(&self, value: f64) -> f64 {
        let t = |value: f64| if self.log { value.log10() } else { value };
        let share = (t(value) - t(self.low)) / (t(self.high) - t(self.low));
        self.from + share * (self.to - self.from)
    }

    /// Round values inside, few enough to be read.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let ticks = if self.log {
            self.log_ticks()
        } else {
            Vec::new()
        };
        // Within a small part of a power of ten even a logarithmic axis is
        // read by even steps.
        if ticks.len() >= 2 {
            return ticks;
        }
        let raw = (self.high - self.low) / 5.0;
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0]
            .map(|m| m * power)
            .into_iter()
            .find(|s| *s >= raw);
        let step = step.unwrap_or(raw);
        let first = (self.low / step).ceil() as i64;
        (first..)
            .map(|k| k as f64 * step)
            .take_while(|tick| *tick <= self.high * 1.000_001)
            .collect()
    }

    /// Powers of ten; within little more than one of them also 2 and 5 times.
    fn log_ticks(&self) -> Vec<f64> {
        let (low, high) = (self.low.log10(), self.high.log10());
        let (first, last) = (low.floor() as i32, high.ceil() as i32);
        let within = |value: &f64| (self.low..=self.high).contains(value);
        let fine: &[f64] = if high - low < 2.0 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let step = ((last - first) / 7).max(1) as usize;
        (first..=last)
            .step_by(step)
            .flat_map(|power| fine.iter().map(move |m| m * 10f64.powi(power)))
            .filter(within)
            .collect()
    }
}

pub(super) fn tick_text(value: f64) -> String {
    let rounded = (value * 1e9).round() / 1e9;
    if rounded != 0.0 && rounded.abs() < 0.001 {
        return format!("{rounded:e}");
    }
    let text = significant(rounded);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let scale = |low, high, log| Scale {
            low,
            high,
            log,
            from: 0.0,
            to: 1.0,
        };
        assert_eq!(scale(0.0, 5300.0, false).ticks(), [0.0, 2000.0, 4000.0]);
        let wide = scale(0.02, 2000.0, true).ticks();
        assert_eq!(wide, [0.1, 1.0, 10.0, 100.0, 1000.0]);
        let narrow = scale(0.3, 7.0, true).ticks();
        assert_eq!(narrow, [0.5, 1.0, 2.0, 5.0]);
        assert!(scale(0.52, 0.71, true).ticks().len() >= 2);
    }
}
