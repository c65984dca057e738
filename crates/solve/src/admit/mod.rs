//! The solver of `admit`.
