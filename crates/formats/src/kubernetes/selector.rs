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
    /// The same without the names of nodes: the controller of a daemon set
    /// writes one into every pod.
    pub fn on_any_node(&self) -> Self {
        let mut wish = self.clone();
        for affinity in &mut wish.affinities {
            for term in affinity.node_selector_terms.iter_mut().flatten() {
                term.match_fields = None;
            }
        }
        let says_nothing = |term: &NodeTerm| term.match_expressions.iter().flatten().count() == 0;
        wish.affinities.retain(|affinity| {
            let mut terms = affinity.node_selector_terms.iter().flatten();
            !terms.any(says_nothing)
        });
        wish
    }

    /// Whether the pod may be scheduled there.
    pub fn allows(&self, target: &Target<'_>) -> bool {
        self.selects(target) && self.tolerates_all(target)
    }

    /// Whether the pod's selectors hold there.
    pub fn selects(&self, target: &Target<'_>) -> bool {
        let exact = |(key, value)| target.labels.get(key) == Some(value);
        let mut affinities = self.affinities.iter();
        self.selector.iter().all(exact) && affinities.all(|a| node_matches(a, target))
    }

    /// Whether no taint keeps the pod away.
    pub fn tolerates_all(&self, target: &Target<'_>) -> bool {
        target.taints.iter().all(|taint| self.tolerates(taint))
    }

    /// What stands against it, one sentence each.
    pub fn refusals(&self, target: &Target<'_>) -> Vec<String> {
        let mut all = Vec::new();
        for (key, value) in &self.selector {
            match target.labels.get(key) {
                Some(found) if found == value => {}
                Some(found) => all.push(format!("nodeSelector wants {key}={value}, not {found}")),
                None => all.push(format!("nodeSelector wants {key}={value}")),
            }
        }
        for affinity in self.affinities.iter().filter(|a| !node_matches(a, target)) {
            all.push(format!("node affinity wants {affinity}"));
        }
        for taint in target.taints.iter().filter(|taint| !self.tolerates(taint)) {
            all.push(format!("the taint {taint} is not tolerated"));
        }
        all
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
