//! The algorithms of `admit`, by name.

use crate::AlgorithmInfo;

const CRADLE: &str = "ConAlloc paper (IFIP Networking 2021)";

/// All algorithms, the default first.
pub fn algorithms() -> Vec<AlgorithmInfo> {
    vec![
        AlgorithmInfo::new(
            "auto",
            &["default", "lns"],
            "bayplan",
            "prices from the relaxation, filling in price order, neighbourhood search; never below Cradle+Density; small cases to proof",
        ),
        AlgorithmInfo::new(
            "Prices",
            &["price-fill"],
            "bayplan",
            "prices from the relaxation and one filling in price order",
        ),
        AlgorithmInfo::new(
            "Density",
            &["greedy"],
            "bayplan",
            "one filling by room times time per weight, least first",
        ),
        AlgorithmInfo::new(
            "Cradle",
            &[],
            CRADLE,
            "local ratio by earliest finish, best of narrow and wide requests: a 12-approximation",
        ),
        AlgorithmInfo::new(
            "Cradle-DP",
            &["cradle-9"],
            CRADLE,
            "Cradle with a dynamic program for wide requests: a 9-approximation when nodes are few",
        ),
        AlgorithmInfo::new(
            "Cradle+",
            &["cradle+start", "cradleplus"],
            CRADLE,
            "Cradle, then what is left by start, where it fits",
        ),
        AlgorithmInfo::new(
            "Cradle+Density",
            &["cradle+-density", "cradleplus-density"],
            "bayplan, on Cradle",
            "Cradle, then what is left by room times time per weight",
        ),
        AlgorithmInfo::new(
            "Bin-Packing",
            &["first-fit", "firstfit", "binpacking"],
            CRADLE,
            "online: each arrival on the first node with room",
        ),
        AlgorithmInfo::new(
            "Bin-Packing-Pointer",
            &["next-fit"],
            CRADLE,
            "online: one open node, on to the next when an arrival does not fit",
        ),
        AlgorithmInfo::new(
            "Spread",
            &["round-robin"],
            CRADLE,
            "online: nodes in turn, the first with room from the next on",
        ),
        AlgorithmInfo::new(
            "Spread-Strict",
            &[],
            CRADLE,
            "online: nodes in turn, rejected if the node whose turn it is has no room",
        ),
        AlgorithmInfo::new(
            "Online",
            &["online-prices"],
            "bayplan",
            "online: an arrival is admitted if it is worth the price of what it takes, learnt from the recent past",
        ),
        AlgorithmInfo::new(
            "ILP",
            &["exact"],
            CRADLE,
            "the integer program, for small cases: proven best",
        ),
    ]
}
