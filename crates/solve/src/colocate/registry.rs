//! The algorithms of `colocate`, by name.

use crate::AlgorithmInfo;

/// All algorithms, the default first.
pub fn algorithms() -> Vec<AlgorithmInfo> {
    let info = |name: &str, aliases: &[&str], source, summary: &str| AlgorithmInfo {
        name: name.into(),
        aliases: aliases.iter().map(|alias| alias.to_string()).collect(),
        source,
        summary: summary.into(),
    };
    vec![
        info(
            "evolve",
            &["auto", "default"],
            "bayplan",
            "annealing on counts with a price per move, machine patterns recombined by an integer master",
        ),
        info(
            "original",
            &["none"],
            "RASA, ICDE 2024, section V-A",
            "the current placement as it is (missing replicas are placed)",
        ),
    ]
}
