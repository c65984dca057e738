//! CPU seconds of a run.

use bayplan_solve::Context;
use rustix::time::{ClockId, clock_gettime};

/// CPU seconds used so far: of this thread, where the run stays on it, so that
/// runs side by side do not count each other; of the process otherwise.
pub fn cpu_seconds(context: &Context) -> f64 {
    let time = clock_gettime(if context.stays_on_its_thread() {
        ClockId::ThreadCPUTime
    } else {
        ClockId::ProcessCPUTime
    });
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
