//! Exact decimal text to integer units and back.
//!
//! A demand written as `0.1` must become exactly a tenth of a unit: going
//! through a float and rounding up would charge one unit too many.

use std::fmt;

/// Which way to round what the scale cannot hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// Demands round up.
    Up,
    /// Capacities round down.
    Down,
}

/// Why a text is not an amount.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecimalError {
    /// Not a decimal number (also: NaN, infinity).
    Malformed,
    /// Below zero.
    Negative,
    /// More than the largest amount bayplan counts with.
    TooLarge,
}

impl fmt::Display for DecimalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "not a number",
            Self::Negative => "negative",
            Self::TooLarge => "too large",
        })
    }
}

/// The largest amount of a resource: sums of four of these still fit 64 bits.
const LARGEST: u128 = 1 << 61;

/// Reads a decimal such as `12`, `0.25` or `8.1e-05` as integer units, with
/// `scale` units to one.
pub fn parse_units(text: &str, scale: u64, rounding: Rounding) -> Result<u64, DecimalError> {
    let text = text.trim();
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => {
            let exponent = digits[at + 1..].parse::<i32>();
            (
                &digits[..at],
                exponent.map_err(|_| DecimalError::Malformed)?,
            )
        }
        None => (digits, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return Err(DecimalError::Malformed);
    }
    // Significant digits as one integer; beyond 24 digits only "is anything
    // left?" matters, for the rounding.
    let (mut value, mut dropped, mut kept, mut power) = (0u128, false, 0, i64::from(exponent));
    for (is_fraction, byte) in whole
        .bytes()
        .map(|b| (false, b))
        .chain(fraction.bytes().map(|b| (true, b)))
    {
        if !byte.is_ascii_digit() {
            return Err(DecimalError::Malformed);
        }
        let digit = u128::from(byte - b'0');
        if kept < 24 {
            value = value * 10 + digit;
            kept += usize::from(value > 0);
            power -= i64::from(is_fraction);
        } else {
            dropped |= digit > 0;
            power += i64::from(!is_fraction);
        }
    }
    if value == 0 {
        return Ok(0);
    }
    if negative {
        return Err(DecimalError::Negative);
    }
    let units = match u32::try_from(power) {
        Ok(power) => 10u128
            .checked_pow(power)
            .and_then(|factor| value.checked_mul(factor))
            .and_then(|value| value.checked_mul(u128::from(scale)))
            .ok_or(DecimalError::TooLarge)?,
        Err(_) => {
            let divisor = u32::try_from(-power)
                .ok()
                .and_then(|p| 10u128.checked_pow(p));
            scaled_quotient(value, scale, divisor, &mut dropped)?
        }
    };
    let units = units + u128::from(dropped && rounding == Rounding::Up);
    if units > LARGEST {
        return Err(DecimalError::TooLarge);
    }
    Ok(units as u64)
}

/// `value * scale / divisor` rounded down; notes in `dropped` whether a rest
/// was lost. No divisor means one beyond 128 bits.
fn scaled_quotient(
    value: u128,
    scale: u64,
    divisor: Option<u128>,
    dropped: &mut bool,
) -> Result<u128, DecimalError> {
    let Some(divisor) = divisor else {
        *dropped = true;
        return Ok(0);
    };
    let scale = u128::from(scale);
    let whole = (value / divisor)
        .checked_mul(scale)
        .ok_or(DecimalError::TooLarge)?;
    // rest * scale may pass 128 bits: long division by digits of the scale.
    let (mut quotient, mut rest) = (0u128, 0u128);
    let step = value % divisor;
    for bit in (0..u128::BITS - scale.leading_zeros()).rev() {
        quotient <<= 1;
        rest <<= 1;
        if scale >> bit & 1 == 1 {
            rest += step;
        }
        while rest >= divisor {
            rest -= divisor;
            quotient += 1;
        }
    }
    *dropped |= rest > 0;
    whole.checked_add(quotient).ok_or(DecimalError::TooLarge)
}

/// Writes integer units as the shortest exact decimal when the scale is a
/// power of ten, to twelve decimals otherwise.
pub fn format_units(units: u64, scale: u64) -> String {
    let (whole, mut rest) = (units / scale, u128::from(units % scale));
    let mut text = whole.to_string();
    if rest > 0 {
        text.push('.');
        for _ in 0..18 {
            rest *= 10;
            text.push(char::from(b'0' + (rest / u128::from(scale)) as u8));
            rest %= u128::from(scale);
            if rest == 0 {
                break;
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact_and_round_to_the_safe_side() {
        let up = |text, scale| parse_units(text, scale, Rounding::Up);
        let down = |text, scale| parse_units(text, scale, Rounding::Down);
        assert_eq!(up("0.1", 1000), Ok(100));
        assert_eq!(up("0.0001", 1000), Ok(1));
        assert_eq!(down("0.0019", 1000), Ok(1));
        assert_eq!(
            up("8.117132520207078e-05", 1_000_000_000_000),
            Ok(81_171_326)
        );
        assert_eq!(
            down("8.117132520207078e-05", 1_000_000_000_000),
            Ok(81_171_325)
        );
        assert_eq!(up("1e3", 10), Ok(10_000));
        assert_eq!(up("-0.0", 10), Ok(0));
        assert_eq!(up("-1", 10), Err(DecimalError::Negative));
        assert_eq!(up("1e999999999", 10), Err(DecimalError::TooLarge));
        assert_eq!(up("1e-999999999", 10), Ok(1));
        assert_eq!(down("1e-999999999", 10), Ok(0));
        for bad in [
            "", ".", "NaN", "inf", "1..2", "1e", "0x10", "1,5", "--1", "e5",
        ] {
            assert_eq!(up(bad, 10), Err(DecimalError::Malformed), "{bad}");
        }
        assert_eq!(format_units(1500, 1000), "1.5");
        assert_eq!(format_units(2000, 1000), "2");
    }

    #[test]
    fn formatting_and_parsing_agree() {
        for units in [0, 1, 7, 999, 1000, 1001, 123_456_789, (1 << 53) + 1] {
            for scale in [1, 10, 1000, 1_000_000, 100_000_000] {
                let text = format_units(units, scale);
                assert_eq!(parse_units(&text, scale, Rounding::Up), Ok(units), "{text}");
            }
        }
    }
}
