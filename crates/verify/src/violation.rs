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

impl Rule {
    /// All rules, by code.
    pub const ALL: [Self; 18] = [
        Self::Capacity,
        Self::Confidence,
        Self::Limit,
        Self::Spread,
        Self::Compatibility,
        Self::Unplaced,
        Self::Surplus,
        Self::Pinned,
        Self::PoolSize,
        Self::UnknownObject,
        Self::LoadShare,
        Self::Instance,
        Self::InstanceCount,
        Self::Twice,
        Self::Alive,
        Self::Wave,
        Self::WaveEnd,
        Self::Survive,
    ];

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

    /// Whether a placement can break the rule before any plan was made, so
    /// that a plan which leaves it no worse is not to blame. The other rules
    /// are about the plan itself.
    pub(crate) fn can_be_broken_on_arrival(self) -> bool {
        matches!(
            self,
            Self::Capacity
                | Self::Confidence
                | Self::Limit
                | Self::Spread
                | Self::Compatibility
                | Self::Surplus
                | Self::PoolSize
                | Self::Survive
        )
    }
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
    /// What is allowed (or, where too little was found, what is needed).
    pub allowed: f64,
    /// `found`, exactly.
    pub found_text: String,
    /// `allowed`, exactly.
    pub allowed_text: String,
    /// The distance between the two, exactly.
    pub off_by_text: String,
    /// The unit of all these numbers.
    pub unit: String,
    /// Whether the problem's current placement breaks the rule at least as badly.
    pub on_arrival: bool,
}

impl Violation {
    /// The name of the first object of a kind.
    pub fn object(&self, kind: &str) -> Option<&str> {
        let mut objects = self.objects.iter();
        objects
            .find(|(of, _)| *of == kind)
            .map(|(_, name)| name.as_str())
    }

    fn percent(&self) -> String {
        if self.allowed > 0.0 {
            format!(" ({:.1} %)", (self.found / self.allowed - 1.0) * 100.0)
        } else {
            String::new()
        }
    }
}

/// A number with its unit, which may be empty.
fn with_unit(number: &str, unit: &str) -> String {
    if unit.is_empty() {
        number.to_owned()
    } else {
        format!("{number} {unit}")
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |kind| self.object(kind).unwrap_or("?");
        let (found, allowed, off) = (&self.found_text, &self.allowed_text, &self.off_by_text);
        write!(f, "{} ", self.rule.code())?;
        match self.rule {
            Rule::Capacity | Rule::Confidence => {
                let confidence = if self.rule == Rule::Confidence {
                    " at confidence"
                } else {
                    ""
                };
                write!(
                    f,
                    "node {}: {} {}{confidence}, {}{} over the {} allowed",
                    of("node"),
                    of("resource"),
                    with_unit(found, &self.unit),
                    with_unit(off, &self.unit),
                    self.percent(),
                    with_unit(allowed, &self.unit),
                )
            }
            Rule::Limit if of("service") == of("limited") => write!(
                f,
                "node {}: {found} replicas of {}, at most {allowed} may share a node",
                of("node"),
                of("service"),
            ),
            Rule::Limit => write!(
                f,
                "node {}: {found} replicas of {} beside {}, at most {allowed} allowed",
                of("node"),
                of("limited"),
                of("service"),
            ),
            Rule::Spread => {
                let (kind, place) = &self.objects[0];
                write!(
                    f,
                    "{kind} {place}: {found} replicas of spread set {} together, at most {allowed} allowed",
                    of("spread set"),
                )
            }
            Rule::Compatibility => write!(
                f,
                "service {}: {found} replicas on node {}, which it may not use",
                of("service"),
                of("node"),
            ),
            Rule::Unplaced => write!(
                f,
                "service {}: {found} of {allowed} replicas placed, {off} missing",
                of("service"),
            ),
            Rule::Surplus => write!(
                f,
                "service {}: {found} replicas placed, {off} more than its {allowed}",
                of("service"),
            ),
            Rule::Pinned => write!(
                f,
                "service {} is pinned: {found} of its {allowed} replicas stay on node {}",
                of("service"),
                of("node"),
            ),
            Rule::PoolSize => write!(
                f,
                "pool {}: {found} nodes, {off} more than the {allowed} there may be",
                of("pool"),
            ),
            Rule::UnknownObject => {
                let (kind, name) = &self.objects[0];
                write!(
                    f,
                    "the plan names {kind} {name}, which the problem does not have"
                )
            }
            Rule::LoadShare => write!(
                f,
                "application {}: its instances serve {} of its load of {}",
                of("application"),
                with_unit(found, &self.unit),
                with_unit(allowed, &self.unit),
            ),
            Rule::Instance => write!(
                f,
                "application {}: {found} instances on node {}, at most {allowed} allowed",
                of("application"),
                of("node"),
            ),
            Rule::InstanceCount => write!(
                f,
                "application {}: {found} instances, {} {allowed} asked for",
                of("application"),
                if self.found < self.allowed {
                    "at least"
                } else {
                    "at most"
                },
            ),
            Rule::Twice => write!(f, "request {}: admitted {found} times", of("request")),
            Rule::Alive => write!(
                f,
                "service {}: {found} replicas alive, {allowed} needed at all times",
                of("service"),
            ),
            Rule::Wave => write!(
                f,
                "service {}: {found} replicas to be stopped on node {}, where {allowed} run",
                of("service"),
                of("node"),
            ),
            Rule::WaveEnd => write!(
                f,
                "service {}: the waves leave {found} replicas on node {}, the plan says {allowed}",
                of("service"),
                of("node"),
            ),
            Rule::Survive => {
                let (kind, name) = &self.objects[0];
                write!(
                    f,
                    "loss of {kind} {name}: no place found for {found} {}",
                    self.unit,
                )?;
                match self.object("short of") {
                    Some(resource) => write!(
                        f,
                        " (certain: less {resource} is free on all other nodes than was lost)"
                    ),
                    None => Ok(()),
                }
            }
        }?;
        for (kind, name) in &self.objects {
            match *kind {
                "epoch" => write!(f, " in epoch {name}")?,
                "time" => write!(f, " at time {name}")?,
                "wave" => write!(f, " in wave {name}")?,
                _ => {}
            }
        }
        if self.on_arrival {
            f.write_str(" (no worse than on arrival)")?;
        }
        Ok(())
    }
}
