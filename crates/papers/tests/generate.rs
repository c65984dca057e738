//! Generated instances of the other questions: marginals, determinism, and
//! current placements the verifier accepts.

use bayplan_model::{Problem, RequestId, ServiceId};
use bayplan_papers::generate::*;
use bayplan_verify::{Rules, check_current};

fn quantile(mut values: Vec<f64>, p: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * p).round() as usize]
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Use of CPU on each machine.
fn cpu_use(problem: &Problem) -> Vec<f64> {
    let (cluster, services) = (problem.cluster(), problem.services().unwrap());
    let mut load = vec![0u64; cluster.nodes.len()];
    for entry in services.placement.counts() {
        load[entry.node.index()] += services.row(entry.service)[0] * u64::from(entry.count);
    }
    let nodes = cluster.nodes.iter().zip(load);
    nodes
        .map(|(node, load)| load as f64 / cluster.capacity(node.pool)[0] as f64)
        .collect()
}

#[test]
fn clusters_have_the_published_shape() {
    let problem = colocate(&ColocateOptions::default(), 1).unwrap();
    let services = problem.services().unwrap();
    assert_eq!((services.len(), problem.cluster().nodes.len()), (547, 96));
    assert_eq!(services.placement.replicas(), 3485);
    let report = check_current(&problem, &Rules::default());
    assert_eq!(report.violations, []);
    // Grown without regard to traffic.
    assert!(
        report.figures.gained_affinity.unwrap() < 0.3,
        "{:?}",
        report.figures
    );
    let full = cpu_use(&problem);
    let (low, half, high) = (
        quantile(full.clone(), 0.1),
        quantile(full.clone(), 0.5),
        quantile(full, 0.9),
    );
    assert!(
        low < 0.6 && half > 0.88 && high > 0.95,
        "{low} {half} {high}"
    );
    let edges = services.traffic.len();
    assert!((310..=380).contains(&edges), "{edges}");
    let mut totals = vec![0.0; services.len()];
    for pair in &services.traffic {
        totals[pair.a.index()] += pair.weight;
        totals[pair.b.index()] += pair.weight;
    }
    let talking = totals.iter().filter(|t| **t > 0.0).count() as f64;
    assert!((talking / 547.0 - 0.29).abs() < 0.01, "{talking}");
    totals.sort_by(|a, b| b.total_cmp(a));
    let carried = totals[..51].iter().sum::<f64>() / totals.iter().sum::<f64>();
    assert!((0.9..0.985).contains(&carried), "{carried}");
    let logs: Vec<f64> = services
        .traffic
        .iter()
        .map(|pair| pair.weight.ln())
        .collect();
    let centre = mean(&logs);
    let deviation = mean(
        &logs
            .iter()
            .map(|l| (l - centre).powi(2))
            .collect::<Vec<_>>(),
    )
    .sqrt();
    assert!((3.0..6.0).contains(&deviation), "{deviation}");
    for (least, share) in [(2, 0.65), (4, 0.32), (8, 0.18), (16, 0.079)] {
        let found = services.replicas.iter().filter(|d| **d >= least).count() as f64 / 547.0;
        assert!((found - share).abs() < 0.08, "{least}: {found}");
    }
}

#[test]
fn cluster_options_are_honoured_and_legal() {
    for seed in 0..6 {
        let options = ColocateOptions {
            services: 300,
            containers: 1500 + 200 * seed as usize,
            machines: 60,
            classes: 1 + seed as usize % 3,
            anti_affinity: 0.3,
            cpu_use: 0.8,
            ..ColocateOptions::default()
        };
        let problem = colocate(&options, seed).unwrap();
        let services = problem.services().unwrap();
        assert_eq!(services.placement.replicas(), options.containers as u64);
        assert_eq!(services.compatibility.class_count(), options.classes);
        assert!(services.spread.len() > 20);
        let report = check_current(&problem, &Rules::default());
        assert_eq!(report.violations, [], "seed {seed}");
        assert_eq!(problem, colocate(&options, seed).unwrap());
    }
}

/// Machines in use.
fn machines(problem: &Problem) -> usize {
    let placement = &problem.services().unwrap().placement;
    let nodes = placement.counts().iter().map(|entry| entry.node);
    nodes.collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn the_papers_layout_is_packed_tighter_and_by_the_confidence() {
    let layout = |layout_by, d_alpha| {
        let options = OvercommitOptions {
            services: 6,
            machines: 400,
            containers: Some(2000),
            scale: Some(0.85),
            layout_by,
            d_alpha,
            ..OvercommitOptions::default()
        };
        let problem = overcommit(&options, 3).unwrap();
        let rules = Rules {
            d_alpha,
            complete: false,
            ..Rules::default()
        };
        assert_eq!(check_current(&problem, &rules).violations, []);
        machines(&problem)
    };
    let csp = layout(LayoutBy::Csp, 3.0902);
    assert!(csp < layout(LayoutBy::FirstFit, 3.0902));
    assert!(layout(LayoutBy::Csp, 2.3263) < csp);
}

#[test]
fn layouts_are_legal_and_thinned_out() {
    for (services, memory) in [(5, None), (10, Some(64)), (17, None), (20, None)] {
        let options = OvercommitOptions {
            services,
            memory,
            scale: Some(1.3),
            ..OvercommitOptions::default()
        };
        let problem = overcommit(&options, 7).unwrap();
        let all = problem.services().unwrap();
        assert_eq!(all.len(), services);
        let rules = Rules {
            d_alpha: options.d_alpha,
            complete: false,
            ..Rules::default()
        };
        let report = check_current(&problem, &rules);
        assert_eq!(report.violations, []);
        let wanted: f64 = (all.ids())
            .map(|s| all.row(s)[0] as f64 / 1e6 * f64::from(all.replicas[s.index()]))
            .sum();
        assert!((wanted / (22_800.0 * 1.3) - 1.0).abs() < 0.01, "{wanted}");
        for s in all.ids() {
            let runs: u32 = all.placement.of(s).iter().map(|entry| entry.count).sum();
            let left = f64::from(runs) / (f64::from(all.replicas[s.index()]) / 1.3);
            assert!((0.15..0.75).contains(&left), "{left}");
        }
        assert_eq!(problem, overcommit(&options, 7).unwrap());
    }
    let empty = overcommit(&OvercommitOptions::default(), 7).unwrap();
    assert!(empty.services().unwrap().placement.is_empty());
    let crowded = OvercommitOptions {
        machines: 100,
        scale: Some(1.0),
        ..OvercommitOptions::default()
    };
    assert!(matches!(
        overcommit(&crowded, 1),
        Err(GenerateError::NoRoom { .. })
    ));
}

#[test]
fn deviations_stray_by_a_tenth() {
    let options = OvercommitOptions {
        services: 17,
        ..OvercommitOptions::default()
    };
    let problem = overcommit(&options, 3).unwrap();
    let all = problem.services().unwrap();
    let deviation = |s: u32| (all.variance[s as usize] as f64).sqrt() / 1e6;
    assert_eq!(all.row(ServiceId(3))[0], 4_120_000);
    assert!((deviation(3) / 2.69 - 1.0).abs() <= 0.1 && deviation(3) != 2.69);
}

#[test]
fn applications_have_the_published_marginals() {
    let (mut loads, mut memories) = (Vec::new(), Vec::new());
    for seed in 0..50 {
        let problem = divide(&DivideOptions::default(), seed).unwrap();
        let all = &problem.applications().unwrap().all;
        assert_eq!(all.len(), 100);
        loads.extend(all.iter().map(|a| a.load as f64 / 1e3));
        memories.extend(all.iter().map(|a| a.memory as f64 / 1e3));
    }
    assert!(loads.iter().all(|load| (1.0..=32.0).contains(load)));
    assert!((mean(&loads) - 8.4).abs() < 0.4, "{}", mean(&loads));
    assert!((quantile(loads, 0.5) - 5.0).abs() < 0.4);
    assert!((mean(&memories) - 14.0).abs() < 0.6, "{}", mean(&memories));
    assert_eq!(quantile(memories, 0.5), 8.0);
    let equal = DivideOptions {
        applications: 7,
        equal: Some((3, 2)),
        ..DivideOptions::default()
    };
    let problem = divide(&equal, 1).unwrap();
    let all = &problem.applications().unwrap().all;
    assert!(all.iter().all(|a| (a.load, a.memory) == (3000, 2000)) && all.len() == 7);
}

/// Online first fit: requests by start, each on the first machine with room.
fn first_fit_share(problem: &Problem) -> f64 {
    let requests = problem.requests().unwrap();
    let machines = &problem.cluster().nodes;
    let capacity = problem.cluster().capacity(machines[0].pool);
    let mut load = vec![[0u64; 2]; machines.len()];
    let mut running: Vec<Vec<(i64, [u64; 2])>> = vec![Vec::new(); machines.len()];
    let mut served = 0;
    for at in 0..requests.len() {
        let row = requests.row(RequestId::from(at));
        let (start, finish) = (requests.start[at], requests.finish[at]);
        for (load, running) in load.iter_mut().zip(&mut running) {
            running.retain(|(until, demand)| {
                let ends = *until <= start;
                if ends {
                    *load = [load[0] - demand[0], load[1] - demand[1]];
                }
                !ends
            });
            if load[0] + row[0] <= capacity[0] && load[1] + row[1] <= capacity[1] {
                *load = [load[0] + row[0], load[1] + row[1]];
                running.push((finish, [row[0], row[1]]));
                served += 1;
                break;
            }
        }
    }
    f64::from(served) / requests.len() as f64
}

#[test]
fn first_fit_serves_what_the_paper_reports() {
    for (load, share) in [
        (1.0, 0.92),
        (2.0, 0.75),
        (3.75, 0.55),
        (6.0, 0.41),
        (12.0, 0.27),
    ] {
        let options = AdmitOptions {
            load,
            ..AdmitOptions::default()
        };
        let shares: Vec<f64> = (0..4)
            .map(|seed| {
                let problem = admit(&options, seed).unwrap();
                let found = load_factor(&problem).unwrap();
                assert!((found / load - 1.0).abs() < 0.02, "{found} {load}");
                first_fit_share(&problem)
            })
            .collect();
        let found = mean(&shares);
        assert!((found - share).abs() < 0.04, "load {load}: {found} {share}");
    }
}

#[test]
fn requests_are_valid_and_weighted_on_demand() {
    let options = AdmitOptions {
        requests: Some(5000),
        machines: 20,
        weights: true,
        ..AdmitOptions::default()
    };
    let problem = admit(&options, 5).unwrap();
    assert_eq!(problem, admit(&options, 5).unwrap());
    let requests = problem.requests().unwrap();
    assert!(
        requests
            .demand
            .iter()
            .all(|units| (1..=100_000_000).contains(units))
    );
    assert!(
        requests
            .weight
            .iter()
            .collect::<std::collections::BTreeSet<_>>()
            .len()
            > 4000
    );
    let plain = admit(&AdmitOptions::default(), 5).unwrap();
    assert!(
        plain
            .requests()
            .unwrap()
            .weight
            .iter()
            .all(|weight| *weight == 1_000_000)
    );
    let counted = problem.requests().unwrap().len();
    assert_eq!(
        (
            counted,
            load_factor(&problem).map(|load| (load * 100.0).round())
        ),
        (5000, Some(375.0))
    );
    // Three requests can never keep a hundred machines busy.
    let few = AdmitOptions {
        requests: Some(3),
        machines: 100,
        ..AdmitOptions::default()
    };
    assert!(admit(&few, 1).is_err());
    assert!(
        admit(
            &AdmitOptions {
                load: 0.0,
                ..Default::default()
            },
            1
        )
        .is_err()
    );
}
