//! What makes a problem impossible to build. Importers check the same things
//! with a place in the file; these are the last line.

use thiserror::Error;

/// A broken invariant of a problem.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ModelError {
    /// An id beyond its array.
    #[error("{what} refers to {kind} {id}, but there are only {count}")]
    UnknownId {
        /// The object that refers.
        what: &'static str,
        /// The kind referred to.
        kind: &'static str,
        /// The id.
        id: u32,
        /// How many there are.
        count: usize,
    },
    /// An array whose length does not follow from the others.
    #[error("{what}: expected {expected} entries, found {found}")]
    Length {
        /// Which array.
        what: &'static str,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// The whole demand for a resource passes 63 bits.
    #[error("the demand for {resource} summed over all {of} is too large to count")]
    Overflow {
        /// The resource.
        resource: String,
        /// Summed over which objects.
        of: &'static str,
    },
    /// Two rules for the same pair.
    #[error("limit {of} -> {on} is given twice, as {first} and as {second}")]
    DuplicateLimit {
        /// The service present.
        of: u32,
        /// The service limited.
        on: u32,
        /// One value.
        first: u32,
        /// The other value.
        second: u32,
    },
    /// A value outside its range.
    #[error("{what}: {problem}")]
    Value {
        /// The object.
        what: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}
