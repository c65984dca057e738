//! The algorithms by name: the paper's, and the spelling of its published tables.

use super::application_centric::NodeRule;
use super::measure::Measure;
use super::score::Score;
use super::search::Search;
use crate::{AlgorithmInfo, SolveError};

const PAPER: &str = "Affinity-Aware Resource Provisioning (JPDC 2023)";

/// An algorithm, put together from its parts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Algorithm {
    Auto,
    /// Section 4.2; `by_size` is the D of the name.
    Centric {
        by_size: Option<Measure>,
        rule: NodeRule,
    },
    /// Section 4.3.
    NodeCentric(Score),
    /// Section 4.4, replica spreading.
    Spread {
        decreasing: bool,
        measure: Measure,
        search: Search,
    },
    /// Section 4.4, application-node matching.
    Match {
        score: Score,
        search: Search,
    },
    /// Section 4.6: by degree, first fit.
    TagPopularity,
    /// Section 4.6: fewest candidate nodes first.
    NodeCandidates,
    /// Section 4.6: full services on what exists, then node-centric fitness.
    LraSched,
    /// Section 3.2.
    Ilp,
}

/// The step of the decreasing search when the name gives none, in percent.
const DEFAULT_STEP: u32 = 2;

/// Reads a name, whatever the case; `None` when there is no such algorithm.
pub(super) fn parse(name: &str) -> Option<Algorithm> {
    let lower = name.to_ascii_lowercase();
    let whole = match lower.as_str() {
        "auto" => Some(Algorithm::Auto),
        "ilp" => Some(Algorithm::Ilp),
        "medea-tp" | "ffd-degree" => Some(Algorithm::TagPopularity),
        "medea-nc" | "nodecount" => Some(Algorithm::NodeCandidates),
        "lrasched-fitness" => Some(Algorithm::LraSched),
        _ => None,
    };
    if whole.is_some() {
        return whole;
    }
    let mut parts = lower.split('-');
    let family = parts.next()?;
    let rest: Vec<&str> = parts.collect();
    match family {
        "ff" | "bf" | "wf" | "ffd" | "bfd" | "wfd" => {
            let measure = match rest[..] {
                [] => Measure::Average,
                [name] if family != "ff" => measure(name)?,
                _ => return None,
            };
            let rule = match &family[..1] {
                "f" => NodeRule::First,
                "b" => NodeRule::Best(measure),
                _ => NodeRule::Worst(measure),
            };
            let by_size = family.ends_with('d').then_some(measure);
            Some(Algorithm::Centric { by_size, rule })
        }
        "ncd" => match rest[..] {
            [name] => score(name).map(Algorithm::NodeCentric),
            _ => None,
        },
        "spreadwf" | "spreadwfd" | "refinewfd" => {
            let (name, words) = rest.split_first()?;
            let search = search(words, family == "refinewfd")?;
            let (decreasing, measure) = (family != "spreadwf", measure(name)?);
            Some(Algorithm::Spread {
                decreasing,
                measure,
                search,
            })
        }
        "match" => {
            let (name, words) = rest.split_first()?;
            let (score, search) = (score(name)?, search(words, false)?);
            Some(Algorithm::Match { score, search })
        }
        _ => None,
    }
}

fn measure(name: &str) -> Option<Measure> {
    let named = |m: &Measure| m.names().iter().any(|n| n.eq_ignore_ascii_case(name));
    Measure::ALL.into_iter().find(named)
}

fn score(name: &str) -> Option<Score> {
    let named = |s: &Score| s.names().iter().any(|n| n.eq_ignore_ascii_case(name));
    Score::ALL.into_iter().find(named)
}

/// `BinSearch`, `Decr<step>`, or the bare step of the published tables.
fn search(words: &[&str], bare_step: bool) -> Option<Search> {
    match words {
        [] if bare_step => Some(Search::Decreasing(DEFAULT_STEP)),
        [] | ["binsearch"] => Some(Search::Binary),
        [step] => {
            let digits = if bare_step {
                *step
            } else {
                step.strip_prefix("decr")?
            };
            let percent: u32 = digits.trim_end_matches('%').parse().ok()?;
            (1..=100)
                .contains(&percent)
                .then_some(Search::Decreasing(percent))
        }
        _ => None,
    }
}

/// Reads a name, or says which names are near.
pub(super) fn find(name: &str) -> Result<Algorithm, SolveError> {
    parse(name).ok_or_else(
        || match crate::shared::registry::find(name, &algorithms()) {
            Err(error) => error,
            Ok(_) => unreachable!("every listed name can be read"),
        },
    )
}

/// The listed name of an algorithm, whatever the spelling; a step that is not
/// listed stays as given.
pub(super) fn canonical(name: &str) -> String {
    match crate::shared::registry::find(name, &algorithms()) {
        Ok(info) => info.name.clone(),
        Err(_) => name.to_string(),
    }
}

/// All algorithms, for `--algorithm list`. `Decr<step>` takes any percentage.
pub fn algorithms() -> Vec<AlgorithmInfo> {
    let mut all = vec![AlgorithmInfo::new(
        "auto",
        &[],
        "bayplan",
        "at the lower bound directly, then ejection search or annealing of slack",
    )];
    let mut paper = |name: String, aliases: &[&str], summary: String| {
        all.push(AlgorithmInfo::new(name, aliases, PAPER, summary));
    };
    paper(
        "FF".into(),
        &[],
        "services as numbered, first node that takes one".into(),
    );
    for (family, what) in [
        ("BF", "services as numbered, fullest node first by"),
        ("WF", "services as numbered, emptiest node first by"),
        ("FFD", "largest service first, first node, size"),
        ("BFD", "largest service first, fullest node first, size"),
        ("WFD", "largest service first, emptiest node first, size"),
    ] {
        for measure in Measure::ALL {
            let [name, aliases @ ..] = measure.names() else {
                continue;
            };
            let aliases: Vec<String> = aliases.iter().map(|a| format!("{family}-{a}")).collect();
            let aliases: Vec<&str> = aliases.iter().map(String::as_str).collect();
            paper(
                format!("{family}-{name}"),
                &aliases,
                format!("{what} {name}"),
            );
        }
    }
    for score in Score::ALL {
        let [name, aliases @ ..] = score.names() else {
            continue;
        };
        let aliases: Vec<String> = aliases.iter().map(|a| format!("NCD-{a}")).collect();
        let aliases: Vec<&str> = aliases.iter().map(String::as_str).collect();
        let summary = format!("node by node, the service with the highest {name} score");
        paper(format!("NCD-{name}"), &aliases, summary);
    }
    for family in ["SpreadWF", "SpreadWFD"] {
        for measure in Measure::ALL {
            let name = measure.names()[0];
            let plain = format!("{family}-{name}");
            let refine = format!("RefineWFD-{name}-2");
            let aliases: &[&str] = if family == "SpreadWFD" {
                &[&refine]
            } else {
                &[]
            };
            let what = "replicas one by one to the emptiest of n nodes";
            paper(
                format!("{plain}-BinSearch"),
                &[&plain],
                format!("{what}, n by binary search"),
            );
            paper(
                format!("{plain}-Decr2"),
                aliases,
                format!("{what}, n down by 2 % of the bound"),
            );
        }
    }
    for score in Score::ALL {
        let name = score.names()[0];
        let plain = format!("Match-{name}");
        let what = format!("the best pair of service and node of n by {name}");
        paper(
            format!("{plain}-BinSearch"),
            &[&plain],
            format!("{what}, n by binary search"),
        );
        paper(
            format!("{plain}-Decr2"),
            &[],
            format!("{what}, n down by 2 % of the bound"),
        );
    }
    paper(
        "Medea-TP".into(),
        &["FFD-Degree"],
        "most linked service first, first node".into(),
    );
    paper(
        "Medea-NC".into(),
        &["NodeCount"],
        "fewest candidate nodes first, first node".into(),
    );
    let summary = "whole services on existing nodes, then node by node by Fitness";
    paper("LRASched-Fitness".into(), &[], summary.into());
    paper(
        "ILP".into(),
        &[],
        "the integer program (2a-2g), for small inputs".into(),
    );
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_and_alias_is_read_and_no_two_are_the_same() {
        let all = algorithms();
        let mut names: Vec<String> = Vec::new();
        for info in &all {
            let own = parse(&info.name).unwrap_or_else(|| panic!("{} is not read", info.name));
            for alias in &info.aliases {
                assert_eq!(parse(alias), Some(own), "{alias}");
            }
            names.push(info.name.to_ascii_lowercase());
            names.extend(info.aliases.iter().map(|alias| alias.to_ascii_lowercase()));
        }
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn published_spellings_and_any_step_are_read() {
        let spread = |percent| Algorithm::Spread {
            decreasing: true,
            measure: Measure::Average,
            search: Search::Decreasing(percent),
        };
        assert_eq!(parse("RefineWFD-Avg-5"), Some(spread(5)));
        assert_eq!(parse("spreadwfd-avg-decr7"), Some(spread(7)));
        assert_eq!(
            parse("NCD-DotDivision"),
            Some(Algorithm::NodeCentric(Score::TightFill))
        );
        for wrong in [
            "FF-Avg",
            "FFD-Nope",
            "SpreadWFD-Avg-Decr0",
            "NCD",
            "",
            "Match-Avg",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
            assert!(find(wrong).is_err());
        }
    }
}
