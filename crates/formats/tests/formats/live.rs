//! What stands beside a cluster's listing: traffic, kinds of nodes, the part
//! asked about; and the objects handed on with the problem.

use bayplan_formats::{Errors, Input, ReadOptions, read};
use bayplan_model::{NodeId, PoolId, ServiceId};
use serde_json::{Value, json};

use crate::kubernetes::{codes, id, node, pod, services};

fn read_with(items: &[Value], options: &ReadOptions) -> Result<Input, Errors> {
    let text = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    read(text.as_bytes(), options)
}

fn shop() -> Vec<Value> {
    vec![
        node("n0", "a"),
        node("n1", "b"),
        pod("web", "n0", json!({})),
        pod("web", "n1", json!({})),
        pod("db", "n1", json!({})),
    ]
}

fn with_traffic(table: &str) -> Result<Input, Errors> {
    let options = ReadOptions {
        traffic: Some(table.as_bytes().to_vec()),
        ..ReadOptions::default()
    };
    read_with(&shop(), &options)
}

#[test]
fn traffic_names_workloads_with_or_without_their_namespace() {
    let input = with_traffic("service,service,weight\nshop/web,db,3\ndb,web,1\n").unwrap();
    let traffic = &services(&input).traffic;
    assert_eq!(traffic.len(), 1);
    assert_eq!(traffic[0].weight, 4.0);
    let itself = with_traffic("service,service,weight\nweb,web,3\n").unwrap();
    assert!(services(&itself).traffic.is_empty() && codes(&itself).contains(&"N002"));
}

#[test]
fn traffic_that_cannot_be_read_says_where_and_what_to_do() {
    let code = |table: &str| with_traffic(table).unwrap_err().errors[0].clone();
    let unknown = code("service,service,weight\nshop/web,shop/dbb,3\n");
    assert_eq!(unknown.code, "F020");
    assert!(unknown.to_string().contains("line 2") && unknown.to_string().contains("shop/db"));
    assert_eq!(code("service,service,weight\nweb,db,-1\n").code, "F013");
    assert_eq!(code("service,service,weight\nweb,db\n").code, "F033");
    assert_eq!(code("web,db,3\n").code, "F010");
    let mut twice = shop();
    let mut other = pod("db", "n0", json!({}));
    other["metadata"]["namespace"] = json!("test");
    twice.push(other);
    let options = ReadOptions {
        traffic: Some(b"service,service,weight\nweb,db,1\n".to_vec()),
        ..ReadOptions::default()
    };
    let errors = read_with(&twice, &options).unwrap_err();
    assert!(errors.to_string().contains("shop/db, test/db"), "{errors}");
}

/// A daemon set's pod on a node.
fn daemon(node: &str) -> Value {
    let fields = json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
        {"nodeSelectorTerms": [{"matchFields":
            [{"key": "metadata.name", "operator": "In", "values": [node]}]}]}}}});
    let mut pod = pod("agent", node, fields);
    pod["metadata"]["ownerReferences"] =
        json!([{"kind": "DaemonSet", "name": "agent", "controller": true}]);
    pod
}

#[test]
fn kinds_of_nodes_are_pools_to_buy() {
    let mut items = shop();
    items[0]["metadata"]["labels"]["node.kubernetes.io/instance-type"] = json!("small");
    items[1]["metadata"]["labels"]["node.kubernetes.io/instance-type"] = json!("old");
    items.push(daemon("n0"));
    let table = "name,price,cpu,memory,max_count,labels,taints\n\
        small,0.1,4,8Gi,,,\nbig,0.35,16,32Gi,3,zone=c,dedicated=x:NoSchedule\n";
    let document = "- name: small\n  price: 0.1\n  capacity: {cpu: 4, memory: 8Gi}\n\
        - name: big\n  price: 0.35\n  max_count: 3\n  capacity: {cpu: 16, memory: 32Gi}\n  \
        labels: {zone: c}\n  taints: [\"dedicated=x:NoSchedule\"]\n";
    let read_types = |types: &str| {
        let options = ReadOptions {
            node_types: Some(types.as_bytes().to_vec()),
            ..ReadOptions::default()
        };
        read_with(&items, &options).unwrap()
    };
    let (a, b) = (read_types(table), read_types(document));
    assert_eq!(a.problem, b.problem);
    let pools = &a.problem.cluster().pools;
    let facts: Vec<(&str, u64, Option<u32>)> = pools
        .iter()
        .map(|pool| (pool.name.as_str(), pool.price, pool.max_count))
        .collect();
    assert_eq!(
        facts,
        [
            ("small", 100_000, Some(1)),
            ("old", 350_000, Some(1)),
            ("small#2", 100_000, None),
            ("big", 350_000, Some(3)),
        ]
    );
    // The daemon set runs on a new small node too, but does not tolerate the taint of a big one.
    assert_eq!(pools[2].capacity[0], 3500);
    assert_eq!(pools[3].capacity[0], 16_000);
    assert_eq!(pools[2].capacity[2], 109);
    let compatibility = &services(&a).compatibility;
    let web = id(&a, "shop/web");
    assert!(
        compatibility.allows_pool(web, PoolId(2)) && !compatibility.allows_pool(web, PoolId(3))
    );
    assert!(codes(&a).contains(&"N028"));
}

#[test]
fn a_wrong_kind_of_node_is_an_error_with_its_place() {
    for (types, code) in [
        ("name,price,cpu\nx,1,4\n", "F010"),
        ("name,price,cpu,memory\nx,one,4,8Gi\n", "F012"),
        ("name,price,cpu,memory\nx,1,4,8Gi\nx,1,4,8Gi\n", "F021"),
        ("name,price,cpu,memory,taints\nx,1,4,8Gi,wrong\n", "F018"),
        ("- name: x\n  cost: 1\n", "F011"),
        ("", "F037"),
    ] {
        let options = ReadOptions {
            node_types: Some(types.as_bytes().to_vec()),
            ..ReadOptions::default()
        };
        let errors = read_with(&shop(), &options).unwrap_err();
        let found: Vec<&str> = errors.errors.iter().map(|error| error.code).collect();
        assert!(found.contains(&code), "{types:?}: {errors}");
        assert!(errors.to_string().contains("node types"), "{errors}");
    }
}

#[test]
fn what_was_not_asked_about_stays() {
    let mut items = shop();
    let mut foreign = pod("web", "n0", json!({}));
    foreign["metadata"]["namespace"] = json!("test");
    items.push(foreign);
    let pinned = |options: &ReadOptions| {
        let input = read_with(&items, options).unwrap();
        let names: Vec<String> = services(&input).names.iter().map(String::from).collect();
        let pinned = services(&input).pinned.clone();
        names
            .into_iter()
            .zip(pinned)
            .filter(|(_, pinned)| *pinned)
            .map(|(name, _)| name)
            .collect::<Vec<_>>()
    };
    assert!(pinned(&ReadOptions::default()).is_empty());
    let namespaces = vec!["shop".into()];
    assert_eq!(
        pinned(&ReadOptions {
            namespaces,
            ..ReadOptions::default()
        }),
        ["test/web"]
    );
    let labels = Some("app!=db".into());
    assert_eq!(
        pinned(&ReadOptions {
            labels,
            ..ReadOptions::default()
        }),
        ["shop/db"]
    );
}

#[test]
fn stateful_sets_stay_unless_asked_otherwise() {
    let mut items = shop();
    items[4]["metadata"]["ownerReferences"] =
        json!([{"kind": "StatefulSet", "name": "db", "controller": true}]);
    for move_stateful in [false, true] {
        let options = ReadOptions {
            move_stateful,
            ..ReadOptions::default()
        };
        let input = read_with(&items, &options).unwrap();
        assert_eq!(
            services(&input).pinned[id(&input, "shop/db").index()],
            !move_stateful
        );
        assert_eq!(codes(&input).contains(&"N032"), !move_stateful);
    }
}

#[test]
fn the_objects_behind_the_problem_are_handed_on() {
    let mut items = shop();
    items.push(
        json!({"kind": "Service", "metadata": {"name": "front", "namespace": "shop"},
        "spec": {"selector": {"app": "web"}}}),
    );
    items.push(
        json!({"kind": "Service", "metadata": {"name": "near", "namespace": "shop"},
        "spec": {"selector": {"app": "db"}, "trafficDistribution": "PreferSameNode"}}),
    );
    items.push(json!({"kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web"}}}));
    let input = read_with(&items, &ReadOptions::default()).unwrap();
    let objects = input.objects.as_deref().unwrap();
    let (web, db) = (id(&input, "shop/web"), id(&input, "shop/db"));
    let routes: Vec<(&str, &[ServiceId], bool)> = objects
        .routes
        .iter()
        .map(|route| {
            (
                route.name.as_str(),
                route.services.as_slice(),
                route.same_node,
            )
        })
        .collect();
    assert_eq!(
        routes,
        [("front", &[web][..], false), ("near", &[db][..], true)]
    );
    assert!(objects.workloads[web.index()].autoscaled && !objects.workloads[db.index()].autoscaled);
    assert!(codes(&input).contains(&"N033"));
    let (service, pod) = objects.pod("web-5d-n1").unwrap().unwrap();
    assert_eq!((service, pod.node), (web, Some(NodeId(1))));
    assert_eq!(pod.replica_set.as_deref(), Some("web-5d"));
    assert_eq!(objects.pod("shop/none").unwrap(), None);
}

#[test]
fn refusals_are_said_in_the_words_of_the_objects() {
    let mut items = shop();
    items[1]["spec"]["taints"] =
        json!([{"key": "dedicated", "value": "db", "effect": "NoSchedule"}]);
    items[2]["spec"]["nodeSelector"] = json!({"zone": "a", "disk": "ssd"});
    items.remove(3);
    let input = read_with(&items, &ReadOptions::default()).unwrap();
    let objects = input.objects.as_deref().unwrap();
    assert_eq!(
        objects.refusals(id(&input, "shop/web"), NodeId(1)),
        [
            "nodeSelector wants disk=ssd",
            "nodeSelector wants zone=a, not b",
            "the taint dedicated=db:NoSchedule is not tolerated",
        ]
    );
}

#[test]
fn options_for_clusters_are_refused_for_other_inputs() {
    let options = ReadOptions {
        namespaces: vec!["shop".into()],
        ..ReadOptions::default()
    };
    let native = b"version: 1\npools: [{name: a, capacity: {cpu: 1}}]\nservices: [{name: s, demand: {cpu: 1}}]\n";
    let errors = read(native, &options).unwrap_err();
    assert_eq!(errors.errors[0].code, "F030");
}
