//! The algorithms of `divide`, by name.

use super::baseline::Order;
use super::index::Fit;
use super::multi::Orientation;
use crate::AlgorithmInfo;

const PAPER: &str = "Divide (CPU Load) and Conquer (CCGrid 2022)";

/// An algorithm, as selected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// The default: whatever is exact, else heuristics, search and bounds.
    Auto,
    /// The exact algorithms for equal applications.
    Equal,
    /// The integer program.
    Mip,
    /// A single-instance baseline.
    Baseline(Fit, Order),
    /// A multi-instance heuristic.
    Multi(Orientation, Fit),
}

const FITS: [(Fit, &str); 3] = [
    (Fit::First, "FIRST-FIT"),
    (Fit::Next, "NEXT-FIT"),
    (Fit::Worst, "WORST-FIT"),
];

fn order_name(order: Order) -> &'static str {
    match order {
        Order::MemIncreasing => "MEM-INCREASING",
        Order::MemDecreasing => "MEM-DECREASING",
        Order::CpuIncreasing => "CPU-INCREASING",
        Order::CpuDecreasing => "CPU-DECREASING",
        Order::RatioIncreasing => "RATIO-INCREASING",
        Order::RatioDecreasing => "RATIO-DECREASING",
        Order::Random => "RANDOM",
    }
}

/// All methods with what `--algorithm list` says about them.
pub fn methods() -> Vec<(Method, AlgorithmInfo)> {
    let mut all = vec![
        (
            Method::Auto,
            AlgorithmInfo::new(
                "auto",
                &["default"],
                "bayplan",
                "exact where possible, else heuristics, ruin and recreate, integer program and bounds",
            ),
        ),
        (
            Method::Equal,
            AlgorithmInfo::new(
                "equal",
                &["algorithm-1", "algorithm-2"],
                "Divide and Conquer, III-A and IV-B, corrected",
                "exact for applications of equal load and memory, pack and balance",
            ),
        ),
        (
            Method::Mip,
            AlgorithmInfo::new(
                "mip",
                &["ilp"],
                "Divide and Conquer, II and IV",
                "the integer program, for small problems, pack and balance",
            ),
        ),
    ];
    for (orientation, word) in [
        (Orientation::Cpu, "CPU-ORIENTED"),
        (Orientation::Mem, "MEM-ORIENTED"),
    ] {
        for (fit, rule) in FITS {
            let summary = match orientation {
                Orientation::Cpu => "whole applications by load ascending, the rest divided",
                Orientation::Mem => "whole applications by memory descending, the rest divided",
            };
            let name = format!("{word}+{rule}");
            let alias = name.replace('+', "-");
            all.push((
                Method::Multi(orientation, fit),
                AlgorithmInfo::new(
                    name,
                    &[&alias],
                    PAPER,
                    format!("{summary}; {}", rule.to_lowercase()),
                ),
            ));
        }
    }
    for order in Order::ALL {
        for (fit, rule) in FITS {
            let name = format!("{}+{rule}", order_name(order));
            let alias = name.replace('+', "-");
            let summary = format!(
                "one instance each, {} by {}",
                order_name(order).to_lowercase(),
                rule.to_lowercase()
            );
            all.push((
                Method::Baseline(fit, order),
                AlgorithmInfo::new(name, &[&alias], PAPER, summary),
            ));
        }
    }
    all
}
