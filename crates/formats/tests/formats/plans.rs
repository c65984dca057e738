//! Plans are read back, and strangers in them are named.

use bayplan_formats::{ReadOptions, read, read_plan, write_plan_csv, write_plan_json};
use bayplan_model::*;

use crate::random::{self, Random};

#[test]
fn json_plans_are_read_back_exactly() {
    for seed in 0..1500 {
        let problem = random::problem(seed);
        let plan = random::plan(&mut Random(seed), &problem);
        let text = write_plan_json(&problem, &plan);
        let again = read_plan(text.as_bytes(), &problem)
            .unwrap_or_else(|errors| panic!("seed {seed}: {errors}\n{text}"));
        // Loads are written exactly only where the scale is a power of ten.
        assert_eq!(again, plan, "seed {seed}\n{text}");
    }
}

/// A plan with its nodes by name: a table does not say in which order new
/// nodes of different pools were opened.
fn by_name(problem: &Problem, plan: &Plan) -> Vec<(String, u32, u64)> {
    let name = |node: NodeId| problem.cluster().node_name(node, plan.opened());
    let mut rows: Vec<(String, u32, u64)> = match plan {
        Plan::Placement(plan) => {
            let counts = plan.placement.counts().iter();
            counts.map(|c| (name(c.node), c.service.0, u64::from(c.count))).collect()
        }
        Plan::Division(plan) => {
            plan.shares.iter().map(|s| (name(s.node), s.application.0, s.load)).collect()
        }
        Plan::Admission(plan) => plan.accepted.iter().map(|(r, n)| (name(*n), r.0, 1)).collect(),
    };
    rows.sort();
    rows
}

#[test]
fn tables_of_plans_are_read_back() {
    for seed in 0..1500 {
        let problem = random::problem(seed);
        let plan = random::plan(&mut Random(seed), &problem);
        let text = write_plan_csv(&problem, &plan);
        let again = read_plan(text.as_bytes(), &problem)
            .unwrap_or_else(|errors| panic!("seed {seed}: {errors}\n{text}"));
        assert_eq!(by_name(&problem, &again), by_name(&problem, &plan), "seed {seed}\n{text}");
    }
}

fn small() -> Problem {
    let text = "version: 1\npools: [{name: p, capacity: {cpu: 4}, count: 2}]\n\
                services: [{name: web, replicas: 3, demand: {cpu: 1}}]\n";
    read(text.as_bytes(), &ReadOptions::default()).unwrap().problem
}

#[test]
fn strangers_in_a_plan_are_errors_with_a_hint() {
    let problem = small();
    let text = "node,service,count\np-0,wbe,1\np-7,web,1\np-1,web,-1\np/0,web,1\np/99999999,web,1\n";
    let errors = read_plan(text.as_bytes(), &problem).unwrap_err();
    let codes: Vec<&str> = errors.errors.iter().map(|error| error.code).collect();
    assert_eq!(codes, ["F020", "F020", "F013", "F020", "F016"], "{errors}");
    assert!(errors.to_string().contains("did you mean `web`"), "{errors}");
    assert!(errors.to_string().contains("plan line 2"), "{errors}");
    for broken in ["", "{", "{}", "a,b\n", "service,node\n", "{\"version\": 2, \"placement\": []}"] {
        assert!(read_plan(broken.as_bytes(), &problem).is_err(), "{broken}");
    }
}

#[test]
fn new_nodes_have_names() {
    let problem = small();
    let text = "service,node,count\nweb,p/2,1\nweb,p-1,2\n";
    let Plan::Placement(plan) = read_plan(text.as_bytes(), &problem).unwrap() else { panic!() };
    assert_eq!(plan.opened, [PoolId(0), PoolId(0)]);
    let web = ServiceId(0);
    assert_eq!(plan.placement.count(web, NodeId(1)), 2);
    assert_eq!(plan.placement.count(web, NodeId(3)), 1);
    // With one pool and no node yet, another program's names are new nodes.
    let table = "app_id\tnb_instances\tcore\tmemory\nx\t2\t1\t1\n";
    let problem = read(table.as_bytes(), &ReadOptions::default()).unwrap().problem;
    let text = "service,node,count\nx,first,1\nx,second,1\n";
    assert_eq!(read_plan(text.as_bytes(), &problem).unwrap().opened().len(), 2);
}
