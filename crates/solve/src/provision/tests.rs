//! The clever forms against the plain ones, step by step.

use bayplan_model::{
    Cluster, Labels, Level, Limit, LimitsBuilder, Names, Pool, Problem, Resource, Service,
    ServiceId, Services, SpreadSet, Workload,
};
use rand::{RngExt, SeedableRng};

use super::allowance::Allowance;
use super::grid::Grid;
use super::node_rules::NodeRules;
use super::state::State;
use super::view::View;
use super::{Params, application_centric, plain};
use crate::Random;
use crate::shared::room::Room;

pub(super) fn problem(random: &mut Random, services: usize, epochs: usize) -> Problem {
    let resource = |name: &str| Resource {
        name: name.into(),
        unit: "u".into(),
        scale: 1,
    };
    let pool = Pool {
        name: "pool".into(),
        capacity: vec![40, 60],
        price: 1,
        max_count: None,
        labels: Labels::new(),
    };
    let rows: Vec<Service> = (0..services)
        .map(|_| Service {
            replicas: random.random_range(1..6),
            demand: (0..2 * epochs)
                .map(|_| random.random_range(0..15))
                .collect(),
            variance: Vec::new(),
            pinned: false,
            alive: 0,
        })
        .collect();
    let mut all = Services::new(Names::numbered("s", services), epochs, rows);
    let mut limits = LimitsBuilder::new(services);
    for of in 0..services {
        for on in 0..services {
            if random.random_range(0..3) == 0 {
                let max = random.random_range(0..4) + u32::from(of == on);
                let (of, on) = (ServiceId::from(of), ServiceId::from(on));
                limits.push(Limit { of, on, max }).unwrap();
            }
        }
    }
    all.limits = limits.build().unwrap();
    all.spread.push(SpreadSet {
        name: "set".into(),
        members: vec![ServiceId(0), ServiceId(1), ServiceId(2)],
        max: 3,
        level: Level::Node,
    });
    let cluster = Cluster {
        resources: vec![resource("cpu"), resource("memory")],
        pools: vec![pool],
        nodes: Vec::new(),
    };
    Problem::new(cluster, Workload::Services(all)).unwrap()
}

fn assert_recounted(state: &State, allowance: &mut Allowance, tree: &Room<i64>, grid: &Grid) {
    let view = state.view;
    let mut rules = NodeRules::new(view.len());
    for node in 0..state.nodes() {
        let mut residual: Vec<i64> = vec![40; view.epochs];
        residual.extend(vec![60; view.epochs]);
        for (service, count) in state.contents(node) {
            for (left, units) in residual.iter_mut().zip(view.row(*service as usize)) {
                *left -= *units as i64 * i64::from(*count);
            }
            let place = state
                .places(*service as usize)
                .iter()
                .find(|p| p.0 as usize == node);
            assert_eq!(place.map(|p| p.1), Some(*count));
        }
        assert_eq!(state.residual(node), residual);
    }
    for service in 0..view.len() {
        allowance.compute(state, service);
        let need: Vec<i64> = (0..2).map(|r| view.least(service, r)).collect();
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(node) = tree.first(from, &need) {
            found.push(node);
            from = node + 1;
        }
        for node in 0..state.nodes() {
            let more = plain::more(state, node, service);
            assert_eq!(
                allowance.more(state, node),
                more,
                "service {service} on {node}"
            );
            rules.load(state, node);
            assert_eq!(
                rules.more(state, service),
                more,
                "service {service} on {node}"
            );
            if state.fits(node, service) {
                assert!(found.contains(&node), "the tree misses node {node}");
            }
        }
        let fits = |node| state.fits(node, service);
        let any = (0..state.nodes()).any(fits);
        assert_eq!(
            grid.fullest(|r| view.least(service, r), fits).is_some(),
            any
        );
    }
}

#[test]
fn incremental_feasibility_equals_a_recount_after_every_step() {
    for seed in 0..40 {
        let mut random = Random::seed_from_u64(seed);
        let problem = problem(&mut random, 8, 1 + seed as usize % 3);
        let view = View::new(&problem, &Params::default()).unwrap();
        let mut state = State::new(&view);
        let mut allowance = Allowance::default();
        for _ in 0..4 {
            state.open(0);
        }
        let mut tree = application_centric::room(&state);
        let mut grid = Grid::new(&state);
        for _ in 0..60 {
            let (node, service) = (
                random.random_range(0..state.nodes()),
                random.random_range(0..8),
            );
            if random.random_range(0..3) > 0 {
                let count = plain::most(&state, node, service).min(state.left[service]);
                if count > 0 {
                    state.place(node, service, random.random_range(1..=count));
                }
            } else if state.count(node, service) > 0 {
                let count = random.random_range(1..=state.count(node, service));
                state.remove(node, service, count);
            } else if random.random_range(0..5) == 0 && state.nodes() < 8 {
                let opened = state.open(0);
                tree.set(opened, state.free(opened));
                grid.add(&state, opened);
            }
            tree.set(node, state.free(node));
            grid.update(&state, node);
            assert_recounted(&state, &mut allowance, &tree, &grid);
        }
    }
}
