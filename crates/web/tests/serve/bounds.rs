//! Nothing grows without end, and nothing is lost that was promised.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use bayplan_web::Config;
use serde_json::{Value, json};

use crate::client::{Running, config, start};

/// A run that goes on until it is stopped: steps beyond counting.
fn endless(server: &Running, input: &str) -> Value {
    let _ = server;
    json!({"input": input, "verb": "colocate", "time": 3600})
}

#[test]
fn stopping_returns_the_best_so_far() {
    let server = start(config());
    let input = server.example("web-shop");
    let run = server.ask(&endless(&server, &input));
    server.at_work(&run);
    // Queued behind it: stopped before it begins, without an answer.
    let waiting = server.ask(&endless(&server, &input));
    let never = server.post(&format!("/runs/{waiting}/stop"), &json!({}));
    assert_eq!(
        (never.status, &never.json()["state"]),
        (200, &json!("stopped"))
    );
    assert_eq!(
        server.get(&format!("/runs/{waiting}/placement")).status,
        404
    );
    assert_eq!(
        server
            .with("DELETE", &format!("/api/v1/runs/{run}"), "", b"")
            .status,
        409
    );
    assert_eq!(server.get(&format!("/runs/{run}/placement")).status, 409);

    let stopped = server.post(&format!("/runs/{run}/stop"), &json!({}));
    assert_eq!(stopped.status, 200, "{stopped:?}");
    let view = stopped.json();
    assert_eq!(view["state"], "stopped", "{view}");
    assert_eq!(view["outcome"]["stopped_by"], "interrupt");
    assert!(view["outcome"]["objective"].as_f64().unwrap() > 0.0);
    assert_eq!(
        server
            .with("DELETE", &format!("/api/v1/runs/{run}"), "", b"")
            .status,
        204
    );
    assert_eq!(server.get(&format!("/runs/{run}")).code(), "W001");
}

#[test]
fn a_full_queue_says_when_to_come_back() {
    let server = start(Config {
        queue: 2,
        ..config()
    });
    let input = server.example("web-shop");
    let first = server.ask(&endless(&server, &input));
    server.at_work(&first);
    let waiting: Vec<String> = (0..2)
        .map(|_| server.ask(&endless(&server, &input)))
        .collect();
    let refused = server.post("/runs", &endless(&server, &input));
    assert_eq!((refused.status, refused.code().as_str()), (429, "W005"));
    assert!(
        refused
            .header("retry-after")
            .unwrap()
            .parse::<u32>()
            .unwrap()
            > 0
    );
    for run in waiting.iter().chain([&first]) {
        server.post(&format!("/runs/{run}/stop"), &json!({}));
    }
    server.ended(&server.ask(&json!({"input": input, "verb": "colocate", "steps": 10})));
}

#[test]
fn the_oldest_inputs_and_runs_are_forgotten() {
    let server = start(Config {
        keep_inputs: 2,
        keep_runs: 2,
        ..config()
    });
    let first = server.example("web-shop");
    let run = server.ask(&json!({"input": first, "verb": "colocate", "steps": 10}));
    server.ended(&run);
    let second = server.example("divided-load");
    let runs: Vec<String> = (0..4)
        .map(|_| {
            let run = server.ask(&json!({"input": second, "verb": "divide", "steps": 10}));
            server.ended(&run);
            run
        })
        .collect();
    server.example("batch-cluster");
    // With the input its runs are gone.
    assert_eq!(server.get(&format!("/inputs/{first}")).code(), "W001");
    assert_eq!(server.get(&format!("/runs/{run}")).status, 404);
    assert_eq!(server.get("/inputs").json().as_array().unwrap().len(), 2);
    assert_eq!(server.get(&format!("/runs/{}", runs[0])).status, 404);
    assert_eq!(server.get(&format!("/runs/{}", runs[3])).status, 200);
    assert_eq!(server.get("/runs").json().as_array().unwrap().len(), 2);
}

#[test]
fn bodies_are_bounded_also_when_decompressed() {
    let server = start(Config {
        max_input: 100_000,
        ..config()
    });
    let large = vec![b'a'; 100_001];
    let refused = server.with("POST", "/api/v1/inputs", "", &large);
    assert_eq!((refused.status, refused.code().as_str()), (413, "W004"));
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    bomb.write_all(&vec![b' '; 10_000_000]).unwrap();
    let refused = server.with("POST", "/api/v1/inputs", "", &bomb.finish().unwrap());
    assert_eq!((refused.status, refused.code().as_str()), (413, "F002"));
    let refused = server.with("POST", "/api/v1/runs", "", &vec![b' '; 300_000]);
    assert_eq!(refused.status, 413);
}

fn listen(server: &Running, run: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(server.address).unwrap();
    let host = server.address;
    let ask = format!("GET /api/v1/runs/{run}/events HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.write_all(ask.as_bytes()).unwrap();
    BufReader::new(stream)
}

/// Names of events until the last.
fn events(reader: BufReader<TcpStream>) -> Vec<String> {
    let mut names = Vec::new();
    for line in reader.lines() {
        let line = line.unwrap();
        names.extend(line.strip_prefix("event: ").map(String::from));
        if names.last().is_some_and(|name| name == "done") {
            break;
        }
    }
    names
}

#[test]
fn listeners_hear_the_run_and_are_bounded() {
    let server = start(Config {
        listeners: 2,
        ..config()
    });
    let input = server.example("web-shop");
    let run = server.ask(&endless(&server, &input));
    server.at_work(&run);
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut reader = listen(&server, &run);
        let mut status = String::new();
        reader.read_line(&mut status).unwrap();
        assert!(status.contains("200"), "{status}");
        open.push(reader);
    }
    let refused = server.get(&format!("/runs/{run}/events"));
    assert_eq!((refused.status, refused.code().as_str()), (503, "W006"));
    assert!(refused.header("retry-after").is_some());
    server.post(&format!("/runs/{run}/stop"), &json!({}));
    for reader in open {
        let names = events(reader);
        assert_eq!(names.first().unwrap(), "state");
        assert!(names.iter().any(|name| name == "progress"), "{names:?}");
        assert_eq!(names.last().unwrap(), "done");
    }
    // A late listener hears the curve again, then the end at once.
    let curve = server.get(&format!("/runs/{run}")).json()["curve"]
        .as_array()
        .unwrap()
        .len();
    let mut late = listen(&server, &run);
    let mut status = String::new();
    late.read_line(&mut status).unwrap();
    assert!(status.contains("200"), "{status}");
    let names = events(late);
    assert!(names.iter().filter(|name| *name == "progress").count() >= curve);
}

#[test]
fn a_restart_finds_everything_again() {
    let folder = std::env::temp_dir().join(format!("bayplan-web-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let store = Some(folder.join("store.redb"));
    let config = || Config {
        store: store.clone(),
        ..config()
    };
    let server = start(config());
    let input = server.example("web-shop");
    let run = server.ask(&json!({"input": input, "verb": "colocate", "steps": 5000}));
    let before = server.ended(&run);
    let placement = server.get(&format!("/runs/{run}/placement")).json();
    let report = server.get(&format!("/runs/{run}/report.html")).body;
    // The run at work when the server ends keeps its best answer.
    let cut = server.ask(&endless(&server, &input));
    server.at_work(&cut);
    drop(server);
    let server = start(config());
    assert_eq!(server.get(&format!("/runs/{run}")).json(), before);
    assert_eq!(
        server.get(&format!("/runs/{run}/placement")).json(),
        placement
    );
    assert_eq!(server.get(&format!("/runs/{run}/report.html")).body, report);
    assert_eq!(
        server.get(&format!("/runs/{cut}")).json()["state"],
        "stopped"
    );
    assert_eq!(
        server.get(&format!("/inputs/{input}")).json()["name"],
        "examples/web-shop.yaml"
    );
    let again = server.ask(&json!({"input": input, "verb": "colocate", "steps": 5000}));
    assert_ne!(again, run);
    assert_eq!(
        server.ended(&again)["outcome"]["objective"],
        before["outcome"]["objective"]
    );
    drop(server);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn an_id_of_another_start_names_nothing() {
    let first = start(config());
    let (old, kept) = (first.example("web-shop"), first.example("web-shop"));
    let run = first.ask(&json!({"input": kept, "verb": "colocate", "steps": 10}));
    first.ended(&run);
    drop(first);
    let second = start(config());
    let new = second.example("divided-load");
    // The same number, but not the same input.
    assert_eq!(new.split('-').next(), old.split('-').next());
    assert_ne!(new, old);
    for path in [
        format!("/inputs/{old}"),
        format!("/inputs/{old}/map"),
        format!("/inputs/{}", old.split('-').next().unwrap()),
        format!("/runs/{run}"),
        format!("/runs/{run}/placement"),
    ] {
        let reply = second.get(&path);
        assert_eq!(
            (reply.status, reply.code().as_str()),
            (404, "W001"),
            "{path}"
        );
    }
    let question = json!({"input": old, "verb": "divide", "steps": 10});
    assert_eq!(second.post("/runs", &question).status, 404);
}
