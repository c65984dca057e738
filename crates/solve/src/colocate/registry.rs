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
            "auto",
            &["evolve", "default"],
            "bayplan",
            "annealing on counts with a price per move, machine patterns recombined by an integer master",
        ),
        info(
            "rasa",
            &["RASA"],
            "RASA, ICDE 2024, section IV",
            "partition the services, solve each part by integer program or column generation, combine",
        ),
        info(
            "pop",
            &["POP"],
            "RASA, ICDE 2024, section V-A",
            "random partition, each part by the integer program",
        ),
        info(
            "k8s+",
            &["K8S+", "k8s-plus"],
            "RASA, ICDE 2024, section V-A",
            "replicas one by one to the node with room that scores best by traffic",
        ),
        info(
            "applsci19",
            &["APPLSCI19"],
            "RASA, ICDE 2024, section V-A",
            "pairs contracted in proportion to their traffic while they fit a node, then packed",
        ),
        info(
            "original",
            &["none"],
            "RASA, ICDE 2024, section V-A",
            "the current placement as it is (missing replicas are placed)",
        ),
    ]
}
