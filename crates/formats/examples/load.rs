//! Reads a file and says what is in it and what it cost.
use bayplan_formats::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut options = ReadOptions::default();
    for a in &args[2..] {
        let (k, v) = a.split_once('=').unwrap();
        match k {
            "cpu" => options.cpu = Some(v.into()),
            "capacity" => options.capacity = Some(v.into()),
            "memory" => options.memory = Some(v.into()),
            "machines" => options.machines = v.parse().ok(),
            "limits" => options.limits = std::fs::read(v).ok(),
            "nodes" => options.nodes = std::fs::read(v).ok(),
            "layout" => options.layout = std::fs::read(v).ok(),
            "format" => options.format = Format::parse(v),
            _ => panic!(),
        }
    }
    let t = std::time::Instant::now();
    match read_file(&args[1], &options) {
        Err(e) => println!("{e}"),
        Ok(input) => {
            println!("{:?} in {:?}", input.format, t.elapsed());
            for n in &input.notes {
                println!("{n}");
            }
            let c = input.problem.cluster();
            println!(
                "{} pools {} nodes {:?}",
                c.pools.len(),
                c.nodes.len(),
                c.pools.first()
            );
            if let Some(s) = input.problem.services() {
                println!(
                    "{} services {} replicas {} limits {} traffic {} placed epochs {}",
                    s.len(),
                    s.replicas.iter().map(|r| *r as u64).sum::<u64>(),
                    s.limits.len(),
                    s.traffic.len(),
                    s.placement.replicas(),
                    s.epochs
                );
            }
            if let Some(s) = input.problem.requests() {
                println!("{} requests", s.len());
            }
            if let Some(s) = input.problem.applications() {
                println!("{} applications", s.all.len());
            }
        }
    }
}
