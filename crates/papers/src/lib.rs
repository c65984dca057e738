//! Generators and experiments of the five papers.

pub mod experiments;
pub mod generate;
