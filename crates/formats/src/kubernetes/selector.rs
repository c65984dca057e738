//! Label selectors, node affinity, taints and tolerations.

use super::objects::{Expression, LabelSelector, Map, NodeSelector, NodeTerm, Taint, Toleration};

/// Whether labels satisfy an expression. Gt and Lt compare whole numbers.
fn expression(expression: &Expression, value: Option<&str>) -> bool {
    let values = expression.values.as_deref().unwrap_or(&[]);
    let among = |value: &str| values.iter().any(|wanted| wanted == value);
    match (expression.operator.as_str(), value) {
        ("In", Some(value)) => among(value),
        ("NotIn", Some(value)) => !among(value),
        ("NotIn" | "DoesNotExist", None) | ("Exists", Some(_)) => true,
        ("Gt" | "Lt", Some(value)) => {
            let bound = values.first().and_then(|bound| bound.parse::<i64>().ok());
            match (value.parse::<i64>(), bound) {
                (Ok(value), Some(bound)) if expression.operator == "Gt" => value > bound,
                (Ok(value), Some(bound)) => value < bound,
                _ => false,
            }
        }
        // An operator that is not known matches nothing: the safe side.
        _ => false,
    }
}

/// Whether labels match a selector; an empty one matches everything.
pub(crate) fn labels_match(selector: &LabelSelector, labels: &Map) -> bool {
    let exact = selector.match_labels.iter().flatten();
    let expressions = selector.match_expressions.iter().flatten();
    exact
        .into_iter()
        .all(|(key, value)| labels.get(key) == Some(value))
        && expressions
            .into_iter()
            .all(|e| expression(e, labels.get(&e.key).map(String::as_str)))
}

/// What a node offers to selectors.
pub(crate) struct Target<'a> {
    pub name: Option<&'a str>,
    pub labels: &'a Map,
    pub taints: &'a [Taint],
}

/// What a pod asks of a node.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Wish {
    pub selector: Map,
    /// Node affinity of the pod and of each of its volumes: all must hold.
    pub affinities: Vec<NodeSelector>,
    pub tolerations: Vec<Toleration>,
}

impl Wish {
    /// Whether the pod may be scheduled there.
    pub fn allows(&self, target: &Target<'_>) -> bool {
        self.selector
            .iter()
            .all(|(key, value)| target.labels.get(key) == Some(value))
            && self
                .affinities
                .iter()
                .all(|affinity| node_matches(affinity, target))
            && target.taints.iter().all(|taint| self.tolerates(taint))
    }

    fn tolerates(&self, taint: &Taint) -> bool {
        if taint.effect == "PreferNoSchedule" {
            return true;
        }
        self.tolerations.iter().any(|toleration| {
            let effect = toleration.effect.as_deref().unwrap_or("");
            let key = toleration.key.as_deref().unwrap_or("");
            let exists = toleration.operator.as_deref() == Some("Exists");
            let value = toleration.value.as_deref().unwrap_or("");
            (effect.is_empty() || effect == taint.effect)
                && ((key.is_empty() && exists) || key == taint.key)
                && (exists || value == taint.value.as_deref().unwrap_or(""))
        })
    }
}

/// Terms are alternatives; a term without requirements matches nothing.
fn node_matches(selector: &NodeSelector, target: &Target<'_>) -> bool {
    let terms = selector.node_selector_terms.as_deref().unwrap_or(&[]);
    terms.iter().any(|term: &NodeTerm| {
        let expressions = term.match_expressions.as_deref().unwrap_or(&[]);
        let fields = term.match_fields.as_deref().unwrap_or(&[]);
        if expressions.is_empty() && fields.is_empty() {
            return false;
        }
        let label = |e: &Expression| target.labels.get(&e.key).map(String::as_str);
        let field = |e: &Expression| target.name.filter(|_| e.key == "metadata.name");
        expressions.iter().all(|e| expression(e, label(e)))
            && fields
                .iter()
                .all(|e| target.name.is_some() && expression(e, field(e)))
    })
}
