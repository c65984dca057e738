//! The algorithms of this verb, by name.

use crate::AlgorithmInfo;

/// All algorithms, the default first.
pub fn algorithms() -> Vec<AlgorithmInfo> {
    let info = |name: &str, aliases: &[&str], source, summary: &str| AlgorithmInfo {
        name: name.into(),
        aliases: aliases.iter().map(|alias| (*alias).into()).collect(),
        source,
        summary: summary.into(),
    };
    vec![
        info(
            "auto",
            &[],
            "bayplan",
            "BiHeu for an answer in milliseconds, improved to cutting-stock quality within the time",
        ),
        info(
            "BF-n-sigma",
            &["bf-nsigma", "n-sigma"],
            "UCaC paper, section 6",
            "best fit by mean + n deviations, the baseline; --n-sigma N, --tune",
        ),
        info(
            "BF-UCaC",
            &["best-fit"],
            "UCaC paper, section 5.1",
            "online best fit by used capacity at confidence",
        ),
        info(
            "BiHeu",
            &["bi-level"],
            "UCaC paper, section 5.2",
            "machines by variance, services by variance per mean, each machine filled",
        ),
        info(
            "CSP-Mac",
            &[],
            "UCaC paper, sections 5.3 and 6",
            "cutting stock for fewest machines, with a proven bound",
        ),
        info(
            "CSP-UCaC",
            &["csp"],
            "UCaC paper, section 5.3",
            "cutting stock for least UCaC, with a proven bound",
        ),
    ]
}
