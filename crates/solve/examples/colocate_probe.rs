use bayplan_model::*;
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
    use bayplan_solve::colocate::*;
    let get = |k: &str| a.iter().position(|x| x == k).map(|i| a[i + 1].clone());
    let params = Params { algorithm: get("-a").unwrap_or("auto".into()), max_moves: get("-m").map(|x| x.parse().unwrap()), move_price: get("-p").map(|x| x.parse().unwrap()), bound: get("-b").is_none(), pool: match get("--pool").as_deref() { Some("mip") => rasa::PoolMember::Mip, Some("cg") => rasa::PoolMember::Cg, _ => rasa::PoolMember::Auto }, ..Default::default() };
    let budget = match get("-t") { Some(t) => Budget::Seconds(t.parse().unwrap()), None => Budget::Steps(get("-s").unwrap().parse().unwrap()) };
    let t = std::time::Instant::now();
    let verbose = get("-v").is_some();
    let ctx = Context::new(get("-e").map_or(1, |x| x.parse().unwrap()), budget, 2).with_listener(move |p| if verbose { eprintln!("{:.2}s {} {:?} {:?}", t.elapsed().as_secs_f64(), p.phase, p.incumbent, p.bound) });
    if get("-f").is_some() {
        for s in frontier::frontier(&p, &params, &ctx).unwrap() { println!("{:.4} {:?} waves", s.objective, s.figures); if let Plan::Placement(q) = &s.plan { println!("   moves {}", q.placement.moves_from(&p.services().unwrap().placement)); } }
        return;
    }
    let s = solve(&p, &params, &ctx).unwrap();
    let Plan::Placement(q) = &s.plan else { panic!() };
    let rep = bayplan_verify::check(&p, &s.plan, &bayplan_verify::Rules::default());
    println!("{} gain {:.5} bound {:?} moves {} waves {} unplaced {} holds {} notes {:?} {:.2}s", s.algorithm, s.objective, s.bound, q.placement.moves_from(&p.services().unwrap().placement), q.waves.len(), q.unplaced.len(), rep.holds(), s.notes, t.elapsed().as_secs_f64());
}
