//! What two questions need, once.

pub mod context;
pub mod error;
pub mod registry;
pub mod room;
pub mod solution;
