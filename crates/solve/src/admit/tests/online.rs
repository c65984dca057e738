//! Online admission against first fit and the offline answer.

use super::algorithms::run;
use super::generate::cluster_like;
use crate::{Budget, Context};

#[test]
fn learnt_prices_make_up_half_the_distance() {
    let context = Context::new(1, Budget::Steps(500), 2);
    for (rho, duration) in [(3.75, 0.008), (12.0, 0.02)] {
        for seed in 1..=3 {
            let problem = cluster_like(10, rho, duration, seed);
            let of = |algorithm| run(&problem, algorithm, &context).unwrap().objective;
            let (first_fit, online, offline) = (of("Bin-Packing"), of("Online"), of("auto"));
            let share = (online - first_fit) / (offline - first_fit);
            println!(
                "rho {rho}, seed {seed}: {first_fit} {online} {offline}, {share:.2} of the way"
            );
            assert!(share >= 0.5, "rho {rho}, seed {seed}: {share}");
        }
    }
}
