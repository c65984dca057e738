//! Carries a plan out on a live cluster, wave by wave.

pub mod core;
mod replan;
