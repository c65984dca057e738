//! The solver of `colocate`.
