//! Thousands of seeded runs against a simulated cluster.

mod random;
mod sim;
