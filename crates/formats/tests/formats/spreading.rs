//! Topology spread constraints: whatever the spread set allows, the
//! constraint allows too.

use bayplan_model::Level;
use bayplan_verify::Rule;
use serde_json::{Value, json};

use crate::kubernetes::{codes, id, listing, node, pod, services};

fn constraint(skew: u32, key: &str) -> Value {
    json!({"topologySpreadConstraints": [{"maxSkew": skew, "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "web"}}}]})
}

/// `pods` of one deployment over as many zones as `zones` says, with `nodes` each.
fn spread(pods: usize, zones: usize, nodes: usize, rule: &Value) -> bayplan_formats::Input {
    let mut items: Vec<Value> = (0..zones * nodes)
        .map(|at| node(&format!("n{at}"), &format!("z{}", at % zones)))
        .collect();
    for number in 0..pods {
        let at = number % (zones * nodes);
        let mut pod = pod("web", &format!("n{at}"), rule.clone());
        pod["metadata"]["name"] = json!(format!("web-5d-{number}"));
        items.push(pod);
    }
    listing(items)
}

/// Calls with every way to put `pods` into zones that hold at most `caps`.
fn placements(pods: u32, caps: &[u32], chosen: &mut Vec<u32>, see: &mut dyn FnMut(&[u32])) {
    let Some(cap) = caps.get(chosen.len()) else {
        if pods == 0 {
            see(chosen);
        }
        return;
    };
    for here in 0..=(*cap).min(pods) {
        chosen.push(here);
        placements(pods - here, caps, chosen, see);
        chosen.pop();
    }
}

/// What the sets allow each zone to hold.
fn caps(input: &bayplan_formats::Input, zones: usize) -> Vec<u32> {
    let cluster = input.problem.cluster();
    let cap = |zone: usize| {
        let sets = services(input).spread.iter().filter(|set| {
            let Level::Label(key) = &set.level else {
                panic!("{set:?}")
            };
            cluster
                .label(bayplan_model::NodeId(zone as u32), &[], key)
                .is_some()
        });
        sets.map(|set| set.max).min().unwrap()
    };
    (0..zones).map(cap).collect()
}

/// How many of all constraints have a bound; whatever that allows, they allow.
fn bounded(nodes: usize) -> u32 {
    let mut bounds = 0;
    for zones in 1..=4 {
        for pods in 1..=14 {
            for skew in 1..=3 {
                let what = format!("{pods} over {zones} of {nodes} nodes, skew {skew}");
                let input = spread(pods, zones, nodes, &constraint(skew, "zone"));
                let web = id(&input, "shop/web").index();
                if services(&input).spread.is_empty() {
                    assert!(services(&input).pinned[web], "{what}");
                    assert!(codes(&input).contains(&"N015"));
                    continue;
                }
                bounds += 1;
                assert!(!services(&input).pinned[web]);
                let caps = caps(&input, zones);
                let (mut seen, mut here) = (0, false);
                let now: Vec<u32> = (0..zones)
                    .map(|zone| (zone..pods).step_by(zones).len() as u32)
                    .collect();
                placements(pods as u32, &caps, &mut Vec::new(), &mut |counts| {
                    let most = counts.iter().max().unwrap();
                    let least = counts.iter().min().unwrap();
                    assert!(most - least <= skew, "{counts:?}: {what}");
                    here |= counts == now;
                    seen += 1;
                });
                assert!(seen > 0, "no room: {what}");
                assert!(here, "{now:?}, where the pods are, is not allowed: {what}");
                let current = bayplan_verify::check_current(&input.problem, &Default::default());
                let mut broken = current.violations.iter();
                let spread = broken.find(|violation| violation.rule == Rule::Spread);
                assert!(spread.is_none(), "{what}: {spread:?}");
            }
        }
    }
    bounds
}

#[test]
fn what_a_bound_allows_keeps_the_skew() {
    // Where each zone is one node, none of them can take one more than the others.
    assert_eq!(bounded(1), 156);
    assert_eq!(bounded(2), 168);
}

#[test]
fn under_way_either_side_may_hold_one_more() {
    let rule = constraint(1, "zone");
    let mut items: Vec<Value> = (0..6)
        .map(|at| node(&format!("n{at}"), &format!("z{}", at % 3)))
        .collect();
    for number in 0..7 {
        let mut pod = pod("web", &format!("n{}", number % 6), rule.clone());
        pod["metadata"]["name"] = json!(format!("web-5d-{number}"));
        items.push(pod);
    }
    let text = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    let options = bayplan_formats::ReadOptions {
        under_way: true,
        ..Default::default()
    };
    let input = bayplan_formats::read(text.as_bytes(), &options).unwrap();
    assert_eq!(caps(&input, 3), [3, 3, 3]);
    assert!(!services(&input).pinned[id(&input, "shop/web").index()]);
    // Before a plan is begun only the fullest may.
    assert_eq!(caps(&spread(7, 3, 2, &rule), 3), [3, 2, 2]);
}

#[test]
fn fewer_pods_than_nodes_are_bounded_exactly() {
    let input = spread(3, 5, 1, &constraint(1, "kubernetes.io/hostname"));
    let set = &services(&input).spread[0];
    assert_eq!((set.max, &set.level), (1, &Level::Node));
    assert_eq!(codes(&input), [""; 0]);
}

#[test]
fn nodes_without_the_label_are_no_place() {
    let mut bare = node("n2", "a");
    bare["metadata"]["labels"]
        .as_object_mut()
        .unwrap()
        .remove("zone");
    let rule = constraint(1, "zone");
    let items = vec![
        node("n0", "a"),
        node("n1", "b"),
        bare,
        pod("web", "n0", rule.clone()),
        pod("web", "n1", rule),
    ];
    let input = listing(items);
    let web = id(&input, "shop/web");
    let allowed = |node: u32| {
        let compatibility = &services(&input).compatibility;
        compatibility.allows_node(web, bayplan_model::NodeId(node))
    };
    assert!(allowed(0) && allowed(1) && !allowed(2));
}

#[test]
fn pods_that_only_one_side_counts_stay() {
    let input = listing(vec![
        node("n0", "a"),
        node("n1", "b"),
        pod("web", "n0", constraint(1, "zone")),
        pod("other", "n1", constraint(1, "zone")),
    ]);
    let pinned = |name: &str| services(&input).pinned[id(&input, name).index()];
    // `other` is not counted by its own constraint, which names `web`.
    assert!(!pinned("shop/web") && pinned("shop/other"));
}
