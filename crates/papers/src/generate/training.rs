//! Clusters of many sizes, for training the choice between solvers.

use super::ColocateOptions;
use super::random::{below, stream};

/// The options of the `number`-th cluster of a seed: from a handful of
/// services to several hundred, with few or many replicas on small or large
/// machines. The paper draws its subproblems from four clusters of its own
/// (section IV-D).
pub fn training_cluster(seed: u64, number: u64) -> ColocateOptions {
    let random = &mut stream(seed, 43, number);
    let services = 60 + below(random, 500) as usize;
    let containers = services * (2 + below(random, 14) as usize);
    // M3 has 36 containers a machine.
    let machines = (containers / (10 + below(random, 40) as usize)).max(6);
    ColocateOptions {
        services,
        containers,
        machines,
        cpu_use: 0.6 + below(random, 28) as f64 / 100.0,
        ..ColocateOptions::default()
    }
}
