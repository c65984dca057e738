//! Topology spread constraints: whatever the spread set allows, the
//! constraint allows too.

use bayplan_model::Level;
use serde_json::{Value, json};

use crate::kubernetes::{codes, id, listing, node, pod, services};

fn constraint(skew: u32, key: &str) -> Value {
    json!({"topologySpreadConstraints": [{"maxSkew": skew, "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "web"}}}]})
}

/// `pods` of one deployment over as many zones as `zones` says, one node each.
fn spread(pods: usize, zones: usize, rule: &Value) -> bayplan_formats::Input {
    let mut items: Vec<Value> = (0..zones)
        .map(|zone| node(&format!("n{zone}"), &format!("z{zone}")))
        .collect();
    for number in 0..pods {
        let mut pod = pod("web", &format!("n{}", number % zones), rule.clone());
        pod["metadata"]["name"] = json!(format!("web-5d-{number}"));
        items.push(pod);
    }
    listing(items)
}

/// Calls with every way to put `pods` into `zones` with at most `max` in each.
fn placements(
    pods: u32,
    zones: usize,
    max: u32,
    chosen: &mut Vec<u32>,
    see: &mut dyn FnMut(&[u32]),
) {
    if chosen.len() == zones {
        if pods == 0 {
            see(chosen);
        }
        return;
    }
    for here in 0..=max.min(pods) {
        chosen.push(here);
        placements(pods - here, zones, max, chosen, see);
        chosen.pop();
    }
}

#[test]
fn what_a_bound_allows_keeps_the_skew() {
    let mut bounds = 0;
    for zones in 1..=4 {
        for pods in 1..=9 {
            for skew in 1..=3 {
                let input = spread(pods, zones, &constraint(skew, "zone"));
                let web = id(&input, "shop/web").index();
                let Some(set) = services(&input).spread.first() else {
                    assert!(
                        services(&input).pinned[web],
                        "{pods} over {zones}, skew {skew}"
                    );
                    assert!(codes(&input).contains(&"N015"));
                    continue;
                };
                bounds += 1;
                assert!(!services(&input).pinned[web]);
                assert_eq!(set.level, Level::Label("zone".into()));
                let mut seen = 0;
                placements(
                    pods as u32,
                    zones,
                    set.max,
                    &mut Vec::new(),
                    &mut |counts| {
                        let most = counts.iter().max().unwrap();
                        let least = counts.iter().min().unwrap();
                        assert!(most - least <= skew, "{counts:?} for skew {skew}");
                        seen += 1;
                    },
                );
                assert!(seen > 0, "{pods} over {zones}, skew {skew}: no room");
            }
        }
    }
    assert!(bounds > 60, "{bounds} of 108 can be expressed");
}

#[test]
fn fewer_pods_than_nodes_are_bounded_exactly() {
    let input = spread(3, 5, &constraint(1, "kubernetes.io/hostname"));
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
