//! Problems in the native format: everything, exactly.

use bayplan_model::{
    Applications, Cluster, Labels, Level, NodeId, Problem, Reach, RequestId, Requests, Resource,
    Rounding, ServiceId, Services, Workload,
};

use super::emit::{Document, Style};
use crate::pools::PRICE_SCALE;
use crate::quantity::{amount_text, per_load};

/// A problem as native JSON.
pub fn write_problem_json(problem: &Problem) -> String {
    write(problem, Style::Json)
}

/// A problem as native YAML.
pub fn write_problem_yaml(problem: &Problem) -> String {
    write(problem, Style::Yaml)
}

fn write(problem: &Problem, style: Style) -> String {
    let mut document = Document::new(style);
    document.value("version", "1");
    cluster(problem.cluster(), &mut document);
    match problem.workload() {
        Workload::Services(all) => services(problem.cluster(), all, &mut document),
        Workload::Applications(all) => applications(problem.cluster(), all, &mut document),
        Workload::Requests(all) => requests(problem.cluster(), all, &mut document),
    }
    document.finish()
}

fn field(name: &str, value: impl ToString) -> (String, String) {
    (name.to_string(), value.to_string())
}

fn amounts(style: Style, units: &[u64], resources: &[Resource], rounding: Rounding) -> String {
    style.map(resources.iter().zip(units).map(|(resource, units)| {
        field(
            &resource.name,
            amount_text(u128::from(*units), resource.scale, rounding),
        )
    }))
}

fn labels(style: Style, labels: &Labels) -> Option<(String, String)> {
    let entries = labels
        .iter()
        .map(|(key, value)| (key.clone(), style.text(value)));
    (!labels.is_empty()).then(|| field("labels", style.map(entries)))
}

fn cluster(cluster: &Cluster, document: &mut Document) {
    let style = document.style;
    document.list(
        "resources",
        cluster.resources.iter().map(|resource| {
            style.map([
                field("name", style.text(&resource.name)),
                field("unit", style.text(&resource.unit)),
                field("scale", resource.scale),
            ])
        }),
    );
    document.list(
        "pools",
        cluster.pools.iter().map(|pool| {
            let capacity = amounts(style, &pool.capacity, &cluster.resources, Rounding::Down);
            let price = amount_text(u128::from(pool.price), PRICE_SCALE, Rounding::Up);
            let mut fields = vec![
                field("name", style.text(&pool.name)),
                field("capacity", capacity),
                field("price", price),
            ];
            fields.extend(pool.max_count.map(|most| field("max_count", most)));
            fields.extend(labels(style, &pool.labels));
            style.map(fields)
        }),
    );
    document.list(
        "nodes",
        cluster.nodes.iter().map(|node| {
            let pool = &cluster.pools[node.pool.index()].name;
            let mut fields = vec![
                field("name", style.text(&node.name)),
                field("pool", style.text(pool)),
            ];
            fields.extend(labels(style, &node.labels));
            style.map(fields)
        }),
    );
}

fn services(cluster: &Cluster, services: &Services, document: &mut Document) {
    let style = document.style;
    let name = |service: ServiceId| style.text(services.names.get(service.index()));
    let node = |node: NodeId| style.text(&cluster.nodes[node.index()].name);
    document.list(
        "services",
        services.ids().map(|service| {
            let at = service.index();
            let mut fields = vec![
                field("name", name(service)),
                field("replicas", services.replicas[at]),
                field("demand", demand(style, cluster, services, service)),
            ];
            fields.extend(services.pinned[at].then(|| field("pinned", true)));
            fields.extend((services.alive[at] > 0).then(|| field("alive", services.alive[at])));
            style.map(fields)
        }),
    );
    let limits = services.limits.iter();
    document.list(
        "limits",
        limits.map(|limit| {
            let (of, on) = (name(limit.of), name(limit.on));
            style.map([field("of", of), field("on", on), field("max", limit.max)])
        }),
    );
    document.list(
        "spread",
        services.spread.iter().map(|set| {
            let mut fields = vec![
                field("name", style.text(&set.name)),
                field("services", style.list(set.members.iter().map(|s| name(*s)))),
                field("max", set.max),
            ];
            if let Level::Label(label) = &set.level {
                fields.push(field("label", style.text(label)));
            }
            style.map(fields)
        }),
    );
    document.list(
        "compatibility",
        compatibility(style, cluster, services).into_iter(),
    );
    document.list(
        "traffic",
        services.traffic.iter().map(|pair| {
            let between = style.list([name(pair.a), name(pair.b)]);
            style.map([
                field("between", between),
                field("weight", format!("{:?}", pair.weight)),
            ])
        }),
    );
    document.list(
        "placement",
        services.placement.counts().iter().map(|entry| {
            style.map([
                field("service", name(entry.service)),
                field("node", node(entry.node)),
                field("count", entry.count),
            ])
        }),
    );
}

fn demand(style: Style, cluster: &Cluster, services: &Services, service: ServiceId) -> String {
    let (width, epochs) = (cluster.resources.len(), services.epochs);
    let rows = services
        .row(service)
        .chunks(epochs)
        .zip(&cluster.resources)
        .enumerate();
    style.map(rows.map(|(at, (units, resource))| {
        let text = |units: &u64| amount_text(u128::from(*units), resource.scale, Rounding::Up);
        let value = if epochs > 1 {
            style.list(units.iter().map(text))
        } else if services.variance.is_empty() {
            text(&units[0])
        } else {
            let variance = services.variance[service.index() * width + at];
            let root = variance.isqrt();
            let spread = if root * root == variance {
                let deviation = amount_text(root, resource.scale, Rounding::Up);
                field("deviation", deviation)
            } else {
                field("variance_units", variance)
            };
            style.map([field("mean", text(&units[0])), spread])
        };
        field(&resource.name, value)
    }))
}

/// One rule for each set of places, with the services it holds for.
fn compatibility(style: Style, cluster: &Cluster, services: &Services) -> Vec<String> {
    let rules = &services.compatibility;
    if rules.is_everywhere() {
        return Vec::new();
    }
    let mut members: Vec<Vec<ServiceId>> = vec![Vec::new(); rules.class_count()];
    for service in services.ids() {
        members[rules.class(service) as usize].push(service);
    }
    members.retain(|members| !members.is_empty());
    let rule = |members: Vec<ServiceId>| {
        let reach = rules.reach(members[0])?;
        let names = members
            .iter()
            .map(|service| style.text(services.names.get(service.index())));
        let mut fields = vec![field("services", style.list(names))];
        fields.extend(places(style, cluster, reach)?);
        Some(style.map(fields))
    };
    members.into_iter().filter_map(rule).collect()
}

/// Whole pools by name, everything else one by one; `None` for everywhere.
fn places(style: Style, cluster: &Cluster, reach: &Reach) -> Option<[(String, String); 3]> {
    let mut whole: Vec<bool> =
        reach
            .pools
            .zeroes()
            .fold(vec![true; cluster.pools.len()], |mut whole, pool| {
                whole[pool] = false;
                whole
            });
    for (at, node) in cluster.nodes.iter().enumerate() {
        whole[node.pool.index()] &= reach.nodes.contains(at);
    }
    if whole.iter().all(|whole| *whole) {
        return None;
    }
    let pool = |at: usize| style.text(&cluster.pools[at].name);
    let pools = (0..whole.len()).filter(|at| whole[*at]).map(pool);
    let new_nodes = reach.pools.ones().filter(|at| !whole[*at]).map(pool);
    let nodes = reach
        .nodes
        .ones()
        .filter(|at| !whole[cluster.nodes[*at].pool.index()]);
    let nodes = nodes.map(|at| style.text(&cluster.nodes[at].name));
    Some([
        field("pools", style.list(pools)),
        field("nodes", style.list(nodes)),
        field("new_nodes", style.list(new_nodes)),
    ])
}

fn applications(cluster: &Cluster, applications: &Applications, document: &mut Document) {
    let style = document.style;
    let scale = |at: usize| cluster.resources[at].scale;
    let text = |units: u64, at| amount_text(u128::from(units), scale(at), Rounding::Up);
    let growth = per_load(&cluster.resources).unwrap_or((1, 1));
    document.list(
        "applications",
        applications
            .all
            .iter()
            .enumerate()
            .map(|(at, application)| {
                let mut fields = vec![
                    field("name", style.text(applications.names.get(at))),
                    field("load", text(application.load, 0)),
                    field("memory", text(application.memory, 1)),
                    field("min_instances", application.min_instances),
                ];
                if application.memory_per_load > 0 {
                    let units = u128::from(application.memory_per_load) * u128::from(growth.1);
                    fields.push(field(
                        "memory_per_load",
                        amount_text(units, growth.0, Rounding::Up),
                    ));
                }
                fields.extend(
                    application
                        .max_instances
                        .map(|most| field("max_instances", most)),
                );
                style.map(fields)
            }),
    );
    document.list(
        "layout",
        applications.layout.iter().map(|share| {
            style.map([
                field(
                    "application",
                    style.text(applications.names.get(share.application.index())),
                ),
                field("node", style.text(&cluster.nodes[share.node.index()].name)),
                field("load", text(share.load, 0)),
            ])
        }),
    );
}

fn requests(cluster: &Cluster, requests: &Requests, document: &mut Document) {
    let style = document.style;
    document.value("time_scale", &requests.time_scale.to_string());
    let time = |time: i64, up: bool| {
        let sign = if time < 0 { "-" } else { "" };
        let rounding = if up == (time < 0) {
            Rounding::Down
        } else {
            Rounding::Up
        };
        let units = u128::from(time.unsigned_abs());
        format!(
            "{sign}{}",
            amount_text(units, requests.time_scale, rounding)
        )
    };
    document.list(
        "requests",
        (0..requests.len()).map(|at| {
            let units = requests.row(RequestId::from(at));
            let weight = u128::from(requests.weight[at]);
            style.map([
                field("start", time(requests.start[at], false)),
                field("finish", time(requests.finish[at], true)),
                field(
                    "demand",
                    amounts(style, units, &cluster.resources, Rounding::Up),
                ),
                field(
                    "weight",
                    amount_text(weight, bayplan_model::WEIGHT_SCALE, Rounding::Down),
                ),
            ])
        }),
    );
}
