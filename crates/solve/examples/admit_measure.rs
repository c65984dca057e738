//! throw-away
use bayplan_model::*;
use bayplan_solve::admit::{baselines::*, cradle::*, fill::*, state::State, view::View};
use bayplan_solve::{Budget, Context};
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let k: usize = args[2].parse().unwrap();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let scale = 100_000_000u64;
    let requests = Requests::new(1, text.lines().skip(1).map(|l| {
        let p: Vec<&str> = l.split(',').collect();
        let u = |t: &str| parse_units(t, scale, Rounding::Up).unwrap();
        Request { start: p[0].parse::<f64>().unwrap() as i64, finish: p[1].parse::<f64>().unwrap() as i64, demand: vec![u(p[2]), u(p[3])], weight: 1_000_000 }
    }));
    let res = |n: &str| Resource { name: n.into(), unit: "node".into(), scale };
    let cluster = Cluster {
        resources: vec![res("cpu"), res("memory")],
        pools: vec![Pool { name: "node".into(), capacity: vec![scale, scale], price: 0, max_count: None, labels: Default::default() }],
        nodes: (0..k).map(|i| Node { name: format!("node-{i}"), pool: PoolId(0), labels: Default::default() }).collect(),
    };
    let problem = Problem::new(cluster, Workload::Requests(requests)).unwrap();
    let ctx = Context::new(1, Budget::Seconds(600.0), 1);
    let view = View::new(&problem).unwrap();
    let n = view.len() as f64;
    println!("n {} k {} rho {:.3} slots {}", view.len(), k, view.load_factor(), view.slot_start.len());
    let show = |name: &str, x: &[u32], t: Instant| println!("{name:30} {:.3} %  {:.2}s", x.iter().filter(|m| **m != u32::MAX).count() as f64 / n * 100.0, t.elapsed().as_secs_f64());
    let t = Instant::now(); let x = bin_packing(&view, Packing::FirstFit, &ctx); show("first fit", &x, t);
    let t = Instant::now(); let x = bin_packing(&view, Packing::MovingPointer, &ctx); show("moving pointer", &x, t);
    let t = Instant::now(); let x = spread(&view, Spreading::Probing, &ctx); show("spread", &x, t);
    let t = Instant::now(); let x = spread(&view, Spreading::Strict, &ctx); show("spread strict", &x, t);
    let t = Instant::now(); let c = cradle(&view, &ctx); show("cradle", &c, t);
    for order in [Order::Start, Order::Density] { for choice in [Choice::First, Choice::Tightest] {
        let t = Instant::now(); let mut s = State::with(&view, &c);
        let w = waiting(&s, order); fill(&mut s, &w, choice, &ctx); show(&format!("cradle+ {order:?} {choice:?}"), s.node_of(), t);
        let t = Instant::now(); let mut s = State::new(&view);
        let w = waiting(&s, order); fill(&mut s, &w, choice, &ctx); show(&format!("fill {order:?} {choice:?}"), s.node_of(), t);
    }}
    let t = Instant::now();
    let placeable = view.placeable();
    let relax = bayplan_solve::admit::prices::Relaxation::new(&view, &placeable);
    println!("relaxation built {:.2}", t.elapsed().as_secs_f64());
    let its: usize = args[3].parse().unwrap();
    let priced = bayplan_solve::admit::prices::solve(&relax, |i, b| { if i % 200 == 0 { println!("  {i} bound {:.3} {:.2}s", b as f64 / n / 1e4, t.elapsed().as_secs_f64()); } i < its });
    println!("bound {:.3} % {:.2}s", priced.bound as f64 / n / 1e4, t.elapsed().as_secs_f64());
    for choice in [Choice::First, Choice::Tightest] {
        let t = Instant::now(); let mut s = State::new(&view);
        let mut w = placeable.clone();
        sort_by_score(&mut w, |j| priced.prices.cost(&view, j) / view.weight(j) as f64);
        fill(&mut s, &w, choice, &ctx); show(&format!("price {choice:?}"), s.node_of(), t);
    }
    let score: Vec<f64> = (0..view.len() as u32).map(|j| priced.prices.cost(&view, j) / view.weight(j) as f64).collect();
    let t = Instant::now(); let mut s = State::new(&view);
    let mut w = placeable.clone();
    sort_by_score(&mut w, |j| score[j as usize]);
    fill(&mut s, &w, Choice::First, &ctx);
    let mut random = ctx.random(0);
    let steps: usize = args[4].parse().unwrap();
    let mut search = bayplan_solve::admit::neighbourhood::Search::new(&mut s, &score);
    let mut wins = 0;
    for i in 0..=steps { wins += search.step(&mut random) as usize; if i % (steps / 10) == 0 { println!("  {i} {:.3} wins {wins} {:.2}s", search.value() as f64 / n / 1e4, t.elapsed().as_secs_f64()); } }
}
