//! Fifty clients at once. `BAYPLAN_LOAD_SECONDS=60` makes it last.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bayplan_web::Config;
use serde_json::json;

use crate::client::{Reply, config, start};

const CLIENTS: usize = 50;

/// Resident bytes of this process, server and clients.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = pages.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}

#[test]
fn fifty_clients_get_an_answer_or_a_time_to_come_back() {
    let seconds = std::env::var("BAYPLAN_LOAD_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse().ok()).unwrap_or(5);
    let server = start(Config {
        queue: 4,
        ..config()
    });
    let input = server.example("web-shop");
    let long = server.ask(&json!({"input": input, "verb": "colocate", "time": 3600}));
    server.at_work(&long);
    let before = resident();
    let until = Instant::now() + Duration::from_secs(seconds);
    let (answered, refused) = (AtomicU64::new(0), AtomicU64::new(0));
    let odd: Mutex<Vec<String>> = Mutex::default();
    let note = |what: &str, reply: Reply| match reply.status {
        200..=299 => {
            answered.fetch_add(1, Ordering::Relaxed);
        }
        429 | 503 if reply.header("retry-after").is_some() => {
            refused.fetch_add(1, Ordering::Relaxed);
        }
        _ => odd
            .lock()
            .unwrap()
            .push(format!("{what}: {} {}", reply.status, reply.head)),
    };
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (server, input, long, note) = (&server, &input, &long, &note);
            scope.spawn(move || {
                let mut turn = client;
                while Instant::now() < until {
                    turn += 1;
                    let question = json!({"input": input, "verb": "colocate", "steps": 100});
                    match turn % 6 {
                        0 => note("ask", server.post("/runs", &question)),
                        1 => note("map", server.get(&format!("/inputs/{input}/map"))),
                        2 => note("run", server.get(&format!("/runs/{long}"))),
                        3 => note(
                            "load",
                            server.post("/inputs/examples/divided-load", &json!({})),
                        ),
                        4 => note("list", server.get("/runs")),
                        _ => note("page", server.with("GET", "/", "", b"")),
                    }
                }
            });
        }
    });
    let grown = resident().saturating_sub(before);
    println!(
        "{} answered, {} told to come back, {} MB more in memory",
        answered.load(Ordering::Relaxed),
        refused.load(Ordering::Relaxed),
        grown >> 20
    );
    assert!(odd.lock().unwrap().is_empty(), "{:?}", odd.lock().unwrap());
    assert!(answered.load(Ordering::Relaxed) > 0 && refused.load(Ordering::Relaxed) > 0);
    assert!(grown < 512 << 20, "{grown} bytes more");
    // The run at work all the while is unharmed.
    let view = server
        .post(&format!("/runs/{long}/stop"), &json!({}))
        .json();
    assert_eq!(view["state"], "stopped", "{view}");
    assert_eq!(view["outcome"]["feasible"], true);
}
