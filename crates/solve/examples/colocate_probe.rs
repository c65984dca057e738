use bayplan_model::*;
use bayplan_solve::colocate::{gain::*, view::*, anneal::walk::Goal};
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
    use bayplan_solve::colocate::evolve::*;
    let steps: u64 = a[2].parse().unwrap();
    let price: f64 = a[3].parse().unwrap();
    let max_moves: i64 = a[4].parse().unwrap();
    let seeds: u64 = a[5].parse().unwrap();
    for seed in 0..seeds {
        let t = std::time::Instant::now();
        let ctx = Context::new(seed, Budget::Steps(steps), 2).with_listener(move |p| println!("  {:.4} {:.2}s", p.incumbent.unwrap(), t.elapsed().as_secs_f64()));
        let mut search = Search::new(&view, view.original.clone());
        let f = search.run(Goal { price, max_moves }, Effort::Steps(steps), &ctx);
        println!("seed {seed} gain {:.5} ({:.5}) moves {} ({}) {:.2}s", f.gain, gain_of(&view, &f.spots), f.moves, moves_of(&view, &f.spots), t.elapsed().as_secs_f64());
    }
}
