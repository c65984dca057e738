//! Cluster JSON as ByteDance publishes it: services with their containers,
//! machines with what runs on them, traffic.

mod read;
mod write;

pub(crate) use read::{read, refuse_node_options};
pub(crate) use write::{fault, write};

/// Units of the whole cluster: its CPU and its memory are both 1 in the file.
pub(crate) const SHARE_SCALE: u64 = 1_000_000_000_000;
