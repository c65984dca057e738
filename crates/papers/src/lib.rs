//! Generators and experiments of the five papers.

pub mod generate;
