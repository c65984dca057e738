//! The algorithms of `admit`, by name.

use crate::AlgorithmInfo;

const CRADLE: &str = "ConAlloc paper (IFIP Networking 2021)";

/// All algorithms, the default first.
pub fn algorithms() -> Vec<AlgorithmInfo> {
    let info = |name: &str, aliases: &[&str], source, summary: &str| AlgorithmInfo {
        name: name.into(),
        aliases: aliases.iter().map(|alias| (*alias).into()).collect(),
        source,
        summary: summary.into(),
    };
    vec![
        info(
            "auto",
            &["default", "lns"],
            "bayplan",
            "prices from the relaxation, filling in price order, neighbourhood search; never below Cradle+Density; small cases to proof",
        ),
        info(
            "Prices",
            &["price-fill"],
            "bayplan",
            "prices from the relaxation and one filling in price order",
        ),
        info(
            "Density",
            &["greedy"],
            "bayplan",
            "one filling by room times time per weight, least first",
        ),
        info(
            "Cradle",
            &[],
            CRADLE,
            "local ratio by earliest finish, best of narrow and wide requests: a 12-approximation",
        ),
        info(
            "Cradle-DP",
            &["cradle-9"],
            CRADLE,
            "Cradle with a dynamic program for wide requests: a 9-approximation when nodes are few",
        ),
        info(
            "Cradle+",
            &["cradle+start", "cradleplus"],
            CRADLE,
            "Cradle, then what is left by start, where it fits",
        ),
        info(
            "Cradle+Density",
            &["cradle+-density", "cradleplus-density"],
            "bayplan, on Cradle",
            "Cradle, then what is left by room times time per weight",
        ),
        info(
            "Bin-Packing",
            &["first-fit", "firstfit", "binpacking"],
            CRADLE,
            "online: each arrival on the first node with room",
        ),
        info(
            "Bin-Packing-Pointer",
            &["next-fit"],
            CRADLE,
            "online: one open node, on to the next when an arrival does not fit",
        ),
        info(
            "Spread",
            &["round-robin"],
            CRADLE,
            "online: nodes in turn, the first with room from the next on",
        ),
        info(
            "Spread-Strict",
            &[],
            CRADLE,
            "online: nodes in turn, rejected if the node whose turn it is has no room",
        ),
        info(
            "Online",
            &["online-prices"],
            "bayplan",
            "online: an arrival is admitted if it is worth the price of what it takes, learnt from the recent past",
        ),
        info(
            "ILP",
            &["exact"],
            CRADLE,
            "the integer program, for small cases: proven best",
        ),
    ]
}
