//! Documents as trees, from JSON and from YAML.
//!
//! Numbers stay text, so that amounts are read exactly; every value knows
//! where it stands, so that all errors of a document can be reported at once.

mod json;
mod view;
mod yaml;

use std::borrow::Cow;

pub(crate) use json::{parse as parse_json, top_level_keys};
pub(crate) use view::{Fields, View};
pub(crate) use yaml::parse as parse_yaml;

/// Deepest nesting: no format here needs more than ten.
const MAX_DEPTH: usize = 64;

/// Most values of one document, a bound on the memory of a tree.
const MAX_VALUES: usize = 30_000_000;

/// A value with the place it was found at.
#[derive(Clone, Debug)]
pub(crate) struct Tree<'a> {
    pub kind: Kind<'a>,
    /// From 1.
    pub line: u32,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(crate) enum Kind<'a> {
    Null,
    Bool(bool),
    Number(Cow<'a, str>),
    Text(Cow<'a, str>),
    List(Vec<Tree<'a>>),
    Map(Vec<(Cow<'a, str>, Tree<'a>)>),
}

/// Why a document is no tree: there is only the first such error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SyntaxError {
    pub code: &'static str,
    pub line: u64,
    pub column: u64,
    pub found: String,
    pub fix: &'static str,
}

impl Tree<'_> {
    /// How many values it holds, itself included.
    fn size(&self) -> usize {
        1 + match &self.kind {
            Kind::List(items) => items.iter().map(Tree::size).sum(),
            Kind::Map(fields) => fields.iter().map(|(_, tree)| tree.size()).sum(),
            _ => 0,
        }
    }

    /// How deep it is nested: 1 for a plain value.
    fn depth(&self) -> usize {
        1 + match &self.kind {
            Kind::List(items) => items.iter().map(Tree::depth).max().unwrap_or(0),
            Kind::Map(fields) => fields
                .iter()
                .map(|(_, tree)| tree.depth())
                .max()
                .unwrap_or(0),
            _ => 0,
        }
    }
}
