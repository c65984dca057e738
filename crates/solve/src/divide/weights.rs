//! What an autoscaler and a load balancer need: instances and integer weights.

use std::fmt::Write;

use bayplan_model::{ApplicationId, DivisionPlan, NodeId, Problem};

/// The weights of one application's instances.
#[derive(Clone, PartialEq, Debug)]
pub struct AppWeights {
    /// The application.
    pub application: ApplicationId,
    /// Its instances, by node, with their weights.
    pub weights: Vec<(NodeId, u32)>,
    /// The largest difference between a weight's share and the exact share of
    /// the load, in millionths of the application's load, rounded up.
    pub error: u64,
}

/// Integer weights for every application of a plan that sum to `total`.
///
/// Largest remainder: each share rounded down, the rest to the largest
/// remainders. An instance that serves load never gets weight 0 unless there
/// are more instances than `total`: a load balancer would stop using it.
pub fn weights(problem: &Problem, plan: &DivisionPlan, total: u32) -> Vec<AppWeights> {
    let count = problem.applications().map_or(0, |all| all.all.len());
    let mut shares = vec![Vec::new(); count];
    for share in &plan.shares {
        if let Some(own) = shares.get_mut(share.application.index()) {
            own.push((share.node, share.load));
        }
    }
    let with_instances = shares
        .into_iter()
        .enumerate()
        .filter(|(_, own)| !own.is_empty());
    with_instances
        .map(|(application, own)| of_one(application.into(), &own, total))
        .collect()
}

fn of_one(application: ApplicationId, shares: &[(NodeId, u64)], total: u32) -> AppWeights {
    let served: u128 = shares.iter().map(|(_, load)| u128::from(*load)).sum();
    // Without load, every instance is as good as another.
    let part = |load: u64| if served == 0 { 1 } else { u128::from(load) };
    let whole = if served == 0 {
        shares.len() as u128
    } else {
        served
    };
    let exact = |load: u64| part(load) * u128::from(total);
    let mut weights: Vec<u32> = (shares.iter())
        .map(|(_, load)| {
            let least = u32::from(part(*load) > 0 && shares.len() <= total as usize);
            ((exact(*load) / whole) as u32).max(least)
        })
        .collect();
    let given: u32 = weights.iter().sum();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    if given <= total {
        order.sort_by_key(|i| (std::cmp::Reverse(exact(shares[*i].1) % whole), *i));
        for at in 0..(total - given) as usize {
            weights[order[at % order.len()]] += 1;
        }
    } else {
        // The ones given to tiny shares are taken back where they hurt least.
        for _ in 0..given - total {
            let most = (0..weights.len()).max_by_key(|i| {
                let over = i128::from(weights[*i]) * whole as i128 - exact(shares[*i].1) as i128;
                (weights[*i] > 1, over, std::cmp::Reverse(*i))
            });
            weights[most.expect("there are instances")] -= 1;
        }
    }
    let error = |i: usize| {
        let difference = (u128::from(weights[i]) * whole).abs_diff(exact(shares[i].1));
        (difference * 1_000_000).div_ceil(whole * u128::from(total)) as u64
    };
    AppWeights {
        application,
        error: (0..shares.len()).map(error).max().unwrap_or(0),
        weights: shares
            .iter()
            .zip(&weights)
            .map(|((node, _), weight)| (*node, *weight))
            .collect(),
    }
}

/// How the names of a problem and plan are found.
struct Namer<'a>(&'a Problem, &'a DivisionPlan);

impl Namer<'_> {
    fn app(&self, id: ApplicationId) -> &str {
        self.0
            .applications()
            .map_or("", |all| all.names.get(id.index()))
    }

    fn node(&self, id: NodeId) -> String {
        self.0.cluster().node_name(id, &self.1.opened)
    }
}

/// The weights as lines: application, instances, `node=weight ...`, error.
pub fn as_text(problem: &Problem, plan: &DivisionPlan, all: &[AppWeights]) -> String {
    let names = Namer(problem, plan);
    let mut text = String::new();
    for one in all {
        let _ = write!(
            text,
            "{}  {} instances ",
            names.app(one.application),
            one.weights.len()
        );
        for (node, weight) in &one.weights {
            let _ = write!(text, " {}={weight}", names.node(*node));
        }
        let _ = writeln!(text, "  (off by at most {:.4} %)", one.error as f64 / 1e4);
    }
    text
}

/// The weights as a JSON array: application, instances, weights by node, and
/// the largest error as a fraction of the application's load.
pub fn as_json(problem: &Problem, plan: &DivisionPlan, all: &[AppWeights]) -> String {
    let names = Namer(problem, plan);
    let mut text = String::from("[");
    for (n, one) in all.iter().enumerate() {
        let _ = write!(
            text,
            "{}\n  {{\"application\": {}, \"instances\": {}, \"max_error\": {}, \"weights\": [",
            if n > 0 { "," } else { "" },
            quoted(names.app(one.application)),
            one.weights.len(),
            one.error as f64 / 1e6,
        );
        for (m, (node, weight)) in one.weights.iter().enumerate() {
            let comma = if m > 0 { ", " } else { "" };
            let node = quoted(&names.node(*node));
            let _ = write!(text, "{comma}{{\"node\": {node}, \"weight\": {weight}}}");
        }
        text.push_str("]}");
    }
    text.push_str("\n]\n");
    text
}

/// Hints in the words of Kubernetes, one YAML document per application.
///
/// They are hints, not manifests to apply: a Deployment has no weights, so each
/// instance is named as a backend of its own, as the `backendRefs` of a
/// Gateway API HTTPRoute take them (weight relative to the sum), with the node
/// it is meant for.
pub fn as_kubernetes(problem: &Problem, plan: &DivisionPlan, all: &[AppWeights]) -> String {
    let names = Namer(problem, plan);
    let mut text =
        String::from("# Hints: replicas for the autoscaler, backendRefs for an HTTPRoute rule.\n");
    for one in all {
        let app = names.app(one.application);
        let _ = write!(
            text,
            "---\napplication: {}\nreplicas: {}\n",
            quoted(app),
            one.weights.len()
        );
        let _ = writeln!(text, "maxError: {}\nbackendRefs:", one.error as f64 / 1e6);
        for (node, weight) in &one.weights {
            let node = names.node(*node);
            let backend = format!("{app}-{}", node.replace('/', "-"));
            let _ = writeln!(
                text,
                "  - name: {}\n    weight: {weight}\n    nodeName: {}",
                quoted(&backend),
                quoted(&node)
            );
        }
    }
    text
}

/// A JSON string, which is a YAML string too.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if u32::from(c) < 0x20 || c == '\u{7f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(loads: &[u64], total: u32) -> (Vec<u32>, u64) {
        let shares: Vec<_> = loads
            .iter()
            .enumerate()
            .map(|(n, load)| (NodeId::from(n), *load))
            .collect();
        let one = of_one(ApplicationId(0), &shares, total);
        (
            one.weights.iter().map(|(_, weight)| *weight).collect(),
            one.error,
        )
    }

    #[test]
    fn weights_sum_and_stay_near_the_shares() {
        assert_eq!(of(&[1, 1, 1], 100), (vec![34, 33, 33], 6667));
        assert_eq!(of(&[50, 30, 20], 100), (vec![50, 30, 20], 0));
        assert_eq!(of(&[0, 0], 1000), (vec![500, 500], 0));
        assert_eq!(of(&[7], 100), (vec![100], 0));
        // A tiny instance keeps a weight of one, and the error says so.
        assert_eq!(of(&[999_999, 1], 100), (vec![99, 1], 9999));
        let (weights, _) = of(&[u64::MAX / 2, u64::MAX / 2, 5, 5, 5], 1000);
        assert_eq!((weights.iter().sum::<u32>(), weights[2]), (1000, 1));
    }

    #[test]
    fn many_random_shares() {
        use rand::{RngExt, SeedableRng};
        let mut random = crate::Random::seed_from_u64(1);
        for _ in 0..2000 {
            let count = random.random_range(1..12);
            let loads: Vec<u64> = (0..count).map(|_| random.random_range(0..1000)).collect();
            let total = if random.random() { 100 } else { 1000 };
            let (weights, error) = of(&loads, total);
            assert_eq!(weights.iter().sum::<u32>(), total, "{loads:?}");
            let served: u64 = loads.iter().sum();
            for (load, weight) in loads.iter().zip(&weights) {
                assert!(*load == 0 || *weight > 0);
                if served > 0 {
                    let off = f64::from(*weight) / f64::from(total) - *load as f64 / served as f64;
                    assert!(off.abs() <= error as f64 / 1e6 + 1e-12);
                }
            }
        }
    }
}
