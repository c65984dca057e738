//! Reading a tree: a value together with its path, errors collected.

use std::borrow::Cow;
use std::fmt::Write;

use bayplan_model::Names;
use rustc_hash::FxHashSet;

use super::{Kind, Tree};
use crate::error::{Place, Sink, clip};

/// A value and the way to it.
#[derive(Clone, Copy)]
pub(crate) struct View<'p, 'd> {
    pub tree: &'d Tree<'d>,
    path: Path<'p, 'd>,
}

/// Steps from the root, linked so that no text is made until it is needed.
#[derive(Clone, Copy)]
enum Path<'p, 'd> {
    Root,
    Key(&'p View<'p, 'd>, &'d str),
    Index(&'p View<'p, 'd>, usize),
}

impl<'p, 'd> View<'p, 'd> {
    /// The document.
    pub fn root(tree: &'d Tree<'d>) -> Self {
        Self {
            tree,
            path: Path::Root,
        }
    }

    /// Where it is.
    pub fn place(&self) -> Place {
        let mut text = String::new();
        self.write_path(&mut text);
        if text.is_empty() {
            Place::line(u64::from(self.tree.line))
        } else {
            Place::Path(text)
        }
    }

    fn write_path(&self, text: &mut String) {
        match self.path {
            Path::Root => {}
            Path::Key(parent, key) => {
                parent.write_path(text);
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(&clip(key));
            }
            Path::Index(parent, index) => {
                parent.write_path(text);
                let _ = write!(text, "[{index}]");
            }
        }
    }

    /// What kind of value it is, for messages.
    fn kind(&self) -> String {
        match &self.tree.kind {
            Kind::Null => "nothing".into(),
            Kind::Bool(value) => format!("`{value}`"),
            Kind::Number(text) => format!("the number `{}`", clip(text)),
            Kind::Text(text) => format!("the text `{}`", clip(text)),
            Kind::List(_) => "a list".into(),
            Kind::Map(_) => "a map".into(),
        }
    }

    fn wrong<T>(&self, wanted: &str, sink: &mut Sink) -> Option<T> {
        sink.push("F017", self.place(), || {
            (
                format!("{} where {wanted} should be", self.kind()),
                format!("write {wanted}"),
            )
        });
        None
    }

    /// The items of a list.
    pub fn list(&'p self, sink: &mut Sink) -> impl Iterator<Item = View<'p, 'd>> + use<'p, 'd> {
        let items = match &self.tree.kind {
            Kind::List(items) => items.as_slice(),
            _ => self.wrong("a list", sink).unwrap_or(&[]),
        };
        let parent = self;
        let items = items.iter().enumerate();
        items.map(move |(index, tree)| View {
            tree,
            path: Path::Index(parent, index),
        })
    }

    /// The fields of a map, each of which must be known.
    pub fn fields(&'p self, known: &[&'static str], sink: &mut Sink) -> Option<Fields<'p, 'd>> {
        let Kind::Map(fields) = &self.tree.kind else {
            return self.wrong("a map", sink);
        };
        let mut seen = [false; 32];
        for (key, _) in fields {
            let place = || {
                View {
                    tree: self.tree,
                    path: Path::Key(self, key),
                }
                .place()
            };
            match known.iter().position(|name| name == key) {
                None => unknown_field(key, known, place(), sink),
                Some(at) if seen[at] => twice(key, place(), sink),
                Some(at) => seen[at] = true,
            }
        }
        Some(Fields { view: self, fields })
    }

    /// The entries of a map with free keys.
    pub fn entries(
        &'p self,
        sink: &mut Sink,
    ) -> impl Iterator<Item = (&'d str, View<'p, 'd>)> + use<'p, 'd> {
        let fields = match &self.tree.kind {
            Kind::Map(fields) => fields.as_slice(),
            _ => self.wrong("a map", sink).unwrap_or(&[]),
        };
        let parent = self;
        let mut seen = FxHashSet::default();
        for (key, tree) in fields {
            if !seen.insert(key.as_ref()) {
                twice(
                    key,
                    View {
                        tree,
                        path: Path::Key(parent, key),
                    }
                    .place(),
                    sink,
                );
            }
        }
        fields.iter().map(move |(key, tree)| {
            (
                key.as_ref(),
                View {
                    tree,
                    path: Path::Key(parent, key),
                },
            )
        })
    }

    /// A text. A number is taken as the text it was written as: names may be numbers.
    pub fn text(&self, sink: &mut Sink) -> Option<&'d str> {
        match &self.tree.kind {
            Kind::Text(text) | Kind::Number(text) => Some(text),
            _ => self.wrong("a text", sink),
        }
    }

    /// The text of a number, or of a quantity such as `500m`.
    pub fn number(&self, sink: &mut Sink) -> Option<&'d str> {
        match &self.tree.kind {
            Kind::Text(text) | Kind::Number(text) => Some(text),
            _ => self.wrong("a number", sink),
        }
    }

    /// Yes or no.
    pub fn bool(&self, sink: &mut Sink) -> Option<bool> {
        match &self.tree.kind {
            Kind::Bool(value) => Some(*value),
            _ => self.wrong("true or false", sink),
        }
    }

    /// Whether it is a list.
    pub fn is_list(&self) -> bool {
        matches!(self.tree.kind, Kind::List(_))
    }

    /// Whether it is a list without items.
    pub fn is_empty_list(&self) -> bool {
        matches!(&self.tree.kind, Kind::List(items) if items.is_empty())
    }

    /// Whether it is a map.
    pub fn is_map(&self) -> bool {
        matches!(self.tree.kind, Kind::Map(_))
    }
}

/// The fields of a map.
pub(crate) struct Fields<'p, 'd> {
    view: &'p View<'p, 'd>,
    fields: &'d [(Cow<'d, str>, Tree<'d>)],
}

impl<'p, 'd> Fields<'p, 'd> {
    /// A field that may be missing; null counts as missing.
    pub fn get(&self, name: &str) -> Option<View<'p, 'd>> {
        let (key, tree) = self.fields.iter().find(|(key, _)| key == name)?;
        let missing = matches!(tree.kind, Kind::Null);
        (!missing).then_some(View {
            tree,
            path: Path::Key(self.view, key),
        })
    }

    /// A field that must be there.
    pub fn required(&self, name: &str, sink: &mut Sink) -> Option<View<'p, 'd>> {
        let found = self.get(name);
        if found.is_none() {
            sink.push("F010", self.view.place(), || {
                (format!("`{name}` is missing"), format!("add `{name}`"))
            });
        }
        found
    }
}

fn twice(key: &str, place: Place, sink: &mut Sink) {
    sink.push("F021", place, || {
        (format!("`{}` is given twice", clip(key)), "keep one")
    });
}

fn unknown_field(key: &str, known: &[&str], place: Place, sink: &mut Sink) {
    sink.push("F011", place, || {
        let mut names = Names::default();
        for name in known {
            let _ = names.add(name);
        }
        let fix = match names.nearest(key) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("known here: {}", known.join(", ")),
        };
        (format!("unknown field `{}`", clip(key)), fix)
    });
}
