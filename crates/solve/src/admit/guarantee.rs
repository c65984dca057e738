//! What is proven about an answer before anybody looks at it: the factor of
//! the approximation for this very instance.

use super::view::View;

/// How the non-narrow requests were solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wide {
    /// By local ratio, each resource by itself: 2 - 1/k each.
    LocalRatio,
    /// To optimality by the dynamic program.
    Optimal,
}

/// A guarantee, or why there is none.
#[derive(Clone, PartialEq, Debug)]
pub struct Guarantee {
    /// The best answer is at most this many times the one found.
    pub factor: Option<f64>,
    /// The same in words.
    pub text: String,
}

impl Guarantee {
    /// None, and why.
    pub fn none(why: &str) -> Self {
        Self {
            factor: None,
            text: format!("none ({why})"),
        }
    }

    /// For an answer at least as good as the best of the families'.
    ///
    /// The best plan splits into its parts in each family; each part is at
    /// most the family's factor times the family's solution, so the factors
    /// of the families present add up (paper Theorems IV.6 and IV.8).
    pub fn of(view: &View, wide: Wide) -> Self {
        if view.resources > 2 {
            return Self::none("more than two resources");
        }
        if !view.identical {
            return Self::none("the nodes differ");
        }
        let requests = view.placeable();
        let narrow = requests.iter().any(|j| view.is_narrow(*j));
        let families = (0..view.resources)
            .filter(|r| requests.iter().any(|j| view.is_wide(*j, *r)))
            .count();
        let each = 2.0 - 1.0 / view.nodes.max(1) as f64;
        let (of_wide, how) = match (wide, families) {
            (_, 0) => (0.0, String::new()),
            (Wide::Optimal, _) => (1.0, "1 for the wide ones, solved exactly".into()),
            (Wide::LocalRatio, 1) => (each, "2 - 1/k for the wide ones".into()),
            (Wide::LocalRatio, _) => (
                2.0 * each,
                "2 - 1/k for those wide in each of the two resources".into(),
            ),
        };
        let mut parts = Vec::new();
        if narrow {
            parts.push("8 for the narrow requests".to_string());
        }
        if families > 0 {
            parts.push(how);
        }
        let factor = if narrow { 8.0 } else { 0.0 } + of_wide;
        if parts.is_empty() {
            return Self {
                factor: Some(1.0),
                text: "1 (no request fits any node)".into(),
            };
        }
        // The paper's number for the case, which the exact sum never exceeds.
        let named = match (narrow, families, wide) {
            (true, 0, _) => "8".to_string(),
            (true, _, Wide::Optimal) => "9".into(),
            (true, 1, Wide::LocalRatio) => "10".into(),
            (true, _, Wide::LocalRatio) => "12".into(),
            (false, _, Wide::Optimal) => "1".into(),
            (false, 1, Wide::LocalRatio) => "2 - 1/k".into(),
            (false, _, Wide::LocalRatio) => "4".into(),
        };
        Self {
            factor: Some(factor),
            text: format!(
                "{named}-approximation: at least 1/{factor:.3} of the best ({})",
                parts.join(" + ")
            ),
        }
    }
}
