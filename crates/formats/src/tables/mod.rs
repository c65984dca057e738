//! Plain tables: a header in any order, one object a line.

pub(crate) mod applications;
pub(crate) mod header;
pub(crate) mod openb;
pub(crate) mod requests;
pub(crate) mod services;
pub(crate) mod table;
pub(crate) mod vms;
