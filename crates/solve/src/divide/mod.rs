//! The solver of `divide`.
