//! Measures the algorithms of `overcommit` on the data of the UCaC paper.

#[path = "../tests/overcommit/data.rs"]
mod data;

use std::sync::{Arc, Mutex};

use bayplan_model::{Placement, Plan, Problem};
use bayplan_solve::overcommit::{Params, solve};
use bayplan_solve::{Budget, Context, Solution};
use bayplan_verify::{Rules, check};

fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("this is Linux");
    let fields: Vec<&str> = stat
        .rsplit(") ")
        .next()
        .expect("a process has a name")
        .split(' ')
        .collect();
    let ticks: f64 =
        fields[11].parse::<f64>().expect("user") + fields[12].parse::<f64>().expect("system");
    ticks / 100.0
}

fn run(label: &str, problem: &Problem, algorithm: &str, confidence: f64, seconds: f64) -> Solution {
    let before = cpu();
    let generated = Arc::new(Mutex::new(None));
    let heard = generated.clone();
    let ctx = Context::new(1, Budget::Seconds(seconds), 1).with_listener(move |progress| {
        if progress.phase == "column generation" {
            heard.lock().expect("one thread").get_or_insert(cpu());
        }
    });
    let params = Params {
        algorithm: algorithm.into(),
        confidence,
        ..Params::default()
    };
    let solution = solve(problem, &params, &ctx).expect("it runs");
    let spent = cpu() - before;
    let rules = Rules {
        d_alpha: params.d().expect("a confidence"),
        ..Rules::default()
    };
    let report = check(problem, &solution.plan, &rules);
    let ucac = report.figures.ucac.expect("services") / data::SCALE as f64;
    let gap = solution.bound.map_or(f64::NAN, |bound| {
        (solution.objective - bound) / bound * 100.0
    });
    println!(
        "{label} {algorithm:10} ucac {ucac:9.2} machines {:5} gap {gap:8.4}% {} cg {:6.2}s cpu {spent:6.2}s holds {} {:?}",
        report.figures.nodes,
        if solution.proven { "proven" } else { "      " },
        generated
            .lock()
            .expect("one thread")
            .map_or(0.0, |at| at - before),
        report.holds(),
        solution.figures,
    );
    solution
}

fn placement(solution: &Solution) -> Placement {
    match &solution.plan {
        Plan::Placement(plan) => plan.placement.clone(),
        _ => unreachable!("overcommit answers with a placement"),
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let what = args.get(1).map_or("empty", String::as_str);
    let ks: Vec<usize> = args.get(2).map_or(vec![5, 10, 15, 20], |list| {
        list.split(',')
            .map(|k| k.parse().expect("a number"))
            .collect()
    });
    let seconds: f64 = args.get(3).map_or(10.0, |s| s.parse().expect("seconds"));
    let algorithms: Vec<&str> = args.get(4).map_or(
        vec!["BF-n-sigma", "BF-UCaC", "BiHeu", "CSP-Mac", "CSP-UCaC"],
        |list| list.split(',').collect(),
    );
    for k in ks {
        for confidence in [0.99, 0.999] {
            let mut random = data::random(k as u64);
            let services = data::draw_services(k, &mut random);
            let base: Vec<u32> = services.iter().map(|s| s.containers).collect();
            if what == "empty" {
                let problem = data::problem(&services, &base, 4000, Placement::default());
                for algorithm in &algorithms {
                    run(
                        &format!("empty K={k} {confidence}"),
                        &problem,
                        algorithm,
                        confidence,
                        seconds,
                    );
                }
                continue;
            }
            let packed = data::problem(&services, &base, 4000, Placement::default());
            let packed = run("  layout", &packed, "CSP-UCaC", confidence, 5.0);
            let layout = data::thin_out(&services, &placement(&packed), &mut random);
            let factor = if what == "down" { 0.85 } else { 1.3 };
            let wanted: Vec<u32> = base
                .iter()
                .map(|count| (f64::from(*count) * factor).round() as u32)
                .collect();
            let problem = data::problem(&services, &wanted, 4000, layout);
            for algorithm in &algorithms {
                run(
                    &format!("{what} K={k} {confidence}"),
                    &problem,
                    algorithm,
                    confidence,
                    seconds,
                );
            }
        }
    }
}
