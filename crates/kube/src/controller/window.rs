//! When changes may be made: a window of the day, in UTC.

use std::time::Duration;

const DAY: u64 = 86_400;

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

    /// How long it stays open at a moment counted from 1970; `None` when it
    /// is closed then.
    pub fn left(self, since: Duration) -> Option<Duration> {
        let second = since.as_secs() % DAY;
        let (from, to) = (u64::from(self.from) * 60, u64::from(self.to) * 60);
        let length = (to + DAY - from) % DAY;
        let gone = (second + DAY - from) % DAY;
        (gone < length).then(|| Duration::from_secs(length - gone))
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
        let minutes = |window: Window, at| window.left(at).map(|left| left.as_secs() / 60);
        assert_eq!(minutes(night, at(22, 30)), Some(330));
        assert_eq!(minutes(night, at(3, 59)), Some(1));
        assert_eq!(minutes(night, at(4, 0)), None);
        assert_eq!(minutes(night, at(12, 0)), None);
        let noon = Window::parse("11:00-13:00").unwrap();
        assert_eq!(minutes(noon, at(12, 59)), Some(1));
        assert_eq!(minutes(noon, at(13, 0)), None);
        assert_eq!(minutes(noon, at(10, 59)), None);
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
