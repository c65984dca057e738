//! Random plans on random clusters, followed to the end whatever goes wrong.

use std::collections::BTreeMap;
use std::time::Duration;

use bayplan_model::{
    Cluster, Count, Names, Node, NodeId, Placement, Pool, PoolId, Problem, Resource, Service,
    ServiceId, Services, Wave, WaveKind,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::super::{Action, Ending, Run, Slots, Stages, Status, Workload};
use super::sim::{Faults, Sim};
use crate::apply::replan::{adapt, way};

const ALIVE: u32 = 750_000;
const PATIENCE: Duration = Duration::from_secs(60);

/// A random cluster: workloads, where they stand, where they should.
struct Case {
    capacity: Vec<u64>,
    workloads: Vec<Workload>,
    start: Vec<Slots>,
    target: Vec<Slots>,
}

fn scatter(rng: &mut Xoshiro256PlusPlus, capacity: &[u64], all: &[Workload]) -> Option<Vec<Slots>> {
    let mut free = capacity.to_vec();
    let mut placed = Vec::new();
    for workload in all {
        let mut slots = Slots::new();
        for _ in 0..workload.base {
            let fits = |n: &usize| free[*n] >= workload.demand[0];
            let nodes: Vec<usize> = (0..free.len()).filter(fits).collect();
            let node = *nodes.get(rng.random_range(0..nodes.len().max(1)))?;
            free[node] -= workload.demand[0];
            *slots.entry(node as u32).or_insert(0) += 1;
        }
        placed.push(slots);
    }
    Some(placed)
}

fn case(rng: &mut Xoshiro256PlusPlus) -> Case {
    loop {
        let nodes = rng.random_range(3..8);
        let capacity: Vec<u64> = (0..nodes).map(|_| rng.random_range(8..14)).collect();
        let workloads: Vec<Workload> = (0..rng.random_range(1..6))
            .map(|at| {
                let base = rng.random_range(1..9u32);
                let budget = if rng.random_bool(0.3) { base } else { 0 };
                let floor = (base * 3).div_ceil(4).max(budget);
                Workload {
                    name: format!("shop/app{at}"),
                    base,
                    floor,
                    surge: floor == base || rng.random_bool(0.85),
                    demand: vec![rng.random_range(1..4)],
                }
            })
            .collect();
        let start = scatter(rng, &capacity, &workloads);
        let target = scatter(rng, &capacity, &workloads);
        if let (Some(start), Some(target)) = (start, target) {
            return Case {
                capacity,
                workloads,
                start,
                target,
            };
        }
    }
}

fn problem(capacity: &[u64], workloads: &[Workload], here: &[Slots]) -> Problem {
    let mut names = Names::default();
    for workload in workloads {
        names.add(&workload.name).unwrap();
    }
    let rows = workloads.iter().map(|workload| Service {
        replicas: workload.base,
        demand: workload.demand.clone(),
        variance: Vec::new(),
        pinned: false,
        alive: workload.floor.min(workload.base),
    });
    let mut services = Services::new(names, 1, rows);
    let counts = here.iter().enumerate().flat_map(|(at, slots)| {
        slots.iter().map(move |(node, count)| Count {
            service: ServiceId::from(at),
            node: NodeId(*node),
            count: *count,
        })
    });
    services.placement = Placement::new(counts.collect());
    let cluster = Cluster {
        resources: vec![Resource {
            name: "cpu".into(),
            unit: "core".into(),
            scale: 1,
        }],
        pools: capacity
            .iter()
            .enumerate()
            .map(|(at, capacity)| Pool {
                name: format!("pool{at}"),
                capacity: vec![*capacity],
                price: 1,
                max_count: None,
                labels: BTreeMap::new(),
            })
            .collect(),
        nodes: (0..capacity.len())
            .map(|at| Node {
                name: format!("node{at}"),
                pool: PoolId::from(at),
                labels: BTreeMap::new(),
            })
            .collect(),
    };
    Problem::new(cluster, bayplan_model::Workload::Services(services)).unwrap()
}

/// Stages from what stands now towards a target, and where they end.
fn stages(capacity: &[u64], all: &[Workload], here: &[Slots], target: &[Slots]) -> Stages {
    let problem = problem(capacity, all, here);
    let targets = target.iter().enumerate();
    let targets = targets.map(|(at, slots)| (ServiceId::from(at), slots.clone()));
    let plan = way(&problem, &targets.collect(), ALIVE).unwrap();
    let changes = |wave: &Wave| {
        let sign = if wave.kind == WaveKind::Create { 1 } else { -1 };
        let moves = wave.moves.iter();
        moves
            .map(|m| (m.service.index(), m.node.0, sign * i64::from(m.count)))
            .collect()
    };
    let waves: Vec<Vec<_>> = plan.waves.iter().map(changes).collect();
    Stages::new(here.to_vec(), &waves)
}

#[derive(Default, Debug)]
struct Tally {
    reached: u32,
    missed: u32,
    rounds: u32,
    crashes: u32,
    evictions: u32,
}

fn follow(seed: u64, faults: Faults, crash: f64, stop: f64, tally: &mut Tally) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let Case {
        capacity,
        workloads,
        start,
        target,
    } = case(&mut rng);
    let hard = rng.random_bool(0.5);
    let first = stages(&capacity, &workloads, &start, &target);
    let goal: Vec<Slots> = (0..workloads.len())
        .map(|w| first.target(w).clone())
        .collect();
    let mut sim = Sim::new(
        Xoshiro256PlusPlus::seed_from_u64(seed ^ 1),
        faults,
        capacity,
        &workloads,
        &start,
    );
    sim.hard = hard;
    let mut run = Run::new(workloads.clone(), first, PATIENCE);
    // What a process writes down before it raises: nothing else survives it.
    let mut raised: BTreeMap<usize, u32> = BTreeMap::new();
    let (mut recovering, mut stopped, mut ended) = (false, false, None);
    for _ in 0..6000 {
        let view = sim.view();
        if !stopped && rng.random_bool(stop) {
            run.stop();
            stopped = true;
        }
        let (calls, status) = run.next(&view, sim.now);
        for call in &calls {
            if let Action::Scale { workload, to, .. } = call {
                let most = raised.entry(*workload).or_insert(*to);
                *most = (*most).max(*to);
            }
            tally.evictions += u32::from(matches!(call, Action::Evict { .. }));
            let outcome = sim.act(call);
            if rng.random_bool(crash) {
                tally.crashes += 1;
                let mut all = run.workloads().to_vec();
                for (at, workload) in all.iter_mut().enumerate() {
                    let spec = sim.workloads[at].spec;
                    let ours = raised.get(&at).is_some_and(|most| spec <= *most);
                    if spec != workload.base && !(ours && spec > workload.base) {
                        workload.base = spec;
                    }
                }
                run = Run::tidy(all, goal.clone(), PATIENCE);
                sim.relist();
                (recovering, stopped) = (true, false);
                break;
            }
            run.note(call, outcome, sim.now);
        }
        match status {
            Status::Working => {}
            Status::Ended(Ending::Finished) if recovering => {
                recovering = false;
                run = again(&sim, run.workloads(), &goal, None);
            }
            Status::NeedsPlan(_) => {
                tally.rounds += 1;
                let all = run.workloads().to_vec();
                run = again(&sim, &all, &goal, Some(run));
            }
            Status::Ended(ending) => {
                ended = Some(ending);
                break;
            }
        }
        sim.step();
        for (at, workload) in workloads.iter().enumerate() {
            let alive = sim.alive(at);
            let disturbed = sim.workloads[at].disturbed;
            assert!(
                disturbed || alive >= workload.floor,
                "seed {seed}: {alive} of {workload:?} alive"
            );
        }
        for node in 0..sim.capacity.len() {
            assert!(
                sim.free(node) >= 0,
                "seed {seed}: node {node} is over its capacity"
            );
        }
    }
    assert!(ended.is_some(), "seed {seed}: no end: {run:?}");
    sim.gates = false;
    let mut last = Run::tidy(run.workloads().to_vec(), goal.clone(), PATIENCE);
    for _ in 0..400 {
        let view = sim.view();
        let (calls, status) = last.next(&view, sim.now);
        for call in &calls {
            let outcome = sim.act(call);
            last.note(call, outcome, sim.now);
        }
        if status != Status::Working {
            break;
        }
        sim.faults = Faults {
            lost: sim.faults.lost,
            ..Faults::default()
        };
        sim.step();
    }
    assert!(
        sim.left_behind().is_empty(),
        "seed {seed}: {:?}",
        sim.left_behind()
    );
    for _ in 0..20 {
        sim.step();
    }
    for (at, workload) in sim.workloads.iter().enumerate() {
        let lost = workload.pods.iter().filter(|pod| pod.pod.node.is_none());
        let need = workloads[at].demand[0] as i64;
        let room = (0..sim.capacity.len()).any(|n| sim.usable[n] && sim.free(n) >= need);
        assert!(
            lost.count() == 0 || !room,
            "seed {seed}: pending, though there is room"
        );
    }
    let quiet = faults.node == 0 && faults.scale == 0;
    for (at, workload) in workloads.iter().enumerate() {
        if !sim.workloads[at].disturbed {
            assert_eq!(
                sim.workloads[at].spec, workload.base,
                "seed {seed}: replicas left"
            );
        }
    }
    let here: Vec<Slots> = (0..workloads.len()).map(|at| sim.here(at)).collect();
    if quiet && ended == Some(Ending::Finished) {
        if here == goal {
            tally.reached += 1;
        } else {
            tally.missed += 1;
        }
    }
}

/// Plans again from the cluster as it is.
fn again(sim: &Sim, all: &[Workload], goal: &[Slots], run: Option<Run>) -> Run {
    let mut workloads = all.to_vec();
    for (at, workload) in workloads.iter_mut().enumerate() {
        workload.base = sim.workloads[at].spec;
        workload.floor = workload.floor.min(workload.base);
    }
    let here: Vec<Slots> = (0..workloads.len()).map(|at| sim.here(at)).collect();
    let target: Vec<Slots> = (0..workloads.len())
        .map(|at| {
            let usable = |node: u32| sim.usable[node as usize];
            adapt(&goal[at], &here[at], workloads[at].base, usable)
        })
        .collect();
    let stages = stages(&sim.capacity, &workloads, &here, &target);
    match run {
        Some(mut run) => {
            run.replan(workloads, stages);
            run
        }
        None => Run::new(workloads, stages, PATIENCE),
    }
}

fn many(name: &str, count: u64, faults: Faults, crash: f64, stop: f64) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..count {
        follow(seed, faults, crash, stop, &mut tally);
    }
    eprintln!("{name}: {tally:?}");
    tally
}

#[test]
fn a_quiet_cluster_reaches_every_target() {
    let tally = many("quiet", 2000, Faults::default(), 0.0, 0.0);
    assert_eq!((tally.missed, tally.rounds), (0, 0));
}

#[test]
fn lost_calls_change_nothing_but_time() {
    let faults = Faults {
        lost: 100,
        ..Faults::default()
    };
    let tally = many("lost", 1000, faults, 0.0, 0.0);
    assert_eq!(tally.missed, 0);
}

#[test]
fn pods_that_went_astray_are_put_right() {
    let faults = Faults {
        lost: 50,
        wrong_pod: 200,
        elsewhere: 50,
        ..Faults::default()
    };
    let tally = many("astray", 1000, faults, 0.0, 0.0);
    assert!(tally.missed * 50 <= tally.reached, "{tally:?}");
    assert!(tally.rounds > 0);
}

#[test]
fn a_process_may_die_at_any_point() {
    let faults = Faults {
        lost: 50,
        wrong_pod: 50,
        ..Faults::default()
    };
    let tally = many("crashes", 1000, faults, 0.03, 0.0);
    assert!(tally.crashes > 100, "{tally:?}");
    assert!(tally.missed * 50 <= tally.reached, "{tally:?}");
}

#[test]
fn stopping_leaves_nothing_behind() {
    let faults = Faults {
        lost: 50,
        ..Faults::default()
    };
    many("stopped", 1000, faults, 0.0, 0.05);
}

#[test]
fn nodes_vanish_and_workloads_are_scaled() {
    let faults = Faults {
        lost: 50,
        wrong_pod: 50,
        elsewhere: 20,
        node: 10,
        scale: 20,
    };
    many("drift", 1000, faults, 0.01, 0.0);
}
