//! CPU seconds of this process.

use rustix::time::{ClockId, clock_gettime};

/// CPU seconds this process has used so far, all threads together.
pub fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
