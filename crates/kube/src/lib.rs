//! Reads a live Kubernetes cluster and carries a plan out on it.
//!
//! Reading: [`connect`] to the cluster, take a [`Snapshot`]: the objects as
//! one list that `kubectl get ... -o json` could have printed, and the problem
//! that the file importer makes of it, so a live cluster and a file of it are
//! the same input.

pub mod apply;
mod client;
mod clock;
mod codes;
pub mod controller;
pub mod crd;
mod error;
mod mesh;
mod owners;
mod prometheus;
mod snapshot;
pub mod usage;

pub use client::{Connection, connect};
pub use codes::codes;
pub use error::Error;
pub use mesh::traffic;
pub use prometheus::{Prometheus, Series};
pub use snapshot::{Snapshot, SnapshotOptions, snapshot};
