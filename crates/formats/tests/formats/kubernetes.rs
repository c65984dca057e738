//! The mapping of a cluster's listing, rule by rule.

use bayplan_formats::{Input, ReadOptions, read};
use bayplan_model::{Level, NodeId, PoolId, ServiceId, Services};
use serde_json::{Value, json};

pub(crate) fn listing(items: Vec<Value>) -> Input {
    let text = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    read(text.as_bytes(), &ReadOptions::default()).unwrap_or_else(|errors| panic!("{errors}"))
}

pub(crate) fn node(name: &str, zone: &str) -> Value {
    json!({"kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "zone": zone}},
        "spec": {}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}})
}

/// A pod of the deployment `app`, on a node.
pub(crate) fn pod(app: &str, node: &str, spec: Value) -> Value {
    let mut pod = json!({"kind": "Pod",
        "metadata": {"name": format!("{app}-5d-{node}"), "namespace": "shop", "labels": {"app": app},
            "ownerReferences": [{"kind": "ReplicaSet", "name": format!("{app}-5d"), "controller": true}]},
        "spec": {"nodeName": node, "containers": [
            {"resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}]},
        "status": {"phase": "Running"}});
    for (key, value) in spec.as_object().unwrap() {
        pod["spec"][key] = value.clone();
    }
    pod
}

pub(crate) fn services(input: &Input) -> &Services {
    input.problem.services().unwrap()
}

pub(crate) fn id(input: &Input, name: &str) -> ServiceId {
    let names = &services(input).names;
    ServiceId(
        names
            .find(name)
            .unwrap_or_else(|| panic!("{:?}", names.iter().collect::<Vec<_>>())),
    )
}

pub(crate) fn codes(input: &Input) -> Vec<&str> {
    input
        .notes
        .iter()
        .map(|note| note.code)
        .filter(|code| *code != "N010")
        .collect()
}

#[test]
fn pods_of_a_deployment_are_replicas_of_a_service() {
    let input = listing(vec![
        node("n0", "a"),
        node("n1", "a"),
        node("n2", "b"),
        pod("web", "n0", json!({})),
        pod("web", "n1", json!({})),
        json!({"kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"replicas": 3}}),
    ]);
    let web = id(&input, "shop/web");
    assert_eq!(services(&input).replicas, [3]);
    assert_eq!(services(&input).placement.count(web, NodeId(1)), 1);
    let cluster = input.problem.cluster();
    assert_eq!(
        cluster.pools.len(),
        2,
        "zones make different kinds of nodes"
    );
    assert_eq!(cluster.pools[0].capacity, [4000, 8 << 30, 10]);
    assert_eq!(services(&input).row(web), [500, 1 << 30, 1]);
    assert_eq!(codes(&input), ["N025"]);
}

#[test]
fn demand_is_what_the_scheduler_counts() {
    let input = listing(vec![
        node("n0", "a"),
        pod(
            "web",
            "n0",
            json!({
            "initContainers": [
                {"resources": {"requests": {"cpu": "100m"}}, "restartPolicy": "Always"},
                {"resources": {"requests": {"cpu": "2"}}}],
            "containers": [
                {"resources": {"requests": {"cpu": 1, "nvidia.com/gpu": "1"}}},
                {"resources": {"limits": {"memory": "64Mi"}}}],
            "overhead": {"cpu": "10m"}}),
        ),
    ]);
    let names: Vec<&str> = input
        .problem
        .cluster()
        .resources
        .iter()
        .map(|r| r.name.as_str())
        .collect();
    assert_eq!(names, ["cpu", "memory", "pods", "nvidia.com/gpu"]);
    assert_eq!(services(&input).row(ServiceId(0)), [2110, 64 << 20, 1, 1]);
}

#[test]
fn daemon_sets_take_room_and_other_lone_pods_stay() {
    let mut daemon = pod("agent", "n0", json!({}));
    daemon["metadata"]["ownerReferences"][0]["kind"] = json!("DaemonSet");
    let mut mirror = pod("static", "n1", json!({}));
    mirror["metadata"]["ownerReferences"][0]["kind"] = json!("Node");
    let mut careful = pod("careful", "n1", json!({}));
    careful["metadata"]["annotations"] = json!({"karpenter.sh/do-not-disrupt": "true"});
    let mut done = pod("done", "n1", json!({}));
    done["status"]["phase"] = json!("Succeeded");
    let input = listing(vec![
        node("n0", "a"),
        node("n1", "a"),
        daemon,
        mirror,
        careful,
        done,
        pod("web", "n1", json!({})),
    ]);
    let cluster = input.problem.cluster();
    assert_eq!(cluster.capacity(cluster.nodes[0].pool), [3500, 7 << 30, 9]);
    assert_eq!(cluster.capacity(cluster.nodes[1].pool), [4000, 8 << 30, 10]);
    let pinned = |name: &str| services(&input).pinned[id(&input, name).index()];
    assert!(pinned("shop/static-5d-n1") && pinned("shop/careful") && !pinned("shop/web"));
    assert_eq!(services(&input).len(), 3);
    assert_eq!(codes(&input), ["N011", "N012", "N024"]);
}

#[test]
fn selectors_affinity_and_taints_decide_where() {
    let mut tainted = node("n1", "a");
    tainted["spec"]["taints"] = json!([{"key": "team", "value": "x", "effect": "NoSchedule"}]);
    let mut cordoned = node("n2", "a");
    cordoned["spec"]["unschedulable"] = json!(true);
    let affinity = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
        {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "zone", "operator": "NotIn", "values": ["a"]}]}]}}});
    let input = listing(vec![
        node("n0", "a"),
        tainted,
        cordoned,
        node("n3", "b"),
        pod("plain", "n0", json!({})),
        pod("picky", "n3", json!({"affinity": affinity})),
        pod(
            "zone-a",
            "n0",
            json!({"nodeSelector": {"zone": "a"},
            "tolerations": [{"key": "team", "operator": "Equal", "value": "x"}]}),
        ),
        pod(
            "by-name",
            "n0",
            json!({"nodeSelector": {"kubernetes.io/hostname": "n0"}}),
        ),
        pod("lost", "n2", json!({})),
    ]);
    let allowed = |name| -> Vec<u32> {
        let service = id(&input, name);
        (0..4)
            .filter(|n| {
                services(&input)
                    .compatibility
                    .allows_node(service, NodeId(*n))
            })
            .collect()
    };
    assert_eq!(allowed("shop/plain"), [0, 3]);
    assert_eq!(allowed("shop/picky"), [3]);
    assert_eq!(allowed("shop/zone-a"), [0, 1]);
    assert_eq!(allowed("shop/by-name"), [0]);
    let pools = input.problem.cluster().pools.len();
    let by_name = id(&input, "shop/by-name");
    assert!((0..pools).all(|p| {
        !services(&input)
            .compatibility
            .allows_pool(by_name, PoolId::from(p))
    }));
    assert_eq!(codes(&input), ["N020"]);
    assert_eq!(input.notes[1].objects, ["shop/lost"]);
}

fn apart(app: &str, topology: &str) -> Value {
    json!({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": topology}]}}})
}

#[test]
fn anti_affinity_becomes_limits_and_spread_sets() {
    let host = "kubernetes.io/hostname";
    let input = listing(vec![
        node("n0", "a"),
        node("n1", "b"),
        node("n2", "b"),
        pod("db", "n0", apart("db", host)),
        pod("web", "n1", apart("db", host)),
        pod("zoned", "n2", apart("zoned", "zone")),
    ]);
    let all = services(&input);
    let [db, web] = ["shop/db", "shop/web"].map(|name| id(&input, name));
    assert_eq!(all.limits.get(web, db), Some(0));
    assert_eq!(all.limits.len(), 1);
    assert_eq!(all.spread.len(), 2);
    assert_eq!((&all.spread[0].level, all.spread[0].max), (&Level::Node, 1));
    assert_eq!(all.spread[1].level, Level::Label("zone".into()));
    assert!(!all.pinned.contains(&true));
    assert!(codes(&input).is_empty(), "{:?}", input.notes);
    // Between services in a zone there is no word for it: both stay.
    let input = listing(vec![
        node("n0", "a"),
        node("n1", "b"),
        pod("db", "n0", json!({})),
        pod("web", "n1", apart("db", "zone")),
        pod("other", "n1", json!({})),
    ]);
    let pinned = |name: &str| services(&input).pinned[id(&input, name).index()];
    assert!(pinned("shop/db") && pinned("shop/web") && !pinned("shop/other"));
    assert_eq!(codes(&input), ["N014"]);
}

#[test]
fn what_has_no_word_stays_and_is_reported() {
    let near = json!({"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": "zone"}]}}});
    let spread = json!({"topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}]});
    let soft = json!({"topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]});
    let input = listing(vec![
        node("n0", "a"),
        pod("near", "n0", near),
        pod("cache", "n0", json!({})),
        pod("spread", "n0", spread),
        pod("soft", "n0", soft),
        pod(
            "disk",
            "n0",
            json!({"volumes": [{"persistentVolumeClaim": {"claimName": "c"}}]}),
        ),
        pod(
            "host",
            "n0",
            json!({"volumes": [{"hostPath": {"path": "/"}}]}),
        ),
        pod("own", "n0", json!({"schedulerName": "mine"})),
        pod("gone", "n9", json!({"priority": 7})),
        json!({"kind": "Wardrobe", "metadata": {"name": "x"}}),
    ]);
    let pinned = |name: &str| services(&input).pinned[id(&input, name).index()];
    for name in ["near", "cache", "spread", "disk", "host", "own"] {
        assert!(pinned(&format!("shop/{name}")), "{name}");
    }
    assert!(!pinned("shop/soft") && !pinned("shop/gone"));
    let expected = [
        "N013", "N015", "N016", "N017", "N019", "N021", "N022", "N023",
    ];
    assert_eq!(codes(&input), expected, "{:?}", input.notes);
    let volumes = input.notes.iter().find(|note| note.code == "N016").unwrap();
    assert_eq!(volumes.objects, ["shop/disk-5d-n0", "shop/host-5d-n0"]);
}

#[test]
fn a_known_volume_restricts_instead() {
    let input = listing(vec![
        node("n0", "a"),
        node("n1", "b"),
        pod(
            "disk",
            "n0",
            json!({"volumes": [{"persistentVolumeClaim": {"claimName": "c"}}]}),
        ),
        json!({"kind": "PersistentVolumeClaim", "metadata": {"name": "c", "namespace": "shop"},
            "spec": {"volumeName": "v", "accessModes": ["ReadWriteOnce"]}}),
        json!({"kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": {"nodeAffinity": {"required":
            {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]}}}}),
    ]);
    let disk = id(&input, "shop/disk");
    assert!(!services(&input).pinned[0]);
    assert!(services(&input).compatibility.allows_node(disk, NodeId(0)));
    assert!(!services(&input).compatibility.allows_node(disk, NodeId(1)));
}

#[test]
fn host_ports_and_disruption_budgets() {
    let port = json!({"containers": [{"ports": [{"hostPort": 80, "protocol": "TCP"}, {"containerPort": 1}]}]});
    let budget = |name: &str, spec: Value| json!({"kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": "shop"}, "spec": spec});
    let input = listing(vec![
        node("n0", "a"),
        node("n1", "a"),
        node("n2", "a"),
        pod("web", "n0", port.clone()),
        pod("web", "n1", port.clone()),
        pod("web", "n2", port.clone()),
        pod("edge", "n1", port),
        budget(
            "half",
            json!({"minAvailable": "50%", "selector": {"matchLabels": {"app": "web"}}}),
        ),
        budget(
            "both",
            json!({"maxUnavailable": 1, "selector": {"matchExpressions": [
            {"key": "app", "operator": "In", "values": ["edge"]}]}}),
        ),
    ]);
    let all = services(&input);
    assert_eq!(all.spread[0].members.len(), 2);
    assert_eq!(
        (all.spread[0].name.as_str(), all.spread[0].max),
        ("host port 80/TCP", 1)
    );
    assert_eq!(all.alive[id(&input, "shop/web").index()], 2);
    assert_eq!(all.alive[id(&input, "shop/edge").index()], 0);
    // One budget over two services: its single disruption cannot be halved.
    let input = listing(vec![
        node("n0", "a"),
        pod("web", "n0", json!({})),
        pod("edge", "n0", json!({})),
        budget("all", json!({"maxUnavailable": 1, "selector": {}})),
    ]);
    assert_eq!(services(&input).alive, [1, 1]);
    assert_eq!(codes(&input), ["N018"]);
}

#[test]
fn different_templates_of_one_owner_are_different_services() {
    let mut newer = pod(
        "web",
        "n1",
        json!({"containers": [{"resources": {"requests": {"cpu": 1}}}]}),
    );
    newer["metadata"]["ownerReferences"][0]["name"] = json!("web-77");
    let input = listing(vec![
        node("n0", "a"),
        node("n1", "a"),
        pod("web", "n0", json!({})),
        newer,
    ]);
    assert_eq!(services(&input).len(), 2);
    id(&input, "shop/web#2");
}
