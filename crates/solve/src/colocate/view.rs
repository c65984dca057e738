//! The problem as flat arrays, for the whole cluster or for a part of it.

use bayplan_model::{Level, NodeId, Problem, ServiceId, Services};
use rustc_hash::FxHashMap;

use super::limits::{Beside, Limit, by_service};
use super::rows::Rows;
use crate::SolveError;

/// Traffic of a service with another, seen from the first: with `x` of its own
/// replicas and `y` of the other's together, `min(x * own, y * other)` of all
/// traffic is local.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Link {
    /// The other service.
    pub to: u32,
    /// Share of all traffic per own replica.
    pub own: f64,
    /// Share of all traffic per replica of the other.
    pub other: f64,
}

/// Traffic between two services, as a share of all traffic.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Edge {
    /// One service.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// Its share of all traffic.
    pub weight: f64,
}

/// An anti-affinity set of several services, or of one over a label.
#[derive(Clone, PartialEq, Debug)]
pub struct Set {
    /// The services counted.
    pub members: Vec<u32>,
    /// The most replicas together.
    pub max: u32,
    /// Which of [`View::domains`] says what is together; `None`: the node.
    pub domain: Option<usize>,
}

/// Replicas of a service on a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Spot {
    /// The service.
    pub service: u32,
    /// The node.
    pub node: u32,
    /// How many, at least one.
    pub count: u32,
}

/// A partition of the nodes by a label.
#[derive(Clone, PartialEq, Debug)]
pub struct Domain {
    /// The group of each node.
    pub of_node: Vec<u32>,
    /// How many groups.
    pub groups: usize,
}

/// What the solvers of this folder work on. Services and nodes are positions.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// Dimensions of a demand: resources times epochs.
    pub dims: usize,
    /// Replicas of each service.
    pub replicas: Vec<u32>,
    /// `demand[service * dims + dim]`.
    pub demand: Vec<u64>,
    /// `capacity[node * dims + dim]`.
    pub capacity: Vec<u64>,
    /// Services whose placed replicas must stay.
    pub fixed: Vec<bool>,
    /// The most replicas of each service on one node.
    pub cap: Vec<u32>,
    /// Anti-affinity beyond `cap`.
    pub sets: Vec<Set>,
    /// Limits between two services.
    pub limits: Vec<Limit>,
    /// Partitions of the nodes that sets and the gain refer to.
    pub domains: Vec<Domain>,
    /// The partition over whose groups traffic is local; `None`: the node.
    pub gain_domain: Option<usize>,
    /// Compatibility class of each service.
    pub class_of: Vec<u32>,
    /// For each class whether each node is allowed.
    pub allowed: Vec<Vec<bool>>,
    /// Traffic, as shares of the whole problem's.
    pub edges: Vec<Edge>,
    /// What runs where now.
    pub original: Vec<Spot>,
    links: Rows<Link>,
    sets_of: Rows<u32>,
    limits_of: Rows<Beside>,
}

/// The most replicas of a service that can be counted on one node.
pub const MOST_TOGETHER: u32 = u16::MAX as u32;

impl View {
    /// The whole cluster. `gain_label` counts traffic as local within nodes of
    /// one label value; `leave_alone` lists services that must not be touched.
    pub fn new(
        problem: &Problem,
        gain_label: Option<&str>,
        leave_alone: &[ServiceId],
    ) -> Result<Self, SolveError> {
        let services = problem.services().ok_or(SolveError::WrongWorkload {
            verb: "colocate",
            needs: "services",
        })?;
        refuse_unknown_rules(services)?;
        let cluster = problem.cluster();
        let nodes = cluster.nodes.len();
        let mut domains = Domains::default();
        let gain_domain = match gain_label {
            Some(label) => Some(domains.of(problem, label)?),
            None => None,
        };
        let mut cap: Vec<u32> = services
            .ids()
            .map(|s| services.limits.cap(s).unwrap_or(u32::MAX))
            .collect();
        let mut sets = Vec::new();
        for set in &services.spread {
            match (&set.level, set.members.as_slice()) {
                (Level::Node, [only]) => cap[only.index()] = cap[only.index()].min(set.max),
                (level, members) => sets.push(Set {
                    members: members.iter().map(|s| s.0).collect(),
                    max: set.max,
                    domain: match level {
                        Level::Node => None,
                        Level::Label(label) => Some(domains.of(problem, label)?),
                    },
                }),
            }
        }
        let mut fixed = services.pinned.clone();
        for service in leave_alone {
            fixed[service.index()] = true;
        }
        let (class_of, allowed) = compatibility(services, nodes);
        let total = services.total_traffic();
        let share = |weight: f64| if total > 0.0 { weight / total } else { 0.0 };
        let epochs = services.epochs.max(1);
        let capacity = cluster.nodes.iter().flat_map(|node| {
            let units = cluster.capacity(node.pool).iter();
            units.flat_map(move |units| std::iter::repeat_n(*units, epochs))
        });
        let edges = services.traffic.iter().map(|pair| Edge {
            a: pair.a.0,
            b: pair.b.0,
            weight: share(pair.weight),
        });
        let original = services.placement.counts().iter().map(|entry| Spot {
            service: entry.service.0,
            node: entry.node.0,
            count: entry.count,
        });
        let view = Self {
            dims: cluster.resources.len() * epochs,
            replicas: services.replicas.clone(),
            demand: services.demand.clone(),
            capacity: capacity.collect(),
            fixed,
            cap: cap.into_iter().map(|cap| cap.min(MOST_TOGETHER)).collect(),
            sets,
            limits: pair_limits(services),
            domains: domains.all,
            gain_domain,
            class_of,
            allowed,
            edges: edges.collect(),
            original: original.collect(),
            links: Rows::default(),
            sets_of: Rows::default(),
            limits_of: Rows::default(),
        };
        view.countable()?;
        Ok(view.finish())
    }

    /// Fills what follows from the other fields.
    pub fn finish(mut self) -> Self {
        let per = |weight: f64, replicas: u32| weight / f64::from(replicas.max(1));
        let both = self.edges.iter().flat_map(|edge| {
            let (a, b) = (edge.a as usize, edge.b as usize);
            let (own, other) = (
                per(edge.weight, self.replicas[a]),
                per(edge.weight, self.replicas[b]),
            );
            let there = Link {
                to: edge.b,
                own,
                other,
            };
            let back = Link {
                to: edge.a,
                own: other,
                other: own,
            };
            [(edge.a, there), (edge.b, back)]
        });
        self.links = Rows::collect(self.replicas.len(), both.collect::<Vec<_>>().into_iter());
        let memberships = self.sets.iter().enumerate().flat_map(|(index, set)| {
            let index = index as u32;
            set.members.iter().map(move |member| (*member, index))
        });
        self.sets_of = Rows::collect(self.replicas.len(), memberships);
        self.limits_of = by_service(self.replicas.len(), &self.limits);
        self
    }

    /// A view with nothing but services, nodes and traffic, for parts and tests.
    pub fn plain(
        dims: usize,
        replicas: Vec<u32>,
        demand: Vec<u64>,
        capacity: Vec<u64>,
        edges: Vec<Edge>,
    ) -> Self {
        let (services, nodes) = (replicas.len(), capacity.len() / dims.max(1));
        Self {
            dims,
            demand,
            capacity,
            fixed: vec![false; services],
            cap: vec![MOST_TOGETHER; services],
            sets: Vec::new(),
            limits: Vec::new(),
            domains: Vec::new(),
            gain_domain: None,
            class_of: vec![0; services],
            allowed: vec![vec![true; nodes]],
            edges,
            original: Vec::new(),
            links: Rows::default(),
            sets_of: Rows::default(),
            limits_of: Rows::default(),
            replicas,
        }
        .finish()
    }

    /// How many services.
    pub fn services(&self) -> usize {
        self.replicas.len()
    }

    /// How many nodes.
    pub fn nodes(&self) -> usize {
        self.capacity.len() / self.dims.max(1)
    }

    /// The demand of one replica.
    pub fn need(&self, service: u32) -> &[u64] {
        &self.demand[service as usize * self.dims..][..self.dims]
    }

    /// The capacity of a node.
    pub fn room(&self, node: u32) -> &[u64] {
        &self.capacity[node as usize * self.dims..][..self.dims]
    }

    /// The traffic of a service.
    pub fn links(&self, service: u32) -> &[Link] {
        self.links.row(service as usize)
    }

    /// The anti-affinity sets of a service, beyond its own cap.
    pub fn sets_of(&self, service: u32) -> &[u32] {
        self.sets_of.row(service as usize)
    }

    /// The limits between a service and others.
    pub fn limits_of(&self, service: u32) -> &[Beside] {
        self.limits_of.row(service as usize)
    }

    /// Whether so many replicas of a service may stand on a node that holds
    /// these counts of the others.
    #[inline]
    pub fn bears(&self, service: u32, count: u32, others: impl Fn(u32) -> u32) -> bool {
        let mut limits = self.limits_of(service).iter();
        limits.all(|beside| beside.allows(count, others(beside.other)))
    }

    /// Whether two services can never share a node.
    pub fn apart(&self, a: u32, b: u32) -> bool {
        let mut limits = self.limits_of(a).iter();
        limits.any(|beside| beside.other == b && !beside.allows(1, 1))
    }

    /// Whether a service may use a node.
    pub fn may_use(&self, service: u32, node: u32) -> bool {
        self.allowed[self.class_of[service as usize] as usize][node as usize]
    }

    /// The group of a node in which its traffic is local.
    pub fn gain_group(&self, node: u32) -> u32 {
        self.gain_domain
            .map_or(node, |domain| self.domains[domain].of_node[node as usize])
    }

    /// How many groups traffic can be local in.
    pub fn gain_groups(&self) -> usize {
        self.gain_domain
            .map_or(self.nodes(), |domain| self.domains[domain].groups)
    }

    /// All traffic of a service: T(s) of the paper's section IV-B.
    pub fn total_affinity(&self, service: u32) -> f64 {
        let own = f64::from(self.replicas[service as usize]);
        self.links(service).iter().map(|link| link.own * own).sum()
    }

    /// Counts on one node must fit the 16 bits the search keeps them in.
    fn countable(&self) -> Result<(), SolveError> {
        let mut on_node = vec![0u64; self.nodes()];
        for spot in &self.original {
            on_node[spot.node as usize] += u64::from(spot.count);
        }
        let most = on_node.iter().max().copied().unwrap_or(0);
        let largest = self.replicas.iter().max().copied().unwrap_or(0);
        if most > u64::from(MOST_TOGETHER) || largest > MOST_TOGETHER {
            return Err(SolveError::UnsupportedRule {
                by: "colocate".into(),
                rule: "more than 65,535 replicas of a service or on a node",
                fix: "split the service".into(),
            });
        }
        Ok(())
    }
}

/// Rules of the house that this verb does not know are refused, never ignored.
fn refuse_unknown_rules(services: &Services) -> Result<(), SolveError> {
    let refuse = |rule, fix: &str| {
        Err(SolveError::UnsupportedRule {
            by: "colocate".into(),
            rule,
            fix: fix.into(),
        })
    };
    if !services.variance.is_empty() {
        return refuse("random demand", "give constant demands, or use overcommit");
    }
    Ok(())
}

/// Limits between two different services; a service's own is its cap.
fn pair_limits(services: &Services) -> Vec<Limit> {
    let pairs = services.limits.iter().filter(|limit| limit.of != limit.on);
    let pairs = pairs.map(|limit| Limit {
        of: limit.of.0,
        on: limit.on.0,
        max: limit.max,
    });
    pairs.collect()
}

fn compatibility(services: &Services, nodes: usize) -> (Vec<u32>, Vec<Vec<bool>>) {
    let rules = &services.compatibility;
    let class_of: Vec<u32> = services.ids().map(|s| rules.class(s)).collect();
    let mut allowed = vec![vec![true; nodes]; rules.class_count()];
    let mut seen = vec![false; rules.class_count()];
    for service in services.ids() {
        let class = rules.class(service) as usize;
        if !std::mem::replace(&mut seen[class], true) {
            for (node, may) in allowed[class].iter_mut().enumerate() {
                *may = rules.allows_node(service, NodeId::from(node));
            }
        }
    }
    (class_of, allowed)
}

/// Partitions by label, each built once.
#[derive(Default)]
struct Domains {
    all: Vec<Domain>,
    by_label: FxHashMap<String, usize>,
}

impl Domains {
    fn of(&mut self, problem: &Problem, label: &str) -> Result<usize, SolveError> {
        if let Some(index) = self.by_label.get(label) {
            return Ok(*index);
        }
        let cluster = problem.cluster();
        let nodes = cluster.nodes.len();
        if nodes > 0 && (0..nodes).all(|n| cluster.label(NodeId::from(n), &[], label).is_none()) {
            return Err(SolveError::Parameter {
                name: "label",
                problem: format!("no node carries the label {label:?}"),
            });
        }
        let of_node = cluster.groups(&[], label);
        let groups = of_node.iter().max().map_or(0, |most| *most as usize + 1);
        self.all.push(Domain { of_node, groups });
        self.by_label.insert(label.into(), self.all.len() - 1);
        Ok(self.all.len() - 1)
    }
}
