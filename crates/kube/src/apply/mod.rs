//! Carries a plan out on a live cluster, wave by wave.
//!
//! [`core`] decides and knows no cluster; everything else here is the thin
//! layer between it and the API server.

pub(crate) mod api;
mod board;
mod calls;
mod carry;
mod cleanup;
pub mod core;
mod dry;
mod error;
mod gates;
mod job;
mod live;
mod names;
pub(crate) mod record;
mod replan;
mod report;
mod requests;

pub use carry::{ApplyOptions, Start, apply};
pub use cleanup::{Cleaned, cleanup};
pub use dry::{DryRun, dry_run};
pub use error::ApplyError;
pub(crate) use error::CODES;
pub use gates::{Address, GateKind};
pub use report::ApplyReport;
