//! probe
use bayplan_model::*;
use bayplan_solve::divide::{Params, solve};
use bayplan_solve::{Budget, Context};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as R;

pub fn instance(n: usize, q: u64, seed: u64) -> Problem {
    let mut r = R::seed_from_u64(seed);
    let all = (0..n).map(|_| {
        // load: lognormal-like with median 5, mean 8.4, in [1, 32]
        let load = loop {
            let u: f64 = r.random(); let v: f64 = r.random();
            let z = (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos();
            let x = (4.9f64.ln() + 1.25 * z).exp();
            if (1.0..=32.0).contains(&x) { break x; }
        };
        let m: f64 = r.random();
        let memory = if m < 0.17 { 2 } else if m < 0.35 { 4 } else if m < 0.70 { 8 } else if m < 0.98 { 32 } else { 64 };
        Application { load: (load * 1e6) as u64, memory: memory * 1000, min_instances: 1, ..Default::default() }
    }).collect();
    let res = |name: &str, s| Resource { name: name.into(), unit: name.into(), scale: s };
    let cluster = Cluster { resources: vec![res("cpu", 1000000), res("memory", 1000)],
        pools: vec![Pool { name: "n".into(), capacity: vec![32_000_000, q * 1000], price: 0, max_count: None, labels: Default::default() }], nodes: vec![] };
    Problem::new(cluster, Workload::Applications(Applications { names: Names::numbered("a", n), all, layout: vec![] })).unwrap()
}

fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (q, count, n): (u64, u64, usize) = (a[1].parse().unwrap(), a[2].parse().unwrap(), a[3].parse().unwrap());
    let time: f64 = a[4].parse().unwrap();
    let algorithms: Vec<String> = if a.len() > 5 { a[5..].to_vec() } else { bayplan_solve::divide::algorithms().into_iter().map(|i| i.name).collect() };
    let (mut mp, mut mq) = (0.0, 0.0);
    for name in &algorithms {
        let (mut r0, mut rd, mut rb, mut proven, mut worst) = (0.0, 0.0, 0.0, 0, 0.0f64);
        let mut above = 0;
        for s in 0..count {
            let p = instance(n, q, s);
            let apps = &p.applications().unwrap().all;
            mp = apps.iter().map(|a| a.load as f64 / 1e6).sum::<f64>() / n as f64;
            mq = apps.iter().map(|a| a.memory as f64 / 1e3).sum::<f64>() / n as f64;
            let ctx = Context::new(s, Budget::Seconds(time), 1);
            let t = std::time::Instant::now();
            let sol = solve(&p, &Params { algorithm: name.clone(), ..Default::default() }, &ctx).unwrap();
            let t = t.elapsed().as_secs_f64();
            worst = worst.max(t);
            let sum = |f: &dyn Fn(&Application) -> bool, g: &dyn Fn(&Application) -> u64| apps.iter().filter(|a| f(a)).map(|a| g(a)).sum::<u64>();
            let cap = (32_000_000u64, q * 1000);
            let lb0 = sum(&|_| true, &|a| a.load).div_ceil(cap.0).max(sum(&|_| true, &|a| a.memory).div_ceil(cap.1)) as f64;
            let own = |a: &Application| a.memory + 2000 > cap.1;
            let ded = (sum(&own, &|_| 1) + sum(&|a| !own(a), &|a| a.load).div_ceil(cap.0).max(sum(&|a| !own(a), &|a| a.memory).div_ceil(cap.1))) as f64;
            let lb = ded.max(lb0);
            if algorithms.len() == 1 && count <= 50 { println!("seed {s}: {} bound {:?} lb0 {lb0} ded {lb} proven {} {t:.2}s {:?}", sol.objective, sol.bound, sol.proven, sol.figures); }
            r0 += sol.objective / lb0; rd += sol.objective / lb; rb += sol.objective / sol.bound.unwrap(); proven += sol.proven as u32;
            above += (sol.objective > lb) as u32;
        }
        let c = count as f64;
        println!("{name:32} /LB0 {:.4} /LBded {:.4} /bound {:.4} proven {proven} above ded {above} slowest {worst:.2}", r0 / c, rd / c, rb / c);
    }
    println!("mean p {mp:.2} q {mq:.2}");
}
