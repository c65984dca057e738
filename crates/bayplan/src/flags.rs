//! What users write, turned into the parameters of a question. The command
//! line and the server read the same words by the same rules.

use bayplan_model::{Problem, Rounding, ServiceId, Workload, d_of_confidence, parse_units};
use bayplan_solve::SolveError;

fn wrong<T>(name: &'static str, problem: String) -> Result<T, SolveError> {
    Err(SolveError::Parameter { name, problem })
}

/// `10%` or `0.1` as millionths.
pub fn share_millionths(flag: &'static str, text: &str) -> Result<u32, SolveError> {
    let text = text.trim();
    let (digits, scale) = text
        .strip_suffix('%')
        .map_or((text, 1_000_000), |digits| (digits, 10_000));
    match parse_units(digits, scale, Rounding::Up) {
        Ok(units) if units <= 1_000_000 => Ok(units as u32),
        _ => wrong(flag, format!("{text:?} is not a share such as 10% or 0.1")),
    }
}

/// `--headroom`: `cpu=10%` and the like as millionths per resource; empty when
/// none is given.
pub fn headroom<'a>(
    pairs: impl IntoIterator<Item = &'a str>,
    problem: &Problem,
) -> Result<Vec<u32>, SolveError> {
    const FLAG: &str = "--headroom";
    let resources = &problem.cluster().resources;
    let mut shares = Vec::new();
    for pair in pairs {
        let Some((name, share)) = pair.split_once('=') else {
            return wrong(FLAG, format!("{pair:?} is not RESOURCE=PERCENT"));
        };
        let known = resources.iter().position(|r| r.name == name.trim());
        let Some(resource) = known else {
            let names: Vec<&str> = resources.iter().map(|r| r.name.as_str()).collect();
            let names = names.join(", ");
            return wrong(
                FLAG,
                format!("no resource is called {name:?}; there are {names}"),
            );
        };
        shares.resize(resources.len(), 0);
        shares[resource] = share_millionths(FLAG, share)?;
    }
    Ok(shares)
}

/// `--survive`: the loss of any one `node` (`1` is another word for it), or of
/// all nodes that share a label.
pub fn survive(what: &str) -> Option<String> {
    (!matches!(what, "node" | "1")).then(|| what.to_string())
}

/// `--confidence` and `--d-alpha`: standard deviations to keep free, if either
/// is given.
pub fn d_alpha(confidence: Option<f64>, d_alpha: Option<f64>) -> Result<Option<f64>, SolveError> {
    if let Some(d) = d_alpha {
        if !(0.0..=40.0).contains(&d) {
            return wrong("--d-alpha", format!("0 to 40, not {d}"));
        }
        return Ok(Some(d));
    }
    let Some(alpha) = confidence else {
        return Ok(None);
    };
    match d_of_confidence(alpha).filter(|d| *d >= 0.0) {
        Some(d) => Ok(Some(d)),
        None => wrong(
            "--confidence",
            format!("at least 0.5 and below 1, not {alpha}"),
        ),
    }
}

/// `--leave-alone`: services by name.
pub fn leave_alone<'a>(
    names: impl IntoIterator<Item = &'a str>,
    problem: &Problem,
) -> Result<Vec<ServiceId>, SolveError> {
    let Some(services) = problem.services() else {
        return Ok(Vec::new());
    };
    let find = |name: &str| match (services.names.find(name), services.names.nearest(name)) {
        (Some(id), _) => Ok(ServiceId(id)),
        (None, near) => {
            let hint = near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
            wrong(
                "--leave-alone",
                format!("no service is called {name:?}{hint}"),
            )
        }
    };
    names.into_iter().map(find).collect()
}

/// The question an input is most likely about.
pub fn likely_verb(problem: &Problem) -> &'static str {
    match problem.workload() {
        Workload::Applications(_) => "divide",
        Workload::Requests(_) => "admit",
        Workload::Services(services) if !services.variance.is_empty() => "overcommit",
        Workload::Services(services) if !services.traffic.is_empty() => "colocate",
        Workload::Services(_) => "provision",
    }
}

/// Words as one would type them in a shell.
pub fn command_line<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> String {
    let quoted = |word: &str| {
        let plain = word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./=,:%+@".contains(c));
        if plain && !word.is_empty() {
            word.to_string()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    let words = words.into_iter().map(|word| quoted(word.as_ref()));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_words() {
        assert_eq!(share_millionths("--alive", "75%"), Ok(750_000));
        assert_eq!(share_millionths("--alive", " 0.5 "), Ok(500_000));
        for wrong in ["101%", "-1", "", "NaN", "1e400"] {
            assert!(share_millionths("--alive", wrong).is_err(), "{wrong}");
        }
        assert_eq!(
            command_line(["bayplan", "a b", "it's", ""]),
            r"bayplan 'a b' 'it'\''s' ''"
        );
        assert_eq!(survive("zone"), Some("zone".into()));
        assert_eq!(survive("node"), None);
    }

    #[test]
    fn confidence_has_a_range() {
        assert_eq!(d_alpha(None, None), Ok(None));
        assert!(matches!(d_alpha(Some(0.999), None), Ok(Some(d)) if (3.0..3.2).contains(&d)));
        for wrong in [0.2, 1.0, f64::NAN, f64::INFINITY] {
            assert!(d_alpha(Some(wrong), None).is_err(), "{wrong}");
        }
        assert!(d_alpha(None, Some(f64::NAN)).is_err());
    }
}
