//! Why a solver has no answer. Every case has a code that `bayplan explain` knows.

use std::fmt;

/// A refusal, with a code.
#[derive(Clone, PartialEq, Debug)]
pub enum SolveError {
    /// The workload is not of the kind the verb answers for.
    WrongWorkload {
        /// The verb.
        verb: &'static str,
        /// What it needs, such as "services".
        needs: &'static str,
    },
    /// The input has a rule the verb or algorithm does not honour.
    UnsupportedRule {
        /// The verb or algorithm.
        by: String,
        /// The rule, in the words of the house.
        rule: &'static str,
        /// What the user can do.
        fix: String,
    },
    /// No algorithm of that name.
    UnknownAlgorithm {
        /// As given.
        name: String,
        /// Near names.
        near: Vec<String>,
    },
    /// A parameter outside its range.
    Parameter {
        /// The flag or field.
        name: &'static str,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// No answer exists at all, and why.
    Infeasible {
        /// Which objects, which numbers.
        why: String,
    },
    /// The LP or MIP solver failed.
    Numerical {
        /// What it said.
        what: String,
    },
}

impl SolveError {
    /// The code that `bayplan explain` knows.
    pub fn code(&self) -> &'static str {
        match self {
            Self::WrongWorkload { .. } => "S001",
            Self::UnsupportedRule { .. } => "S002",
            Self::UnknownAlgorithm { .. } => "S003",
            Self::Parameter { .. } => "S004",
            Self::Infeasible { .. } => "S005",
            Self::Numerical { .. } => "S006",
        }
    }
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongWorkload { verb, needs } => {
                write!(f, "{verb} needs {needs}, and the input has none")
            }
            Self::UnsupportedRule { by, rule, fix } => {
                write!(
                    f,
                    "{by} does not honour {rule}, which the input contains; {fix}"
                )
            }
            Self::UnknownAlgorithm { name, near } if near.is_empty() => {
                write!(
                    f,
                    "no algorithm is called {name:?}; `--algorithm list` shows all"
                )
            }
            Self::UnknownAlgorithm { name, near } => write!(
                f,
                "no algorithm is called {name:?}; did you mean {}? `--algorithm list` shows all",
                near.join(" or ")
            ),
            Self::Parameter { name, problem } => write!(f, "{name}: {problem}"),
            Self::Infeasible { why } => write!(f, "no answer exists: {why}"),
            Self::Numerical { what } => write!(f, "the LP solver failed: {what}"),
        }
    }
}

impl std::error::Error for SolveError {}
