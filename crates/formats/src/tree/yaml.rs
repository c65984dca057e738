//! YAML to a tree, from the parser's events.
//!
//! Aliases are copies, counted value by value against the bound on a document,
//! so that a few lines of nested aliases cannot fill the memory.

use std::borrow::Cow;

use granit_parser::{Event, Parser, ScalarStyle};
use rustc_hash::FxHashMap;

use super::{Kind, MAX_DEPTH, MAX_VALUES, SyntaxError, Tree};
use crate::error::clip;

/// Most values that anchors and aliases may add to a document.
const MAX_COPIED: usize = 1_000_000;

/// Larger documents would take minutes to read.
const MAX_BYTES: usize = 256 << 20;

/// Parses a whole document.
pub(crate) fn parse(text: &str) -> Result<Tree<'_>, SyntaxError> {
    if text.len() > MAX_BYTES {
        return fail(
            "F002",
            (1, 0),
            "too large a YAML document",
            "write it as JSON or as a table",
        );
    }
    let mut builder = Builder::default();
    for next in Parser::new_from_str(text) {
        let (event, span) = match next {
            Ok(next) => next,
            Err(error) => {
                let at = (error.marker().line(), error.marker().col());
                return fail(
                    "F007",
                    at,
                    clip(&error.info()),
                    "check indentation and quotes",
                );
            }
        };
        builder.event(event, (span.start.line(), span.start.col()))?;
    }
    match builder.root {
        Some(tree) => Ok(tree),
        None => fail(
            "F037",
            (1, 0),
            "the document is empty",
            "describe pools and services",
        ),
    }
}

fn fail<T>(
    code: &'static str,
    (line, column): (usize, usize),
    found: impl Into<String>,
    fix: &'static str,
) -> Result<T, SyntaxError> {
    let (line, column) = (line.max(1) as u64, column as u64 + 1);
    Err(SyntaxError {
        code,
        line,
        column,
        found: found.into(),
        fix,
    })
}

#[derive(Default)]
struct Builder<'a> {
    /// Collections that are still open, with the key that waits for a value
    /// and the anchor they define.
    open: Vec<(Tree<'a>, Option<Cow<'a, str>>, usize)>,
    root: Option<Tree<'a>>,
    anchors: FxHashMap<usize, (Tree<'a>, usize)>,
    values: usize,
    /// Values that aliases have added.
    copied: usize,
    documents: usize,
}

type At = (usize, usize);

impl<'a> Builder<'a> {
    fn event(&mut self, event: Event<'a>, at: At) -> Result<(), SyntaxError> {
        let line = u32::try_from(at.0).unwrap_or(u32::MAX);
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return fail(
                        "F007",
                        at,
                        "a second document",
                        "keep one document to a file",
                    );
                }
            }
            Event::Scalar(text, style, anchor, _) => {
                let kind = scalar(text, style);
                self.add(Tree { kind, line }, anchor, at)?;
            }
            Event::SequenceStart(_, anchor, _) => {
                self.start(
                    Tree {
                        kind: Kind::List(Vec::new()),
                        line,
                    },
                    anchor,
                    at,
                )?;
            }
            Event::MappingStart(_, anchor, _) => {
                self.start(
                    Tree {
                        kind: Kind::Map(Vec::new()),
                        line,
                    },
                    anchor,
                    at,
                )?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some((tree, _, anchor)) = self.open.pop() {
                    self.add(tree, anchor, at)?;
                }
            }
            Event::Alias(anchor) => {
                let Some((tree, size)) = self.anchors.get(&anchor) else {
                    return fail(
                        "F007",
                        at,
                        "an alias without its anchor",
                        "define it before",
                    );
                };
                self.copied += size;
                if self.copied > MAX_COPIED {
                    return too_many(at);
                }
                let (tree, depth) = (tree.clone(), tree.depth());
                if self.open.len() + depth > MAX_DEPTH {
                    return too_deep(at);
                }
                self.add(tree, 0, at)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, tree: Tree<'a>, anchor: usize, at: At) -> Result<(), SyntaxError> {
        if self.open.len() >= MAX_DEPTH {
            return too_deep(at);
        }
        self.open.push((tree, None, anchor));
        Ok(())
    }

    /// A value is complete: into the collection it belongs to.
    fn add(&mut self, tree: Tree<'a>, anchor: usize, at: At) -> Result<(), SyntaxError> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return too_many(at);
        }
        if anchor > 0 {
            // What an anchor holds is kept a second time, so it counts twice.
            let size = tree.size();
            self.copied += size;
            if self.copied > MAX_COPIED {
                return too_many(at);
            }
            self.anchors.insert(anchor, (tree.clone(), size));
        }
        match self.open.last_mut() {
            None => self.root = Some(tree),
            Some((
                Tree {
                    kind: Kind::List(items),
                    ..
                },
                _,
                _,
            )) => items.push(tree),
            Some((
                Tree {
                    kind: Kind::Map(fields),
                    ..
                },
                key @ None,
                _,
            )) => {
                let _ = fields;
                *key = Some(match tree.kind {
                    Kind::Text(text) | Kind::Number(text) => text,
                    Kind::Bool(value) => Cow::Borrowed(if value { "true" } else { "false" }),
                    Kind::Null | Kind::List(_) | Kind::Map(_) => {
                        return fail("F007", at, "a key that is not a text", "quote it");
                    }
                });
            }
            Some((
                Tree {
                    kind: Kind::Map(fields),
                    ..
                },
                key,
                _,
            )) => {
                fields.push((key.take().unwrap_or_default(), tree));
            }
            Some(_) => {}
        }
        Ok(())
    }
}

fn too_many<T>(at: At) -> Result<T, SyntaxError> {
    fail(
        "F002",
        at,
        "too many values for one document",
        "use a table, and fewer aliases",
    )
}

fn too_deep<T>(at: At) -> Result<T, SyntaxError> {
    fail(
        "F007",
        at,
        "nested too deeply",
        "no format here is nested that deep",
    )
}

/// A plain scalar may be a word or a number; a quoted one is text.
fn scalar(text: Cow<'_, str>, style: ScalarStyle) -> Kind<'_> {
    if style != ScalarStyle::Plain {
        return Kind::Text(text);
    }
    match text.as_ref() {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "true" | "True" | "TRUE" => Kind::Bool(true),
        "false" | "False" | "FALSE" => Kind::Bool(false),
        other => {
            let digits = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
            let number = other.bytes().all(digits) && other.parse::<f64>().is_ok();
            if number {
                Kind::Number(text)
            } else {
                Kind::Text(text)
            }
        }
    }
}
