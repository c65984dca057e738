//! Which pods a plan is asked about: namespaces and a label selector as
//! kubectl writes it.

use super::objects::{Expression, LabelSelector, Map};
use super::selector::labels_match;
use crate::ReadOptions;
use crate::error::{Place, Sink, clip};

/// Namespaces and labels; nothing given means every pod.
#[derive(Default)]
pub(crate) struct Scope {
    namespaces: Vec<String>,
    labels: Option<LabelSelector>,
    pub moves_stateful: bool,
}

impl Scope {
    pub fn new(options: &ReadOptions, sink: &mut Sink) -> Self {
        let labels = options.labels.as_deref().map(|text| {
            parse(text).unwrap_or_else(|part| {
                sink.push("F018", Place::Option("--labels"), || {
                    (
                        format!("`{}` is not a selector", clip(&part)),
                        "write such as app=web,tier!=db,zone in (a,b),gpu,!spot",
                    )
                });
                LabelSelector::default()
            })
        });
        Self {
            namespaces: options.namespaces.clone(),
            labels,
            moves_stateful: options.move_stateful,
        }
    }

    /// Whether a pod is asked about.
    pub fn holds(&self, namespace: &str, labels: &Map) -> bool {
        let named = self.namespaces.is_empty() || self.namespaces.iter().any(|n| n == namespace);
        named
            && self
                .labels
                .as_ref()
                .is_none_or(|selector| labels_match(selector, labels))
    }
}

/// A selector; `Err` with the part that is none.
fn parse(text: &str) -> Result<LabelSelector, String> {
    let mut expressions = Vec::new();
    for part in parts(text) {
        expressions.push(expression(part).ok_or_else(|| part.to_string())?);
    }
    Ok(LabelSelector {
        match_labels: None,
        match_expressions: Some(expressions),
    })
}

/// Split at commas outside of parentheses.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0i32;
    text.split(move |c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth <= 0
    })
    .map(str::trim)
}

fn expression(part: &str) -> Option<Expression> {
    let made = |key: &str, operator: &str, values: Vec<String>| {
        let key = key.trim();
        let plain = key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_./".contains(&b));
        (plain && !key.is_empty()).then(|| Expression {
            key: key.into(),
            operator: operator.into(),
            values: Some(values),
        })
    };
    let one = |value: &str| vec![value.trim().to_string()];
    if let Some(inside) = part.strip_suffix(')') {
        let (head, values) = inside.split_once('(')?;
        let head = head.trim();
        let (key, operator) = match head.strip_suffix(" notin") {
            Some(key) => (key, "NotIn"),
            None => (head.strip_suffix(" in")?, "In"),
        };
        let values = values.split(',').map(|value| value.trim().to_string());
        return made(key, operator, values.collect());
    }
    if let Some((key, value)) = part.split_once("!=") {
        return made(key, "NotIn", one(value));
    }
    if let Some((key, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
        return made(key, "In", one(value));
    }
    match part.strip_prefix('!') {
        Some(key) => made(key, "DoesNotExist", Vec::new()),
        None => made(part, "Exists", Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(selector: &str, labels: &[(&str, &str)]) -> bool {
        let mut sink = Sink::default();
        let options = ReadOptions {
            labels: Some(selector.into()),
            ..ReadOptions::default()
        };
        let scope = Scope::new(&options, &mut sink);
        assert!(sink.is_empty(), "{selector}");
        let labels = labels.iter().map(|(k, v)| (k.to_string(), v.to_string()));
        scope.holds("default", &labels.collect())
    }

    #[test]
    fn selectors_are_read_as_kubectl_reads_them() {
        let web = [("app", "web"), ("tier", "front")];
        assert!(holds("app=web", &web));
        assert!(holds("app==web, tier in (front, back)", &web));
        assert!(holds("tier!=back,!spot,app", &web));
        assert!(holds("tier notin (back,data)", &web));
        assert!(!holds("app=web,tier=back", &web));
        assert!(!holds("spot", &web));
        assert!(!holds("!app", &web));
    }

    #[test]
    fn what_is_no_selector_is_an_error() {
        for text in ["", "=web", "app web", "app in (a", "a b=c", "app,,tier"] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }
}
