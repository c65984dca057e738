//! The hand-written examples are what their comments say.

use bayplan_formats::{ReadOptions, SCHEMA, read_file, write_problem_json};
use bayplan_verify::{Rules, check_current};

fn example(name: &str) -> bayplan_model::Problem {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let input = read_file(&path, &ReadOptions::default())
        .unwrap_or_else(|errors| panic!("{name}: {errors}"));
    let schema = serde_json::from_str(SCHEMA).unwrap();
    let document = serde_json::from_str(&write_problem_json(&input.problem)).unwrap();
    assert!(jsonschema::is_valid(&schema, &document));
    input.problem
}

#[test]
fn the_web_shop_is_legal_and_mediocre() {
    let problem = example("web-shop.yaml");
    let services = problem.services().unwrap();
    let report = check_current(&problem, &Rules::default());
    assert!(report.holds(), "{:?}", report.violations);
    assert!(!services.limits.is_empty() && !services.spread.is_empty());
    assert!(!services.compatibility.is_everywhere() && services.pinned.contains(&true));
}

#[test]
fn the_batch_cluster_cannot_take_everything() {
    let problem = example("batch-cluster.yaml");
    let requests = problem.requests().unwrap();
    assert_eq!(problem.cluster().nodes.len(), 3);
    // Some hour asks for more CPU than all three nodes have.
    let capacity: u64 =
        problem.cluster().nodes.iter().map(|n| problem.cluster().capacity(n.pool)[0]).sum();
    let width = problem.cluster().resources.len();
    let most = requests.start.iter().map(|now| {
        let active = (0..requests.len())
            .filter(|at| requests.start[*at] <= *now && *now < requests.finish[*at]);
        active.map(|at| requests.demand[at * width]).sum::<u64>()
    });
    assert!(most.max().unwrap() > capacity);
}
