//! Selectors and taints as people write them.

use std::fmt;

use super::objects::{Expression, NodeSelector, NodeTerm, Taint};

impl fmt::Display for Taint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)?;
        if let Some(value) = self.value.as_deref().filter(|value| !value.is_empty()) {
            write!(f, "={value}")?;
        }
        write!(f, ":{}", self.effect)
    }
}

impl fmt::Display for NodeSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms = self.node_selector_terms.as_deref().unwrap_or(&[]);
        if terms.is_empty() {
            return f.write_str("what no node has");
        }
        for (at, term) in terms.iter().enumerate() {
            write!(f, "{}{term}", if at > 0 { " or " } else { "" })?;
        }
        Ok(())
    }
}

impl fmt::Display for NodeTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expressions = self.match_expressions.iter().flatten();
        let all = expressions.chain(self.match_fields.iter().flatten());
        for (at, expression) in all.enumerate() {
            write!(f, "{}{expression}", if at > 0 { " and " } else { "" })?;
        }
        Ok(())
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values.as_deref().unwrap_or(&[]).join(", ");
        match self.operator.as_str() {
            "In" => write!(f, "{} in ({values})", self.key),
            "NotIn" => write!(f, "{} not in ({values})", self.key),
            "Exists" => write!(f, "the label {}", self.key),
            "DoesNotExist" => write!(f, "no label {}", self.key),
            "Gt" => write!(f, "{} above {values}", self.key),
            "Lt" => write!(f, "{} below {values}", self.key),
            other => write!(f, "{} {other} ({values})", self.key),
        }
    }
}
