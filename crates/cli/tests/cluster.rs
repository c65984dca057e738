//! A listing of a Kubernetes cluster, asked about as an operator would.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Command, Output};

use common::Scratch;
use serde_json::{Value, json};

fn bayplan(arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_bayplan"))
        .args(arguments)
        .output();
    output.unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(output)))
}

fn pod(app: &str, nth: usize, node: &str, cpu: &str) -> Value {
    json!({"kind": "Pod",
        "metadata": {"name": format!("{app}-5d-{nth}"), "namespace": "shop", "labels": {"app": app},
            "ownerReferences": [{"kind": "ReplicaSet", "name": format!("{app}-5d"), "controller": true}]},
        "spec": {"nodeName": node, "containers": [{"name": "main",
            "resources": {"requests": {"cpu": cpu, "memory": "256Mi"}}}]},
        "status": {"phase": "Running"}})
}

/// Four nodes of four cores; the last is tainted and holds a pod nothing replaces.
fn cluster(scratch: &Scratch) -> String {
    let node = |name: &str, taint: bool| {
        let taints = if taint {
            json!([{"key": "dedicated", "value": "batch", "effect": "NoSchedule"}])
        } else {
            json!([])
        };
        json!({"kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "spec": {"taints": taints},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "20"}}})
    };
    let mut bare = pod("once", 0, "n3", "1");
    bare["metadata"]
        .as_object_mut()
        .unwrap()
        .remove("ownerReferences");
    let items = json!([
        node("n0", false), node("n1", false), node("n2", false), node("n3", true),
        pod("web", 0, "n0", "1"), pod("web", 1, "n1", "1"),
        pod("db", 0, "n2", "1500m"), pod("big", 0, "n1", "2500m"), bare,
        {"kind": "Service", "metadata": {"name": "front", "namespace": "shop"},
            "spec": {"selector": {"app": "db"}}},
    ]);
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    scratch.write("cluster.json", &list.to_string())
}

#[test]
fn provision_says_which_nodes_can_go_and_how() {
    let scratch = Scratch::new("cluster-shrink");
    let cluster = cluster(&scratch);
    let plan = scratch.path("plan.json");
    let output = bayplan(&[
        "provision",
        &cluster,
        "--time",
        "2",
        "-o",
        "json",
        "--plan",
        &plan,
    ]);
    assert!(output.status.success(), "{}", text(&output));
    let answer = json(&output);
    // Six cores of free pods fit on two nodes of four; the bare pod keeps its own.
    assert_eq!(answer["nodes"], 3, "{answer}");
    assert_eq!(
        answer["nodes_drained"].as_array().unwrap().len(),
        1,
        "{answer}"
    );
    assert_eq!(answer["nodes_kept"].as_array().unwrap().len(), 3);
    let checked = bayplan(&["check", &cluster, &plan]);
    assert!(checked.status.success(), "{}", text(&checked));
    let plan: Value = serde_json::from_slice(&std::fs::read(&plan).unwrap()).unwrap();
    assert!(!plan["waves"].as_array().unwrap().is_empty(), "{plan}");
    let grown = json(&bayplan(&[
        "provision",
        &cluster,
        "--grow",
        "-o",
        "json",
        "--time",
        "1",
    ]));
    assert_eq!(grown["nodes"], 4);
}

#[test]
fn without_a_node_each_of_its_pods_has_an_answer() {
    let scratch = Scratch::new("cluster-without");
    let cluster = cluster(&scratch);
    let ask = |node: &str| {
        bayplan(&[
            "provision",
            &cluster,
            "--without-node",
            node,
            "-o",
            "json",
            "--time",
            "1",
        ])
    };
    let output = ask("n1");
    let pods = json(&output)["pods"].clone();
    let of = |name: &str| {
        let mut all = pods.as_array().unwrap().iter();
        all.find(|pod| pod["pod"] == name)
            .unwrap_or_else(|| panic!("{pods}"))
            .clone()
    };
    assert_eq!(of("shop/big-5d-0")["to"].as_str().map(|_| ()), Some(()));
    assert!(["n0", "n2"].contains(&of("shop/web-5d-1")["to"].as_str().unwrap()));
    assert!(output.status.success());
    let lost = json(&ask("n3"))["pods"].clone();
    assert_eq!(lost[0]["reason"], "not_replaced", "{lost}");
    let two = ask("n1,n2");
    assert_eq!(two.status.code(), Some(1), "{}", text(&two));
    assert!(text(&ask("n9")).contains("no node is called"));
}

#[test]
fn why_a_pod_can_or_cannot_go_to_each_node() {
    let scratch = Scratch::new("cluster-why");
    let cluster = cluster(&scratch);
    let answer = text(&bayplan(&["why", "pod/big-5d-0", &cluster]));
    assert!(
        answer.contains("pod shop/big-5d-0 of shop/big runs on n1"),
        "{answer}"
    );
    assert!(answer.contains("n0: it can go there"), "{answer}");
    assert!(answer.contains("n1: it is here, and fits"), "{answer}");
    assert!(
        answer.contains("n3: it cannot: the taint dedicated=batch:NoSchedule is not tolerated"),
        "{answer}"
    );
    let one = text(&bayplan(&["why", "pod/shop/db-5d-0@n1", &cluster]));
    assert!(
        one.contains("n1: it cannot: capacity: 1 core of cpu too few"),
        "{one}"
    );
    let bare = text(&bayplan(&["why", "pod/once-5d-0", &cluster]));
    assert!(bare.contains("plans leave it where it is: N012"), "{bare}");
    assert!(!bayplan(&["why", "pod/none", &cluster]).status.success());
}

#[test]
fn colocate_names_the_services_that_must_route_locally() {
    let scratch = Scratch::new("cluster-routes");
    let cluster = cluster(&scratch);
    let traffic = scratch.write("traffic.csv", "service,service,weight\nweb,db,10\n");
    let output = bayplan(&[
        "colocate",
        &cluster,
        "--traffic",
        &traffic,
        "--steps",
        "2000",
        "-o",
        "json",
    ]);
    assert!(output.status.success(), "{}", text(&output));
    let answer = json(&output);
    assert!(
        answer["gained_affinity"].as_f64().unwrap() > 0.4,
        "{answer}"
    );
    assert_eq!(answer["services_to_route_locally"], json!(["shop/front"]));
}

#[test]
fn node_types_are_bought_at_their_price() {
    let scratch = Scratch::new("cluster-types");
    let cluster = cluster(&scratch);
    let types = scratch.write("types.csv", "name,price,cpu,memory\ncheap,0.1,64,64Gi\n");
    let output = bayplan(&[
        "provision",
        &cluster,
        "--node-types",
        &types,
        "--time",
        "2",
        "-o",
        "json",
    ]);
    assert!(output.status.success(), "{}", text(&output));
    let answer = json(&output);
    assert_eq!(answer["objective_name"], "cost", "{answer}");
    assert_eq!(
        (&answer["nodes"], &answer["cost"]),
        (&json!(2), &json!(0.2))
    );
}

#[test]
fn what_needs_a_cluster_or_a_measurement_says_so() {
    let scratch = Scratch::new("cluster-errors");
    let cluster = cluster(&scratch);
    let missing = scratch.path("none");
    let output = bayplan(&["check", "--cluster", "--kubeconfig", &missing]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("K101"), "{}", text(&output));
    let both = text(&bayplan(&["provision", "--cluster", &cluster]));
    assert!(both.contains("not both"), "{both}");
    let requests = scratch.path("requests.sh");
    let output = text(&bayplan(&[
        "overcommit",
        &cluster,
        "--requests",
        &requests,
        "--time",
        "1",
    ]));
    assert!(output.contains("--prometheus"), "{output}");
    let url = "http://127.0.0.1:1";
    let output = text(&bayplan(&[
        "overcommit",
        &cluster,
        "--prometheus",
        url,
        "--time",
        "1",
    ]));
    assert!(output.contains("K110"), "{output}");
}

/// Answers every question of usage with one figure for all pods of `web`; returns its address.
fn prometheus(pods: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let first = lines.next().unwrap().unwrap();
            while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
            let argument = |name: &str| -> f64 {
                let mut parts = first.split(['?', '&', ' ']);
                let found = parts.find_map(|part| part.strip_prefix(name));
                found.unwrap().parse().unwrap()
            };
            let (time, step) = (argument("start="), argument("step="));
            let cpu = first.contains("cpu");
            let series = (0..pods).map(|pod| {
                let values: Vec<Value> = (0..10)
                    .map(|at| {
                        let value = if cpu { 0.1 + 0.02 * f64::from(at % 2) } else { 1e8 };
                        json!([time + step * f64::from(at), value.to_string()])
                    })
                    .collect();
                json!({"metric": {"namespace": "shop", "pod": format!("web-5d-{pod}")}, "values": values})
            });
            let data = json!({"resultType": "matrix", "result": series.collect::<Vec<_>>()});
            let body = json!({"status": "success", "data": data}).to_string();
            let length = body.len();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            let _ = write!(stream, "{head}\r\ncontent-length: {length}\r\n\r\n{body}");
        }
    });
    address
}

#[test]
fn pods_spread_over_zones_get_their_requests_and_stay() {
    let scratch = Scratch::new("cluster-spread");
    let node = |at: usize| {
        json!({"kind": "Node", "metadata": {"name": format!("n{at}"),
                "labels": {"kubernetes.io/hostname": format!("n{at}"), "zone": format!("z{}", at % 2)}},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "20"}}})
    };
    let mut items: Vec<Value> = (0..4).map(node).collect();
    for nth in 0..4 {
        let mut pod = pod("web", nth, &format!("n{nth}"), "1");
        pod["spec"]["topologySpreadConstraints"] = json!([{"maxSkew": 1, "topologyKey": "zone",
            "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "web"}}}]);
        items.push(pod);
    }
    items.push(pod("db", 0, "n3", "1"));
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    let file = scratch.write("spread.json", &list.to_string());
    let url = prometheus(4);
    let output = bayplan(&[
        "overcommit",
        &file,
        "--prometheus",
        &url,
        "--time",
        "1",
        "-o",
        "json",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    let note = notes.lines().find(|line| line.contains("N036"));
    assert!(
        note.is_some_and(|note| note.ends_with("shop/web")),
        "{notes}"
    );
    let said = json(&output);
    let requests = said["requests"].as_array().unwrap();
    let web = requests
        .iter()
        .find(|row| row["name"] == "web-5d" || row["name"] == "web");
    let web = web.unwrap_or_else(|| panic!("{said}"));
    assert_eq!(
        (&web["pods"], &web["now"]["cpu"]),
        (&json!(4), &json!("1000m"))
    );
    let cpu = web["requests"]["cpu"].as_str().unwrap();
    let milli: u32 = cpu.trim_end_matches('m').parse().unwrap();
    // A mean of 110 and three deviations of about 10.
    assert!((110..200).contains(&milli), "{cpu}");
}

#[test]
fn as_a_plugin_it_is_called_as_kubectl_calls_it() {
    let scratch = Scratch::new("cluster-plugin");
    let plugin = scratch.path("kubectl-bayplan");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_bayplan"), &plugin).unwrap();
    let output = Command::new(&plugin).args(["snapshot", "--help"]).output();
    let said = text(&output.unwrap());
    assert!(
        said.contains("Usage: kubectl bayplan snapshot [OPTIONS]"),
        "{said}"
    );
}
