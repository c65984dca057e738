//! The solver of `provision`.
