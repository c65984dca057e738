//! Anti-affinity sets.

use crate::ServiceId;

/// What counts as "together".
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Level {
    /// The same node.
    Node,
    /// Nodes that share the value of this label, such as `zone`.
    Label(String),
}

/// At most `max` replicas of the members together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpreadSet {
    /// Its name.
    pub name: String,
    /// The services counted, ascending.
    pub members: Vec<ServiceId>,
    /// How many replicas of all members may be together.
    pub max: u32,
    /// What together means.
    pub level: Level,
}
