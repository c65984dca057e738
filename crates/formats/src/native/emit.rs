//! Objects on one line each, as JSON or as YAML.

use std::fmt::Write;

use crate::write::json_text;

/// How keys and texts are quoted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    Json,
    Yaml,
}

impl Style {
    /// A text that reads back as the same text.
    pub fn text(self, text: &str) -> String {
        if self == Self::Yaml && is_plain(text) {
            text.into()
        } else {
            json_text(text)
        }
    }

    /// A map.
    pub fn map(self, fields: impl IntoIterator<Item = (String, String)>) -> String {
        let mut out = String::from("{");
        for (at, (key, value)) in fields.into_iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            let _ = write!(out, "{comma}{}: {value}", self.text(&key));
        }
        out.push('}');
        out
    }

    /// A list.
    pub fn list(self, items: impl IntoIterator<Item = String>) -> String {
        format!("[{}]", items.into_iter().collect::<Vec<_>>().join(", "))
    }
}

/// Letters, digits and a few marks, beginning with a letter, and no word that
/// YAML (of any version) takes for something else.
fn is_plain(text: &str) -> bool {
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let lower = text.to_ascii_lowercase();
    text.bytes()
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte))
        && !words.contains(&lower.as_str())
}

/// A document: top-level values, and lists with one item a line.
pub(crate) struct Document {
    pub style: Style,
    out: String,
    first: bool,
}

impl Document {
    pub fn new(style: Style) -> Self {
        let out = if style == Style::Json { "{" } else { "" };
        Self {
            style,
            out: out.into(),
            first: true,
        }
    }

    fn key(&mut self, name: &str) {
        if self.style == Style::Json {
            let comma = if self.first { "" } else { "," };
            let _ = write!(self.out, "{comma}\n \"{name}\": ");
        } else {
            let _ = write!(self.out, "{name}: ");
        }
        self.first = false;
    }

    /// A plain value.
    pub fn value(&mut self, name: &str, value: &str) {
        self.key(name);
        self.out.push_str(value);
        if self.style == Style::Yaml {
            self.out.push('\n');
        }
    }

    /// A list with one item a line; left out when empty.
    pub fn list(&mut self, name: &str, items: impl Iterator<Item = String>) {
        let mut items = items.peekable();
        if items.peek().is_none() {
            return;
        }
        self.key(name);
        if self.style == Style::Yaml {
            self.out.pop();
            self.out.push('\n');
            for item in items {
                let _ = writeln!(self.out, "  - {item}");
            }
            return;
        }
        for (at, item) in items.enumerate() {
            let start = if at == 0 { "[" } else { "," };
            let _ = write!(self.out, "{start}\n  {item}");
        }
        self.out.push_str("\n ]");
    }

    pub fn finish(mut self) -> String {
        if self.style == Style::Json {
            self.out.push_str("\n}\n");
        }
        self.out
    }
}
