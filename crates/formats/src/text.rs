//! Numbers in text: exact, with the error said in the words of the file.

use bayplan_model::{DecimalError, Resource, Rounding, parse_units};

use crate::error::{Place, Sink, clip};

/// Pushes the error of a number that is none.
pub(crate) fn bad_number(sink: &mut Sink, place: Place, what: &str, text: &str, why: DecimalError) {
    let (code, fix) = match why {
        DecimalError::Malformed => ("F012", "write a decimal number such as 0.5"),
        DecimalError::Negative => ("F013", "amounts are never below zero"),
        DecimalError::TooLarge => ("F014", "check the unit"),
    };
    sink.push(code, place, || {
        (format!("{what} `{}` is {why}", clip(text)), fix)
    });
}

/// An amount of a resource, without a suffix.
pub(crate) fn amount(
    sink: &mut Sink,
    place: impl FnOnce() -> Place,
    text: &str,
    resource: &Resource,
    rounding: Rounding,
) -> Option<u64> {
    if let Some(units) = short_decimal(text.as_bytes(), resource.scale, rounding) {
        return Some(units);
    }
    parse_units(text, resource.scale, rounding)
        .map_err(|why| bad_number(sink, place(), &resource.name, text, why))
        .ok()
}

/// A whole number from `low` to `high`. `4.0` is one too: programs write it.
pub(crate) fn whole(
    sink: &mut Sink,
    place: impl FnOnce() -> Place,
    what: &str,
    text: &str,
    low: u64,
    high: u64,
) -> Option<u64> {
    let text = text.trim();
    let digits = text.split_once('.').map_or(text, |(whole, fraction)| {
        if fraction.bytes().all(|byte| byte == b'0') {
            whole
        } else {
            text
        }
    });
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let found = || format!("{what} `{}` is not a whole number", clip(text));
    if !is_whole {
        let negative = digits
            .strip_prefix('-')
            .is_some_and(|rest| rest.parse::<f64>().is_ok());
        if negative {
            bad_number(sink, place(), what, text, DecimalError::Negative);
        } else {
            sink.push("F015", place(), || {
                (found(), "write a whole number such as 3")
            });
        }
        return None;
    }
    match digits.parse::<u64>() {
        Ok(number) if (low..=high).contains(&number) => Some(number),
        _ => {
            sink.push("F016", place(), || {
                let found = format!("{what} `{}` is out of range", clip(text));
                (found, format!("it must be {low} to {high}"))
            });
            None
        }
    }
}

/// A float that is finite and not negative.
pub(crate) fn weight(
    sink: &mut Sink,
    place: impl FnOnce() -> Place,
    what: &str,
    text: &str,
) -> Option<f64> {
    let shape = text
        .bytes()
        .all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    let why = match text.parse::<f64>() {
        Ok(number) if shape && number.is_finite() && number >= 0.0 => return Some(number),
        Ok(number) if shape && number.is_finite() => DecimalError::Negative,
        Ok(_) if shape => DecimalError::TooLarge,
        _ => DecimalError::Malformed,
    };
    bad_number(sink, place(), what, text, why);
    None
}

/// The common short form `12` or `12.345`, without the general parser's care.
/// `None` means: not short, ask [`parse_units`].
pub(crate) fn short_decimal(text: &[u8], scale: u64, rounding: Rounding) -> Option<u64> {
    if text.is_empty() || text.len() > 15 || !text[0].is_ascii_digit() {
        return None;
    }
    let (mut value, mut divisor, mut in_fraction) = (0u64, 1u64, false);
    for byte in text {
        match byte {
            b'0'..=b'9' => {
                value = value * 10 + u64::from(byte - b'0');
                if in_fraction {
                    divisor *= 10;
                }
            }
            b'.' if !in_fraction => in_fraction = true,
            _ => return None,
        }
    }
    let units = u128::from(value) * u128::from(scale);
    let divisor = u128::from(divisor);
    let units = match rounding {
        Rounding::Up => units.div_ceil(divisor),
        Rounding::Down => units / divisor,
    };
    (units <= 1 << 61).then_some(units as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_form_agrees_with_the_general_one() {
        let texts = [
            "0",
            "7",
            "12.5",
            "0.0000001",
            "123456789012345",
            "1.",
            "00.10",
            "999999.999999",
        ];
        for text in texts {
            for scale in [1, 1000, 1_000_000, 1_000_000_000_000] {
                for rounding in [Rounding::Up, Rounding::Down] {
                    let general = parse_units(text, scale, rounding).ok();
                    assert_eq!(
                        short_decimal(text.as_bytes(), scale, rounding),
                        general,
                        "{text}"
                    );
                }
            }
        }
        for text in ["", "-1", ".5", "1e3", "1 ", "1..2", "1234567890123456"] {
            assert_eq!(
                short_decimal(text.as_bytes(), 1, Rounding::Up),
                None,
                "{text}"
            );
        }
    }

    #[test]
    fn whole_numbers_say_what_is_wrong() {
        let check = |text: &str| {
            let mut sink = Sink::default();
            let number = whole(&mut sink, || Place::File, "count", text, 1, 10);
            (
                number,
                sink.into_errors().errors.first().map(|error| error.code),
            )
        };
        assert_eq!(check("3"), (Some(3), None));
        assert_eq!(check(" 4.0 "), (Some(4), None));
        assert_eq!(check("-1"), (None, Some("F013")));
        assert_eq!(check("1.5"), (None, Some("F015")));
        assert_eq!(check("NaN"), (None, Some("F015")));
        assert_eq!(check(""), (None, Some("F015")));
        assert_eq!(check("0"), (None, Some("F016")));
        assert_eq!(check("99999999999999999999999"), (None, Some("F016")));
    }
}
