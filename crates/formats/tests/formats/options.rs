//! What the command line adds to a file.

use bayplan_formats::{Place, ReadOptions, Source, read};
use bayplan_model::{NodeId, ServiceId};

const SERVICES: &[u8] = b"service,mean,std,containers,memory\na,1,0.5,3,2\nb,2,0,1,4\n";

fn options() -> ReadOptions {
    ReadOptions { capacity: Some("10".into()), memory: Some("16Gi".into()), ..Default::default() }
}

#[test]
fn machines_are_existing_nodes() {
    let input = read(SERVICES, &ReadOptions { machines: Some(3), ..options() }).unwrap();
    let cluster = input.problem.cluster();
    assert_eq!(cluster.nodes[2].name, "node-2");
    assert_eq!(cluster.pools[0].max_count, Some(3));
    assert_eq!(cluster.pools[0].capacity, [10_000_000, 17_179_869]);
    let errors = read(SERVICES, &ReadOptions { machines: Some(4_000_000_000), ..options() });
    assert_eq!(errors.unwrap_err().errors[0].place, Place::Option("--machines"));
}

#[test]
fn a_missing_capacity_is_asked_for() {
    let errors = read(SERVICES, &ReadOptions { memory: None, ..options() }).unwrap_err();
    assert_eq!(errors.errors[0].code, "F030");
    assert!(errors.to_string().contains("memory=AMOUNT"), "{errors}");
    let node = vec![("cpus".to_string(), "4".to_string())];
    let errors = read(SERVICES, &ReadOptions { node, ..options() }).unwrap_err();
    assert!(errors.to_string().contains("did you mean `cpu`"), "{errors}");
    let node = vec![("cpu".to_string(), "4".to_string())];
    let errors = read(SERVICES, &ReadOptions { node, ..options() }).unwrap_err();
    assert!(errors.to_string().contains("given twice"), "{errors}");
}

#[test]
fn a_layout_names_nodes() {
    let layout = Some(b"service,node,count\na,x,2\nb,y,1\na,y,1\n".to_vec());
    let input = read(SERVICES, &ReadOptions { layout: layout.clone(), ..options() }).unwrap();
    let services = input.problem.services().unwrap();
    assert_eq!(input.problem.cluster().nodes.len(), 2);
    assert_eq!(services.placement.count(ServiceId(0), NodeId(0)), 2);
    // With a number of machines the named ones are among them.
    let more = ReadOptions { layout: layout.clone(), machines: Some(4), ..options() };
    let cluster = read(SERVICES, &more).unwrap().problem.cluster().clone();
    let names: Vec<&str> = cluster.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["x", "y", "node-0", "node-1"]);
    let fewer = ReadOptions { layout, machines: Some(1), ..options() };
    assert_eq!(read(SERVICES, &fewer).unwrap_err().errors[0].code, "F016");
    let layout = Some(b"service,node,count\nc,x,2\na,x,-1\n".to_vec());
    let errors = read(SERVICES, &ReadOptions { layout, ..options() }).unwrap_err();
    assert_eq!(errors.errors.len(), 2, "{errors}");
    assert_eq!(errors.errors[0].source, Source::Layout);
}

#[test]
fn options_that_contradict_the_file_are_refused() {
    let text = "version: 1\npools: [{name: p, capacity: {cpu: 4}}]\nservices: [{name: a, demand: {cpu: 1}}]\n";
    let errors = read(text.as_bytes(), &options()).unwrap_err();
    assert_eq!(errors.errors.len(), 2, "{errors}");
    assert!(errors.errors.iter().all(|error| error.code == "F030"));
}
