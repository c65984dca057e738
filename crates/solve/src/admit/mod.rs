//! The solver of `admit`: the most valuable set of requests over time.

pub mod baselines;
pub mod cradle;
pub mod fill;
pub mod neighbourhood;
pub mod prices;
pub mod room;
pub mod state;
pub mod view;
