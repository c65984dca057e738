//! The time of day: for names, leases and windows, never for a plan.

use std::time::{Duration, SystemTime};

/// Since 1970.
#[expect(
    clippy::disallowed_methods,
    reason = "names, leases and windows are about the time of day; no plan sees it"
)]
pub(crate) fn now() -> Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap_or(Duration::ZERO)
}
