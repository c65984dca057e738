//! Measures provisioning on a TClab-like table.
use bayplan_model::*;
use bayplan_solve::{Budget, Context, provision};
use rand::{RngExt, SeedableRng};
use std::io::Read;

struct Row {
    r: u32,
    c: Vec<f64>,
    m: Vec<f64>,
    a: Vec<(u32, u32)>,
}

fn nums(s: &str) -> Vec<f64> {
    s.trim_matches(['[', ']'])
        .split(", ")
        .map(|x| x.parse().unwrap())
        .collect()
}

fn load(path: &str) -> Vec<Row> {
    let mut text = String::new();
    if path.ends_with(".gz") {
        let out = std::process::Command::new("zcat")
            .arg(path)
            .output()
            .unwrap();
        text = String::from_utf8(out.stdout).unwrap();
    } else {
        std::fs::File::open(path)
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
    }
    text.lines()
        .skip(1)
        .map(|l| {
            let p: Vec<&str> = l.split('\t').collect();
            let a = p[5].trim_matches(['[', ']']);
            let a = if a.is_empty() {
                vec![]
            } else {
                a.trim_matches(['(', ')'])
                    .split("), (")
                    .map(|t| {
                        let (x, y) = t.split_once(", ").unwrap();
                        (x.parse().unwrap(), y.parse().unwrap())
                    })
                    .collect()
            };
            Row {
                r: p[1].parse().unwrap(),
                c: nums(p[2]),
                m: nums(p[3]),
                a,
            }
        })
        .collect()
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut rows = load(&args[1]);
    let kind = args.get(2).map_or("file", |s| s.as_str()).to_string();
    let density: f64 = args.get(3).map_or(0.01, |s| s.parse().unwrap());
    let seed: u64 = args.get(4).map_or(1, |s| s.parse().unwrap());
    let n: usize = args.get(5).map_or(0, |s| s.parse().unwrap());
    let alg = args.get(6).map_or("auto", |s| s.as_str()).to_string();
    let time: f64 = args.get(7).map_or(10.0, |s| s.parse().unwrap());
    let threads: usize = args.get(8).map_or(1, |s| s.parse().unwrap());
    let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(seed);
    if n > 0 {
        rows = (0..n)
            .map(|_| {
                let a = rng.random_range(0..rows.len());
                let b = rng.random_range(0..rows.len());
                Row {
                    r: rows[b].r,
                    c: rows[a].c.clone(),
                    m: rows[a].m.clone(),
                    a: vec![],
                }
            })
            .collect();
    }
    let n = rows.len();
    let mut lb = LimitsBuilder::new(n);
    let value = |rng: &mut rand_xoshiro::Xoshiro256PlusPlus| {
        let x = rng.random_range(0..24078u32);
        if x < 13144 {
            0
        } else if x < 13144 + 6556 {
            2
        } else if x < 13144 + 6556 + 3992 {
            1
        } else if x < 13144 + 6556 + 3992 + 361 {
            3
        } else {
            4
        }
    };
    let th_i: Vec<f64> = (0..n).map(|_| rng.random()).collect();
    let th_o: Vec<f64> = (0..n).map(|_| rng.random()).collect();
    let nn = n as f64;
    let thr = (1.0 + (1.0 + 8.0 * nn * (nn - 1.0) * density).sqrt()) / (4.0 * nn);
    let mut seen = vec![0u32; n];
    for u in 0..n {
        let mut row = vec![];
        match kind.as_str() {
            "file" => {
                for (j, a) in &rows[u].a {
                    row.push((ServiceId(j - 1), *a));
                }
            }
            "arbitrary" | "normal" => {
                let g: f64 = (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
                let sd = if kind == "normal" {
                    density * nn / 2.0
                } else {
                    (density * nn).sqrt()
                };
                let k = (density * nn + g * sd).round().clamp(0.0, nn - 1.0) as usize;
                while row.len() < k {
                    let v = rng.random_range(0..n);
                    if v != u && seen[v] != u as u32 + 1 {
                        seen[v] = u as u32 + 1;
                        row.push((ServiceId(v as u32), value(&mut rng)));
                    }
                }
            }
            "threshold" => {
                for v in 0..n {
                    if v != u && (th_o[u] + th_i[v]) / 2.0 <= thr {
                        row.push((ServiceId(v as u32), value(&mut rng)));
                    }
                }
            }
            _ => {}
        }
        lb.extend(ServiceId(u as u32), row).unwrap();
    }
    let limits = lb.build().unwrap();
    println!("limits {}", limits.len());
    let epochs = rows[0].c.len();
    let unit = |x: f64| (x * 1e6 - 1e-3).ceil().max(0.0) as u64;
    let mut services = Services::new(
        Names::numbered("s", n),
        epochs,
        rows.iter().map(|r| Service {
            replicas: r.r,
            demand: r.c.iter().chain(&r.m).map(|x| unit(*x)).collect(),
            variance: vec![],
            pinned: false,
            alive: 0,
        }),
    );
    drop(rows);
    services.limits = limits;
    let cluster = Cluster {
        resources: vec![
            Resource {
                name: "cpu".into(),
                unit: "core".into(),
                scale: 1_000_000,
            },
            Resource {
                name: "memory".into(),
                unit: "GB".into(),
                scale: 1_000_000,
            },
        ],
        pools: vec![Pool {
            name: "node".into(),
            capacity: vec![64_000_000, 128_000_000],
            price: 0,
            max_count: None,
            labels: Labels::default(),
        }],
        nodes: vec![],
    };
    let problem = Problem::new(cluster, Workload::Services(services)).unwrap();
    let budget =
        std::env::var("STEPS").map_or(Budget::Seconds(time), |s| Budget::Steps(s.parse().unwrap()));
    let ctx = Context::new(seed, budget, threads);
    let as_published = alg.ends_with('!');
    let fixed = std::env::var("FIXED").ok().map(|f| f.parse().unwrap());
    let params = provision::Params {
        algorithm: alg.trim_end_matches('!').into(),
        as_published,
        nodes: fixed,
        ..Default::default()
    };
    let t = cpu();
    let start = ctx.elapsed();
    let solution = provision::solve(&problem, &params, &ctx).unwrap();
    println!(
        "{} {:?} bound {:?} proven {} {:?} cpu {:.2} wall {:.2}",
        solution.algorithm,
        solution.objective,
        solution.bound,
        solution.proven,
        solution.stopped_by,
        cpu() - t,
        ctx.elapsed() - start
    );
    if std::env::var("CHECK").is_ok() {
        let report =
            bayplan_verify::check(&problem, &solution.plan, &bayplan_verify::Rules::default());
        println!(
            "violations {} nodes {}",
            report.violations.len(),
            report.figures.nodes
        );
        for v in report.violations.iter().take(3) {
            println!("{v}");
        }
    }
    println!(
        "cpu {:.2} wall {:.2} rss {} MB",
        cpu() - t,
        ctx.elapsed(),
        rss()
    );
}

fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = s.rsplit(')').next().unwrap().split_whitespace().collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}
fn rss() -> u64 {
    let s = std::fs::read_to_string("/proc/self/status").unwrap();
    s.lines()
        .find(|l| l.starts_with("VmHWM"))
        .unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        / 1024
}
