//! Amounts with a suffix, as Kubernetes writes them: `500m`, `2Gi`, `1.5`.

use bayplan_model::{DecimalError, Resource, Rounding, parse_units};

/// Reads an amount of a resource as integer units.
///
/// A plain number counts the resource's own unit. A suffix multiplies; where
/// the unit is a number of bytes (`B`, `MiB`, `GB`, ...), it counts bytes
/// instead, so `2Gi` of a memory measured in GB is 2.147483648 GB.
pub fn parse_quantity(
    text: &str,
    resource: &Resource,
    rounding: Rounding,
) -> Result<u64, DecimalError> {
    let text = text.trim();
    let (number, suffix) = split(text);
    if suffix.is_empty() {
        return parse_units(number, resource.scale, rounding);
    }
    let (up, down) = factor(suffix).ok_or(DecimalError::Malformed)?;
    let bytes = match bytes_of_unit(&resource.unit) {
        Some(bytes) if bytes > 1 && suffix == "m" => return Err(DecimalError::Malformed),
        Some(bytes) => bytes,
        None => 1,
    };
    let (up, down) = (up * u128::from(resource.scale), down * u128::from(bytes));
    let common = gcd(up, down);
    let scale = u64::try_from(up / common).map_err(|_| DecimalError::TooLarge)?;
    let divisor = u64::try_from(down / common).map_err(|_| DecimalError::TooLarge)?;
    // Rounding twice the same way is rounding once: ceil(ceil(x)/d) = ceil(x/d).
    let units = parse_units(number, scale, rounding)?;
    Ok(match rounding {
        Rounding::Up => units.div_ceil(divisor),
        Rounding::Down => units / divisor,
    })
}

/// The number and its suffix. `1E3` is an exponent, `1E` a suffix.
fn split(text: &str) -> (&str, &str) {
    let start = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    text.split_at(start.len())
}

fn factor(suffix: &str) -> Option<(u128, u128)> {
    Some(match suffix {
        "n" => (1, 1_000_000_000),
        "u" => (1, 1_000_000),
        "m" => (1, 1000),
        "k" => (1000, 1),
        "M" => (1_000_000, 1),
        "G" => (1_000_000_000, 1),
        "T" => (1_000_000_000_000, 1),
        "P" => (1_000_000_000_000_000, 1),
        "E" => (1_000_000_000_000_000_000, 1),
        "Ki" => (1 << 10, 1),
        "Mi" => (1 << 20, 1),
        "Gi" => (1 << 30, 1),
        "Ti" => (1 << 40, 1),
        "Pi" => (1 << 50, 1),
        "Ei" => (1 << 60, 1),
        _ => return None,
    })
}

fn bytes_of_unit(unit: &str) -> Option<u64> {
    Some(match unit {
        "B" | "byte" => 1,
        "KB" | "kB" => 1000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        _ => return None,
    })
}

/// How memory per unit of load becomes the model's memory units per million
/// load units: read it at the first scale, divide by the second number.
pub(crate) fn per_load(resources: &[Resource]) -> Option<(u64, u64)> {
    let up = u128::from(resources[1].scale) * 1_000_000;
    let down = u128::from(resources[0].scale);
    let common = gcd(up, down);
    Some((
        u64::try_from(up / common).ok()?,
        u64::try_from(down / common).ok()?,
    ))
}

/// Writes integer units so that reading them, rounded the way given, yields
/// the same units: exactly where the scale allows it, else with enough digits.
pub(crate) fn amount_text(units: u128, scale: u64, rounding: Rounding) -> String {
    let scale = u128::from(scale);
    let whole = (units / scale).to_string();
    let mut rest = units % scale;
    let mut digits = String::new();
    // The parser keeps 24 significant digits.
    while rest > 0 && whole.len() + digits.len() < 24 {
        rest *= 10;
        digits.push(char::from(b'0' + (rest / scale) as u8));
        rest %= scale;
    }
    if digits.is_empty() {
        return whole;
    }
    if rest == 0 || rounding == Rounding::Up {
        return format!("{whole}.{digits}");
    }
    // What is read rounded down must not be below: one more in the last place.
    let last = digits.trim_end_matches('9').len();
    match last.checked_sub(1) {
        None => (units / scale + 1).to_string(),
        Some(at) => {
            let mut bytes = digits.into_bytes();
            bytes[at] += 1;
            bytes.truncate(at + 1);
            format!("{whole}.{}", String::from_utf8_lossy(&bytes))
        }
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(unit: &str, scale: u64) -> Resource {
        Resource {
            name: "r".into(),
            unit: unit.into(),
            scale,
        }
    }

    #[test]
    fn written_amounts_are_read_back() {
        for scale in [
            1,
            3,
            7,
            1000,
            1 << 20,
            1 << 30,
            999_999_937,
            1_000_000_000_000,
        ] {
            for units in [
                0,
                1,
                2,
                999,
                1 << 20,
                (1 << 30) - 1,
                123_456_789_012_345_678,
            ] {
                for rounding in [Rounding::Up, Rounding::Down] {
                    let text = amount_text(units, scale, rounding);
                    let read = parse_units(&text, scale, rounding);
                    assert_eq!(
                        read.map(u128::from),
                        Ok(units),
                        "{text} at {scale} {rounding:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn suffixes_are_exact_and_round_to_the_safe_side() {
        let cores = resource("core", 1000);
        let up = |text: &str, r: &Resource| parse_quantity(text, r, Rounding::Up);
        let down = |text: &str, r: &Resource| parse_quantity(text, r, Rounding::Down);
        assert_eq!(up("500m", &cores), Ok(500));
        assert_eq!(up("1.5", &cores), Ok(1500));
        assert_eq!(up("100u", &cores), Ok(1));
        assert_eq!(down("100u", &cores), Ok(0));
        assert_eq!(up("1E3", &cores), Ok(1_000_000));
        let bytes = resource("B", 1);
        assert_eq!(up("2Gi", &bytes), Ok(2 << 30));
        assert_eq!(up("128974848000m", &bytes), Ok(128_974_848));
        assert_eq!(up("1E", &bytes), Ok(1_000_000_000_000_000_000));
        assert_eq!(up("4E", &bytes), Err(DecimalError::TooLarge));
        let gigabytes = resource("GB", 1_000_000);
        assert_eq!(up("2Gi", &gigabytes), Ok(2_147_484));
        assert_eq!(down("2Gi", &gigabytes), Ok(2_147_483));
        assert_eq!(up("2", &gigabytes), Ok(2_000_000));
        assert_eq!(up("100Ti", &gigabytes), Ok(109_951_162_778));
        for bad in ["", "Gi", "1Zi", "1 Gi x", "NaN", "inf", "0x10", "1m m"] {
            assert_eq!(up(bad, &bytes), Err(DecimalError::Malformed), "{bad}");
        }
        assert_eq!(up("5m", &gigabytes), Err(DecimalError::Malformed));
        assert_eq!(up("-5", &bytes), Err(DecimalError::Negative));
    }
}
