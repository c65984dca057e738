//! The solver of `overcommit`.
