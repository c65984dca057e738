//! Limits between two services: on a node that holds one, at most so many of
//! another. A limit of 0 keeps the two apart.

use super::rows::Rows;

/// On a node that holds a replica of `of`, at most `max` of `on`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limit {
    /// The service present.
    pub of: u32,
    /// The service limited.
    pub on: u32,
    /// How many of it may be there.
    pub max: u32,
}

/// A limit as one of its two services sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Beside {
    /// The other service.
    pub other: u32,
    /// The most of the own replicas where the other stands.
    pub own: u32,
    /// The most of the other's where an own one stands.
    pub theirs: u32,
}

impl Beside {
    /// Whether so many of both may stand on one node.
    #[inline]
    pub fn allows(&self, own: u32, theirs: u32) -> bool {
        own == 0 || theirs == 0 || (own <= self.own && theirs <= self.theirs)
    }
}

/// Every limit in the rows of both its services.
pub(super) fn by_service(services: usize, limits: &[Limit]) -> Rows<Beside> {
    let both = limits.iter().flat_map(|limit| {
        let present = Beside {
            other: limit.on,
            own: u32::MAX,
            theirs: limit.max,
        };
        let limited = Beside {
            other: limit.of,
            own: limit.max,
            theirs: u32::MAX,
        };
        [(limit.of, present), (limit.on, limited)]
    });
    Rows::collect(services, both)
}
