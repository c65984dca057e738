//! Readers and writers for problems and plans.
//!
//! [`read`] takes the bytes of a file, detects gzip and the format by content,
//! and returns a checked problem together with notes on what the format says
//! that a problem cannot, or every error of the file at once. Amounts go from
//! decimal text to integer units without a float between.

mod bytes;
mod cluster;
mod codes;
mod error;
mod format;
mod interference;
mod kubernetes;
mod layout;
mod native;
mod note;
mod options;
mod plan;
mod pools;
mod quantity;
mod read;
mod tables;
mod tclab;
mod text;
mod traffic;
mod tree;
mod write;

pub use bytes::read_bytes;
pub use codes::codes;
pub use error::{Errors, InputError, Place, Source};
pub use format::Format;
pub use kubernetes::{ContainerRef, Lookup, Objects, PodRef, Route, WorkloadRef};
pub use native::{PLAN_SCHEMA, SCHEMA, write_problem_json, write_problem_yaml};
pub use note::Note;
pub use options::ReadOptions;
pub use plan::{plan_rows, read_plan, write_plan_csv, write_plan_json};
pub use quantity::parse_quantity;
pub use read::{Input, read, read_file};
pub use write::{WriteError, write_table};

/// The most replicas of all services together, and the most requests: far
/// beyond any cluster, and small enough that one array of them is harmless.
pub const MAX_REPLICAS: u64 = 10_000_000;

/// The most services, applications or rows of a table.
pub const MAX_ROWS: usize = 10_000_000;

/// The most existing nodes.
pub const MAX_NODES: u32 = 200_000;
