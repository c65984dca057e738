//! When changes may be made: a window of the day, in UTC.

use std::time::Duration;

/// From one minute of the day to another, over midnight if need be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    from: u32,
    to: u32,
}

impl Window {
    /// Reads `HH:MM-HH:MM`.
    pub fn parse(text: &str) -> Option<Self> {
        let minute = |text: &str| {
            let (hours, minutes) = text.trim().split_once(':')?;
            let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
            (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
        };
        let (from, to) = text.split_once('-')?;
        let (from, to) = (minute(from)?, minute(to)?);
        (from != to).then_some(Self { from, to })
    }

    /// Whether a moment, counted from 1970, is inside.
    pub fn holds(self, since: Duration) -> bool {
        let minute = (since.as_secs() / 60 % 1440) as u32;
        if self.from < self.to {
            (self.from..self.to).contains(&minute)
        } else {
            minute >= self.from || minute < self.to
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hour: u64, minute: u64) -> Duration {
        Duration::from_secs(86_400 * 20_000 + hour * 3600 + minute * 60)
    }

    #[test]
    fn a_window_may_go_over_midnight() {
        let night = Window::parse("22:30-04:00").unwrap();
        assert!(night.holds(at(22, 30)) && night.holds(at(3, 59)));
        assert!(!night.holds(at(4, 0)) && !night.holds(at(12, 0)));
        let noon = Window::parse("11:00-13:00").unwrap();
        assert!(noon.holds(at(12, 59)) && !noon.holds(at(13, 0)));
    }

    #[test]
    fn what_is_no_window_is_refused() {
        for text in [
            "",
            "1",
            "25:00-26:00",
            "10:00-10:00",
            "10:61-11:00",
            "10-11",
        ] {
            assert_eq!(Window::parse(text), None, "{text}");
        }
    }
}
