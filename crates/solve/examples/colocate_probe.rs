use bayplan_model::*;
use bayplan_solve::colocate::{anneal::*, gain::*, view::*, anneal::walk::Goal};
use bayplan_solve::{Budget, Context};
use std::collections::HashMap;

fn load(path: &str) -> Problem {
    let text = std::fs::read_to_string(path).unwrap();
    let v: serde_json::Value = serde_json::from_str(&text).unwrap();
    let scale = 1_000_000_000_000u64;
    let num = |x: &serde_json::Value, r| parse_units(&x.to_string(), scale, r).unwrap();
    let mut names = Names::default();
    let mut owner = HashMap::new();
    let mut services = vec![];
    for (i, s) in v["ServiceList"].as_array().unwrap().iter().enumerate() {
        names.add(s["Service"].as_str().unwrap()).unwrap();
        let c = s["ContainerList"].as_array().unwrap();
        for x in c { owner.insert(x.as_str().unwrap().to_string(), i); }
        services.push(Service { replicas: c.len() as u32, demand: vec![num(&s["RequestCPU"], Rounding::Up), num(&s["RequestMem"], Rounding::Up)], variance: vec![], pinned: false, alive: 0 });
    }
    let mut pools: Vec<Pool> = vec![];
    let mut nodes = vec![];
    let mut counts = vec![];
    for (m, n) in v["MachineList"].as_array().unwrap().iter().enumerate() {
        let cap = vec![num(&n["TotalCPU"], Rounding::Down), num(&n["TotalMem"], Rounding::Down)];
        let p = pools.iter().position(|p| p.capacity == cap).unwrap_or_else(|| { pools.push(Pool { name: format!("p{}", pools.len()), capacity: cap, price: 0, max_count: None, labels: Default::default() }); pools.len() - 1 });
        nodes.push(Node { name: n["MachineIP"].as_str().unwrap().into(), pool: PoolId(p as u32), labels: Default::default() });
        for c in n["InitialDeployingContainers"].as_array().unwrap() {
            counts.push(Count { service: ServiceId(owner[c.as_str().unwrap()] as u32), node: NodeId(m as u32), count: 1 });
        }
    }
    let mut s = Services::new(names, 1, services);
    for t in v["TrafficList"].as_array().unwrap() {
        let f = |k: &str| ServiceId(s.names.find(t[k].as_str().unwrap()).unwrap());
        let (a, b) = (f("Service1"), f("Service2"));
        s.traffic.push(Traffic { a, b, weight: t["Traffic"].as_f64().unwrap() });
    }
    s.placement = Placement::new(counts);
    let r = |n: &str| Resource { name: n.into(), unit: "share".into(), scale };
    Problem::new(Cluster { resources: vec![r("cpu"), r("memory")], pools, nodes }, Workload::Services(s)).unwrap()
}

fn main() {
    let a: Vec<String> = std::env::args().collect();
    let p = load(&a[1]);
    let view = View::new(&p, None, &[]).unwrap();
    println!("original {}", gain_of(&view, &view.original));
    let steps: u64 = a[2].parse().unwrap();
    let hot: f64 = a[3].parse().unwrap();
    let cold: f64 = a[4].parse().unwrap();
    let price: f64 = a[5].parse().unwrap();
    let max_moves: i64 = a[6].parse().unwrap();
    let seeds: u64 = a[7].parse().unwrap();
    let an = Anneal::new(&view);
    let kinds = bayplan_solve::colocate::kinds::Kinds::new(&view);
    let mut pool = bayplan_solve::colocate::patterns::Pool::default();
    for seed in 0..seeds {
        let ctx = Context::new(seed, Budget::Steps(steps), 1);
        let t = std::time::Instant::now();
        let s = an.alone(&view.original, Goal { price, max_moves }, Cooling { hot, cold }, Length::Steps(steps), ctx.random(0), &ctx);
        let spots = s.spots();
        println!("seed {seed} gain {:.5} ({:.5}) moves {} ({}) {:.2}s", s.gain, gain_of(&view, &spots), s.moves, moves_of(&view, &spots), t.elapsed().as_secs_f64());
        pool.add_all(&s, &kinds);
    }
    println!("patterns {}", pool.patterns.len());
    use bayplan_solve::colocate::recombine::*;
    let t = std::time::Instant::now();
    let o = bayplan_lp::Options { seconds: Some(60.0), gap: 1e-4, ..Default::default() };
    let picked = select(&view, &kinds, &pool, price, &o).unwrap();
    let g: f64 = picked.iter().map(|p| pool.patterns[*p].gain).sum();
    println!("master gain {g} in {:.2}s", t.elapsed().as_secs_f64());
    if let Some(spots) = rebuild(&view, &kinds, &pool, &picked) {
        println!("rebuilt gain {} moves {}", gain_of(&view, &spots), moves_of(&view, &spots));
        for hot in [5e-5, 1e-4, 2e-4] {
            let ctx = Context::new(5, Budget::Steps(steps), 1);
            let s = an.alone(&spots, Goal { price, max_moves }, Cooling { hot, cold }, Length::Steps(steps), ctx.random(0), &ctx);
            println!("after {hot}: gain {:.5} moves {}", s.gain, s.moves);
        }
    } else { println!("rebuild failed"); }
}
