//! Which services should share nodes, and how to get there without an outage.

pub mod anneal;
pub mod assign;
pub mod evolve;
pub mod gain;
pub mod kinds;
pub mod migrate;
pub mod patterns;
pub mod recombine;
pub mod schedule;
pub mod shelf;
pub mod state;
pub mod view;
