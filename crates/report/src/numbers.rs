//! Numbers as people read them.

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share as percent with one decimal, more when it is small but not zero.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent != 0.0 && percent.abs() < 0.095 {
        format!("{percent:.3} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// Five significant digits or all whole ones, grouped.
pub fn significant(number: f64) -> String {
    if !number.is_finite() {
        return "-".into();
    }
    let magnitude = number.abs();
    let decimals = if magnitude >= 10_000.0 || number == number.trunc() {
        0
    } else if magnitude >= 1.0 {
        4 - magnitude.log10().floor() as usize
    } else {
        5
    };
    let text = format!("{magnitude:.decimals$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.parse().map_or_else(|_| whole.to_string(), grouped);
    let sign = if number < 0.0 { "-" } else { "" };
    if fraction.is_empty() {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(percent(0.0712), "7.1 %");
        assert_eq!(percent(0.0), "0.0 %");
        assert_eq!(percent(0.0002), "0.020 %");
        assert_eq!(significant(22_845.36), "22,845");
        assert_eq!(significant(1_234.567), "1,234.6");
        assert_eq!(significant(0.873_21), "0.87321");
        assert_eq!(significant(5087.0), "5,087");
        assert_eq!(significant(-2.5), "-2.5000");
    }
}
