//! Typed violations: a code, the objects, the numbers.

use std::fmt;

/// The rules that can be broken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rule {
    /// A resource of a node is asked for beyond its capacity.
    Capacity,
    /// Mean plus D deviations exceed the capacity.
    Confidence,
    /// More replicas of a service beside another than its limit allows.
    Limit,
    /// More replicas of a spread set together than allowed.
    Spread,
    /// A service on a node it may not use.
    Compatibility,
    /// Replicas missing.
    Unplaced,
    /// More replicas placed than the service has.
    Surplus,
    /// A pinned service was moved.
    Pinned,
    /// More nodes of a pool than there may be.
    PoolSize,
    /// An id in the plan that the problem does not have.
    UnknownObject,
    /// The load shares of an application do not add up to its load.
    LoadShare,
    /// More than one instance of an application on a node.
    Instance,
    /// Fewer or more instances than asked for.
    InstanceCount,
    /// A request admitted twice.
    Twice,
    /// Too few replicas of a service alive during the moves.
    Alive,
    /// A wave stops a replica that is not there.
    Wave,
    /// The waves do not end at the plan's placement.
    WaveEnd,
    /// The rest cannot carry the load after a loss.
    Survive,
}

/// One broken rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Violation {
    /// Which rule.
    pub rule: Rule,
    /// The node, service, resource, set, wave ... concerned, by name:
    /// (kind, name) in a fixed order per rule.
    pub objects: Vec<(&'static str, String)>,
    /// What was found, in the resource's unit or as a count.
    pub found: f64,
    /// What is allowed.
    pub allowed: f64,
    /// The unit of both numbers.
    pub unit: String,
    /// Whether the problem's current placement breaks the rule at least as badly.
    pub on_arrival: bool,
}

impl Rule {
    /// The code that `bayplan explain` knows.
    pub fn code(self) -> &'static str {
        match self {
            Self::Capacity => "V001",
            Self::Confidence => "V002",
            Self::Limit => "V003",
            Self::Spread => "V004",
            Self::Compatibility => "V005",
            Self::Unplaced => "V006",
            Self::Surplus => "V007",
            Self::Pinned => "V008",
            Self::PoolSize => "V009",
            Self::UnknownObject => "V010",
            Self::LoadShare => "V011",
            Self::Instance => "V012",
            Self::InstanceCount => "V013",
            Self::Twice => "V014",
            Self::Alive => "V015",
            Self::Wave => "V016",
            Self::WaveEnd => "V017",
            Self::Survive => "V018",
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}:", self.rule.code(), self.rule)?;
        for (kind, name) in &self.objects {
            write!(f, " {kind} {name}")?;
        }
        write!(
            f,
            ": {} {unit} where {} {unit} are allowed",
            self.found,
            self.allowed,
            unit = self.unit
        )
    }
}
