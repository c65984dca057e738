//! The table rule x verb, found by asking: for each rule a small input that
//! tempts a solver to break it, given to every verb. The answer is checked by
//! the verifier before it is printed, so "kept" cannot mean "ignored"; the
//! only other answer allowed is a refusal that names the rule (S002).

use std::path::Path;
use std::process::Command;

const SERVICES: &str = "version: 1
pools:
  - {name: node, capacity: {cpu: 8, memory: 8Gi}}
nodes:
  - {name: n0, pool: node, labels: {zone: a}}
  - {name: n1, pool: node, labels: {zone: a}}
  - {name: n2, pool: node, labels: {zone: b}}
  - {name: n3, pool: node, labels: {zone: b}}
traffic:
  - {between: [a, b], weight: 1}
placement:
  - {service: a, node: n0}
  - {service: a, node: n2}
  - {service: b, node: n1}
  - {service: b, node: n3}
  - {service: c, node: n3}
";

const PLAIN: &str = "services:
  - {name: a, replicas: 2, demand: {cpu: 2, memory: 1Gi}}
  - {name: b, replicas: 2, demand: {cpu: 2, memory: 1Gi}}
  - {name: c, replicas: 1, demand: {cpu: 1, memory: 1Gi}}
";

/// (rule, what the input says beside the services)
const SERVICE_RULES: &[(&str, &str)] = &[
    ("capacity", ""),
    (
        "limit between services",
        "limits: [{of: a, on: b, max: 0}]\n",
    ),
    (
        "cap of a service per node",
        "limits: [{of: a, on: a, max: 1}]\n",
    ),
    (
        "spread set on a node",
        "spread: [{name: s, services: [a, b], max: 1}]\n",
    ),
    (
        "spread set over a label",
        "spread: [{name: s, services: [a], max: 1, label: zone}]\n",
    ),
    (
        "compatibility",
        "compatibility: [{services: [c], labels: {zone: b}}]\n",
    ),
];

/// (rule, the services themselves)
const SERVICE_DEMANDS: &[(&str, &str)] = &[
    (
        "pinned service",
        "services:
  - {name: a, replicas: 2, demand: {cpu: 2, memory: 1Gi}, pinned: true}
  - {name: b, replicas: 2, demand: {cpu: 2, memory: 1Gi}}
  - {name: c, replicas: 1, demand: {cpu: 1, memory: 1Gi}}
",
    ),
    (
        "replicas alive while moving",
        "services:
  - {name: a, replicas: 2, demand: {cpu: 2, memory: 1Gi}, alive: 2}
  - {name: b, replicas: 2, demand: {cpu: 2, memory: 1Gi}, alive: 1}
  - {name: c, replicas: 1, demand: {cpu: 1, memory: 1Gi}, alive: 1}
",
    ),
    (
        "demand by epoch",
        "services:
  - {name: a, replicas: 2, demand: {cpu: [4, 1, 4], memory: 1Gi}}
  - {name: b, replicas: 2, demand: {cpu: [1, 5, 1], memory: 1Gi}}
  - {name: c, replicas: 1, demand: {cpu: [1, 1, 4], memory: 1Gi}}
",
    ),
    (
        "random demand",
        "services:
  - {name: a, replicas: 2, demand: {cpu: {mean: 2, deviation: 0.5}, memory: 1Gi}}
  - {name: b, replicas: 2, demand: {cpu: {mean: 2, deviation: 1}, memory: 1Gi}}
  - {name: c, replicas: 1, demand: {cpu: 1, memory: 1Gi}}
",
    ),
];

const APPLICATION_RULES: &[(&str, &str)] = &[
    (
        "fewest and most instances",
        "- {name: x, load: 6, memory: 1Gi, min_instances: 3, max_instances: 3}",
    ),
    (
        "memory that grows with the load",
        "- {name: x, load: 6, memory: 1Gi, memory_per_load: 1Gi}",
    ),
    (
        "an application larger than a node",
        "- {name: x, load: 20, memory: 1Gi}",
    ),
];

const REQUEST_RULES: &[(&str, &str)] = &[
    (
        "differing nodes",
        "pools: [{name: big, capacity: {cpu: 8, memory: 8Gi}, count: 1}, {name: small, capacity: {cpu: 2, memory: 8Gi}, count: 1}]
requests:
  - {start: 0, finish: 5, demand: {cpu: 5, memory: 1Gi}}
  - {start: 1, finish: 6, demand: {cpu: 4, memory: 1Gi}, weight: 3}
  - {start: 1, finish: 2, demand: {cpu: 2, memory: 1Gi}}
",
    ),
    (
        "three resources",
        "resources: [{name: cpu, unit: core, scale: 1000}, {name: memory, unit: MiB, scale: 1}, {name: gpu, unit: card, scale: 1}]
pools: [{name: big, capacity: {cpu: 8, memory: 8Gi, gpu: 1}, count: 2}]
requests:
  - {start: 0, finish: 5, demand: {cpu: 1, memory: 1Gi, gpu: 1}}
  - {start: 1, finish: 6, demand: {cpu: 1, memory: 1Gi, gpu: 1}, weight: 3}
  - {start: 1, finish: 3, demand: {cpu: 1, memory: 1Gi, gpu: 1}}
",
    ),
];

fn answer(verb: &str, input: &str, more: &[&str]) -> &'static str {
    let path =
        std::env::temp_dir().join(format!("bayplan-rules-{}-{verb}.yaml", std::process::id()));
    std::fs::write(&path, input).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bayplan"))
        .args([verb, path.to_str().unwrap(), "--steps", "100", "-o", "json"])
        .args(more)
        .output()
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => "kept",
        Some(2) if error.contains("S002") => "refused",
        code => panic!(
            "{verb} ended with {code:?} on\n{input}\n{error}\n{}",
            String::from_utf8_lossy(&output.stdout)
        ),
    }
}

#[test]
fn generated_table_of_rules_and_verbs() {
    let mut page = String::from(
        "# Rules and verbs\n\nA verb keeps every rule of its input or refuses the input with a code; nothing is \
         ignored in silence.\nThis table is found by asking the program.\n\n\
         | rule | provision | colocate | overcommit |\n|---|---|---|---|\n",
    );
    let verbs: [(&str, &[&str]); 3] = [
        ("provision", &[]),
        ("colocate", &[]),
        ("overcommit", &["--confidence", "0.99"]),
    ];
    let rules = SERVICE_RULES
        .iter()
        .map(|(name, rule)| (name, format!("{SERVICES}{PLAIN}{rule}")));
    let demands = SERVICE_DEMANDS
        .iter()
        .map(|(name, services)| (name, format!("{SERVICES}{services}")));
    for (name, input) in rules.chain(demands) {
        let row = verbs.map(|(verb, more)| answer(verb, &input, more));
        page.push_str(&format!("| {name} | {} |\n", row.join(" | ")));
    }
    page.push_str("\n| rule | divide |\n|---|---|\n");
    for (name, application) in APPLICATION_RULES {
        let pools =
            "version: 1\npools: [{name: node, capacity: {cpu: 8, memory: 8Gi}}]\napplications:\n  ";
        page.push_str(&format!(
            "| {name} | {} |\n",
            answer("divide", &format!("{pools}{application}\n"), &[])
        ));
    }
    page.push_str("\n| rule | admit |\n|---|---|\n");
    for (name, input) in REQUEST_RULES {
        page.push_str(&format!(
            "| {name} | {} |\n",
            answer("admit", &format!("version: 1\n{input}"), &[])
        ));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules.md");
    if std::env::var_os("BAYPLAN_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "docs/rules.md is stale: run ./task docs\n{page}"
    );
}
