//! The shape of the paper's experiment (section VI) on a few instances.

use bayplan_solve::Budget;
use bayplan_solve::divide::Objective::Pack;
use bayplan_solve::divide::{Params, algorithms};

use crate::support::{params, solved, trace_like};

const INSTANCES: u64 = 8;

fn mean_nodes(algorithm: &str, memory: u64) -> f64 {
    let nodes = (0..INSTANCES).map(|seed| {
        solved(
            &trace_like(100, memory, seed),
            &params(algorithm, Pack),
            Budget::Steps(0),
        )
        .objective
    });
    nodes.sum::<f64>() / INSTANCES as f64
}

#[test]
fn published_shape() {
    let multi: Vec<String> = algorithms()
        .into_iter()
        .map(|info| info.name)
        .filter(|n| n.contains("ORIENTED"))
        .collect();
    let all: Vec<String> = algorithms()
        .into_iter()
        .map(|info| info.name)
        .filter(|n| n.contains('+'))
        .collect();
    assert_eq!((multi.len(), all.len()), (6, 27));
    let best = mean_nodes("MEM-ORIENTED+WORST-FIT", 64);
    for name in all.iter().filter(|name| *name != "MEM-ORIENTED+WORST-FIT") {
        assert!(mean_nodes(name, 64) > best, "{name} is better at 64");
    }
    for name in &multi {
        for seed in 0..INSTANCES {
            let found = solved(
                &trace_like(100, 512, seed),
                &params(name, Pack),
                Budget::Steps(0),
            );
            assert!(found.proven, "{name} at 512");
        }
    }
}

#[test]
fn the_default_reaches_the_bound_from_96_on() {
    for memory in [96, 128, 256] {
        for seed in 0..INSTANCES {
            let found = solved(
                &trace_like(100, memory, seed),
                &Params::default(),
                Budget::Steps(100_000),
            );
            assert!(
                found.proven,
                "{memory} GB, seed {seed}: {} over {:?}",
                found.objective, found.bound
            );
        }
    }
}
