//! Which services should share nodes, and how to get there without an outage.

pub mod anneal;
pub mod gain;
pub mod shelf;
pub mod state;
pub mod view;
