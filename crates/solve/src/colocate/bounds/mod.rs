//! What no placement can exceed.

pub mod star;
