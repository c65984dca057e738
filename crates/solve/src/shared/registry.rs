//! How an algorithm presents itself in `--algorithm list` and the docs.

use crate::SolveError;

/// One line of `--algorithm list`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AlgorithmInfo {
    /// The name to select it by: the paper's.
    pub name: String,
    /// Other accepted spellings, such as those of published tables.
    pub aliases: Vec<String>,
    /// Where it comes from: paper and section, or `bayplan`.
    pub source: &'static str,
    /// What it does, in one line.
    pub summary: String,
}

impl AlgorithmInfo {
    /// An entry of a list of algorithms.
    pub fn new(
        name: impl Into<String>,
        aliases: &[&str],
        source: &'static str,
        summary: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            aliases: aliases.iter().map(|alias| (*alias).into()).collect(),
            source,
            summary: summary.into(),
        }
    }
}

/// Finds an algorithm by name or alias, whatever the case; an error names near ones.
pub fn find<'a>(name: &str, all: &'a [AlgorithmInfo]) -> Result<&'a AlgorithmInfo, SolveError> {
    let same = |other: &str| other.eq_ignore_ascii_case(name);
    let found = all
        .iter()
        .find(|info| same(&info.name) || info.aliases.iter().any(|a| same(a)));
    found.ok_or_else(|| {
        let lower = name.to_ascii_lowercase();
        let parts: Vec<&str> = lower.split('-').filter(|part| part.len() > 1).collect();
        let score = |info: &AlgorithmInfo| {
            let other = info.name.to_ascii_lowercase();
            parts.iter().filter(|part| other.contains(**part)).count()
        };
        let mut near: Vec<&AlgorithmInfo> = all.iter().filter(|info| score(info) > 0).collect();
        near.sort_by_key(|info| std::cmp::Reverse(score(info)));
        let near = near
            .into_iter()
            .take(3)
            .map(|info| info.name.clone())
            .collect();
        SolveError::UnknownAlgorithm {
            name: name.into(),
            near,
        }
    })
}
