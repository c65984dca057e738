//! Patterns computed ahead of the peak, to be used again (section 5.3.2).

use super::csp::Column;
use super::kinds::Kinds;
use super::view::View;

/// Full contents of machines, by service name: what a run knew at its end.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Patterns {
    /// (service name, count) of each pattern, in the order they were found.
    pub patterns: Vec<Vec<(String, u32)>>,
}

/// Patterns handed to one kind of machine at most.
const MOST_PER_KIND: usize = 400;

impl Patterns {
    /// The extensions these patterns mean for the kinds of a problem: a pattern
    /// serves a machine when it holds all that stays there. Patterns with a
    /// service the problem does not have serve none.
    pub(crate) fn columns(&self, view: &View, kinds: &Kinds) -> Vec<Column> {
        let known: Vec<Vec<(u32, u32)>> = self
            .patterns
            .iter()
            .filter_map(|pattern| by_id(view, pattern))
            .collect();
        let mut columns = Vec::new();
        for (index, kind) in kinds.kinds.iter().enumerate() {
            let extensions = known.iter().filter_map(|full| extension(full, &kind.held));
            columns.extend(extensions.take(MOST_PER_KIND).map(|pattern| Column {
                kind: index as u32,
                pattern,
            }));
        }
        columns
    }

    /// The full contents the columns mean.
    pub(crate) fn of(view: &View, kinds: &Kinds, columns: &[Column]) -> Self {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut patterns = Vec::new();
        for column in columns {
            let mut full = column.pattern.clone();
            full.extend(&kinds.kinds[column.kind as usize].held);
            full.sort_unstable();
            full.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0 };
                same
            });
            if seen.insert(full.clone()) {
                let name = |s: u32| view.services.names.get(s as usize).to_string();
                patterns.push(
                    full.into_iter()
                        .map(|(s, count)| (name(s), count))
                        .collect(),
                );
            }
        }
        Self { patterns }
    }
}

fn by_id(view: &View, pattern: &[(String, u32)]) -> Option<Vec<(u32, u32)>> {
    let mut ids = Vec::with_capacity(pattern.len());
    for (name, count) in pattern {
        ids.push((view.services.names.find(name)?, *count));
    }
    ids.sort_unstable();
    Some(ids)
}

/// What a pattern adds to what stays; `None` when it lacks some of that.
fn extension(full: &[(u32, u32)], stays: &[(u32, u32)]) -> Option<Vec<(u32, u32)>> {
    let mut added: Vec<(u32, u32)> = full.to_vec();
    for (service, count) in stays {
        let at = added.binary_search_by_key(service, |(s, _)| *s).ok()?;
        added[at].1 = added[at].1.checked_sub(*count)?;
    }
    added.retain(|(_, count)| *count > 0);
    Some(added)
}
