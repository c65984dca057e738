//! Why something is where it is, or cannot go somewhere else: each rule
//! asked of each node, plainly.

mod other;
mod pod;

use std::collections::BTreeMap;
use std::fmt::Write;

use bayplan_model::{
    Level, NodeId, Placement, Plan, PoolId, Problem, ServiceId, Services, format_units,
};

use other::why_other;
pub use pod::why_pod;

/// How many nodes are listed one by one.
const LISTED: usize = 12;

/// The answer about a service, a node or `service@node`; `Err` when nothing
/// has that name. Asks about the plan, or about what runs now.
pub fn why(problem: &Problem, plan: Option<&Plan>, object: &str) -> Result<String, String> {
    let Some(services) = problem.services() else {
        return why_other(problem, plan, object);
    };
    let (placement, opened) = match plan {
        Some(Plan::Placement(plan)) => (&plan.placement, plan.opened.as_slice()),
        Some(_) => return Err("the plan is not for services".into()),
        None => (&services.placement, &[][..]),
    };
    let scene = Scene::new(problem, services, placement, opened);
    if let Some((service, node)) = object.split_once('@')
        && let (Some(service), Some(node)) = (scene.service(service), scene.node(node))
    {
        return Ok(scene.one_place(service, node));
    }
    if let Some(service) = scene.service(object) {
        return Ok(scene.whole_service(service));
    }
    if let Some(node) = scene.node(object) {
        return Ok(scene.whole_node(node));
    }
    let hint = services
        .names
        .nearest(object)
        .map(|name| format!("; did you mean {name}?"));
    Err(format!(
        "no service or node is called {object:?}{}",
        hint.unwrap_or_default()
    ))
}

struct Scene<'a> {
    problem: &'a Problem,
    services: &'a Services,
    placement: &'a Placement,
    opened: &'a [PoolId],
    names: Vec<String>,
    /// What stands on each node: service and count.
    content: Vec<Vec<(ServiceId, u32)>>,
}

impl<'a> Scene<'a> {
    fn new(
        problem: &'a Problem,
        services: &'a Services,
        placement: &'a Placement,
        opened: &'a [PoolId],
    ) -> Self {
        let names = problem.cluster().node_names(opened);
        let mut content = vec![Vec::new(); names.len()];
        for entry in placement.counts() {
            content[entry.node.index()].push((entry.service, entry.count));
        }
        Self {
            problem,
            services,
            placement,
            opened,
            names,
            content,
        }
    }

    fn service(&self, name: &str) -> Option<ServiceId> {
        self.services.names.find(name).map(ServiceId)
    }

    fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.names.len()).map(NodeId::from)
    }

    fn node(&self, name: &str) -> Option<NodeId> {
        self.names
            .iter()
            .position(|known| known == name)
            .map(NodeId::from)
    }

    fn node_name(&self, node: NodeId) -> &str {
        &self.names[node.index()]
    }

    fn name(&self, service: ServiceId) -> &str {
        self.services.names.get(service.index())
    }

    /// What stands against one more replica of a service on a node: rule and words.
    fn obstacles(&self, service: ServiceId, node: NodeId) -> Vec<(&'static str, String)> {
        let cluster = self.problem.cluster();
        let mut found = Vec::new();
        let existing = cluster.nodes.len();
        if !self
            .services
            .compatibility
            .allows(service, node, existing, self.opened)
        {
            found.push((
                "compatibility",
                "the service may not use this node".to_string(),
            ));
        }
        let content = &self.content[node.index()];
        self.capacity_obstacles(service, node, content, &mut found);
        let here = content
            .iter()
            .find(|(other, _)| *other == service)
            .map_or(0, |(_, count)| *count);
        if let Some(cap) = self.services.limits.cap(service)
            && here >= cap
        {
            found.push((
                "limit",
                format!("{here} replicas are here and {cap} are allowed"),
            ));
        }
        for (other, count) in content {
            if *other == service {
                continue;
            }
            if let Some(max) = self.services.limits.get(*other, service)
                && here >= max
            {
                let other = self.name(*other);
                found.push((
                    "limit",
                    format!("beside {other} at most {max}, and {here} are here"),
                ));
            }
            if let Some(max) = self.services.limits.get(service, *other)
                && *count > max
            {
                let other = self.name(*other);
                found.push((
                    "limit",
                    format!("it allows {max} of {other} beside it, and {count} are here"),
                ));
            }
        }
        self.spread_obstacles(service, node, &mut found);
        found
    }

    fn capacity_obstacles(
        &self,
        service: ServiceId,
        node: NodeId,
        content: &[(ServiceId, u32)],
        found: &mut Vec<(&'static str, String)>,
    ) {
        let cluster = self.problem.cluster();
        let pool = cluster
            .pool_of(node, self.opened)
            .expect("a node of the scene");
        let epochs = self.services.epochs;
        for (r, resource) in cluster.resources.iter().enumerate() {
            let capacity = u128::from(cluster.capacity(pool)[r]);
            let worst = (0..epochs)
                .map(|epoch| {
                    let at = r * epochs + epoch;
                    let used = content.iter().map(|(other, count)| {
                        u128::from(self.services.row(*other)[at]) * u128::from(*count)
                    });
                    (
                        used.sum::<u128>() + u128::from(self.services.row(service)[at]),
                        epoch,
                    )
                })
                .max_by_key(|(sum, epoch)| (*sum, std::cmp::Reverse(*epoch)));
            if let Some((sum, epoch)) = worst
                && sum > capacity
            {
                let missing = u64::try_from(sum - capacity).unwrap_or(u64::MAX);
                let missing = format_units(missing, resource.scale);
                let when = if epochs > 1 {
                    format!(" in epoch {epoch}")
                } else {
                    String::new()
                };
                found.push((
                    "capacity",
                    format!(
                        "{missing} {} of {} too few{when}",
                        resource.unit, resource.name
                    ),
                ));
            }
        }
    }

    fn spread_obstacles(
        &self,
        service: ServiceId,
        node: NodeId,
        found: &mut Vec<(&'static str, String)>,
    ) {
        for set in self
            .services
            .spread
            .iter()
            .filter(|set| set.members.contains(&service))
        {
            let members = |node: NodeId| -> u64 {
                let on = self.content[node.index()].iter();
                let counted = on.filter(|(other, _)| set.members.binary_search(other).is_ok());
                counted.map(|(_, count)| u64::from(*count)).sum()
            };
            let there: u64 = match &set.level {
                Level::Node => members(node),
                Level::Label(key) => {
                    let groups = self.problem.cluster().groups(self.opened, key);
                    let same = self
                        .nodes()
                        .filter(|other| groups[other.index()] == groups[node.index()]);
                    same.map(members).sum()
                }
            };
            if there >= u64::from(set.max) {
                found.push((
                    "spread",
                    format!(
                        "set {} allows {} together, and {there} are",
                        set.name, set.max
                    ),
                ));
            }
        }
    }

    fn one_place(&self, service: ServiceId, node: NodeId) -> String {
        let here = self.placement.count(service, node);
        let (service_name, node_name) = (self.name(service), self.node_name(node));
        let obstacles = self.obstacles(service, node);
        let mut text = match obstacles.len() {
            0 => format!(
                "one more replica of {service_name} fits on {node_name} ({here} are there)\n"
            ),
            n => format!(
                "one more replica of {service_name} cannot go to {node_name}: {n} reasons ({here} are there)\n"
            ),
        };
        for (rule, words) in obstacles {
            let _ = writeln!(text, "  {rule}: {words}");
        }
        text
    }

    fn whole_service(&self, service: ServiceId) -> String {
        let places = self.placement.of(service);
        let placed: u64 = places.iter().map(|entry| u64::from(entry.count)).sum();
        let wanted = self.services.replicas[service.index()];
        let mut text = format!(
            "{}: {placed} of {wanted} replicas placed on {} nodes\n",
            self.name(service),
            places.len()
        );
        for entry in places.iter().take(LISTED) {
            let _ = writeln!(text, "  {} on {}", entry.count, self.node_name(entry.node));
        }
        if places.len() > LISTED {
            let _ = writeln!(text, "  ... and {} more nodes", places.len() - LISTED);
        }
        let mut fits = Vec::new();
        let mut reasons: BTreeMap<&str, (usize, String)> = BTreeMap::new();
        for node in self.nodes() {
            match self.obstacles(service, node).into_iter().next() {
                None => fits.push(self.node_name(node)),
                Some((rule, words)) => {
                    let example = format!("{}: {words}", self.node_name(node));
                    reasons.entry(rule).or_insert((0, example)).0 += 1;
                }
            }
        }
        let shown: Vec<&str> = fits.iter().take(LISTED).copied().collect();
        match fits.len() {
            0 => text.push_str("one more replica fits on no node:\n"),
            n => {
                let _ = writeln!(
                    text,
                    "one more replica fits on {n} nodes, such as {}",
                    shown.join(", ")
                );
            }
        }
        for (rule, (count, example)) in reasons {
            let _ = writeln!(text, "  {count} nodes refuse by {rule}, such as {example}");
        }
        text
    }

    fn whole_node(&self, node: NodeId) -> String {
        let content = &self.content[node.index()];
        let cluster = self.problem.cluster();
        let pool = cluster
            .pool_of(node, self.opened)
            .expect("a node of the scene");
        let name = &cluster.pools[pool.index()].name;
        let replicas: u64 = content.iter().map(|(_, count)| u64::from(*count)).sum();
        let mut text = format!(
            "{} ({name}): {replicas} replicas of {} services\n",
            self.node_name(node),
            content.len()
        );
        let epochs = self.services.epochs;
        for (r, resource) in cluster.resources.iter().enumerate() {
            let used = (0..epochs).map(|epoch| {
                let on = content.iter();
                on.map(|(s, count)| {
                    u128::from(self.services.row(*s)[r * epochs + epoch]) * u128::from(*count)
                })
                .sum::<u128>()
            });
            let used = u64::try_from(used.max().unwrap_or(0)).unwrap_or(u64::MAX);
            let (used, capacity) = (
                format_units(used, resource.scale),
                format_units(cluster.capacity(pool)[r], resource.scale),
            );
            let _ = writeln!(
                text,
                "  {}: {used} of {capacity} {}",
                resource.name, resource.unit
            );
        }
        for (service, count) in content.iter().take(LISTED * 3) {
            let _ = writeln!(text, "  {count} of {}", self.name(*service));
        }
        text
    }
}
