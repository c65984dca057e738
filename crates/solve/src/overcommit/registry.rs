//! The algorithms of this verb, by name.

use crate::AlgorithmInfo;

/// All algorithms, the default first.
pub fn algorithms() -> Vec<AlgorithmInfo> {
    vec![
        AlgorithmInfo::new(
            "auto",
            &[],
            "bayplan",
            "BiHeu for an answer in milliseconds, improved to cutting-stock quality within the time",
        ),
        AlgorithmInfo::new(
            "BF-n-sigma",
            &["bf-nsigma", "n-sigma"],
            "UCaC paper, section 6",
            "best fit by mean + n deviations, the baseline; --n-sigma N, --tune",
        ),
        AlgorithmInfo::new(
            "BF-UCaC",
            &["best-fit"],
            "UCaC paper, section 5.1",
            "online best fit by used capacity at confidence",
        ),
        AlgorithmInfo::new(
            "BiHeu",
            &["bi-level"],
            "UCaC paper, section 5.2",
            "machines by variance, services by variance per mean, each machine filled",
        ),
        AlgorithmInfo::new(
            "CSP-Mac",
            &[],
            "UCaC paper, sections 5.3 and 6",
            "cutting stock for fewest machines, with a proven bound",
        ),
        AlgorithmInfo::new(
            "CSP-UCaC",
            &["csp"],
            "UCaC paper, section 5.3",
            "cutting stock for least UCaC, with a proven bound",
        ),
    ]
}
