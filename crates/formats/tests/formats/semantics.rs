//! What each format's numbers become, by hand.

use bayplan_formats::{ReadOptions, read};
use bayplan_model::{Demand, NodeId, RequestId, ServiceId};

fn options() -> ReadOptions {
    ReadOptions::default()
}

#[test]
fn tclab_demands_round_up_and_limits_keep_their_direction() {
    let text = "app_id\tnb_instances\tcore\tmemory\tinter_degree\tinter_aff\n\
                1\t2\t0.1\t8\t2\t[(2, 0), (1, 3)]\n2\t1\t0.0000001\t4.0000001\t0\t[]\n";
    let input = read(text.as_bytes(), &options()).unwrap();
    let services = input.problem.services().unwrap();
    assert_eq!(services.demand(ServiceId(0)), Demand::Constant(&[100_000, 8_000_000]));
    assert_eq!(services.demand(ServiceId(1)), Demand::Constant(&[1, 4_000_001]));
    assert_eq!(services.limits.get(ServiceId(0), ServiceId(1)), Some(0));
    assert_eq!(services.limits.get(ServiceId(1), ServiceId(0)), None);
    // In this table a limit of a service on itself is the cap as written.
    assert_eq!(services.limits.cap(ServiceId(0)), Some(3));
    assert_eq!(input.problem.cluster().pools[0].capacity, [64_000_000, 128_000_000]);
    assert_eq!(input.notes[0].code, "N001");
}

#[test]
fn tclab_epochs_are_rows_per_resource() {
    let text = "app_id\tnb_instances\tcore\tmemory\n1\t2\t[1, 2, 3]\t[4, 5, 6]\n";
    let input = read(text.as_bytes(), &options()).unwrap();
    let units = [1, 2, 3, 4, 5, 6].map(|gigabytes| gigabytes * 1_000_000);
    let services = input.problem.services().unwrap();
    assert_eq!(services.demand(ServiceId(0)), Demand::Epochs { epochs: 3, units: &units });
}

#[test]
fn tianchi_self_limits_allow_one_more() {
    let base = "app_id\tnb_instances\tcore\tmemory\n1\t2\t1\t1\n2\t2\t1\t1\n";
    let limits = b"app_1,app_1,2\napp_1,app_2,2\n".to_vec();
    let input = read(base.as_bytes(), &ReadOptions { limits: Some(limits), ..options() }).unwrap();
    let limits = &input.problem.services().unwrap().limits;
    assert_eq!(limits.cap(ServiceId(0)), Some(3));
    assert_eq!(limits.get(ServiceId(0), ServiceId(1)), Some(2));
    for (bad, code) in [
        ("app_1,app_9,2\n", "F020"),
        ("app_1,app_2,-2\n", "F013"),
        ("app_1,app_2\n", "F033"),
        ("app_1,app_2,1\napp_1,app_2,2\n", "F022"),
    ] {
        let limits = Some(bad.as_bytes().to_vec());
        let errors = read(base.as_bytes(), &ReadOptions { limits, ..options() }).unwrap_err();
        assert_eq!(errors.errors[0].code, code, "{errors}");
    }
}

#[test]
fn tables_of_services_square_the_deviation_exactly() {
    let text = "service,mean,std,containers\na,1.07,0.43,1618\n";
    let input = read(text.as_bytes(), &ReadOptions { capacity: Some("31.58".into()), ..options() });
    let problem = input.unwrap().problem;
    let demand = problem.services().unwrap().demand(ServiceId(0));
    let variance = [430_000u128 * 430_000];
    assert_eq!(demand, Demand::Random { mean: &[1_070_000], variance: &variance });
    assert_eq!(problem.cluster().pools[0].capacity, [31_580_000]);
}

#[test]
fn request_times_keep_their_scale() {
    let input = read(b"f,s,b,a\n10,-5,0.25,0.5\n", &options()).unwrap();
    let requests = input.problem.requests().unwrap();
    assert_eq!((requests.time_scale, requests.start[0], requests.finish[0]), (1, -5, 10));
    assert_eq!(requests.row(RequestId(0)), [50_000_000, 25_000_000]);
    assert_eq!(requests.weight[0], 1_000_000);
    let input = read(b"s,f,a,b,weight\n0.5,1,0,0,2.5\n", &options()).unwrap();
    let requests = input.problem.requests().unwrap();
    assert_eq!((requests.time_scale, requests.start[0]), (1_000_000, 500_000));
    assert_eq!(requests.weight[0], 2_500_000);
    // Too fine for a millionth: the interval never shrinks.
    let input = read(b"s,f,a,b\n0.0000009,1.0000001,0,0\n", &options()).unwrap();
    let requests = input.problem.requests().unwrap();
    assert_eq!((requests.start[0], requests.finish[0]), (0, 1_000_001));
}

#[test]
fn clusters_round_demand_up_and_capacity_down() {
    let text = r#"{"ServiceList": [{"Service": "a", "RequestCPU": 8.117132520207078e-05,
        "RequestMem": 0, "ContainerList": ["x", "y"], "CompatibleMachines": ["m"]}],
        "MachineList": [{"MachineIP": "l", "TotalCPU": 8.117132520207078e-05, "TotalMem": 1},
        {"MachineIP": "m", "TotalCPU": 0.5, "TotalMem": 1, "InitialDeployingContainers": ["y"]}]}"#;
    let input = read(text.as_bytes(), &options()).unwrap();
    let services = input.problem.services().unwrap();
    assert_eq!(services.row(ServiceId(0)), [81_171_326, 0]);
    let cluster = input.problem.cluster();
    assert_eq!(cluster.pools[0].capacity, [81_171_325, 1_000_000_000_000]);
    assert_eq!((cluster.pools.len(), cluster.pools[1].max_count), (2, Some(1)));
    assert_eq!(services.placement.count(ServiceId(0), NodeId(1)), 1);
    assert!(!services.compatibility.allows_node(ServiceId(0), NodeId(0)));
    assert!(services.compatibility.allows_node(ServiceId(0), NodeId(1)));
}

#[test]
fn virtual_machines_become_applications() {
    let text = "deployment,cores,memory,avg_cpu\nd,4,8,50\nd,2,16,12.5\n";
    let (cpu, memory) = (Some("32".into()), Some("64".into()));
    let input = read(text.as_bytes(), &ReadOptions { cpu, memory, ..options() }).unwrap();
    let applications = input.problem.applications().unwrap();
    assert_eq!((applications.all[0].load, applications.all[0].memory), (2_250_000, 16_000_000));
}

#[test]
fn openb_pods_are_requests_with_whole_cards() {
    let pods = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time\n\
                p,12000,16384,1,460,0,100\nq,1000,1024,2,1000,7,7\n";
    let nodes = b"sn,cpu_milli,memory_mib,gpu,model\nn,32000,262144,2,T4\nm,32000,262144,0,\n";
    let input = read(pods.as_bytes(), &ReadOptions { nodes: Some(nodes.to_vec()), ..options() });
    let input = input.unwrap();
    let requests = input.problem.requests().unwrap();
    assert_eq!(requests.row(RequestId(0)), [12_000, 16_384, 1]);
    assert_eq!(requests.row(RequestId(1)), [1_000, 1_024, 2]);
    assert_eq!(requests.finish[1], 8);
    let codes: Vec<&str> = input.notes.iter().map(|note| note.code).collect();
    assert_eq!(codes, ["N030", "N031"]);
    assert_eq!(input.problem.cluster().pools[0].capacity, [32_000, 262_144, 2]);
    assert_eq!(input.problem.cluster().nodes.len(), 2);
}

#[test]
fn native_quantities_compatibility_and_priorities() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/native/accepted/everything.yaml");
    let input = read(&std::fs::read(file).unwrap(), &options()).unwrap();
    let services = input.problem.services().unwrap();
    assert_eq!(services.row(ServiceId(0)), [500, 1 << 30]);
    assert_eq!(services.row(ServiceId(2)), [0, 1_000_000_000]);
    assert_eq!(services.traffic[0].weight, 5.0);
    let cluster = input.problem.cluster();
    let names: Vec<&str> = cluster.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["p-0", "p-1", "n"]);
    // `a` is under two rules: pool p or node n, and zone a or new nodes of q.
    let reach = services.compatibility.reach(ServiceId(0)).unwrap();
    assert_eq!(reach.nodes.ones().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(reach.pools.ones().collect::<Vec<_>>(), [0]);
    let reach = services.compatibility.reach(ServiceId(1)).unwrap();
    assert_eq!(reach.pools.ones().collect::<Vec<_>>(), [0, 1]);
}
